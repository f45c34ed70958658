# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantisation of each row to INT8, written from its definition."""
import numpy as np


def quantise(x):
    """Codes and kept scales [rows, 1] of FP32 rows. An all-zero row has codes 0 and a kept scale 0."""
    x = np.asarray(x, np.float32)
    largest = np.abs(x).max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.float32(127) / largest
        codes = np.where(largest == 0, 0, np.rint(x * scale))
        return codes.astype(np.int64), np.where(largest == 0, 0, np.float32(1) / scale).astype(np.float32)
