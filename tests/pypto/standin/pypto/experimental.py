# SPDX-License-Identifier: GPL-3.0-or-later
from ._errors import INVALID_VALUE, need
from ._state import state


def set_operation_options(*, combine_axis=None):
    need(isinstance(combine_axis, bool), INVALID_VALUE, "set_operation_options(combine_axis=bool)")
    state.settings.options["combine_axis"] = combine_axis
    state.event("setting", "combine_axis", combine_axis, [])
