# SPDX-License-Identifier: GPL-3.0-or-later
"""GMM SwiGLU quant: grouped product, SiLU of the left half times the right half, BF16, INT8 codes of each row."""
import numpy as np

from reference import Run
from reference_gmm_mxfp8 import operands, products
from tensor_formats import bf16


def run(rng, counts, k):
    m = sum(counts)
    inputs = operands(rng, counts, m, k, 7168)
    left, right = np.split(products(inputs, counts), 2, axis=1)
    s = bf16(left / (1 + np.exp(-left)) * right).astype(np.float64)
    scale = np.abs(s).max(axis=1) / 127
    return Run(f"groups {counts} K={k}", inputs,
               {"out": np.clip(np.rint(s / scale[:, None]), -127, 127), "out_scale": scale},
               symbols={"M": m, "K": k, "group_list": counts})


def samples(rng):
    yield "gmm_swiglu_quant", [run(rng, [2, 3], 64), run(rng, [0, 5, 1], 128)]
