# SPDX-License-Identifier: GPL-3.0-or-later
"""run_references.py [SAMPLE...]: compares samples with their references. Exit 77: NumPy is missing."""
import importlib
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that wait for work take it from other tests
try:
    import numpy
except ImportError:
    print("SKIPPED: NumPy is not installed")
    sys.exit(77)

from reference import Failure, check


def main(names):
    folder = pathlib.Path(__file__).resolve().parent
    names = names or sorted(path.stem.removeprefix("reference_") for path in folder.glob("reference_*.py"))
    failed = False
    for name in names:
        module = importlib.import_module(f"reference_{name}")
        try:
            for sample, runs in module.samples(numpy.random.default_rng(2026)):
                check(sample, runs)
        except Failure as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
