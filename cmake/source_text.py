# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading C++ sources for the checks: files of a tree, and text with comments or literals blanked out."""
import pathlib
import re

_TOKEN = re.compile(
    r"""//[^\n]*                                  # line comment
      | /\*.*?\*/                                 # block comment
      | R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)"   # raw string
      | "(?:\\.|[^"\\\n])*"                       # string
      | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'       # character, but not the separator of 65'536
    """,
    re.DOTALL | re.VERBOSE,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with every comment blanked; line numbers and literals stay."""
    return _TOKEN.sub(lambda m: _blank(m[0]) if m[0].startswith(("//", "/*")) else m[0], text)


def code_only(text):
    """The text with comments and the contents of literals blanked; line numbers stay."""
    return _TOKEN.sub(lambda m: _blank(m[0]), text)


def source_files(root, folder):
    """The .h and .cpp files below root/folder, sorted."""
    base = pathlib.Path(root) / folder
    return sorted(p for p in base.rglob("*") if p.suffix in (".h", ".cpp") and p.is_file())
