#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that every formula id used in the sources and chip files is defined in docs/formulas.md.

usage: check_formula_ids.py ROOT

A line of docs/formulas.md that starts with an id (in a table row, heading or list item) defines it. Uses are any F-nn in
core, views, app and bench, and in the JSON files of resources. Also checks that ids are defined once and that the tests
which the page names exist. Prints one "file:line: reason" for each problem and exits 1 when there is any.
"""
import pathlib
import re
import sys

ID = r"F-\d{2,}"
DEFINITION = re.compile(rf"^\s*(?:\||#+|[-*])?\s*(?:\*\*|`|<a [^>]*>\s*(?:</a>)?)?\s*({ID})(?!\d)")
USE = re.compile(rf"(?<![A-Za-z0-9-])({ID})(?!\d)")
# A formula is cited as F-nn; "Source: f7" or "Source: F-7" would pass unseen.
MALFORMED = re.compile(r"Source:\s*(?!F-\d{2,}(?!\d))([Ff]-?\d+)")


def numbered(path):
    return enumerate(path.read_text(encoding="utf-8").splitlines(), 1)


def using_files(root):
    for folder in ("core", "views", "app", "bench"):
        yield from (p for p in sorted((root / folder).rglob("*")) if p.suffix in (".h", ".cpp"))
    yield from sorted((root / "resources").rglob("*.json"))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    page = root / "docs" / "formulas.md"
    if not page.exists():
        print(f"{page}:1: missing: it defines the formula ids")
        return 1
    problems = []
    defined = {}
    tests = {path.stem for path in (root / "tests").rglob("tst_*.cpp")}
    for number, line in numbered(page):
        if match := DEFINITION.match(line):
            if match[1] in defined:
                problems.append(f"{page}:{number}: {match[1]} is already defined in line {defined[match[1]]}")
            defined.setdefault(match[1], number)
        for test in re.findall(r"\btst_\w+", line):
            if test not in tests:
                problems.append(f"{page}:{number}: names the test {test}, which does not exist")
    if not defined:
        problems.append(f"{page}:1: defines no formula id")
    uses = 0
    for path in using_files(root):
        for number, line in numbered(path):
            for match in USE.finditer(line):
                uses += 1
                if match[1] not in defined:
                    problems.append(f"{path}:{number}: {match[1]} is not defined in docs/formulas.md")
            if match := MALFORMED.search(line):
                problems.append(f"{path}:{number}: '{match[1]}' is not of the form F-nn")
    for problem in problems:
        print(problem)
    print(f"formula_ids: {len(defined)} defined, {uses} uses, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
