# SPDX-License-Identifier: GPL-3.0-or-later
"""GMM-MXFP8: each group of rows times its own weight, both with a scale for 32 elements along K."""
import numpy as np

from reference import Run
from tensor_formats import FP8E4M3, e8m0, e8m0_codes, fp8_codes, per_element


def operands(rng, counts, m, k, n):
    """Inputs of a grouped matmul with MX scales."""
    g = len(counts)
    return {"a": fp8_codes(rng, FP8E4M3, (m, k), -4, 4), "b": fp8_codes(rng, FP8E4M3, (g, k, n), -4, 4),
            "scaled_a": e8m0_codes(rng, (m, k // 64, 2), -2, 1), "scaled_b": e8m0_codes(rng, (g, k // 64, n, 2), -3, 0)}


def products(inputs, counts):
    """Rows of the product, group by group."""
    k = inputs["a"].shape[1]
    a = FP8E4M3[inputs["a"]] * per_element(e8m0(inputs["scaled_a"]), k)
    weight_scales = per_element(e8m0(inputs["scaled_b"]).transpose(0, 2, 1, 3), k)
    out = np.zeros((inputs["a"].shape[0], inputs["b"].shape[2]))
    begin = 0
    for group, count in enumerate(counts):
        weight = FP8E4M3[inputs["b"][group]] * weight_scales[group].T
        out[begin:begin + count] = a[begin:begin + count] @ weight
        begin += count
    return out


def run(rng, counts, k, n):
    m = sum(counts)
    inputs = operands(rng, counts, m, k, n)
    return Run(f"groups {counts} K={k} N={n}", inputs, {"out": products(inputs, counts)},
               symbols={"M": m, "K": k, "N": n, "group_list": counts})


def samples(rng):
    yield "gmm_mxfp8", [run(rng, [7, 9], 128, 272), run(rng, [0, 1, 11, 0, 4], 512, 96), run(rng, [16], 64, 32),
                        run(rng, [5, 0], 192, 528)]
