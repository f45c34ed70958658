# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops, conditions and settings."""
from ._errors import INVALID_VALUE, StandInError, need
from ._state import state
from ._symbolic import SymbolicScalar, constants, number

LOOP_KEYWORDS = {"name", "idx_name", "submit_before_loop", "parallel", "unroll_list"}


def bounds(arguments):
    need(1 <= len(arguments) <= 3, INVALID_VALUE,
         f"loop() takes 1 to 3 positional arguments but {len(arguments)} were given")
    start, stop, step = (0, arguments[0], 1) if len(arguments) == 1 else (*arguments, 1)[:3]
    return start, stop, step


def check_keywords(keywords):
    unknown = set(keywords) - LOOP_KEYWORDS
    need(not unknown, INVALID_VALUE, f"loop() has no {sorted(unknown)}")


def loop(*arguments, **keywords):
    start, stop, step = bounds(arguments)
    check_keywords(keywords)
    name = keywords.get("name", "loop")
    parallel = keywords.get("parallel", False)
    if parallel and any(entry["parallel"] for entry in open_loops):
        state.record.note(f"parallel loop '{name}' inside of a parallel loop")
    indices = range(number(start), number(stop), number(step))
    entry = {"name": name, "kind": "loop", "parallel": parallel,
             "submit_before_loop": keywords.get("submit_before_loop", False),
             "count": len(indices), "depth": len(state.loop_names())}
    state.record.loops.append(entry)
    open_loops.append(entry)
    try:
        for value in indices:
            with state.scope(name):
                index = SymbolicScalar.unknown(value, keywords.get("idx_name", "i"))
                index.is_first, index.is_last = value == indices[0], value == indices[-1]
                yield index
    finally:
        open_loops.remove(entry)


open_loops = []


def loop_unroll(*arguments, **keywords):
    start, stop, step = bounds(arguments)
    check_keywords(keywords)
    factors = keywords.pop("unroll_list", [1])
    need(isinstance(factors, (list, tuple)) and factors and all(isinstance(f, int) and f > 0 for f in factors),
         INVALID_VALUE,
         f"unroll_list {factors!r}")
    factors = sorted({*factors, 1}, reverse=True)
    name = keywords.pop("name", "")
    at, end, step = number(start), number(stop), number(step)
    state.record.loops.append({"name": name, "kind": "unroll", "parallel": keywords.get("parallel", False),
                               "unroll_list": factors, "submit_before_loop": keywords.get("submit_before_loop", False),
                               "depth": len(state.loop_names()), "count": -(-(end - at) // step)})
    for factor in factors:
        left = (end - at) % (step * factor)
        for value in range(at, end - left, step * factor):
            with state.scope(f"{name}_LoopUnroll{factor}"):
                yield SymbolicScalar.unknown(value, keywords.get("idx_name", "i")), factor
        at = end - left


def cond(scalar, file=None, lineno=None):
    return bool(number(scalar))


def is_loop_begin(index):
    need(hasattr(index, "is_first"), INVALID_VALUE, "not loop index")
    return SymbolicScalar.unknown(int(index.is_first), "is_loop_begin")


def is_loop_end(index):
    need(hasattr(index, "is_last"), INVALID_VALUE, "not loop index")
    return SymbolicScalar.unknown(int(index.is_last), "is_loop_end")


def set_vec_tile_shapes(*shapes):
    tile = constants(shapes, "set_vec_tile_shapes")
    need(1 <= len(tile) <= 4 and all(extent > 0 for extent in tile), INVALID_VALUE, f"set_vec_tile_shapes{tuple(tile)}")
    state.settings.vec_tile = tile


def get_vec_tile_shapes():
    return list(state.settings.vec_tile or [])


def set_cube_tile_shapes(m, k, n, enable_split_k=False):
    for name, values, allowed in (("m", m, (2,)), ("k", k, (2, 3)), ("n", n, (2,))):
        need(isinstance(values, (list, tuple)) and len(values) in allowed, INVALID_VALUE,
             f"{name} must have {' or '.join(map(str, allowed))} elements, got {len(values)}")
    need(isinstance(enable_split_k, bool), INVALID_VALUE, f"enable_split_k={enable_split_k!r}")
    state.settings.cube_tile = tuple(constants(values, "set_cube_tile_shapes")
                                     for values in (m, k, n)) + (enable_split_k,)


def get_cube_tile_shapes():
    return state.settings.cube_tile


def set_matrix_size(size):
    sizes = constants(size, "set_matrix_size")
    need(len(sizes) == 3, INVALID_VALUE, f"set_matrix_size({size})")
    state.settings.matrix_size = sizes


def set_semantic_label(label):
    need(isinstance(label, str) and label, INVALID_VALUE, f"set_semantic_label({label!r})")
    state.settings.label = label


SETTING_KEYS = ("cube_l1_reuse_setting", "cube_nbuffer_setting", "vec_nbuffer_setting")
PASS_KEYS = {*SETTING_KEYS, "sg_set_scope", "auto_mix_partition", "sg_set_ooo_scope", "ooo_sched_mode",
             "sg_set_tunevf_mode",
             "enable_slice", "experimental"}
RUNTIME_KEYS = {"run_mode", "device_sched_mode", "stitch_function_max_num", "max_workspace_kb", "valid_shape_optimize",
                "ready_on_host_tensors", "device_sched_parallelism", "launch_sched_aicpu_num", "launch_early_mode"}
RANGES = {"device_sched_mode": (0, 3), "stitch_function_max_num": (1, 1024), "max_workspace_kb": (0, 2**31 - 1),
          "valid_shape_optimize": (0, 1), "device_sched_parallelism": (1, 8), "launch_sched_aicpu_num": (1, 7),
          "launch_early_mode": (0, 2), "auto_mix_partition": (0, 1)}
OTHER_KEYS = {
    "codegen_options": {"support_dynamic_aligned", "enable_pmu_trace", "soc_version", "vf_options", "vf_compiler"},
    "host_options": {"compile_stage", "compile_monitor_enable", "compile_timeout", "compile_timeout_stage",
                     "compile_monitor_print_interval"},
    "debug_options": {"compile_debug_mode", "runtime_debug_mode", "dump_pass_graph"},
    "verify_options": {"enable_pass_verify", "pass_verify_save_tensor", "pass_verify_save_tensor_dir",
                       "pass_verify_pass_filter", "pass_verify_error_tol"},
}


def check_setting(name, setting):
    import re

    need(isinstance(setting, dict), INVALID_VALUE, f"{name} is a dict")
    integers = [key for key in setting if isinstance(key, int)]
    named = [key for key in setting if isinstance(key, str) and (key == "DEFAULT" or re.fullmatch(r"func\d+_\d+", key))]
    need(not (integers and named), INVALID_VALUE, f"{name} cannot mix integer keys with func/DEFAULT keys.")
    lowest = -2 if name == "vec_nbuffer_setting" else -1
    need(all(key >= lowest for key in integers), INVALID_VALUE, f"{name}: key below {lowest}")
    for key, value in setting.items():
        if isinstance(value, tuple):
            need(name == "cube_l1_reuse_setting" and len(value) == 2 and value[1] in ("left", "right", "auto"),
                 INVALID_VALUE,
                 f"{name}[{key!r}] = {value!r}")
            value = value[0]
        need(isinstance(value, int) and (value >= 1 or (key == -2 and value == 0)), INVALID_VALUE,
             f"{name}[{key!r}] = {value!r}")


def check_options(kind, options):
    allowed = PASS_KEYS if kind == "pass_options" else RUNTIME_KEYS if kind == "runtime_options" else OTHER_KEYS[kind]
    unknown = set(options) - allowed
    need(not unknown, INVALID_VALUE, f"{kind} has no {sorted(unknown)}")
    for key, value in options.items():
        if key in SETTING_KEYS:
            check_setting(key, value)
        if key in RANGES:
            low, high = RANGES[key]
            need(isinstance(value, int) and low <= value <= high, INVALID_VALUE,
                 f"{key}={value!r}: Range: [{low}, {high}]")


def set_pass_options(**options):
    check_options("pass_options", options)
    state.settings.options.update(options)
    state.record.options.append({"in_kernel": True, "pass_options": dict(options)})


def set_options(**kinds):
    for kind, options in kinds.items():
        if kind not in ("pass_options", "runtime_options", *OTHER_KEYS):
            raise StandInError(f"set_options has no {kind}")
        check_options(kind, options)
    state.record.options.append({"in_kernel": True, **kinds})


def set_codegen_options(**options):
    check_options("codegen_options", options)


def set_host_options(**options):
    check_options("host_options", options)


def set_debug_options(**options):
    check_options("debug_options", options)


def set_verify_options(**options):
    check_options("verify_options", options)
