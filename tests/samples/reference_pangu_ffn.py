# SPDX-License-Identifier: GPL-3.0-or-later
"""Feed-forward part of the Pangu layer: down(silu(gate(x)) * up(x)), computed without rounding between the parts."""
import numpy as np

from tensor_formats import from_bf16, to_bf16
from reference import Run


def run(rng, hidden, inner):
    codes = {"normed": to_bf16(rng.standard_normal((1, hidden))),
             "gate_w": to_bf16(rng.standard_normal((inner, hidden)) * 4 / hidden**0.5),
             "up_w": to_bf16(rng.standard_normal((inner, hidden)) * 4 / hidden**0.5),
             "down_w": to_bf16(rng.standard_normal((hidden, inner)) * 0.5 / inner**0.5)}
    x, gate, up, down = (from_bf16(codes[name]).astype(np.float64) for name in codes)
    g = x @ gate.T
    output = (g / (1 + np.exp(-g)) * (x @ up.T)) @ down.T
    return Run(f"H={hidden} I={inner}", codes, {"output": output}, symbols={"H": hidden, "I": inner})


def samples(rng):
    yield "pangu_ffn", [run(rng, 512, 1184), run(rng, 272, 304)]
