# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector operations. Floats are computed in float32 (sums and products along an axis in float64) and rounded once to
the type of the result. Only valid parts take part; a result is valid where all its operands are."""
import enum

import numpy as np

from ._dtypes import HF8_LARGEST, INT_RANGES, SMALL_FLOATS, carrier, is_float, poison, round_float, round_to_integer, size_of
from ._dtypes import DataType as T
from ._errors import (INVALID_FORMAT, INVALID_SHAPE, INVALID_TYPE, INVALID_VALUE, MEMORY,
                      TILE_RANK, VECTOR_PARAMETER, VECTOR_RANK, VECTOR_TYPE, need)
from ._state import BUFFERS, state
from ._symbolic import SymbolicScalar, constants, numbers
from ._tensor import Tensor, TileOpFormat


class CastMode(enum.Enum):
    CAST_NONE = "NONE"
    CAST_RINT = "RINT"
    CAST_ROUND = "ROUND"
    CAST_FLOOR = "FLOOR"
    CAST_CEIL = "CEIL"
    CAST_TRUNC = "TRUNC"
    CAST_ODD = "ODD"


class SaturationMode(enum.Enum):
    OFF = 0
    ON = 1


class PrecisionType(enum.Enum):
    INTRINSIC = 0
    HIGH_PRECISION = 1


FLOATS = {T.DT_FP32, T.DT_FP16, T.DT_BF16}
CASTS = {
    T.DT_FP32: {T.DT_FP16, T.DT_FP32, T.DT_BF16, T.DT_INT64, T.DT_INT32, T.DT_INT16},
    T.DT_FP16: {T.DT_FP32, T.DT_INT32, T.DT_INT16, T.DT_INT8, T.DT_UINT8, T.DT_INT4},
    T.DT_BF16: {T.DT_FP32, T.DT_INT32},
    T.DT_INT32: {T.DT_FP32, T.DT_INT64, T.DT_INT16, T.DT_FP16},
    T.DT_INT16: {T.DT_FP32, T.DT_FP16},
    T.DT_INT64: {T.DT_FP32, T.DT_INT32},
    T.DT_UINT8: {T.DT_FP16},
    T.DT_INT8: {T.DT_FP16},
    T.DT_INT4: {T.DT_FP16},
}
CASTS_950 = {
    T.DT_FP32: {T.DT_FP8E4M3, T.DT_FP8E5M2, T.DT_HF8},
    T.DT_FP16: {T.DT_HF8},
    T.DT_BF16: {T.DT_FP16},
    T.DT_FP8E4M3: {T.DT_FP32},
    T.DT_FP8E5M2: {T.DT_FP32},
    T.DT_HF8: {T.DT_FP32},
    T.DT_INT8: {T.DT_INT16, T.DT_INT32},
}  # FP4 comes as packed pairs only (..X2), which the stand-in does not have


def stage(op, operands, shape, results=()):
    """The checks that every vector operation goes through; shape: what the tile has to match."""
    tile = state.settings.vec_tile
    need(tile is not None, TILE_RANK,
         f"Operation: {op}. Tile shape size 0 is not matched the output shape size {len(shape)}.")
    need(len(tile) >= len(shape), TILE_RANK,
         f"Operation: {op}. Tile shape size {len(tile)} is not matched the output shape size {len(shape)}.")
    if len(tile) > len(shape):
        state.record.note(f"{op}: tile {tile} has more axes than {list(shape)}: the first ones are used, in silence")
    total, sizes = 0, []
    for tensor in (*operands, *results):
        need(len(tensor.shape) <= 4, VECTOR_RANK, f"{op}: dims out of range [1, 4]")
        elements = 1
        for axis, extent in enumerate(tensor.array.shape):
            # Operands of lower rank or extent 1 take what they have.
            elements *= min(extent, tile[axis] if axis < len(tile) else extent)
        sizes.append(elements * size_of(tensor.dtype))
        total += sizes[-1]
        need(elements * size_of(tensor.dtype) <= BUFFERS[state.chip]["UB"], MEMORY,
             f"Alloc tensor size [{elements * size_of(tensor.dtype)}] exceeds MEM_UB size!")
    # SrcDstBufferMerge lets a result take the place of an operand of its size (that nobody reads later: not seen here).
    for size in sizes[len(operands):]:
        if size in sizes[:len(operands)]:
            sizes[sizes.index(size)] = -1
            total -= size
    need(total <= BUFFERS[state.chip]["UB"], MEMORY,
         f"OP {op} in/output total size [{total}] exceeds MEM_UB size [{BUFFERS[state.chip]['UB']}]!")
    row = tile[min(len(tile), len(shape)) - 1] * size_of(operands[0].dtype if operands else T.DT_FP32)
    if row % 32 and tile[len(shape) - 1] < shape[-1]:
        state.record.note(f"{op}: the last axis of tile {tile} is not 32-byte aligned")
    state.event("vector", op, list(tile), [tensor.array.shape for tensor in operands],
                dtypes=[tensor.dtype.name for tensor in operands])


def check(op, tensor, types=None):
    need(isinstance(tensor, Tensor), VECTOR_PARAMETER, f"{op}: the first operand has to be a Tensor, not {tensor!r}")
    tensor.static_shape(op)
    need(tensor.format is TileOpFormat.TILEOP_ND, INVALID_FORMAT, f"{op}: '{tensor.name}' is NZ")
    need(types is None or tensor.dtype in types, VECTOR_TYPE, f"{op}: {tensor.dtype!r} is not supported")
    return tensor


def rounded(values, dtype):
    if is_float(dtype):
        return round_float(values, dtype)
    return np.asarray(values).astype(carrier(dtype))


def scalar(op, value, dtype):
    need(not isinstance(value, bool) and isinstance(value, (int, float)), VECTOR_PARAMETER, f"{op}: operand {value!r}")
    need(is_float(dtype) or isinstance(value, int), VECTOR_TYPE, f"{op}: the float {value!r} with {dtype!r}")
    return round_float(np.float64(value), dtype) if is_float(dtype) else np.asarray(value).astype(carrier(dtype))


def broadcast(op, tensors):
    """Declared and valid shape of an element-wise result."""
    try:
        shape = np.broadcast_shapes(*(tensor.array.shape for tensor in tensors))
    except ValueError:
        need(False, INVALID_SHAPE, f"{op}: shapes {[list(tensor.array.shape) for tensor in tensors]}")
    valid = list(shape)
    for tensor in tensors:
        need(tensor.dim == len(shape), VECTOR_PARAMETER,
             f"{op}: {[list(t.array.shape) for t in tensors]} have different numbers of axes")
        for axis, (extent, kept) in enumerate(zip(tensor.array.shape, tensor.valid)):
            if extent == shape[axis]:
                valid[axis] = min(valid[axis], kept)
    return shape, valid


def elementwise(op, compute, operands, dtype=None):
    """compute takes float32 (or integer) arrays."""
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    kind = tensors[0].dtype
    need(all(tensor.dtype is kind for tensor in tensors), VECTOR_TYPE,
         f"{op}: operands of {[tensor.dtype.name for tensor in tensors]}")
    shape, valid = broadcast(op, tensors)
    arrays = [operand.array if isinstance(operand, Tensor) else scalar(op, operand, kind) for operand in operands]
    with np.errstate(all="ignore"):
        values = np.broadcast_to(compute(*arrays), shape)
        result = Tensor.value(rounded(values, dtype or kind), dtype or kind, valid)
    stage(op, tensors, shape, [result])
    return result


def binary(op, compute, input, other, types=None, dtype=None):
    check(op, input, types)
    if isinstance(other, Tensor):
        check(op, other, types)
    else:
        need(not isinstance(other, SymbolicScalar), VECTOR_PARAMETER, f"{op}: a symbolic operand")
    return elementwise(op, compute, [input, other], dtype)


ARITHMETIC = FLOATS | {T.DT_INT16, T.DT_INT32}


def add(input, other, *, alpha=1):
    need(alpha == 1, INVALID_VALUE, "the stand-in adds without alpha")
    return binary("add", np.add, input, other, ARITHMETIC)


def sub(input, other, *, alpha=1):
    need(alpha == 1, INVALID_VALUE, "the stand-in subtracts without alpha")
    return binary("sub", np.subtract, input, other, ARITHMETIC)


def mul(input, other):
    return binary("mul", np.multiply, input, other, ARITHMETIC)


def div(input, other, precision_type=PrecisionType.HIGH_PRECISION):
    check("div", input, ARITHMETIC)
    kind = input.dtype if is_float(input.dtype) else T.DT_FP32
    return binary("div", lambda a, b: np.divide(a, b, dtype=np.float32), input, other, ARITHMETIC, kind)


def extreme(op, compute, input, other):
    if not isinstance(input, Tensor):
        input, other = other, input
    return binary(op, compute, input, other, ARITHMETIC)


def maximum(input, other):
    return extreme("maximum", np.maximum, input, other)


def minimum(input, other):
    return extreme("minimum", np.minimum, input, other)


def pow(input, other):
    return binary("pow", np.power, input, other, FLOATS | {T.DT_INT32})


def unary(op, compute, input, types=FLOATS):
    check(op, input, types)
    return elementwise(op, compute, [input])


def exp(input, precision_type=PrecisionType.INTRINSIC):
    return unary("exp", np.exp, input)


def log(input, precision_type=PrecisionType.INTRINSIC):
    return unary("log", np.log, input)


def sqrt(input, precision_type=PrecisionType.INTRINSIC):
    return unary("sqrt", np.sqrt, input)


def rsqrt(input, precision_type=PrecisionType.INTRINSIC):
    return unary("rsqrt", lambda a: np.float32(1) / np.sqrt(a), input)


def reciprocal(input, precision_type=PrecisionType.INTRINSIC):
    return unary("reciprocal", lambda a: np.float32(1) / a, input)


def neg(input):
    return unary("neg", np.negative, input, ARITHMETIC)


def abs(input):
    return unary("abs", np.abs, input)


def relu(input):
    return unary("relu", lambda a: np.maximum(a, 0), input)


def floor(input):
    return unary("floor", np.floor, input)


def ceil(input):
    return unary("ceil", np.ceil, input)


def trunc(input):
    return unary("trunc", np.trunc, input)


def round(input, decimals=0):
    need(decimals == 0, INVALID_VALUE, "the stand-in rounds to integers")
    return unary("round", np.rint, input)


def clip(input, min=None, max=None):
    check("clip", input, ARITHMETIC)
    sides = [isinstance(bound, Tensor) for bound in (min, max) if bound is not None]
    need(len(set(sides)) < 2, VECTOR_TYPE, "clip: the bounds are two numbers or two tensors")
    result = input
    if min is not None:
        result = maximum(result, min)
    if max is not None:
        result = minimum(result, max)
    return result


def where(condition, input, other):
    check("where", condition, {T.DT_BOOL})
    tensors = [operand for operand in (condition, input, other) if isinstance(operand, Tensor)]
    # A number becomes an Element of FP32, whatever stands beside it.
    kinds = [side.dtype if isinstance(side, Tensor) else T.DT_FP32 for side in (input, other)]
    need(all(isinstance(side, (Tensor, int, float)) for side in (input, other)), VECTOR_PARAMETER, "where: operands")
    need(len(set(kinds)) == 1 and kinds[0] in FLOATS | {T.DT_INT32, T.DT_INT16}, VECTOR_TYPE,
         f"where: {[kind.name for kind in kinds]}")
    shape, valid = broadcast("where", tensors)
    a, b = (side.array if isinstance(side, Tensor) else scalar("where", side, T.DT_FP32) for side in (input, other))
    values = np.broadcast_to(np.where(condition.array, a, b), shape)
    result = Tensor.value(rounded(values, kinds[0]), kinds[0], valid)
    stage("where", tensors, shape, [result])
    return result


def comparison(op, compute):
    def compare(input, other):
        need(isinstance(other, (Tensor, float)), VECTOR_PARAMETER, f"{op}: the second operand is a Tensor or a float")
        return binary(op, compute, input, other, FLOATS, T.DT_BOOL)

    compare.__name__ = op
    return compare


eq = comparison("eq", np.equal)
ne = comparison("ne", np.not_equal)
lt = comparison("lt", np.less)
le = comparison("le", np.less_equal)
gt = comparison("gt", np.greater)
ge = comparison("ge", np.greater_equal)
greater = gt


def cast(input, dtype, mode=CastMode.CAST_NONE, satmode=SaturationMode.OFF):
    check("cast", input)
    need(isinstance(dtype, T), INVALID_TYPE, f"cast to {dtype!r}")
    need(isinstance(mode, CastMode) and isinstance(satmode, SaturationMode), INVALID_TYPE, "cast mode")
    if dtype is input.dtype and mode is CastMode.CAST_NONE:
        return input
    legal = CASTS.get(input.dtype, set()) | (CASTS_950.get(input.dtype, set()) if state.chip == "950" else set())
    need(dtype in legal, VECTOR_TYPE, f"cast from {input.dtype.name} to {dtype.name} on {state.chip}")
    name = mode.value
    if name == "NONE":
        name = "TRUNC" if is_float(input.dtype) and not is_float(dtype) else "RINT"
    result = Tensor.value(converted(input.array, input.dtype, dtype, name, satmode is SaturationMode.ON), dtype,
                          input.valid)
    stage("cast", [input], input.array.shape, [result])
    return result


def converted(array, source, target, mode, saturate):
    with np.errstate(all="ignore"):
        if is_float(target):
            values = round_float(array, target, mode)
            if saturate and is_float(source):
                largest = SMALL_FLOATS[target][3] if target in SMALL_FLOATS else np.inf
                largest = HF8_LARGEST if target is T.DT_HF8 else largest
                values = np.clip(np.where(np.isnan(array), 0, np.where(np.isnan(values), array, values)), -largest, largest)
            return values
        low, high = INT_RANGES[target]
        if not is_float(source):
            wide = array.astype(np.int64)
        else:
            whole = round_to_integer(array.astype(np.float64), mode)
            if saturate:
                whole = np.clip(np.nan_to_num(whole), low, high)
            wide = np.where(np.isfinite(whole), np.clip(whole, -(2.0**62), 2.0**62), 0).astype(np.int64)
        if saturate:
            wide = np.clip(wide, low, high)
        bits = 4 if target is T.DT_INT4 else 8 * size_of(target)
        if bits == 4:
            wide = ((wide + 8) & 15) - 8
        return wide.astype(carrier(target))


def axis_of(op, tensor, dim):
    need(isinstance(dim, int) and -tensor.dim <= dim < tensor.dim, VECTOR_PARAMETER,
         f"{op}: axis {dim} of {tensor.shape}")
    return dim % tensor.dim


def reduction(op, compute, input, dim, keepdim, types):
    check(op, input, types)
    axis = axis_of(op, input, dim)
    tile = state.settings.vec_tile
    part = input.valid_part()
    if part.shape[axis] == 0:  # of nothing: an answer that must not be read
        part = np.full(part.shape[:axis] + (1,) + part.shape[axis + 1:], poison(input.dtype), part.dtype)
    values = np.expand_dims(compute(part, axis), axis)
    shape = list(input.array.shape)
    shape[axis] = 1
    valid = list(input.valid)
    valid[axis] = 1
    whole = np.zeros(shape, np.float64)
    whole[tuple(slice(0, extent) for extent in valid)] = values
    result = Tensor.value(rounded(whole, input.dtype), input.dtype, valid)
    stage(op, [input], input.array.shape, [result])
    elements = np.prod([min(a, b) for a, b in zip(tile, input.array.shape)])
    if elements * size_of(input.dtype) > 65536:
        state.record.note(f"{op}: tile {tile} has more than the documented 64 KB, in silence")
    if keepdim:
        return result
    del shape[axis], valid[axis]
    squeezed = Tensor.value(result.array.reshape(shape), input.dtype)
    squeezed.valid = tuple(valid)
    return squeezed


def sum(input, dim, keepdim=False):
    return reduction("sum", lambda a, axis: a.astype(np.float64).sum(axis=axis), input, dim, keepdim,
                     {T.DT_FP32, T.DT_BF16, T.DT_INT32, T.DT_INT16})


def prod(input, dim, keepdim=False):
    return reduction("prod", lambda a, axis: a.astype(np.float64).prod(axis=axis), input, dim, keepdim,
                     {T.DT_FP32, T.DT_INT32, T.DT_INT16})


def amax(input, dim, keepdim=False):
    return reduction("amax", lambda a, axis: a.max(axis=axis), input, dim, keepdim, FLOATS | {T.DT_INT32, T.DT_INT16})


def amin(input, dim, keepdim=False):
    return reduction("amin", lambda a, axis: a.min(axis=axis), input, dim, keepdim, FLOATS | {T.DT_INT32, T.DT_INT16})


# The compositions of PyPTO's own Python.


def sigmoid(input):
    kind = input.dtype
    x = cast(input, T.DT_FP32)
    denominator = add(exp(mul(x, -1.0)), 1.0)
    one = full(denominator.shape, 1.0, T.DT_FP32, valid_shape=denominator.valid_shape)
    return back(div(one, denominator, PrecisionType.INTRINSIC), kind)


def softmax(input, dim):
    kind = input.dtype
    x = cast(input, T.DT_FP32)
    power = exp(sub(x, amax(x, dim, True)))
    return back(div(power, sum(power, dim, True), PrecisionType.INTRINSIC), kind)


def rms_norm(input, gamma=None, epsilon=1e-6):
    from ._tensor import reshape

    kind = input.dtype
    x = cast(input, T.DT_FP32)
    mean = sum(mul(mul(x, x), 1.0 / x.shape[-1]), -1, keepdim=True)
    y = div(x, sqrt(add(mean, epsilon)), PrecisionType.INTRINSIC)
    if gamma is not None:
        # As PyPTO: the width is the first axis of gamma, so gamma has one.
        row = reshape(gamma, [1] * (input.dim - 1) + [gamma.shape[0]])
        y = mul(y, cast(row, T.DT_FP32))
    return back(y, kind)


def back(value, kind):
    return value if kind is T.DT_FP32 else cast(value, kind)


def full(size, fill_value, dtype, *, valid_shape=None):
    shape = constants(size, "full")
    need(1 <= len(shape) <= 4, VECTOR_RANK, f"full of {shape}")
    valid = numbers(valid_shape) if valid_shape is not None else shape
    array = np.full(shape, scalar("full", fill_value, dtype), carrier(dtype))
    result = Tensor.value(array, dtype, valid)
    stage("full", [], shape, [result])
    return result


def zeros(*size, dtype=None):
    shape = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
    need(not any(isinstance(extent, T) for extent in shape), INVALID_TYPE, "zeros takes its dtype as keyword")
    return full(shape, 0, dtype or T.DT_FP32)


def ones(*size, dtype=None):
    shape = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
    need(not any(isinstance(extent, T) for extent in shape), INVALID_TYPE, "ones takes its dtype as keyword")
    return full(shape, 1, dtype or T.DT_FP32)


def arange(*arguments):
    need(1 <= len(arguments) <= 3, INVALID_VALUE, "arange(end), arange(start, end), arange(start, end, step)")
    bounds = [argument.concrete() if isinstance(argument, SymbolicScalar) else argument for argument in arguments]
    kind = T.DT_INT32 if all(isinstance(bound, int) for bound in bounds) else T.DT_FP32
    array = np.arange(*bounds).astype(carrier(kind))
    result = Tensor.value(array, kind)
    stage("arange", [], array.shape, [result])
    return result


