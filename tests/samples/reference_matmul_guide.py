# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain FP16 matmul."""
import numpy as np

from reference import Run


def run(rng, m, k, n):
    inputs = {"a": rng.standard_normal((m, k)).astype(np.float16), "b": rng.standard_normal((k, n)).astype(np.float16)}
    c = inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)
    return Run(f"M={m} K={k} N={n}", inputs, {"c": c.astype(np.float16).astype(np.float64)},
               symbols={"M": m, "K": k, "N": n})


def samples(rng):
    yield "matmul_guide", [run(rng, 130, 96, 272), run(rng, 1, 2048, 16), run(rng, 257, 16, 1)]
