# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse attention: softmax over the gathered keys of each token, all heads share the keys."""
import numpy as np

from reference import Run
from tensor_formats import bf16, from_bf16, to_bf16


def run(rng, tokens, heads, keys):
    inputs = {"q_nope": to_bf16(rng.standard_normal((tokens, heads, 512)) * 0.3),
              "q_rope": to_bf16(rng.standard_normal((tokens, heads, 64))),
              "kv": to_bf16(rng.standard_normal((keys, 512))), "k_rope": to_bf16(rng.standard_normal((keys, 64))),
              "topk_indices": rng.integers(0, keys, (tokens, 2048)).astype(np.int32)}
    decoded = {name: from_bf16(values).astype(np.float64) for name, values in inputs.items() if name != "topk_indices"}
    out, largest, total = np.empty((tokens, heads, 512)), np.empty((tokens, heads)), np.empty((tokens, heads))
    for token in range(tokens):
        rows = inputs["topk_indices"][token]
        kv, k_rope = decoded["kv"][rows], decoded["k_rope"][rows]
        scores = (decoded["q_nope"][token] @ kv.T + decoded["q_rope"][token] @ k_rope.T) * 0.0721688
        largest[token] = scores.max(axis=1)
        weights = np.exp(scores - largest[token][:, None])
        total[token] = weights.sum(axis=1)
        out[token] = bf16(weights / total[token][:, None]).astype(np.float64) @ kv
    return Run(f"T={tokens} H={heads} L={keys}", inputs,
               {"out": bf16(out).astype(np.float64), "softmax_max": largest, "softmax_sum": total},
               symbols={"T": tokens, "H": heads, "L": keys})


def samples(rng):
    yield "sparse_attention", [run(rng, 3, 5, 2500), run(rng, 1, 33, 4096)]
