# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels in the many ways in which Python can be written, for the tests of the import: each either computes the same
after it was read, or has a line that is named."""
import style_flow  # noqa: F401
import style_functions  # noqa: F401
import style_lists  # noqa: F401
import style_memory  # noqa: F401
import style_settings  # noqa: F401
from style_kernels import KERNELS, source  # noqa: F401
