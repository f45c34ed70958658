# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kernel has set (tiles, label, options), in scopes as PyPTO has them: a jit function and every loop in it; and
the record of what it did, for the tests."""
import contextlib
import dataclasses
import itertools

from ._errors import CYCLE, StandInError, fail

# chip -> sizes in bytes: L0A, L0B, L0C, L1, UB
BUFFERS = {
    "A2A3": {"L0A": 65536, "L0B": 65536, "L0C": 131072, "L1": 524288, "UB": 196608},
    "950": {"L0A": 65536, "L0B": 65536, "L0C": 262144, "L1": 524288, "UB": 253952},
}


@dataclasses.dataclass
class Settings:
    """One scope. A loop starts with what surrounds it and forgets what its body sets."""

    vec_tile: list = None
    cube_tile: tuple = None  # m, k, n, split_k
    matrix_size: list = None
    label: str = ""
    options: dict = dataclasses.field(default_factory=dict)

    def inner(self):
        return Settings(self.vec_tile, self.cube_tile, self.matrix_size, self.label, dict(self.options))


@dataclasses.dataclass
class Event:
    """One operation that ran: kind is cube, vector, view or write."""

    kind: str
    op: str
    label: str
    tile: object
    shapes: list
    loops: tuple
    detail: dict


class Frame:
    """One iteration of a loop (or the function itself): what PyPTO compiles into one root function."""

    _ids = itertools.count()

    def __init__(self, settings, loop):
        self.id = next(self._ids)
        self.settings = settings
        self.loop = loop
        self.read = set()  # tensors viewed here
        self.written = set()  # tensors assembled into here


class Record:
    def __init__(self):
        self.events = []
        self.loops = []  # one entry for each loop that starts: name, kind, parallel, unroll list, number of iterations
        self.options = []  # the options of each kernel that ran
        self.notes = []  # what the compiler takes in silence, but is worth a look

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)


class State:
    def __init__(self):
        self.frames = []
        self.record = Record()
        self.chip = "A2A3"

    @property
    def settings(self):
        return self.frame.settings

    @property
    def frame(self):
        if not self.frames:
            raise StandInError("this is for kernels only: no @pypto.frontend.jit function is running")
        return self.frames[-1]

    @contextlib.contextmanager
    def scope(self, loop=None):
        settings = self.frames[-1].settings.inner() if self.frames else Settings()
        self.frames.append(Frame(settings, loop))
        try:
            yield self.frames[-1]
        finally:
            self.frames.pop()

    def loop_names(self):
        return tuple(frame.loop for frame in self.frames if frame.loop)

    def active(self, frame_id):
        return any(frame.id == frame_id for frame in self.frames)

    def event(self, kind, op, tile, shapes, **detail):
        self.record.events.append(
            Event(kind, op, self.settings.label, tile, [list(shape) for shape in shapes], self.loop_names(), detail))

    def reads(self, base):
        self._touch(base, self.frame.read, self.frame.written)

    def writes(self, base):
        self._touch(base, self.frame.written, self.frame.read)

    def _touch(self, base, mine, other):
        if base is None:
            return
        mine.add(id(base))
        if id(base) in other:
            fail(CYCLE, "view and assemble of the same tensor in one function make a dependency cycle")


state = State()


@contextlib.contextmanager
def recording(chip="A2A3"):
    """A fresh record; kernels that run inside are compiled for this chip ("A2A3" or "950")."""
    before, chip_before = state.record, state.chip
    state.record, state.chip = Record(), chip
    try:
        yield state.record
    finally:
        state.record, state.chip = before, chip_before
