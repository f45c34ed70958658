#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what the compiler cannot: who includes whom, what core must not do, and the size of files.

usage: check_layers.py ROOT [--links FILE] [--program FILE] [--library FILE]

ROOT is the source tree. --links lists "target library" pairs as CMake links them, --program is cubist-cli and --library
is libcubist_core.a. Prints one "file:line: reason" for each violation and exits 1 when there is any.
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from source_text import code_only, source_files, without_comments  # noqa: E402

# A folder of core may include itself and folders of earlier ranks; folders of one rank do not know each other.
CORE_RANKS = [
    {"base"},
    {"design", "chip"},
    {"skeleton"},
    {"rules", "lowering"},
    {"emulator", "timing", "golden"},
    {"accuracy", "tuning"},
    {"run"},
    {"exchange"},
]
RANK = {folder: rank for rank, folders in enumerate(CORE_RANKS) for folder in folders}

# What each top folder may include of ours.
MAY_INCLUDE = {"core": {"core"}, "views": {"core", "views"}, "app": {"core", "views", "app"}}
# Roots of quoted includes that are not ours: Highway includes itself this way.
FOREIGN_QUOTED = {"hwy"}

MAX_LINES = 600
SPDX = "// SPDX-License-Identifier: GPL-3.0-or-later"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
QT_HEADER = re.compile(r"^(Q[A-Z]\w*|Qt\w*)(/|$)|^q[a-z0-9]+\.h$")
STREAM_HEADERS = {"iostream", "print"}
FORBIDDEN_IN_CORE = [
    (re.compile(r"\bstd\s*::\s*(cout|cerr|clog|cin)\b"), "core does not print or read the terminal"),
    (re.compile(r"\b(printf|vprintf|fprintf|vfprintf|puts|fputs|putchar|fputc|perror)\s*\("), "core does not print"),
    (re.compile(r"\b(exit|_exit|_Exit|quick_exit|abort|terminate)\s*\("), "core does not end the process"),
]
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")

LINKS_OF_CLI = {"cubist::options", "cubist::light_options", "cubist::core", "cubist_core", "cubist_app_common",
                "cubist::app_common", "Qt6::Core"}
WINDOW_LIBRARIES = re.compile(r"Qt6(Gui|Widgets|Svg|PrintSupport|Concurrent)|qcustomplot", re.IGNORECASE)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def check_file(root, path):
    """Violations of one source file as (line, reason)."""
    name = path.relative_to(root)
    top, folder = name.parts[0], name.parts[1] if len(name.parts) > 2 else ""
    raw = path.read_text(encoding="utf-8")
    lines = raw.count("\n") + (not raw.endswith("\n"))
    if lines > MAX_LINES:
        yield MAX_LINES + 1, f"{lines} lines; the limit is {MAX_LINES}: split the file by topic"
    if not raw.startswith(SPDX + "\n"):
        yield 1, f"the first line must be '{SPDX}'"
    if path.suffix == ".h" and not re.search(r"^#pragma once$", raw, re.MULTILINE):
        yield 1, "a header needs #pragma once"
    for match in UNFINISHED.finditer(raw):
        yield line_of(raw, match.start()), f"{match[0]} in the source: finish it or file an issue"
    if top == "core" and folder not in RANK:
        yield 1, f"'{folder or name}' is in no layer of core; add the folder to CORE_RANKS"

    text = without_comments(raw)
    for match in INCLUDE.finditer(text):
        yield from ((line_of(text, match.start()), why) for why in check_include(top, folder, match[1], match[2]))
    if top == "core":
        code = code_only(raw)
        for pattern, why in FORBIDDEN_IN_CORE:
            for match in pattern.finditer(code):
                yield line_of(code, match.start()), f"'{match[0].strip()}': {why}"


def check_include(top, folder, opening, header):
    parts = header.split("/")
    if top == "core" and (QT_HEADER.search(header) or header.startswith("qcustomplot")):
        yield f"core must not include Qt ({header})"
    if top == "core" and header in STREAM_HEADERS:
        yield f"core must not include <{header}>: it does not print"
    if parts[0] in ("core", "views", "app", "tests"):
        if parts[0] not in MAY_INCLUDE[top]:
            yield f"{top} must not include {parts[0]} ({header})"
        elif top == "core" and len(parts) > 2 and folder in RANK and parts[1] in RANK:
            if parts[1] != folder and RANK[parts[1]] >= RANK[folder]:
                yield f"core/{folder} must not include core/{parts[1]} ({header})"
    elif opening == '"' and parts[0] not in FOREIGN_QUOTED and not header.endswith(".moc"):
        yield f'include from the repository root, as in "{top}/..." ({header})'


def check_listed(root, top):
    """Every .cpp is named in its CMakeLists.txt: one that is not would silently not be built."""
    cmake = root / top / "CMakeLists.txt"
    listed = cmake.read_text(encoding="utf-8") if cmake.exists() else ""
    listed = re.sub(r"#[^\n]*", "", listed)
    for path in source_files(root, top):
        name = path.relative_to(root / top).as_posix()
        if path.suffix == ".cpp" and not re.search(rf"(?<![\w/]){re.escape(name)}(?![\w.])", listed):
            yield path, 1, f"not listed in {top}/CMakeLists.txt"


def check_links(links):
    for number, line in enumerate(links.read_text(encoding="utf-8").splitlines(), 1):
        target, _, library = line.partition(" ")
        if target == "cubist_core" and re.search(r"Qt6|QCustomPlot|cubist.*(views|window|app)", library):
            yield number, f"cubist_core must not link {library}"
        if target == "cubist_views" and re.search(r"cubist.*(window|app)", library):
            yield number, f"cubist_views must not link {library}"
        if target == "cubist-cli" and library and library not in LINKS_OF_CLI:
            yield number, f"cubist-cli must not link {library}"


def check_program(program):
    shown = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", shown):
        if WINDOW_LIBRARIES.search(library):
            yield f"cubist-cli must not need {library}"


def constants_of_core(root):
    """Names that core declares constant. A const object that is filled on first use is writable to the linker, and GCC 12
    puts a constexpr one there when its template arguments are deduced (`constexpr std::array k{1, 2};`)."""
    declaration = re.compile(
        r"\bconstexpr\b[^;={(]*?\b(\w+)\s*[={;\[]"
        r"|^[ \t]*(?:static |inline )*const [^;={(*]*?\b(\w+)\s*[={;\[]", re.MULTILINE)
    names = set()
    for path in source_files(root, "core"):
        code = code_only(path.read_text(encoding="utf-8"))
        names.update(match[1] or match[2] for match in declaration.finditer(code))
    return names


def check_library(root, library):
    """Writable objects of the core library: each would be a global or a static that two runs share."""
    constants = constants_of_core(root)
    shown = subprocess.run(["objdump", "-t", "-C", library], check=True, capture_output=True, text=True).stdout
    member = ""
    for line in shown.splitlines():
        if found := re.match(r"(\S+):\s+file format", line):
            member = found[1]
        found = re.match(r"[0-9a-f]+ [lgu! ].{5}O (\.(?:data|bss|tdata|tbss)\S*)\s+[0-9a-f]+\s+(.*)", line)
        if not found or found[1].startswith(".data.rel.ro") or found[2].split("::")[-1] in constants:
            continue
        # A guard stands beside the object it guards; DW.ref.* is how GCC reaches the exception personality.
        if "DW.ref." not in found[2] and not found[2].startswith("guard variable for "):
            yield f"{member}: '{found[2]}' is mutable and lives as long as the process; make it constexpr or pass it in"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--links", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()

    problems = []
    count = 0
    for top in MAY_INCLUDE:
        for path in source_files(root, top):
            count += 1
            problems += [f"{path}:{line}: {why}" for line, why in check_file(root, path)]
        problems += [f"{path}:{line}: {why}" for path, line, why in check_listed(root, top)]
    if options.links:
        problems += [f"{options.links}:{line}: {why}" for line, why in check_links(options.links)]
    if options.program:
        problems += [f"{options.program}:1: {why}" for why in check_program(options.program)]
    if options.library:
        problems += [f"{options.library}:1: {why}" for why in check_library(root, options.library)]
    for problem in problems:
        print(problem)
    print(f"layers: {count} files, {len(problems)} violations")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
