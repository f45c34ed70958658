# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors of the shim."""
import math as _math

import numpy as np

from . import _types
from ._types import (bfloat16, dtype, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float16, float32, float64, int32,
                     int64, int8, rounded, uint8)


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
        self.device = device("cpu")

    shape = property(lambda self: Size(self.array.shape))
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
        kind, place = named.get("dtype", self.dtype), named.get("device", self.device)
        for argument in arguments:
            if isinstance(argument, dtype):
                kind = argument
            elif isinstance(argument, Tensor):
                kind = argument.dtype
            elif isinstance(argument, (str, device)):
                place = argument
        if kind is self.dtype and str(place) == str(self.device):
            return self
        copy = Tensor(rounded(self.array, kind), kind) if kind is not self.dtype else self.clone()
        copy.device = device(place) if isinstance(place, str) else place
        return copy

    def type(self, kind):
        return self.to(kind)

    def same(self, *_arguments, **_named):
        return self

    contiguous = detach = requires_grad_ = same

    def cpu(self):
        return self.to("cpu")

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def unflatten(self, axis, sizes):
        axis %= self.array.ndim
        known = _math.prod(size for size in sizes if size != -1)
        sizes = [self.array.shape[axis] // known if size == -1 else size for size in sizes]  # other axes may be empty
        return self.reshape(*self.array.shape[:axis], *sizes, *self.array.shape[axis + 1:])

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
        copy.npu_format, copy.device = self.npu_format, self.device
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
        start %= self.array.ndim
        return self.reshape(*self.array.shape[:start], _math.prod(self.array.shape[start:]))

    def permute(self, *axes):
        return Tensor(np.transpose(self.array, _shape(axes)), self.dtype)

    def repeat(self, *counts):
        return Tensor(np.tile(self.array, _shape(counts)), self.dtype)

    def index_add_(self, dim, index, source, *, alpha=1):
        target = np.moveaxis(self.array, dim, 0)
        for row, values in zip(index.array, np.moveaxis(source.array, dim, 0)):
            target[row] = rounded(target[row] + alpha * values, self.dtype)
        return self

    def scatter_(self, dim, index, source, *, reduce=None):
        if not isinstance(source, Tensor):
            source = Tensor(np.full(index.array.shape, source), self.dtype)
        target = np.moveaxis(self.array, dim, -1)
        places, values = np.moveaxis(index.array, dim, -1), np.moveaxis(source.array, dim, -1)
        for at in np.ndindex(places.shape):
            to = (*at[:-1], places[at])
            new = {None: values[at], "add": target[to] + values[at], "multiply": target[to] * values[at]}[reduce]
            target[to] = rounded(new, self.dtype)
        return self

    def index_put_(self, indices, values, accumulate=False):
        places = tuple(index.array for index in indices)
        if accumulate:
            np.add.at(self.array, places, rounded(values.array, self.dtype))
        else:
            self.array[places] = rounded(values.array, self.dtype)
        return self

    def __getattr__(self, name):
        import torch

        function = getattr(torch, name, None) if name in METHODS else None
        if name.startswith("_") or not callable(function):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        return lambda *arguments, **named: function(self, *arguments, **named)


METHODS = {
    "abs", "add", "amax", "amin", "argsort", "bmm", "ceil", "chunk", "clamp", "cumsum", "div", "eq", "equal", "exp",
    "floor", "gather", "ge", "gt", "index_add", "index_select", "isfinite", "isnan", "le", "log", "lt", "masked_fill",
    "matmul",
    "max", "maximum", "mean", "min", "minimum", "mul", "ne", "neg", "pow", "prod", "reciprocal", "relu",
    "repeat_interleave",
    "round", "rsqrt", "sigmoid", "softmax", "sqrt", "square", "squeeze", "sub", "sum", "topk", "transpose", "trunc",
    "unsqueeze",
    "where", "split", "all", "any", "narrow", "sign", "exp2", "log2", "nan_to_num", "nonzero", "signbit",
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
