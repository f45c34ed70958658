# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors of PyPTO that the stand-in raises, with PyPTO's codes, and its own for what nothing else would notice."""


class PyptoError(Exception):
    """An error that the compiler would raise as well: `code` is PyPTO's."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code


class StandInError(Exception):
    """Code that the compiler would take, or misunderstand, but that cannot mean what it says."""


# Names as in PyPTO's error_code.h.
INVALID_TYPE = "F00001"
INVALID_VALUE = "F00002"
RUNTIME_ERROR = "F00003"
INVALID_OPERATION = "F00007"
DYNAMIC_SHAPE = "F0000A"
INVALID_SHAPE = "F0000B"
INVALID_TILE = "F0000C"
INVALID_FORMAT = "F0000D"
NOT_SYMBOLIC = "F21003"
TILE_RANK = "F4FFFF"
MEMORY = "F40005"
CYCLE = "F21009"
VECTOR_PARAMETER = "FC0000"
VECTOR_TYPE = "FC0001"
VECTOR_RANK = "FC0002"


def fail(code, text):
    raise PyptoError(code, text)


def need(condition, code, text):
    if not condition:
        raise PyptoError(code, text)
