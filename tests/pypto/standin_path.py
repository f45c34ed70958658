# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the stand-in of pypto, and the shim of torch where torch is not installed, on the path. Import this first."""
import importlib.util
import os
import pathlib
import sys

# Tests run beside each other: threads of a BLAS that wait for work would take it from them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    import numpy  # noqa: F401
except ImportError:
    print("SKIPPED: NumPy is not installed")
    sys.exit(77)

FOLDER = pathlib.Path(__file__).resolve().parent / "standin"
TORCH = importlib.util.find_spec("torch") is not None
# The real torch stays in front, the real pypto must not.
if TORCH:
    import torch  # noqa: F401
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
