# SPDX-License-Identifier: GPL-3.0-or-later
class FakeTensor:
    """Nothing is one here: graphs are not traced."""
