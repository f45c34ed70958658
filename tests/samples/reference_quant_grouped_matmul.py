# SPDX-License-Identifier: GPL-3.0-or-later
"""QuantGroupedMM: y[g] += a[rows of g]^T * b[rows of g] with MX scales, one spare scale row behind each group."""
import numpy as np

from reference import Run
from tensor_formats import FP8E4M3, FP8E5M2, e8m0, e8m0_codes, fp8_codes


def run(rng, table, m, k, n, g):
    inputs = {"a": fp8_codes(rng, table, (k, m), -4, 4), "b": fp8_codes(rng, table, (k, n), -4, 4),
              "scaled_a": e8m0_codes(rng, (k // 64 + g, m, 2), -2, 1),
              "scaled_b": e8m0_codes(rng, (k // 64 + g, n, 2), -2, 1),
              "y": rng.standard_normal((g, m, n)).astype(np.float32)}
    y = inputs["y"].astype(np.float64)
    for row in range(k):
        group = row // (k // g)
        scale_row, half = row // 64 + group, row % 64 // 32
        a = table[inputs["a"][row]] * e8m0(inputs["scaled_a"][scale_row, :, half])
        b = table[inputs["b"][row]] * e8m0(inputs["scaled_b"][scale_row, :, half])
        y[group] += np.outer(a, b)
    return Run(f"M={m} K={k} N={n} G={g}", inputs, {"y": y}, case="e5m2" if table is FP8E5M2 else None,
               symbols={"M": m, "K": k, "N": n, "G": g})


def samples(rng):
    yield "quant_grouped_matmul", [run(rng, FP8E4M3, 96, 384, 160, 3), run(rng, FP8E4M3, 32, 64, 32, 1),
                                   run(rng, FP8E4M3, 160, 512, 288, 2), run(rng, FP8E5M2, 64, 384, 96, 2),
                                   run(rng, FP8E5M2, 32, 896, 544, 2)]
