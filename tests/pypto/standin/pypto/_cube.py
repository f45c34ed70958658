# SPDX-License-Identifier: GPL-3.0-or-later
"""matmul and scaled_mm with the checks of CheckCubeTiling and of the passes behind it. Products are summed in float64
and rounded once to FP32 (integers: INT32), then to the output's type."""
import enum

import numpy as np

from ._dtypes import DataType as T
from ._dtypes import ONLY_950, is_float, round_float, size_of
from ._errors import (INVALID_FORMAT, INVALID_OPERATION, INVALID_SHAPE, INVALID_TILE, INVALID_TYPE, INVALID_VALUE,
                      MEMORY, RUNTIME_ERROR, need)
from ._state import BUFFERS, state
from ._tensor import Tensor, TileOpFormat

FP8 = (T.DT_FP8E4M3, T.DT_FP8E5M2)
OUTPUTS = {
    T.DT_FP16: {T.DT_FP16, T.DT_FP32},
    T.DT_BF16: {T.DT_BF16, T.DT_FP32},
    T.DT_FP32: {T.DT_FP32},
    T.DT_INT8: {T.DT_INT32},
    T.DT_FP8E4M3: {T.DT_FP16, T.DT_BF16, T.DT_FP32},
    T.DT_FP8E5M2: {T.DT_FP16, T.DT_BF16, T.DT_FP32},
    T.DT_HF8: {T.DT_FP16, T.DT_BF16, T.DT_FP32},
    T.DT_FP4_E2M1: {T.DT_FP16, T.DT_BF16, T.DT_FP32},
}
# Types of a bias by that of the operands; BF16 on A2 and A3: FP32 alone.
BIASES = {kind: {T.DT_FP16, T.DT_BF16, T.DT_FP32} for kind in OUTPUTS}
BIASES.update({T.DT_FP16: {T.DT_FP16, T.DT_FP32}, T.DT_BF16: {T.DT_FP32}, T.DT_FP32: {T.DT_FP32},
               T.DT_INT8: {T.DT_INT32}})


class ReLuType(enum.Enum):
    NO_RELU = 0
    RELU = 1


class TransMode(enum.Enum):
    CAST_NONE = 0
    CAST_RINT = 1
    CAST_ROUND = 2


class Operand:
    """One side of a product as rows x K (A) or K x columns (B), whatever way it is stored."""

    def __init__(self, tensor, trans, side):
        need(isinstance(tensor, Tensor), INVALID_TYPE, f"operand {side} is no Tensor")
        self.shape = tensor.static_shape("matmul")
        need(tensor.dtype not in ONLY_950 or state.chip == "950", INVALID_TYPE,
             f"{tensor.dtype!r}: only DAV_3510 architecture is supported.")
        self.tensor, self.trans = tensor, trans
        self.outer, self.inner = self.shape[-2:]
        valid = list(tensor.valid)
        self.values = tensor.valid_part()
        self.valid = valid[:-2] + (valid[-1:-3:-1] if trans else valid[-2:])
        self.extents = self.shape[-1:-3:-1] if trans else self.shape[-2:]
        if trans:
            self.values = np.swapaxes(self.values, -1, -2)


def clipped(tile, extent):
    return min(tile, -(-extent // 16) * 16)


def check_tile(a, b, out_dtype, mx):
    tile = state.settings.cube_tile
    need(tile is not None, INVALID_TILE,
         "Invalid tile values: kL0=0, kL1a=0, kL1b=0, mL0=0, mL1=0, nL0=0, nL1=0")
    (m0, m1), k, (n0, n1), split_k = tile
    k0, ka, kb = k[0], k[1], k[-1]
    need(min(m0, m1, k0, ka, kb, n0, n1) > 0, INVALID_TILE, f"Invalid tile values: {tile}")
    need(k0 % 16 == 0 and n0 % 16 == 0, INVALID_TILE, f"kL0({k0}) and nL0({n0}) must be aligned to 16 elements")
    for low, high, name in ((m0, m1, "m"), (k0, ka, "kL1a"), (k0, kb, "kL1b"), (n0, n1, "n")):
        need(low <= high and high % low == 0, INVALID_TILE,
             f"Invalid L1/L0 relation: {name}: L0={low}, L1={high}, require L0 <= L1 && L1 % L0 == 0")
    size_a, size_b = size_of(a.tensor.dtype), size_of(b.tensor.dtype)
    need(k0 * size_a % 32 == 0, INVALID_TILE, f"kL0 * sizeof(dtype) = {k0 * size_a} bytes, must be 32-byte aligned")
    need(n0 * size_b % 32 == 0, INVALID_TILE, f"nL0 * sizeof(dtype) = {n0 * size_b} bytes, must be 32-byte aligned")
    if a.trans and a.tensor.format is TileOpFormat.TILEOP_ND:
        need(m0 * size_a % 32 == 0, INVALID_TILE,
             f"mL0 memory not aligned when transA=true: {m0 * size_a} bytes, must be 32-byte aligned")
    for operand, outer, inner, size in ((a, k0 if a.trans else m0, m0 if a.trans else k0, size_a),
                                        (b, n0 if b.trans else k0, k0 if b.trans else n0, size_b)):
        if operand.tensor.format is TileOpFormat.TILEOP_NZ:
            need(outer % 16 == 0 and inner * size % 32 == 0, INVALID_TILE,
                 f"NZ operand: outer tile {outer} must be a multiple of 16, inner {inner * size} bytes of 32")
    need(not mx or k0 % 64 == 0, INVALID_TILE,
         f"Current length of kL0: {k0}, the length of kL0 for mx matmul must be aligned to 64 elements")
    extent = a.extents[1]
    low, high = min(ka, kb), max(ka, kb)
    need(high >= extent or high % low == 0, INVALID_TILE,
         f"Invalid tileKL1 configuration: tileKL1Max: {high}, kViewA: {extent}, tileKL1Min: {low}")
    need(low % k0 == 0, INVALID_TILE, f"tileKL1Min {low} is no multiple of kL0 {k0}")
    if split_k:
        need(out_dtype in (T.DT_FP32, T.DT_INT32), INVALID_OPERATION,
             "Output data type only support FP32 and INT32 when using GM accumulated")
    m, n, depth = clipped(m0, a.extents[0]), clipped(n0, b.extents[1]), clipped(k0, extent)
    buffers = BUFFERS[state.chip]
    for name, needed in (("L0A", m * depth * size_a), ("L0B", depth * n * size_b), ("L0C", m * n * 4),
                         ("L1", m * clipped(ka, extent) * size_a), ("L1", n * clipped(kb, extent) * size_b)):
        need(needed <= buffers[name], MEMORY,
             f"Alloc tensor size [{needed}] exceeds MEM_{name} size [{buffers[name]}]!")
    both = m * clipped(ka, extent) * size_a + n * clipped(kb, extent) * size_b
    if both > buffers["L1"]:
        state.record.note(f"A and B together need {both} bytes of L1: reloaded for every k step, in silence")
    return tile


def check_operands(a, b, out_dtype, c_matrix_nz, extend):
    rank = len(a.shape)
    need(rank == len(b.shape) and rank in (2, 3, 4), RUNTIME_ERROR,
         f"Tensor dimension mismatch. got input_dim: {rank}, mat2_dim: {len(b.shape)}.")
    need(not c_matrix_nz, INVALID_VALUE, "Output tensor do not support NZ currently.")
    need(isinstance(out_dtype, T), INVALID_TYPE, "Argument 'out_dtype' must be of type DataType")
    kinds = a.tensor.dtype, b.tensor.dtype
    need(kinds[0] is kinds[1] or (kinds[0] in FP8 and kinds[1] in FP8), INVALID_VALUE,
         "Non-FP8 inputs require identical dtypes.")
    for operand in (a, b):
        need(operand.tensor.format is TileOpFormat.TILEOP_ND
             or operand.tensor.dtype not in (T.DT_FP32, T.DT_FP8E5M2, T.DT_HF8), INVALID_FORMAT,
             f"Input tensor with {operand.tensor.dtype.name} must use ND format")
        need(operand.inner <= 65535 or operand.tensor.format is TileOpFormat.TILEOP_NZ, INVALID_SHAPE,
             f"inner axis {operand.inner} beyond 65535")
    need(a.extents[1] == b.extents[0], RUNTIME_ERROR, f"K of A is {a.extents[1]}, of B {b.extents[0]}")
    need(a.valid[-1] == b.valid[-2], RUNTIME_ERROR,
         f"K-dimension valid shape mismatch. Got {list(a.tensor.valid)} and {list(b.tensor.valid)}")
    for one, other in zip(a.shape[:-2], b.shape[:-2]):
        need(one == other or 1 in (one, other), RUNTIME_ERROR, f"batch axes {a.shape[:-2]} and {b.shape[:-2]}")
    need(rank == 2 or not extend, RUNTIME_ERROR, "extend_params is not supported for batched matrix multiplication.")
    fractals = [each.tensor for each in (a, b) if each.tensor.format is TileOpFormat.TILEOP_NZ]
    if fractals and (rank > 2 or any(getattr(each, "reshaped", False) for each in fractals)):
        wanted = [a.extents[0], a.extents[1], b.extents[1]]
        need(state.settings.matrix_size == wanted, INVALID_FORMAT,
             f"NZ operands with batch axes, or reshaped ones, need set_matrix_size({wanted}), it is {state.settings.matrix_size}")
    for key in extend:
        need(key in ("bias_tensor", "scale", "scale_tensor", "relu_type", "trans_mode"), INVALID_VALUE,
             f"extend_params has no '{key}'")
    if "bias_tensor" in extend:
        bias, kind = extend["bias_tensor"].dtype, a.tensor.dtype
        newer = kind is T.DT_BF16 and bias is T.DT_BF16 and state.chip == "950"
        need(bias in BIASES.get(kind, set()) or newer, INVALID_TYPE, f"{kind.name} with a bias of {bias.name}")
    if "scale_tensor" in extend:
        kind = extend["scale_tensor"].dtype
        need(kind in (T.DT_UINT64, T.DT_INT64), INVALID_TYPE, f"scale_tensor is {kind.name}, not UINT64 or INT64")


def check_output(kind, out_dtype, extend):
    scaled = "scale" in extend or "scale_tensor" in extend
    allowed = OUTPUTS.get(kind, set())
    if scaled:
        allowed = {T.DT_INT8} | ({T.DT_FP16} if kind is T.DT_INT8 else set())
    how = " with a scale" if scaled else ""
    need(out_dtype in allowed, INVALID_TYPE,
         f"{kind.name} x {kind.name} -> {out_dtype.name}{how} is not in the documented table")
    need(not state.settings.cube_tile[3] or not extend, INVALID_OPERATION, "split-K with bias, scale or relu")


def finish(sums, out_dtype, extend):
    """Bias, relu, scale and rounding of the accumulator."""
    if "bias_tensor" in extend:
        bias = extend["bias_tensor"]
        need(bias.dim == 2 and bias.shape[0] == 1, INVALID_SHAPE, f"bias {bias.shape} is not [1, N]")
        sums = sums + bias.valid_part()[:, : sums.shape[-1]].astype(sums.dtype)
    if extend.get("relu_type", ReLuType.NO_RELU) is ReLuType.RELU:
        sums = np.maximum(sums, 0)
    scale = None
    if "scale" in extend:
        need(isinstance(extend["scale"], float), INVALID_TYPE, "scale is a float")
        scale = np.float32(extend["scale"]).reshape(1, 1)
    elif "scale_tensor" in extend:
        words = extend["scale_tensor"].valid_part().astype(np.uint64)[:, : sums.shape[-1]]
        scale = (words & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32)
    if scale is not None:
        masked = (np.ascontiguousarray(scale).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        sums = sums.astype(np.float32) * masked
        if out_dtype is T.DT_INT8:
            return np.clip(np.rint(np.clip(sums, -256, 255)), -128, 127).astype(np.int8)
    if out_dtype is T.DT_INT32:
        return sums.astype(np.int64).astype(np.int32)
    return round_float(sums.astype(np.float32), out_dtype)


def product(op, a, b, out_dtype, c_matrix_nz, extend, factor_a=None, factor_b=None):
    extend = dict(extend or {})
    check_operands(a, b, out_dtype, c_matrix_nz, extend)
    tile = check_tile(a, b, out_dtype, factor_a is not None)
    check_output(a.tensor.dtype, out_dtype, extend)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    valid = list(batch) + [a.valid[-2], b.valid[-1]]
    shape = list(batch) + [a.extents[0], b.extents[1]]
    wide = np.float64
    left, right = a.values.astype(wide), b.values.astype(wide)
    if factor_a is not None:
        left, right = left * factor_a, right * factor_b
    if "trans_mode" in extend and extend["trans_mode"] is not TransMode.CAST_NONE:
        left, right = (to_tf32(side, extend["trans_mode"]) for side in (left, right))
    sums = left @ right
    if is_float(a.tensor.dtype):
        with np.errstate(over="ignore"):
            sums = sums.astype(np.float32)
    result = finish(sums, out_dtype, extend)
    whole = np.zeros(shape, result.dtype)
    whole[tuple(slice(0, extent) for extent in valid)] = result
    state.event("cube", op, [list(tile[0]), list(tile[1]), list(tile[2]), tile[3]],
                [a.shape, b.shape, shape], valid=valid, a_trans=a.trans, b_trans=b.trans,
                formats=[a.tensor.format.name, b.tensor.format.name], names=[a.tensor.name, b.tensor.name])
    return Tensor.value(whole, out_dtype, valid)


def to_tf32(values, mode):
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    half = np.uint64(0x1000)
    tie = half if mode is TransMode.CAST_ROUND else half - np.uint64(1) + ((bits >> np.uint64(13)) & np.uint64(1))
    return (((bits + tie) & np.uint64(0xFFFFE000)).astype(np.uint32)).view(np.float32).astype(np.float64)


def matmul(input, mat2, out_dtype, *, a_trans=False, b_trans=False, c_matrix_nz=False, extend_params=None):
    a, b = Operand(input, a_trans, "A"), Operand(mat2, b_trans, "B")
    return product("matmul", a, b, out_dtype, c_matrix_nz, extend_params)


def mx_factors(scale, trans, depth, rows, inner_is_k):
    """One factor for each element: scale [rows, K / 64, 2] (trans: [K / 64, rows, 2]) to [rows, K]."""
    need(scale.dtype is T.DT_FP8E8M0, INVALID_TYPE, f"scales are {scale.dtype!r}")
    scale.static_shape("scaled_mm")
    need(scale.dim == 3 and scale.shape[2] == 2, RUNTIME_ERROR, f"scales [.., K / 64, 2], not {scale.shape}")
    values = scale.valid_part().astype(np.float64)
    if trans == inner_is_k:
        values = values.swapaxes(0, 1)
    blocks = -(-depth // 64)
    need(values.shape[0] >= rows and values.shape[1] >= blocks and values.shape[2] == 2, INVALID_SHAPE,
         f"scales {list(values.shape)} for {rows} rows and K = {depth}")
    flat = values[:rows, :blocks].reshape(rows, blocks * 2)
    return np.repeat(flat, 32, axis=1)[:, :depth]


def scaled_mm(mat_a, mat_b, out_dtype, scale_a, scale_b, *, a_trans=False, b_trans=False, scale_a_trans=False,
              scale_b_trans=False, c_matrix_nz=False, extend_params=None):
    need(state.chip == "950", INVALID_TYPE, "scaled_mm: only DAV_3510 architecture is supported.")
    a, b = Operand(mat_a, a_trans, "A"), Operand(mat_b, b_trans, "B")
    need(len(a.shape) == 2 and len(b.shape) == 2, RUNTIME_ERROR, "scaled_mm takes two-dimensional data")
    need(mat_a.dtype in FP8 + (T.DT_FP4_E2M1,) and mat_b.dtype in FP8 + (T.DT_FP4_E2M1,), INVALID_TYPE,
         f"scaled_mm of {mat_a.dtype!r} and {mat_b.dtype!r}")
    depth = a.valid[1]
    # A's scales are [M, K / 64, 2]; B's are [K / 64, N, 2]: swapped axes unless transposed.
    factor_a = mx_factors(scale_a, scale_a_trans, depth, a.valid[0], True)
    factor_b = mx_factors(scale_b, scale_b_trans, depth, b.valid[1], False).T
    return product("scaled_mm", a, b, out_dtype, c_matrix_nz, extend_params, factor_a, factor_b)
