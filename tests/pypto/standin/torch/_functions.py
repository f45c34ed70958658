# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of tensors; most are methods as well."""
import collections

import numpy as np

from ._core import Tensor
from ._types import bool_ as bool
from ._types import common, float32, int64, rounded


def _operand(value):
    return value.array if isinstance(value, Tensor) else value


def _result(values, operands, kind=None):
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    kind = kind or common(tensor.dtype for tensor in tensors)
    floats = [operand for operand in operands if isinstance(operand, type(0.0))]
    if floats and not kind.is_floating_point:
        kind = float32
    return Tensor(rounded(values, kind), kind)


def _binary(compute, kind=None):
    def function(a, b, *, alpha=1):
        with np.errstate(all="ignore"):
            other = _operand(b) if alpha == 1 else _operand(b) * alpha
            return _result(compute(_operand(a), other), (a, b), kind)

    return function


def _divide(a, b, rounding_mode=None):
    tensors = [operand for operand in (a, b) if isinstance(operand, Tensor)]
    kind = common(tensor.dtype for tensor in tensors)
    with np.errstate(all="ignore"):
        if rounding_mode == "floor":
            return Tensor(rounded(np.floor_divide(_operand(a), _operand(b)), kind), kind)
        kind = kind if kind.is_floating_point else float32
        wide = [np.asarray(_operand(operand), kind.carrier) for operand in (a, b)]
        return Tensor(rounded(wide[0] / wide[1], kind), kind)


add, sub, mul = _binary(np.add), _binary(np.subtract), _binary(np.multiply)
maximum, minimum = _binary(np.maximum), _binary(np.minimum)
pow, remainder = _binary(np.power), _binary(np.remainder)
div = true_divide = _divide
eq, ne, lt = (_binary(compute, bool) for compute in (np.equal, np.not_equal, np.less))
le, gt, ge = (_binary(compute, bool) for compute in (np.less_equal, np.greater, np.greater_equal))
bitwise_and, bitwise_or = _binary(np.bitwise_and), _binary(np.bitwise_or)
bitwise_left_shift, bitwise_right_shift = _binary(np.left_shift), _binary(np.right_shift)

for _name, _function, _reflected in (
    ("add", add, True), ("sub", sub, True), ("mul", mul, True), ("truediv", div, True), ("pow", pow, True),
    ("mod", remainder, True), ("eq", eq, False), ("ne", ne, False), ("lt", lt, False), ("le", le, False),
    ("gt", gt, False), ("ge", ge, False),
    ("floordiv", lambda a, b: _divide(a, b, "floor"), True), ("and", bitwise_and, True), ("or", bitwise_or, True),
    ("lshift", bitwise_left_shift, False), ("rshift", bitwise_right_shift, False),
):  # fmt: skip
    setattr(Tensor, f"__{_name}__", lambda self, other, f=_function: f(self, other))
    if _reflected:
        setattr(Tensor, f"__r{_name}__", lambda self, other, f=_function: f(other, self))
# What torch does with `number / tensor`: two roundings.
Tensor.__rtruediv__ = lambda self, other: mul(reciprocal(self), other)
Tensor.__neg__ = lambda self: neg(self)
Tensor.__invert__ = lambda self: Tensor(~self.array, self.dtype)
Tensor.__matmul__ = lambda self, other: matmul(self, other)
Tensor.__hash__ = object.__hash__


def _unary(compute, floats=True):
    def function(x):
        kind = x.dtype if x.dtype.is_floating_point or not floats else float32
        with np.errstate(all="ignore"):
            return Tensor(rounded(compute(np.asarray(x.array, kind.carrier)), kind), kind)

    return function


exp, log, sqrt = _unary(np.exp), _unary(np.log), _unary(np.sqrt)
rsqrt, reciprocal = _unary(lambda x: 1 / np.sqrt(x)), _unary(lambda x: 1 / x)
sigmoid, tanh = _unary(lambda x: 1 / (1 + np.exp(-x))), _unary(np.tanh)
neg, abs = _unary(np.negative, False), _unary(np.abs, False)
exp2, log2, sign = _unary(np.exp2), _unary(np.log2), _unary(np.sign, False)
nan_to_num = _unary(np.nan_to_num, False)
square, relu = _unary(np.square, False), _unary(lambda x: np.maximum(x, 0), False)
round, trunc = _unary(np.rint, False), _unary(np.trunc, False)
floor, ceil = _unary(np.floor, False), _unary(np.ceil, False)


Fraction = collections.namedtuple("Fraction", ("mantissa", "exponent"))


def frexp(x):
    mantissa, exponent = np.frexp(np.where(np.isfinite(x.array), x.array, 0.0))
    return Fraction(Tensor(mantissa), Tensor(exponent.astype(np.int32)))


def signbit(x):
    return Tensor(np.signbit(x.array), bool)


def nonzero(x, as_tuple=False):
    places = np.nonzero(x.array)
    return tuple(map(Tensor, places)) if as_tuple else Tensor(np.stack(places, axis=1))


def bucketize(x, bounds, right=False):
    return Tensor(np.searchsorted(bounds.array, x.array, side="right" if right else "left"))


def isinf(x):
    return Tensor(np.isinf(x.array), bool)


def isnan(x):
    return Tensor(np.isnan(x.array), bool)


def isfinite(x):
    return Tensor(np.isfinite(x.array), bool)


def _along(dim):
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def sum(x, dim=None, keepdim=False, dtype=None):
    kind = dtype or (x.dtype if x.dtype.is_floating_point else int64)
    wide = np.float64 if kind.is_floating_point else np.int64
    return Tensor(rounded(np.sum(x.array, axis=_along(dim), keepdims=keepdim, dtype=wide), kind), kind)


def mean(x, dim=None, keepdim=False):
    return Tensor(rounded(np.mean(x.array.astype(np.float64), axis=_along(dim), keepdims=keepdim), x.dtype), x.dtype)


def prod(x, dim, keepdim=False):
    return Tensor(rounded(np.prod(x.array, axis=dim, keepdims=keepdim), x.dtype), x.dtype)


def amax(x, dim=None, keepdim=False):
    return Tensor(np.max(x.array, axis=_along(dim), keepdims=keepdim), x.dtype)


def amin(x, dim=None, keepdim=False):
    return Tensor(np.min(x.array, axis=_along(dim), keepdims=keepdim), x.dtype)


def max(x, dim=None, keepdim=False):
    if isinstance(dim, Tensor):
        return maximum(x, dim)
    if dim is None:
        return amax(x)
    return amax(x, dim, keepdim), Tensor(np.argmax(x.array, axis=dim, keepdims=keepdim))


def min(x, dim=None, keepdim=False):
    if isinstance(dim, Tensor):
        return minimum(x, dim)
    if dim is None:
        return amin(x)
    return amin(x, dim, keepdim), Tensor(np.argmin(x.array, axis=dim, keepdims=keepdim))


def cumsum(x, dim):
    kind = x.dtype if x.dtype.is_floating_point else int64
    return Tensor(rounded(np.cumsum(x.array, axis=dim), kind), kind)


def softmax(x, dim, dtype=None):
    wide = x.array.astype(np.float64)
    power = np.exp(wide - wide.max(axis=dim, keepdims=True))
    return Tensor(rounded(power / power.sum(axis=dim, keepdims=True), x.dtype), x.dtype)


def matmul(a, b):
    kind = common((a.dtype, b.dtype))
    wide = np.float64 if kind.is_floating_point or exact_in_float64(a.array, b.array) else np.int64
    product = a.array.astype(wide) @ b.array.astype(wide)
    return Tensor(rounded(product if kind.is_floating_point else product.astype(np.int64), kind), kind)


def exact_in_float64(a, b):
    """Is every sum of a matmul of integers a float64? NumPy multiplies matrices of those many times as fast."""
    if not a.size or not b.size:
        return True
    most = [max(abs(int(side.min())), abs(int(side.max()))) for side in (a, b)]
    return a.shape[-1] * most[0] * most[1] < 2**53


mm = bmm = matmul


def clamp(x, min=None, max=None):
    return Tensor(rounded(np.clip(x.array, _operand(min), _operand(max)), x.dtype), x.dtype)


def where(condition, a, b):
    tensors = [side for side in (a, b) if isinstance(side, Tensor)]
    kind = common(tensor.dtype for tensor in tensors) if tensors else float32
    return Tensor(rounded(np.where(condition.array, _operand(a), _operand(b)), kind), kind)


def masked_fill(x, mask, value):
    return where(mask, value, x)


def cat(tensors, dim=0):
    return Tensor(np.concatenate([tensor.array for tensor in tensors], axis=dim), common(t.dtype for t in tensors))


def stack(tensors, dim=0):
    return Tensor(np.stack([tensor.array for tensor in tensors], axis=dim), tensors[0].dtype)


concat = cat


def chunk(x, count, dim=0):
    return tuple(Tensor(part, x.dtype) for part in np.array_split(x.array, count, axis=dim))


def split(x, size, dim=0):
    listed = isinstance(size, (list, tuple))
    cuts = list(np.cumsum(size)[:-1]) if listed else list(range(size, x.array.shape[dim], size))
    return tuple(Tensor(part, x.dtype) for part in np.split(x.array, cuts, axis=dim))


def narrow(x, dim, start, length):
    return Tensor(np.take(x.array, range(start, start + length), axis=dim), x.dtype)


def unsqueeze(x, dim):
    return Tensor(np.expand_dims(x.array, dim), x.dtype)


def squeeze(x, dim=None):
    return Tensor(np.squeeze(x.array, dim), x.dtype)


def transpose(x, a, b):
    return Tensor(np.swapaxes(x.array, a, b), x.dtype)


def repeat_interleave(x, count, dim):
    return Tensor(np.repeat(x.array, count, axis=dim), x.dtype)


def broadcast_to(x, shape):
    return x.expand(*shape)


def reshape(x, shape):
    return x.reshape(*shape)


def topk(x, k, dim=-1, largest=True):
    order = np.argsort(-x.array if largest else x.array, axis=dim, kind="stable")
    order = np.take(order, range(k), axis=dim)
    return Tensor(np.take_along_axis(x.array, order, dim), x.dtype), Tensor(order)


def argsort(x, dim=-1, descending=False, stable=True):
    return Tensor(np.argsort(-x.array if descending else x.array, axis=dim, kind="stable"))


def gather(x, dim, index):
    return Tensor(np.take_along_axis(x.array, index.array.astype(np.int64), dim), x.dtype)


def index_select(x, dim, index):
    return Tensor(np.take(x.array, index.array.astype(np.int64), axis=dim), x.dtype)


def index_add(x, dim, index, source, alpha=1):
    return x.clone().index_add_(dim, index, source, alpha=alpha)


def equal(a, b):
    return np.array_equal(a.array, b.array)


def all(x):
    return Tensor(np.all(x.array), bool)


def any(x):
    return Tensor(np.any(x.array), bool)


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    return np.allclose(a.array, b.array, rtol, atol, equal_nan)
