# SPDX-License-Identifier: GPL-3.0-or-later
"""FusedSwiGLU: silu(x * Wg + bg) * (x * Wfc + bfc)."""
import numpy as np

from reference import Run
from tensor_formats import bf16, from_bf16, to_bf16


def run(rng, rows):
    inputs = {"x": to_bf16(rng.standard_normal((rows, 512))), "w_gate": to_bf16(rng.standard_normal((512, 1024)) / 8),
              "b_gate": rng.standard_normal((1, 1024)).astype(np.float32),
              "w_fc": to_bf16(rng.standard_normal((512, 1024)) / 8),
              "b_fc": rng.standard_normal((1, 1024)).astype(np.float32)}
    x, w_gate, w_fc = (from_bf16(inputs[name]).astype(np.float64) for name in ("x", "w_gate", "w_fc"))
    g = x @ w_gate + inputs["b_gate"]
    y = g / (1 + np.exp(-g)) * (x @ w_fc + inputs["b_fc"])
    return Run(f"M={rows}", inputs, {"y": bf16(y).astype(np.float64)}, symbols={"M": rows})


def samples(rng):
    yield "fused_swiglu", [run(rng, 515), run(rng, 1)]
