# SPDX-License-Identifier: GPL-3.0-or-later
"""lint.py FOLDER...: the blocking rules (S0, S1) of pypto-op-lint, written again from their description.

A folder holds one operator: NAME_impl.py, NAME_golden.py, test_NAME.py, SPEC.md, DESIGN.md, API_REPORT.md, README.md.
Prints findings, and waived ones with the reason. Exit 1: findings that are not waived."""
import ast
import dataclasses
import sys

import standin_path  # noqa: F401  first: the path

import lint_files  # noqa: F401  its rules
import lint_kernel  # noqa: F401  its rules
from lint_operator import RULES, Operator, dotted, walk

# Rules about the state of an agent's work, which an operator in a folder does not have.
NOT_OURS = {
    "OL14": "the state file of the work flow",
    "OL24": "the state file of the work flow",
    "OL44": "module files of a stage of the work flow",
    "OL50": "the interface file of the work flow",
    "OL54": "the self review of a stage, in the work flow's memory",
    "OL59": "a report of times measured on an NPU",
}


@dataclasses.dataclass
class Finding:
    rule: str
    file: str
    line: int
    text: str
    waiver: str = ""

    def __str__(self):
        waived = f" (waived: {self.waiver})" if self.waiver else ""
        return f"{self.rule} [{RULES[self.rule].severity}] {self.file}:{self.line}: {self.text}{waived}"


def waiver(finding, operator):
    """Why a finding may stand, or nothing."""
    if finding.rule == "OL48" and finding.text.startswith("k has 3 values"):
        return "three K depths, which the framework supports"
    if finding.rule == "OL56":
        return "a tuned kernel: several factors belong to the optimisation stage, shipped operators have them too"
    if finding.rule == "OL40" and "'dynamic_axes'" in finding.text:
        notes = [parameter.annotation for kernel in operator.kernels
                 for parameter in kernel.args.args if parameter.annotation]
        if not any(dotted(node) == "pypto.DYNAMIC" for note in notes for node in walk(note)):
            return "every axis is a constant of the compilation"
    return ""


def lint(operator):
    found = []
    for number, entry in sorted(RULES.items()):
        for file, line, text in entry.check(operator):
            finding = Finding(number, file, line, text)
            finding.waiver = waiver(finding, operator)
            found.append(finding)
    return found


def main(folders):
    bad = 0
    for folder in folders:
        for finding in lint(Operator(folder)):
            print(f"{folder}: {finding}")
            bad += not finding.waiver
    for number, reason in sorted(NOT_OURS.items()):
        print(f"not checked: {number} is about {reason}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
