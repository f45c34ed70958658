# SPDX-License-Identifier: GPL-3.0-or-later
"""GMMFinalizeRouting: rows of each expert, weighed, added to the token that they belong to; then the shared input."""
import numpy as np

from reference import Run
from tensor_formats import FP8E4M3, FP8E5M2, e8m0, e8m0_codes, fp8_codes, from_bf16, per_element, to_bf16


def run(rng, table, batch, m, k, n, experts, case=None):
    inputs = {"x1": fp8_codes(rng, table, (m, k), -4, 4), "x2": fp8_codes(rng, table, (experts, n, k), -4, 4),
              "scale": e8m0_codes(rng, (n, k // 64, 2), -3, 0),
              "pertoken_scale": e8m0_codes(rng, (m, k // 64, 2), -2, 1),
              "shared_input": to_bf16(rng.uniform(-0.5, 0.5, (batch, n))),
              "logit": rng.uniform(0, 1, (m, 1)).astype(np.float32),
              "row_index": rng.integers(0, batch, m).astype(np.int32),
              "out": np.zeros((batch, n), np.float32)}
    x1 = table[inputs["x1"]] * per_element(e8m0(inputs["pertoken_scale"]), k)
    weight_scale = per_element(e8m0(inputs["scale"]), k)
    out = from_bf16(inputs["shared_input"]).astype(np.float64)
    for row in range(m):
        expert = row // (m // experts)
        if expert < experts:  # the kernel leaves the rows behind the last whole expert out
            product = (table[inputs["x2"][expert]] * weight_scale) @ x1[row]
            out[inputs["row_index"][row]] += inputs["logit"][row, 0] * product
    return Run(f"B={batch} M={m} K={k} N={n} E={experts}", inputs, {"out": out}, case=case,
               symbols={"B": batch, "M": m, "K": k, "N": n, "E": experts})


def samples(rng):
    yield "gmm_finalize_routing", [run(rng, FP8E4M3, 70, 538, 128, 288, 4), run(rng, FP8E4M3, 520, 21, 64, 96, 3),
                                   run(rng, FP8E4M3, 24, 2060, 64, 96, 2), run(rng, FP8E4M3, 40, 520, 192, 64, 8, "spec1"),
                                   run(rng, FP8E5M2, 33, 514, 64, 64, 8, "spec4")]
