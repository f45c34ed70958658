# SPDX-License-Identifier: GPL-3.0-or-later
"""A shim for tests where torch is not installed: what exported wrappers, goldens and tests use of it, on NumPy arrays.
Random numbers are not torch's."""
import numpy as np

from . import _types
from ._core import Size, Tensor, _shape, device
from ._functions import *  # noqa: F403  the shim is one name space, as torch is
from ._types import (bfloat16, common, double, dtype, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float16, float32,
                     float64, half, int8, int16, int32, int64, long, rounded, uint8, uint64)

float = _types.float_
bool = _types.bool_
int = int32
SHIM = True
__version__ = "shim"
_random = np.random.default_rng(0)


def tensor(data, dtype=None, device=None):
    array = np.asarray(data)
    kind = dtype or (float32 if array.dtype.kind == "f" else _types.FROM_NUMPY[array.dtype])
    return _placed(Tensor(rounded(array, kind), kind), device)


as_tensor = tensor


def from_numpy(array):
    return Tensor(array)


def _placed(result, place):
    return result if place is None else result.to(place)


def _made(fill):
    def function(*shape, dtype=float32, device=None, generator=None):
        return _placed(Tensor(rounded(fill(_shape(shape)), dtype), dtype), device)

    return function


def _garbage(shape):
    return np.full(shape, -91.0)  # what torch.empty holds must never show


empty, zeros, ones = _made(_garbage), _made(np.zeros), _made(np.ones)
rand, randn = _made(lambda shape: _random.random(shape)), _made(lambda shape: _random.standard_normal(shape))


def full(shape, value, dtype=None, device=None):
    kind = dtype or (int64 if isinstance(value, type(1)) else float32)
    return _placed(Tensor(rounded(np.full(shape, value), kind), kind), device)


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


from . import _dynamo, _subclasses, nn  # noqa: E402  they need the name space
