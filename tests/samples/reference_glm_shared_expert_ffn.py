# SPDX-License-Identifier: GPL-3.0-or-later
"""GLM shared expert: both matmuls in INT8 with a scale for each token and each column."""
import numpy as np

from reference import Run
from tensor_formats import bf16, from_bf16, to_bf16
from token_quantisation import quantise


def run(rng, tokens):
    inputs = {"x": to_bf16(rng.standard_normal((tokens, 5120))),
              "w13": rng.integers(-127, 128, (5120, 384)).astype(np.int8),
              "w13_scale": rng.uniform(1e-4, 5e-4, (1, 384)).astype(np.float32),
              "w2": rng.integers(-127, 128, (192, 5120)).astype(np.int8),
              "w2_scale": rng.uniform(1e-4, 5e-4, (1, 5120)).astype(np.float32)}
    if tokens > 2:
        inputs["x"][1] = 0
    codes, kept = quantise(from_bf16(inputs["x"]))
    h = (codes @ inputs["w13"].astype(np.int64)).astype(np.float32) * inputs["w13_scale"] * kept
    left, right = np.split(h.astype(np.float64), 2, axis=1)
    codes, kept = quantise(left / (1 + np.exp(-left)) * right)
    y = (codes @ inputs["w2"].astype(np.int64)) * inputs["w2_scale"].astype(np.float64) * kept
    return Run(f"T={tokens}", inputs, {"out": bf16(y).astype(np.float64)}, symbols={"T": tokens})


def samples(rng):
    yield "glm_shared_expert_ffn", [run(rng, 3), run(rng, 21), run(rng, 1)]
