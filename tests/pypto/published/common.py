# SPDX-License-Identifier: GPL-3.0-or-later
"""What several kernels of this folder share."""
import pypto


def per_token(value):
    wide = pypto.cast(value, pypto.DT_FP32)
    peak = pypto.amax(pypto.abs(wide), -1, True)
    rows, ones = peak.shape[:2]
    scale = pypto.div(pypto.full([rows, ones], 127.0, pypto.DT_FP32), peak)
    whole = pypto.cast(pypto.mul(wide, scale), pypto.DT_INT32, pypto.CastMode.CAST_RINT)
    half = pypto.cast(whole, pypto.DT_FP16, pypto.CastMode.CAST_ROUND)
    return pypto.cast(half, pypto.DT_INT8, pypto.CastMode.CAST_TRUNC), pypto.div(
        pypto.full([rows, ones], 1.0, pypto.DT_FP32), scale)


def widen(value, first, second):
    wide = pypto.cast(value, pypto.DT_FP32, pypto.CastMode.CAST_NONE)
    return pypto.mul(pypto.mul(wide, pypto.cast(second, pypto.DT_FP32)), pypto.cast(first, pypto.DT_FP32))


def gated(value):
    half = value.shape[1] // 2
    left = pypto.view(value, [value.shape[0], half], [0, 0])
    right = pypto.view(value, [value.shape[0], half], [0, half])
    power = pypto.add(pypto.exp(pypto.mul(left, -1.0)), 1.0)
    return pypto.mul(pypto.div(left, power), right)
