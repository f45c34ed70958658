# SPDX-License-Identifier: GPL-3.0-or-later
"""A shim for tests where torch is not installed: what exported wrappers, goldens and tests use of it, on NumPy arrays.
Random numbers are not torch's."""
import math as _math

import numpy as np

from . import _dynamo, _subclasses, _types, nn
from ._subclasses import fake_tensor as _fake_tensor
from ._types import (bfloat16, common, double, dtype, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float16, float32,
                     float64, half, int8, int16, int32, int64, long, rounded, uint8, uint64)

float = _types.float_
bool = _types.bool_
int = int32
SHIM = True
__version__ = "shim"
_random = np.random.default_rng(0)


class device:
    def __init__(self, name="cpu", index=None):
        self.type, _, number = str(name).partition(":")
        self.index = index if index is not None else (number or None)

    def __repr__(self):
        return self.type

    def __eq__(self, other):
        return str(other).partition(":")[0] == self.type

    __hash__ = object.__hash__


class Size(tuple):
    def numel(self):
        return _math.prod(self)


class Tensor:
    __array_priority__ = 100

    def __init__(self, array, kind=None):
        array = np.asarray(array)
        self.dtype = kind or _types.FROM_NUMPY[array.dtype]
        self.array = np.asarray(array, self.dtype.carrier)
        self.npu_format = 2

    shape = property(lambda self: Size(self.array.shape))
    device = property(lambda self: device("cpu"))
    ndim = property(lambda self: self.array.ndim)
    is_npu = False

    def size(self, axis=None):
        return self.shape if axis is None else self.shape[axis]

    def dim(self):
        return self.array.ndim

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.dtype.itemsize

    def is_contiguous(self):
        return True

    def to(self, *arguments, **named):
        kind = named.get("dtype", self.dtype)
        for argument in arguments:
            if isinstance(argument, dtype):
                kind = argument
            elif isinstance(argument, Tensor):
                kind = argument.dtype
        return self if kind is self.dtype else Tensor(rounded(self.array, kind), kind)

    def type(self, kind):
        return self.to(kind)

    def same(self, *_arguments, **_named):
        return self

    cpu = contiguous = detach = npu = requires_grad_ = same

    def float(self):
        return self.to(float32)

    def double(self):
        return self.to(float64)

    def int(self):
        return self.to(int32)

    def long(self):
        return self.to(int64)

    def bool(self):
        return Tensor(self.array != 0, _types.bool_)

    def clone(self):
        copy = Tensor(self.array.copy(), self.dtype)
        copy.npu_format = self.npu_format
        return copy

    def numpy(self):
        if self.dtype in (bfloat16, float8_e4m3fn, float8_e5m2, float8_e8m0fnu):
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return self.array.astype(np.float16) if self.dtype is float16 else self.array

    def __array__(self, kind=None):
        return self.numpy() if kind is None else self.numpy().astype(kind)

    def copy_(self, other):
        self.array[...] = rounded(other.array, self.dtype)
        return self

    def fill_(self, value):
        self.array[...] = rounded(value, self.dtype)
        return self

    def zero_(self):
        return self.fill_(0)

    def item(self):
        return self.array.item()

    def tolist(self):
        return self.array.tolist()

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (self[number] for number in range(len(self.array)))

    def __float__(self):
        return self.array.item() * 1.0

    def __int__(self):
        return self.array.astype(np.int64).item()

    __index__ = __int__

    def __bool__(self):
        return True if self.array.item() else False

    def __repr__(self):
        return f"tensor({self.array}, dtype={self.dtype})"

    def __getitem__(self, key):
        return Tensor(self.array[_key(key)], self.dtype)

    def __setitem__(self, key, value):
        self.array[_key(key)] = rounded(value.array if isinstance(value, Tensor) else value, self.dtype)

    def reshape(self, *shape):
        return Tensor(self.array.reshape(_shape(shape)), self.dtype)

    def view(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], dtype):
            return _reinterpret(self, shape[0])
        return self.reshape(*shape)

    def expand(self, *shape):
        wanted = [old if new == -1 else new for old, new in zip(self.array.shape, _shape(shape))]
        return Tensor(np.broadcast_to(self.array, wanted).copy(), self.dtype)

    def flatten(self, start=0):
        return self.reshape(*self.array.shape[:start], -1)

    def permute(self, *axes):
        return Tensor(np.transpose(self.array, _shape(axes)), self.dtype)

    def repeat(self, *counts):
        return Tensor(np.tile(self.array, _shape(counts)), self.dtype)

    def index_add_(self, dim, index, source, *, alpha=1):
        target = np.moveaxis(self.array, dim, 0)
        for row, values in zip(index.array, np.moveaxis(source.array, dim, 0)):
            target[row] = rounded(target[row] + alpha * values, self.dtype)
        return self

    def __getattr__(self, name):
        function = globals().get(name)
        if name.startswith("_") or not callable(function) or name not in METHODS:
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        return lambda *arguments, **named: function(self, *arguments, **named)


METHODS = {
    "abs", "add", "amax", "amin", "argsort", "bmm", "ceil", "chunk", "clamp", "cumsum", "div", "eq", "equal", "exp",
    "floor", "gather", "ge", "gt", "index_add", "index_select", "isfinite", "isnan", "le", "log", "lt", "masked_fill", "matmul",
    "max", "maximum", "mean", "min", "minimum", "mul", "ne", "neg", "pow", "prod", "reciprocal", "relu", "repeat_interleave",
    "round", "rsqrt", "sigmoid", "softmax", "sqrt", "square", "squeeze", "sub", "sum", "topk", "transpose", "trunc", "unsqueeze",
    "where", "split", "all", "any", "narrow",
}  # fmt: skip


def _key(key):
    key = key if isinstance(key, tuple) else (key,)
    return tuple(entry.array if isinstance(entry, Tensor) else entry for entry in key)


def _shape(arguments):
    if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        arguments = arguments[0]
    return tuple(arguments)


def _reinterpret(x, kind):
    """Same bytes as another type of the same size: integers and fp8 codes only."""
    from pypto._dtypes import DataType, decode_fp8

    codes = {float8_e4m3fn: DataType.DT_FP8E4M3, float8_e5m2: DataType.DT_FP8E5M2, float8_e8m0fnu: DataType.DT_FP8E8M0}
    if kind in codes and x.dtype in (uint8, int8):
        return Tensor(decode_fp8(x.array.view(np.uint8), codes[kind]), kind)
    if kind in codes or x.dtype in codes or x.dtype in _types.SMALL or kind in _types.SMALL:
        raise NotImplementedError(f"view of {x.dtype} as {kind}")
    return Tensor(x.array.view(kind.carrier), kind)


def _operand(value):
    return value.array if isinstance(value, Tensor) else value


def _result(values, operands, kind=None):
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    kind = kind or common(tensor.dtype for tensor in tensors)
    if not kind.is_floating_point and any(isinstance(operand, (np.floating, type(0.0))) for operand in operands):
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
logical_and, logical_or = _binary(np.logical_and, bool), _binary(np.logical_or, bool)

for _name, _function, _reflected in (
    ("add", add, True), ("sub", sub, True), ("mul", mul, True), ("truediv", div, True), ("pow", pow, True),
    ("mod", remainder, True), ("eq", eq, False), ("ne", ne, False), ("lt", lt, False), ("le", le, False),
    ("gt", gt, False), ("ge", ge, False),
    ("floordiv", lambda a, b: _divide(a, b, "floor"), True), ("and", logical_and, True), ("or", logical_or, True),
):  # fmt: skip
    setattr(Tensor, f"__{_name}__", lambda self, other, f=_function: f(self, other))
    if _reflected:
        setattr(Tensor, f"__r{_name}__", lambda self, other, f=_function: f(other, self))
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
square, relu = _unary(np.square, False), _unary(lambda x: np.maximum(x, 0), False)
round, trunc = _unary(np.rint, False), _unary(np.trunc, False)
floor, ceil = _unary(np.floor, False), _unary(np.ceil, False)


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
    wide = np.float64 if kind.is_floating_point else np.int64
    return Tensor(rounded(a.array.astype(wide) @ b.array.astype(wide), kind), kind)


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


def tensor(data, dtype=None, device=None):
    array = np.asarray(data)
    kind = dtype or (float32 if array.dtype.kind == "f" else _types.FROM_NUMPY[array.dtype])
    return Tensor(rounded(array, kind), kind)


as_tensor = tensor


def from_numpy(array):
    return Tensor(array)


def _made(fill):
    def function(*shape, dtype=float32, device=None, generator=None):
        return Tensor(rounded(fill(_shape(shape)), dtype), dtype)

    return function


def _garbage(shape):
    return np.full(shape, -91.0)  # what torch.empty holds must never show


empty, zeros, ones = _made(_garbage), _made(np.zeros), _made(np.ones)
rand, randn = _made(lambda shape: _random.random(shape)), _made(lambda shape: _random.standard_normal(shape))


def full(shape, value, dtype=float32, device=None):
    return Tensor(rounded(np.full(shape, value), dtype), dtype)


def empty_like(x, dtype=None, device=None):
    return empty(x.shape, dtype=dtype or x.dtype)


def zeros_like(x, dtype=None, device=None):
    return zeros(x.shape, dtype=dtype or x.dtype)


def ones_like(x, dtype=None, device=None):
    return ones(x.shape, dtype=dtype or x.dtype)


def full_like(x, value, dtype=None, device=None):
    return full(x.shape, value, dtype or x.dtype)


def randint(low, high=None, size=None, dtype=int64, device=None, generator=None):
    if size is None:
        low, high, size = 0, low, high
    return Tensor(_random.integers(low, high, size).astype(dtype.carrier), dtype)


def arange(*bounds, dtype=int64, device=None):
    return Tensor(np.arange(*bounds).astype(dtype.carrier), dtype)


def manual_seed(seed):
    global _random
    _random = np.random.default_rng(seed)


class no_grad:
    def __call__(self, function):
        return function

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


inference_mode = no_grad


def is_tensor(value):
    return isinstance(value, Tensor)


def finfo(kind):
    class Info:
        max = _types.SMALL[kind][2] if kind in _types.SMALL else np.finfo(kind.carrier).max.item()

    return Info


def iinfo(kind):
    return np.iinfo(kind.carrier)


class testing:
    @staticmethod
    def assert_close(actual, expected, rtol=1e-3, atol=1e-3, equal_nan=False):
        np.testing.assert_allclose(actual.array.astype(np.float64), expected.array.astype(np.float64), rtol=rtol,
                                   atol=atol,
                                   equal_nan=equal_nan)
