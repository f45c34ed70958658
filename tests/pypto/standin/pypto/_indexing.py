# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that rearrange: transpose, concat, gather, scatter, sorting, and quantisation."""
import enum

import numpy as np

from ._dtypes import DataType as T
from ._dtypes import carrier, is_float, poison, round_float, size_of
from ._errors import (INVALID_OPERATION, INVALID_SHAPE, INVALID_TYPE, INVALID_VALUE, VECTOR_PARAMETER, VECTOR_TYPE,
                      StandInError, need)
from ._state import state
from ._symbolic import constants, numbers
from ._tensor import Tensor
from ._vector import ARITHMETIC, FLOATS, axis_of, check, rounded, scalar, stage

INDEX = {T.DT_INT32, T.DT_INT64}
ACCUMULATES = FLOATS | {T.DT_INT8, T.DT_INT16, T.DT_INT32}


class DequantScaleRoundingMode(enum.Enum):
    ROUND_DOWN = 0
    ROUND_UP = 1


def transpose(input, dim0, dim1):
    check("transpose", input)
    a, b = axis_of("transpose", input, dim0), axis_of("transpose", input, dim1)
    if input.dim == 4:
        need(tuple(sorted((a, b))) in {(0, 2), (1, 3), (2, 3), (1, 2)} or a == b, INVALID_OPERATION,
             f"transpose {a}, {b}")
    valid = list(input.valid)
    valid[a], valid[b] = valid[b], valid[a]
    result = Tensor.value(np.swapaxes(input.array, a, b).copy(), input.dtype, valid)
    stage("transpose", [input], input.array.shape, [result])
    return result


def concat(tensors, dim=0):
    need(isinstance(tensors, (list, tuple)) and 2 <= len(tensors) <= 128, INVALID_VALUE, "concat of 2 to 128 tensors")
    for tensor in tensors:
        check("concat", tensor)
        need(tensor.dtype is tensors[0].dtype and tensor.dim == tensors[0].dim, VECTOR_TYPE,
             "concat: types or ranks differ")
    axis = axis_of("concat", tensors[0], dim)
    for tensor in tensors:
        if tensor.valid[axis] != tensor.array.shape[axis]:
            raise StandInError("concat along an axis that is partly valid")
    array = np.concatenate([tensor.array for tensor in tensors], axis=axis)
    # PyPTO does not hand on the valid shape here: the whole result counts as valid, poison included.
    result = Tensor.value(array, tensors[0].dtype)
    stage("concat", list(tensors), array.shape, [result])
    return result


def expand_clone(input, shape, *, valid_shape=None):
    check("expand_clone", input)
    shape = constants(shape, "expand_clone")
    need(len(shape) == input.dim, INVALID_SHAPE, f"expand_clone {input.shape} to {shape}")
    for extent, wanted in zip(input.array.shape, shape):
        need(extent in (1, wanted), INVALID_SHAPE, f"expand_clone {input.shape} to {shape}")
    array = np.broadcast_to(input.array, shape).copy()
    result = Tensor.value(array, input.dtype, numbers(valid_shape) if valid_shape else shape)
    stage("expand_clone", [input], shape, [result])
    return result


def fillpad(input, mode="constant", value=0.0):
    check("fillpad", input)
    need(mode == "constant" and input.dim <= 2, INVALID_OPERATION, "fillpad: constant, one or two axes")
    array = np.full(input.array.shape, scalar("fillpad", float(value), input.dtype)
                    if is_float(input.dtype) else int(value),
                    carrier(input.dtype))
    array[tuple(slice(0, extent) for extent in input.valid)] = input.valid_part()
    result = Tensor.value(array, input.dtype)
    stage("fillpad", [input], array.shape, [result])
    return result


def pad(input, pad, mode="constant", value=0.0):
    check("pad", input)
    need(mode == "constant" and len(pad) % 2 == 0 and not any(pad[::2]), INVALID_VALUE, "pad: right and bottom only")
    widths = [(0, 0)] * input.dim
    for number, after in enumerate(pad[1::2]):
        widths[input.dim - 1 - number] = (0, after)
    array = np.pad(input.array, widths, constant_values=value)
    result = Tensor.value(array, input.dtype)
    stage("pad", [input], array.shape, [result])
    return result


def gather(input, dim, index):
    check("gather", input)
    check("gather", index, INDEX)
    axis = axis_of("gather", input, dim)
    need(index.dim == input.dim, INVALID_SHAPE, "gather: index and input have as many axes")
    where = [np.arange(extent).reshape([-1 if other == axis2 else 1 for other in range(input.dim)])
             for axis2, extent in enumerate(index.valid)]
    where[axis] = checked(index.valid_part(), input.valid[axis], "gather")
    values = input.array[tuple(where)]
    result = placed(values, index.array.shape, index.valid, input.dtype)
    stage("gather", [input, index], index.array.shape, [result])
    return result


def checked(index, extent, op):
    need(index.size == 0 or (index.min() >= 0 and index.max() < extent), INVALID_VALUE,
         f"{op}: index outside of [0, {extent})")
    return index.astype(np.int64)


def placed(values, shape, valid, dtype):
    whole = np.full(shape, poison(dtype), carrier(dtype))
    whole[tuple(slice(0, extent) for extent in valid)] = values
    return Tensor.value(whole, dtype, valid)


def index_select(input, dim, index):
    check("index_select", input)
    check("index_select", index, INDEX)
    axis = axis_of("index_select", input, dim)
    need(index.dim in (1, 2), INVALID_SHAPE, "index_select: one or two index axes")
    values = np.take(input.valid_part(), checked(index.valid_part(), input.valid[axis], "index_select"), axis=axis)

    def replaced(extents, by):
        return list(extents[:axis]) + list(by) + list(extents[axis + 1:])

    result = placed(values, replaced(input.array.shape, index.array.shape), replaced(input.valid, index.valid),
                    input.dtype)
    stage("index_select", [input, index], result.array.shape, [result])
    return result


def in_place(op, tensor, index, source):
    """Checks what the updating operations have in common; the target's array."""
    need(isinstance(tensor, Tensor), INVALID_TYPE, f"{op} updates a Tensor")
    tensor.check_alive()
    check(op, index, INDEX)
    if isinstance(source, Tensor):
        check(op, source)
        need(source.dtype is tensor.dtype, VECTOR_TYPE, f"{op}: {source.dtype!r} into {tensor.dtype!r}")
    return tensor.array


def index_add_(input, dim, index, source, *, alpha=1):
    target = in_place("index_add_", input, index, source)
    need(input.dtype in ACCUMULATES, VECTOR_TYPE, f"index_add_ of {input.dtype!r}")
    axis = axis_of("index_add_", input, dim)
    need(index.dim == 1 and source.dim == input.dim, INVALID_SHAPE,
         "index_add_: one index axis, as many axes as the input")
    need(index.valid[0] == source.valid[axis], INVALID_SHAPE,
         f"index_add_: {index.valid[0]} indices, {source.valid[axis]} slices")
    for other in range(input.dim):
        need(other == axis or source.valid[other] == target.shape[other], INVALID_SHAPE,
             f"index_add_: axis {other} has {source.valid[other]} of {target.shape[other]}")
    rows = checked(index.valid_part(), target.shape[axis], "index_add_")
    slices = np.moveaxis(source.valid_part(), axis, 0)
    view = np.moveaxis(target, axis, 0)
    for row, values in zip(rows, slices):
        scaled = values if alpha == 1 else rounded(values * alpha, input.dtype)
        view[row] = rounded(view[row] + scaled, input.dtype)
    stage("index_add_", [source], source.array.shape, [source])
    state.event("write", "index_add_", None, [source.valid], tensor=input.name)
    return input


def index_put_(input, indices, values, accumulate=False):
    need(isinstance(indices, tuple) and len(indices) == 1, INVALID_TYPE,
         "index_put_: the stand-in takes a tuple of one index")
    target = in_place("index_put_", input, indices[0], values)
    need(values.dim == input.dim, INVALID_SHAPE, "index_put_: rank(x) + 1 == len(idx) + rank(values)")
    rows = checked(indices[0].valid_part(), target.shape[0], "index_put_")
    need(len(rows) == values.valid[0], INVALID_SHAPE, "index_put_: as many indices as rows")
    for row, line in zip(rows, values.valid_part()):
        target[row] = rounded(target[row] + line, input.dtype) if accumulate else line
    stage("index_put_", [values], values.array.shape, [values])
    state.event("write", "index_put_", None, [values.valid], tensor=input.name)


def scatter_(input, dim, index, src, *, reduce=None):
    need(reduce in (None, "add", "multiply"), INVALID_VALUE, "scatter reduce only support 'add', 'multiply'")
    target = in_place("scatter_", input, index, src)
    axis = axis_of("scatter_", input, dim)
    need(index.dim == input.dim, INVALID_SHAPE, "scatter_: index and input have as many axes")
    rows = checked(index.valid_part(), target.shape[axis], "scatter_")
    values = src.array if isinstance(src, Tensor) else np.full(rows.shape, scalar("scatter_", float(src), input.dtype))
    for place in np.ndindex(rows.shape):
        at = place[:axis] + (int(rows[place]),) + place[axis + 1:]
        old, new = target[at], values[place]
        target[at] = new if reduce is None else rounded(old + new if reduce == "add" else old * new, input.dtype)
    stage("scatter_", [index], index.array.shape)
    return input


def topk(input, k, dim=-1, largest=True, algo=None):
    check("topk", input, {T.DT_FP32})
    need(axis_of("topk", input, -1 if dim is None else dim) == input.dim - 1, VECTOR_PARAMETER, "topk: the last axis")
    tile = state.settings.vec_tile
    need(tile is None or min(tile[-1], input.array.shape[-1]) * 4 < 22 * 1024, INVALID_OPERATION,
         "topk: tile of 22 KB or more")
    part = input.valid_part()
    order = np.argsort(-part if largest else part, axis=-1, kind="stable")[..., :k]
    shape, valid = list(input.array.shape), list(input.valid)
    shape[-1], valid[-1] = k, k
    values = placed(np.take_along_axis(part, order, -1), shape, valid, input.dtype)
    places = placed(order, shape, valid, T.DT_INT32)
    stage("topk", [input], input.array.shape, [values, places])
    return values, places


def argsort(input, dim=-1, descending=False):
    check("argsort", input, {T.DT_FP32, T.DT_FP16})
    axis = axis_of("argsort", input, dim)
    part = input.valid_part()
    result = placed(np.argsort(-part if descending else part, axis=axis, kind="stable"), input.array.shape, input.valid,
                    T.DT_INT32)
    stage("argsort", [input], input.array.shape, [result])
    return result


def cumsum(input, dim):
    check("cumsum", input, ARITHMETIC)
    axis = axis_of("cumsum", input, dim)
    kind = T.DT_INT64 if input.dtype in (T.DT_INT16, T.DT_INT32) else input.dtype
    sums = np.cumsum(input.valid_part(), axis=axis, dtype=np.float32 if is_float(kind) else np.int64)
    result = placed(rounded(sums, kind), input.array.shape, input.valid, kind)
    stage("cumsum", [input], input.array.shape, [result])
    return result


def spread(scale, axis, tensor):
    """A scale that lacks one axis, beside the tensor."""
    need(scale.dtype is T.DT_FP32 and scale.dim == tensor.dim - 1, INVALID_SHAPE, "scale: FP32, one axis less")
    return np.expand_dims(scale.array, axis)


def quantize(input, scale, otype, axis, zero_points=None):
    check("quantize", input, {T.DT_FP32})
    need(otype is (T.DT_INT8 if zero_points is None else T.DT_UINT8), INVALID_TYPE,
         f"quantize to {otype!r}: INT8 without zero points, UINT8 with them")
    place = axis_of("quantize", input, axis)
    values = input.array * spread(scale, place, input)
    if zero_points is not None:
        values = values + spread(zero_points, place, input)
    low, high = (-128, 127) if otype is T.DT_INT8 else (0, 255)
    codes = np.clip(np.rint(np.nan_to_num(values)), low, high).astype(carrier(otype))
    result = Tensor.value(codes, otype, input.valid)
    stage("quantize", [input, scale], input.array.shape, [result])
    return result


def dequantize(input, scale, otype, axis, zero_points=None):
    check("dequantize", input, {T.DT_INT8, T.DT_INT16})
    need(otype is T.DT_FP32, INVALID_TYPE, f"dequantize to {otype!r}")
    place = axis_of("dequantize", input, axis)
    values = input.array.astype(np.float32)
    if zero_points is not None:
        values = values + spread(zero_points, place, input)
    result = Tensor.value((values * spread(scale, place, input)).astype(np.float32), otype, input.valid)
    stage("dequantize", [input, scale], input.array.shape, [result])
    return result


def quant_mx(input, quant_dtype=T.DT_FP8E4M3, mode=DequantScaleRoundingMode.ROUND_DOWN, axis=-1, performance_mode=True):
    need(state.chip == "950", INVALID_TYPE, "quant_mx: only DAV_3510 architecture is supported.")
    check("quant_mx", input, FLOATS)
    along = axis_of("quant_mx", input, axis)
    need(quant_dtype is T.DT_FP8E4M3 and along >= input.dim - 2, INVALID_TYPE,
         "quant_mx: the stand-in quantises to FP8E4M3 along one of the last two axes")
    need(isinstance(mode, DequantScaleRoundingMode) and isinstance(performance_mode, bool), INVALID_TYPE,
         "quant_mx: mode or performance_mode")
    last = along == input.dim - 1
    need(last or (not performance_mode and input.valid[along] == input.array.shape[along]), VECTOR_PARAMETER,
         "quant_mx along the last axis but one has neither tails nor a performance mode here")
    array = input.array if last else np.swapaxes(input.array, -1, -2)
    depth, tile = array.shape[-1], state.settings.vec_tile or []
    if performance_mode:
        need(depth * size_of(input.dtype) % 256 == 0, VECTOR_PARAMETER,
             "QuantMX performance mode requires view shape's last dim to be 256-byte aligned.")
        need(len(tile) == input.dim, VECTOR_PARAMETER,
             "QuantMX performance mode tile shape rank must match input rank.")
        need(tile[-1] == depth, VECTOR_PARAMETER,
             "QuantMX performance mode requires tile shape last dim to be the same as input last dim.")
        need(input.valid == input.array.shape, VECTOR_PARAMETER, "QuantMX performance mode has no tails")
    need(depth % 64 == 0, INVALID_SHAPE,
         f"QuantMX non-performance mode requires input last dim to be a multiple of 64. Current last dim: {depth}")
    groups = np.nan_to_num(array).reshape(*array.shape[:-1], depth // 32, 32).astype(np.float64)
    largest = np.abs(groups).max(axis=-1)
    exponent = np.frexp(np.where(largest == 0, 2.0**-130, largest))[1] - 1
    if mode is DequantScaleRoundingMode.ROUND_DOWN:
        shared = np.clip(exponent - 8, -127, 127)
    else:
        shared = np.clip(np.ceil(np.log2(np.where(largest == 0, 2.0**-130, largest) / 448)), -127, 127).astype(int)
    scaled = np.clip(groups * np.ldexp(1.0, -shared)[..., None], -448, 448)
    data = round_float(scaled, quant_dtype).reshape(array.shape)
    scales = np.ldexp(1.0, shared).astype(np.float32).reshape(*array.shape[:-1], depth // 64, 2)
    if not last:
        data, scales = np.swapaxes(data, -1, -2), np.swapaxes(scales, -2, -3)
    codes = Tensor.value(data, quant_dtype, input.valid)
    valid = list(input.valid) + [2]
    valid[along] = -(-valid[along] // 64)
    scale = Tensor.value(scales, T.DT_FP8E8M0, valid)
    stage("quant_mx", [input], input.array.shape, [codes])
    return codes, scale
