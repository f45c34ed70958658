# SPDX-License-Identifier: GPL-3.0-or-later
"""dtypes of the shim. Arrays hold values; small floats are float32 that the type can represent."""
import numpy as np


class dtype:
    def __init__(self, name, carrier, itemsize, is_floating_point=False):
        self.name, self.carrier, self.itemsize, self.is_floating_point = name, carrier, itemsize, is_floating_point

    def __repr__(self):
        return f"torch.{self.name}"

    __str__ = __repr__


float64 = double = dtype("float64", np.float64, 8, True)
float32 = float_ = dtype("float32", np.float32, 4, True)
float16 = half = dtype("float16", np.float32, 2, True)
bfloat16 = dtype("bfloat16", np.float32, 2, True)
float8_e4m3fn = dtype("float8_e4m3fn", np.float32, 1, True)
float8_e5m2 = dtype("float8_e5m2", np.float32, 1, True)
float8_e8m0fnu = dtype("float8_e8m0fnu", np.float32, 1, True)
int8 = dtype("int8", np.int8, 1)
int16 = dtype("int16", np.int16, 2)
int32 = dtype("int32", np.int32, 4)
int64 = long = dtype("int64", np.int64, 8)
uint8 = dtype("uint8", np.uint8, 1)
uint64 = dtype("uint64", np.uint64, 8)
bool_ = dtype("bool", np.bool_, 1)

ORDER = [bool_, uint8, int8, int16, int32, int64, float8_e8m0fnu, float8_e4m3fn, float8_e5m2, float16, bfloat16,
         float32,
         float64]  # fmt: skip
FROM_NUMPY = {
    np.dtype(np.float64): float64, np.dtype(np.float32): float32, np.dtype(np.float16): float16,
    np.dtype(np.int8): int8,
    np.dtype(np.int16): int16, np.dtype(np.int32): int32, np.dtype(np.int64): int64, np.dtype(np.uint8): uint8,
    np.dtype(np.uint64): uint64, np.dtype(np.bool_): bool_,
}  # fmt: skip
# mantissa bits, smallest exponent, largest value, what overflow becomes
SMALL = {
    float16: (10, -14, 65504.0, np.inf),
    bfloat16: (7, -126, float.fromhex("0x1.fep127"), np.inf),
    float8_e4m3fn: (3, -6, 448.0, np.nan),
    float8_e5m2: (2, -14, 57344.0, np.inf),
}


def common(kinds):
    """The type of a result; torch promotes float16 with bfloat16 to float32."""
    kinds = set(kinds)
    if {float16, bfloat16} <= kinds:
        return float32
    return max(kinds, key=ORDER.index)


def _bfloat16(values):
    """To nearest even by the bits of float32. Of float64 those are rounded to odd first, which keeps ties apart."""
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(values.astype(np.float32))
    bits = narrow.view(np.uint32)
    if values.dtype != np.float32:
        inexact = (narrow != values) & ~np.isnan(values)
        bits = np.where(inexact, (bits - (np.abs(narrow) > np.abs(values))) | np.uint32(1), bits).astype(np.uint32)
    near = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(narrow), narrow, near.view(np.float32))


def rounded(values, kind):
    """Values as an array of the type, rounded once, ties to even."""
    values = np.asarray(values)
    if kind is float8_e8m0fnu:
        fraction, exponent = np.frexp(values.astype(np.float64))
        return np.ldexp(1.0, np.clip(np.where(fraction > 0.75, exponent, exponent - 1), -127, 127)).astype(np.float32)
    if kind not in SMALL:
        with np.errstate(invalid="ignore", over="ignore"):
            if not kind.is_floating_point and values.dtype.kind == "f":
                return np.nan_to_num(values).astype(np.int64).astype(kind.carrier)
            return values.astype(kind.carrier)
    bits, low, largest, over = SMALL[kind]
    if kind is float16:
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float32)
    if kind is bfloat16 and values.dtype.kind == "f":
        return _bfloat16(values)
    x = values.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        exponent = np.frexp(np.where(np.isfinite(x), x, 0.0))[1] - 1
        quantum = np.ldexp(1.0, np.maximum(exponent, low) - bits)
        near = np.rint(x / quantum) * quantum
        return np.where((np.abs(near) > largest) & np.isfinite(x), np.copysign(over, x), near).astype(np.float32)
