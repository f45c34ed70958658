# SPDX-License-Identifier: GPL-3.0-or-later
"""MLA projection: q through two quantised levels, kv through one, RMS norms and RoPE, from their definitions."""
import numpy as np

from reference import Run
from tensor_formats import bf16, from_bf16, to_bf16
from token_quantisation import quantise


def rms_norm(x):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def rope(x, cos, sin):
    """Turns the pairs (i, i + n / 2)."""
    first, second = np.split(x, 2, axis=-1)
    return x * cos + np.concatenate([-second, first], axis=-1) * sin


def run(rng, tokens):
    angle = rng.uniform(-3, 3, (tokens, 64))
    inputs = {"x": to_bf16(rng.uniform(-1, 1, (tokens, 4096))), "wq_a": to_bf16(rng.uniform(-0.1, 0.1, (4096, 1024))),
              "gamma_q": rng.uniform(0.5, 1.5, (1, 1024)).astype(np.float32),
              "wq_b": rng.integers(-127, 128, (1024, 32768)).astype(np.int8),
              "wq_b_scale": rng.uniform(1e-4, 1e-3, (1, 32768)).astype(np.float32),
              "wkv": to_bf16(rng.uniform(-0.1, 0.1, (4096, 512))),
              "gamma_kv": rng.uniform(0.5, 1.5, (1, 512)).astype(np.float32),
              "cos": to_bf16(np.cos(angle)), "sin": to_bf16(np.sin(angle))}
    x, wq_a, wkv, cos, sin = (from_bf16(inputs[name]).astype(np.float64) for name in ("x", "wq_a", "wkv", "cos", "sin"))
    codes, kept = quantise(rms_norm(x @ wq_a) * inputs["gamma_q"])

    def q(outputs):
        # A code may differ by one where the sums are on a tie; q follows the codes that were written.
        sums = (outputs["qr"].astype(np.float32) @ inputs["wq_b"].astype(np.float32)).astype(np.float64)
        heads = (sums * outputs["qr_scale"] * inputs["wq_b_scale"]).reshape(tokens, 64, 512)
        heads = bf16(rms_norm(heads)).astype(np.float64)
        turned = rope(heads[..., 448:], cos[:, None], sin[:, None])
        return np.concatenate([heads[..., :448], bf16(turned)], axis=-1)

    kv = bf16(rms_norm(x @ wkv) * inputs["gamma_kv"]).astype(np.float64)
    kv = np.concatenate([kv[:, :448], bf16(rope(kv[:, 448:], cos, sin))], axis=-1)
    return Run(f"T={tokens}", inputs, {"q": q, "kv": kv, "qr": codes, "qr_scale": kept}, symbols={"T": tokens})


def samples(rng):
    yield "mla_projection", [run(rng, 3), run(rng, 18)]
