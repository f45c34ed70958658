# SPDX-License-Identifier: GPL-3.0-or-later
"""quant_batch_matmul: x1 * x2^T times a scale of 10 mantissa bits, clamped to INT8, then rounded half to even."""
import numpy as np

from reference import Run
from tensor_formats import FP8E4M3

SCALE = (np.array([0.39], np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)[0]


def run(rng, batch, m, k, n):
    # Multiples of 1/8 up to 1 keep every sum exact, so that no tie depends on the order of the additions.
    eighths = np.array([code for code in range(256) if np.isfinite(FP8E4M3[code]) and abs(FP8E4M3[code]) <= 1 and
                        FP8E4M3[code] * 8 == round(FP8E4M3[code] * 8)], np.uint8)
    inputs = {"x1": rng.choice(eighths, (batch, m, k)), "x2": rng.choice(eighths, (batch, n, k))}
    inputs["x1"][0, 0] = np.flatnonzero(FP8E4M3 == 1)[0]  # a row of ones reaches both ends of INT8
    inputs["x2"][0, 0] = np.flatnonzero(FP8E4M3 == 1)[0]
    inputs["x2"][0, 1] = np.flatnonzero(FP8E4M3 == -1)[0]
    sums = np.einsum("bmk,bnk->bmn", FP8E4M3[inputs["x1"]], FP8E4M3[inputs["x2"]], optimize=True)
    scaled = (sums.astype(np.float32) * SCALE).astype(np.float64)
    return Run(f"B={batch} M={m} K={k} N={n}", inputs, {"out": np.rint(np.clip(scaled, -128, 127))},
               symbols={"B": batch, "M": m, "K": k, "N": n})


def samples(rng):
    yield "quant_batch_matmul", [run(rng, 2, 6, 416, 544), run(rng, 1, 1, 2048, 64), run(rng, 3, 9, 512, 32)]
