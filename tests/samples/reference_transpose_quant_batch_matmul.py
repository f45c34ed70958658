# SPDX-License-Identifier: GPL-3.0-or-later
"""transpose_quant_batch_matmul: out[m, b, :] = x1[m, b, :] * x2[b] with MX scales; batches are the middle axis."""
import numpy as np

from reference import Run
from tensor_formats import FP8E4M3, FP8E5M2, bf16, e8m0, e8m0_codes, fp8_codes, per_element


def coarse_codes(rng, table, shape):
    """Codes of 0 and of values from 1/8 to 2: sums of their products are exact in FP32."""
    codes = fp8_codes(rng, table, shape, -2, 2)
    codes[np.abs(table[codes]) < 0.125] = 0
    return codes


def run(rng, m, table, transposed):
    k, n, batch = 128, 512, 128
    inputs = {"x1": coarse_codes(rng, table, (m, batch * k)),
              "x2": coarse_codes(rng, table, (batch, n, k) if transposed else (batch, k, n)),
              "x1_scale": e8m0_codes(rng, (m, batch * 2, 2), -1, 0),
              "x2_scale": e8m0_codes(rng, (batch, n, 2, 2) if transposed else (batch, 2, n, 2), -1, 0)}
    x1 = table[inputs["x1"]].reshape(m, batch, k)
    x1 = x1 * per_element(e8m0(inputs["x1_scale"]).reshape(m, batch, 2, 2), k)
    x2, scale = table[inputs["x2"]], e8m0(inputs["x2_scale"])
    if not transposed:
        x2, scale = x2.swapaxes(1, 2), scale.swapaxes(1, 2)
    x2 = x2 * per_element(scale, k)
    # The sums are exact in FP32, so one rounding to the output's type remains.
    out = np.einsum("mbk,bnk->mbn", x1, x2, optimize=True).astype(np.float32)
    rounded = bf16(out) if transposed else out.astype(np.float16)
    return Run(f"M={m}", inputs, {"out": rounded.reshape(m, batch * n).astype(np.float64)},
               case="e5m2" if transposed else None, symbols={"M": m})


def samples(rng):
    yield "transpose_quant_batch_matmul", [run(rng, 1, FP8E4M3, False), run(rng, 5, FP8E4M3, False),
                                           run(rng, 3, FP8E5M2, True)]
