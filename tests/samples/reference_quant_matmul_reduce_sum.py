# SPDX-License-Identifier: GPL-3.0-or-later
"""QuantMatMulReduceSum: sum over the batch of INT8 products times row and column scales, BF16."""
import numpy as np

from reference import Run
from tensor_formats import bf16, from_bf16, to_bf16


def run(rng):
    inputs = {"x1": rng.integers(-128, 128, (2, 128, 128)).astype(np.int8),
              "x2": rng.integers(-128, 128, (2, 128, 128)).astype(np.int8),
              "x1_scale": rng.uniform(0.5, 1.5, (2, 128)).astype(np.float32),
              "x2_scale": to_bf16(rng.uniform(0.5, 1.5, 128))}
    # The tolerance is below a step of BF16, so every rounding of the definition has to be made: scales first.
    sums = np.matmul(inputs["x1"].astype(np.int64), inputs["x2"].astype(np.int64)).astype(np.float32)
    scales = inputs["x1_scale"][:, :, None] * from_bf16(inputs["x2_scale"])[None, None, :]
    terms = sums * scales
    total = terms[0] + terms[1]
    return Run("random INT8", inputs, {"out": bf16(total)})


def samples(rng):
    yield "quant_matmul_reduce_sum", [run(rng), run(rng)]
