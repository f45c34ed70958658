# SPDX-License-Identifier: GPL-3.0-or-later
"""LLaDA2 experts: w2(silu(left) * right) of w13, for the tokens of each expert."""
import numpy as np

from reference import Run
from tensor_formats import bf16, from_bf16, to_bf16


def run(rng, counts):
    experts, tokens = len(counts), sum(counts)
    cumsum = np.concatenate([[0], np.cumsum(counts)])
    inputs = {"sorted_tokens": to_bf16(rng.standard_normal((tokens, 2048))),
              "w13": to_bf16(rng.standard_normal((experts * 2048, 1024)) * 0.03),
              "w2": to_bf16(rng.standard_normal((experts * 512, 2048)) * 0.03)}
    x, w13, w2 = (from_bf16(values).astype(np.float64) for values in inputs.values())
    out = np.zeros((tokens, 2048))
    for expert in range(experts):
        rows = slice(cumsum[expert], cumsum[expert + 1])
        left, right = np.split(x[rows] @ w13[expert * 2048:(expert + 1) * 2048], 2, axis=1)
        a = bf16(left / (1 + np.exp(-left)) * right).astype(np.float64)
        out[rows] = a @ w2[expert * 512:(expert + 1) * 512]
    return Run(f"counts {counts}", inputs, {"out": out},
               symbols={"E": experts, "T": tokens, "expert_cumsum": cumsum.tolist()})


def samples(rng):
    yield "llada2_grouped_gemm", [run(rng, [3, 0, 13]), run(rng, [0, 0, 5]), run(rng, [75])]
