# SPDX-License-Identifier: GPL-3.0-or-later
"""Number formats of tensor files, by their public definitions and NumPy only."""
import numpy as np


def to_bf16(x):
    """Codes of the nearest bfloat16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    codes = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(np.asarray(x, np.float32)), np.uint16(0x7FC0), codes)


def from_bf16(codes):
    return (np.asarray(codes, np.uint16).astype(np.uint32) << 16).view(np.float32)


def bf16(x):
    """The nearest bfloat16 as a float32."""
    return from_bf16(to_bf16(x))


def _fp8_table(exponent_bits, mantissa_bits, bias, e4m3):
    table = np.empty(256)
    for code in range(256):
        sign = -1.0 if code & 0x80 else 1.0
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        fraction = (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
        if e4m3 and (code & 0x7F) == 0x7F:
            value = np.nan
        elif not e4m3 and exponent == (1 << exponent_bits) - 1:
            value = np.inf if fraction == 0 else np.nan
        elif exponent == 0:
            value = fraction * 2.0 ** (1 - bias)
        else:
            value = (1 + fraction) * 2.0 ** (exponent - bias)
        table[code] = sign * value
    return table


FP8E4M3 = _fp8_table(4, 3, 7, True)
FP8E5M2 = _fp8_table(5, 2, 15, False)


def fp8_codes(rng, table, shape, low, high):
    """Random codes of finite values in [low, high], small and large magnitudes alike half of the time."""
    usable = np.flatnonzero(np.isfinite(table) & (table >= low) & (table <= high))
    wanted = rng.uniform(low, high, shape)
    order = usable[np.argsort(table[usable])]
    nearest = order[np.clip(np.searchsorted(table[order], wanted), 0, len(order) - 1)]
    return np.where(rng.random(shape) < 0.5, nearest, rng.choice(usable, shape)).astype(np.uint8)


def e8m0(codes):
    return np.ldexp(1.0, np.asarray(codes, np.int64) - 127)


def e8m0_codes(rng, shape, low=-4, high=4):
    """Random scales 2^low to 2^high."""
    return rng.integers(127 + low, 127 + high + 1, shape).astype(np.uint8)


def per_element(scales, k):
    """MX scales [.., k / 64, 2] (one for 32 elements) as factors [.., k]."""
    flat = scales.reshape(scales.shape[:-2] + (scales.shape[-2] * 2,))
    return np.repeat(flat, 32, axis=-1)[..., :k]
