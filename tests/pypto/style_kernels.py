# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernels of styles.py share. `KERNELS`: name -> (before the kernel, its body, "same" or "listed")."""

HEAD = '''import functools
import math
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pypto

{before}

@pypto.frontend.jit
def k(
    x: pypto.Tensor([64, 64], pypto.DT_FP32),
    w: pypto.Tensor([64, 64], pypto.DT_FP32),
    out: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    pypto.set_cube_tile_shapes([32, 32], [32, 64], [32, 32])
    pypto.set_vec_tile_shapes(16, 64)
{body}
'''

SAME, LISTED = "same", "listed"
KERNELS = {}


def kernel(name, body, before="", wanted=SAME):
    assert name not in KERNELS, name
    KERNELS[name] = (before.strip("\n"), "\n".join("    " + line for line in body.strip("\n").splitlines()), wanted)


def source(name):
    before, body, _ = KERNELS[name]
    return HEAD.format(before=before, body=body)
