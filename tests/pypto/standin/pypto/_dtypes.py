# SPDX-License-Identifier: GPL-3.0-or-later
"""Data types. Arrays hold values: small floats as float32 that the type can represent, integers as themselves."""
import enum
import functools

import numpy as np

from ._errors import INVALID_TYPE, fail


class DataType(enum.Enum):
    DT_BOOL = "BOOL"
    DT_INT4 = "INT4"
    DT_INT8 = "INT8"
    DT_INT16 = "INT16"
    DT_INT32 = "INT32"
    DT_INT64 = "INT64"
    DT_UINT8 = "UINT8"
    DT_UINT64 = "UINT64"
    DT_FP16 = "FP16"
    DT_BF16 = "BF16"
    DT_FP32 = "FP32"
    DT_FP8E4M3 = "FP8E4M3"
    DT_FP8E5M2 = "FP8E5M2"
    DT_FP8E8M0 = "FP8E8M0"
    DT_HF8 = "HF8"
    DT_FP4_E2M1 = "FP4E2M1"

    def __repr__(self):
        return f"DataType.{self.name}"


CARRIERS = {
    DataType.DT_BOOL: np.bool_,
    DataType.DT_INT4: np.int8,
    DataType.DT_INT8: np.int8,
    DataType.DT_INT16: np.int16,
    DataType.DT_INT32: np.int32,
    DataType.DT_INT64: np.int64,
    DataType.DT_UINT8: np.uint8,
    DataType.DT_UINT64: np.uint64,
}
SIZES = {
    DataType.DT_INT16: 2,
    DataType.DT_INT32: 4,
    DataType.DT_INT64: 8,
    DataType.DT_UINT64: 8,
    DataType.DT_FP16: 2,
    DataType.DT_BF16: 2,
    DataType.DT_FP32: 4,
}
ONLY_950 = {DataType.DT_FP8E4M3, DataType.DT_FP8E5M2, DataType.DT_FP8E8M0, DataType.DT_HF8, DataType.DT_FP4_E2M1}
# exponent bits, mantissa bits, bias, largest value
SMALL_FLOATS = {
    DataType.DT_FP16: (5, 10, 15, 65504.0),
    DataType.DT_BF16: (8, 7, 127, float.fromhex("0x1.fep127")),
    DataType.DT_FP8E4M3: (4, 3, 7, 448.0),
    DataType.DT_FP8E5M2: (5, 2, 15, 57344.0),
    DataType.DT_FP4_E2M1: (2, 1, 1, 6.0),
}
INT_RANGES = {
    DataType.DT_INT4: (-8, 7),
    DataType.DT_INT8: (-128, 127),
    DataType.DT_INT16: (-(1 << 15), (1 << 15) - 1),
    DataType.DT_INT32: (-(1 << 31), (1 << 31) - 1),
    DataType.DT_INT64: (-(1 << 63), (1 << 63) - 1),
    DataType.DT_UINT8: (0, 255),
}


def is_float(dtype):
    return dtype not in CARRIERS


def size_of(dtype):
    return SIZES.get(dtype, 1)


def carrier(dtype):
    return CARRIERS.get(dtype, np.float32)


def poison(dtype):
    """What an element that must not be read holds."""
    if is_float(dtype):
        return np.nan
    return {DataType.DT_BOOL: True, DataType.DT_UINT8: 0xA5, DataType.DT_UINT64: 0xA5}.get(dtype, -0x5B)


def round_float(values, dtype, mode="RINT"):
    """Values rounded to a float type, once. Overflow: infinity, or NaN where the type has none."""
    values = np.asarray(values)
    if dtype is DataType.DT_FP32:
        return values.astype(np.float32)
    if dtype is DataType.DT_FP8E8M0:
        return _round_e8m0(values)
    if dtype is DataType.DT_HF8:
        return _round_hf8(values)
    if dtype not in SMALL_FLOATS:
        fail(INVALID_TYPE, f"no rounding to {dtype!r}")
    exponent_bits, mantissa_bits, bias, largest = SMALL_FLOATS[dtype]
    x = values.astype(np.float64)
    if dtype is DataType.DT_FP16 and mode == "RINT":
        with np.errstate(over="ignore"):
            return x.astype(np.float16).astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        exponent = np.frexp(np.where(np.isfinite(x), x, 0.0))[1] - 1
        quantum = np.ldexp(1.0, np.maximum(exponent, 1 - bias) - mantissa_bits)
        rounded = round_to_integer(x / quantum, mode) * quantum
        beyond = np.abs(rounded) > largest
        over = np.nan if dtype in (DataType.DT_FP8E4M3, DataType.DT_FP4_E2M1) else np.inf
        return np.where(beyond & np.isfinite(x), np.copysign(over, x), rounded).astype(np.float32)


def _round_e8m0(values):
    """Powers of two; the nearest in the logarithm's sense does not matter here, kernels never make scales by casts."""
    fraction, exponent = np.frexp(values.astype(np.float64))
    near = np.where(fraction >= 0.75, exponent, exponent - 1)
    return np.ldexp(1.0, np.clip(near, -127, 127)).astype(np.float32)


def _hf8_magnitudes():
    """Values of the codes 0 to 127 of HiFloat8. Behind the sign stands a prefix that says how many bits the exponent
    has (0 to 4, its first one the sign, the leading one of its magnitude left out); the mantissa has the rest. The
    smallest codes are powers of two."""
    values = [0.0] + [2.0 ** (code - 23) for code in range(1, 8)]
    for exponent_bits, mantissa_bits in ((0, 3), (1, 3), (2, 3), (3, 2), (4, 1)):
        if exponent_bits == 0:
            exponents = [0]
        else:
            size = [int("1" + format(rest, "b").zfill(exponent_bits)[1:], 2) for rest in range(2 ** (exponent_bits - 1))]
            exponents = size + [-each for each in size]
        for exponent in exponents:
            values += [2.0**exponent * (1 + part / 2**mantissa_bits) for part in range(2**mantissa_bits)]
    values[0x6F] = np.inf
    return np.array(values)


HF8_LARGEST = 2.0**15


def _round_hf8(values):
    """To the nearest value, ties away from zero, whatever the mode; infinity from 1.25 times the largest value."""
    table = np.sort(_hf8_magnitudes())[:-1]
    x = np.asarray(values).astype(np.float64)
    size = np.abs(x)
    above = np.clip(np.searchsorted(table, size), 1, len(table) - 1)
    nearest = np.where(size - table[above - 1] < table[above] - size, table[above - 1], table[above])
    nearest = np.where(size >= 1.25 * HF8_LARGEST, np.inf, nearest)
    return np.where(np.isnan(x), np.nan, np.where(nearest == 0, 0.0, np.copysign(nearest, x))).astype(np.float32)


def round_to_integer(x, mode):
    if mode == "RINT":
        return np.rint(x)
    if mode == "ROUND":
        return np.copysign(np.floor(np.abs(x) + 0.5), x)
    if mode == "FLOOR":
        return np.floor(x)
    if mode == "CEIL":
        return np.ceil(x)
    if mode == "TRUNC":
        return np.trunc(x)
    if mode == "ODD":
        down = np.trunc(x)
        return np.where((down != x) & (np.abs(down) % 2 == 0), down + np.copysign(1.0, x), down)
    return fail(INVALID_TYPE, f"cast mode {mode}")


def decode_pairs(codes):
    """Values of FP4 E2M1, two to a byte, the first in the low half."""
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    halves = np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:-1], -1)
    return np.where(halves & 8, -1, 1).astype(np.float32) * table[halves & 7]


def encode_fp8(values, dtype):
    """8-bit codes of values that the type has."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    codes, nan = _codes(dtype)
    return np.where(bits & np.uint32(0xFFFF), nan, codes[bits >> np.uint32(16)])


@functools.lru_cache
def _codes(dtype):
    """The code of each value by the upper 16 bits of its float32, of which the lower ones are 0; the code of NaN."""
    table = _values(dtype)
    nan = np.uint8({DataType.DT_FP8E8M0: 255, DataType.DT_HF8: 0x80}.get(dtype, 0x7F))
    codes = np.full(1 << 16, nan)
    for code, bits in enumerate(table.view(np.uint32)):
        if not np.isnan(table[code]):
            codes[bits >> np.uint32(16)] = code
    return codes, nan


def decode_fp8(codes, dtype):
    """Values of 8-bit codes."""
    return _values(dtype)[np.asarray(codes, np.uint8)]


@functools.lru_cache
def _values(dtype):
    codes = np.arange(256, dtype=np.uint8)
    if dtype is DataType.DT_FP8E8M0:
        with np.errstate(under="ignore"):
            return np.where(codes == 255, np.nan, np.ldexp(1.0, codes.astype(np.int64) - 127)).astype(np.float32)
    if dtype is DataType.DT_HF8:
        sizes = _hf8_magnitudes()
        return np.concatenate([sizes, [np.nan], -sizes[1:]])[codes].astype(np.float32)
    if dtype not in (DataType.DT_FP8E4M3, DataType.DT_FP8E5M2):
        fail(INVALID_TYPE, f"codes of {dtype!r}")
    exponent_bits, mantissa_bits, bias, _ = SMALL_FLOATS[dtype]
    exponent = (codes >> mantissa_bits).astype(np.int64) & ((1 << exponent_bits) - 1)
    fraction = (codes & ((1 << mantissa_bits) - 1)).astype(np.float64) / (1 << mantissa_bits)
    sign = np.where(codes & 0x80, -1.0, 1.0)
    value = np.where(exponent == 0, np.ldexp(fraction, 1 - bias), np.ldexp(1 + fraction, exponent - bias))
    top = (1 << exponent_bits) - 1
    if dtype is DataType.DT_FP8E4M3:
        value = np.where((codes & 0x7F) == 0x7F, np.nan, value)
    else:
        value = np.where(exponent == top, np.where(fraction == 0, np.inf, np.nan), value)
    return (sign * value).astype(np.float32)
