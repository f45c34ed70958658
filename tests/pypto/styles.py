# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels in the many ways in which Python can be written, for the tests of the import: each either computes the same
after it was read, or has a line that is named. `KERNELS`: name -> (before the kernel, its body, "same" or "listed")."""

HEAD = '''import functools
import math
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pypto

{before}

@pypto.frontend.jit
def k(
    x: pypto.Tensor([64, 64], pypto.DT_FP32),
    w: pypto.Tensor([64, 64], pypto.DT_FP32),
    out: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    pypto.set_cube_tile_shapes([32, 32], [32, 64], [32, 32])
    pypto.set_vec_tile_shapes(16, 64)
{body}
'''

SAME, LISTED = "same", "listed"
KERNELS = {}


def kernel(name, body, before="", wanted=SAME):
    assert name not in KERNELS, name
    KERNELS[name] = (before.strip("\n"), "\n".join("    " + line for line in body.strip("\n").splitlines()), wanted)


def source(name):
    before, body, _ = KERNELS[name]
    return HEAD.format(before=before, body=body)


# Lists and dictionaries that change ----------------------------------------------------------------------------------

kernel("sort", """
f = [3.0, 1.0, 2.0]
f.sort()
out[:] = x * f[0]
""")
kernel("sort_reverse", """
f = [3.0, 1.0, 2.0]
f.sort(reverse=True)
out[:] = x * f[1] + f[0]
""")
kernel("sort_key", """
f = [3.0, 1.0, 2.0]
f.sort(key=lambda v: -v)
out[:] = x * f[0]
""", wanted=LISTED)
kernel("del_element", """
f = [3.0, 1.0, 2.0]
del f[0]
out[:] = x * f[0]
""")
kernel("augmented_list", """
f = [3.0]
f += [4.0]
f += (5.0, 6.0)
out[:] = x * f[1] + len(f)
""")
kernel("alias_append", """
f = [3.0]
g = f
g.append(4.0)
out[:] = x * f[-1]
""", wanted=LISTED)
kernel("alias_augmented", """
f = [3.0]
g = f
g += [4.0]
out[:] = x * f[-1]
""", wanted=LISTED)
kernel("alias_rebound", """
f = [3.0]
g = f
g = g + [4.0]
out[:] = x * f[-1]
""")
kernel("alias_nested", """
a = [1.0, 2.0]
both = [a, [3.0]]
a.append(7.0)
out[:] = x * both[0][-1]
""", wanted=LISTED)
kernel("alias_element", """
both = [[1.0, 2.0], [3.0]]
row = both[0]
row[0] = 9.0
out[:] = x * both[0][0]
""", wanted=LISTED)
kernel("alias_of_loop", """
both = [[1.0], [3.0]]
for row in both:
    row.append(5.0)
out[:] = x * both[0][-1]
""", wanted=LISTED)
kernel("two_names_at_once", """
a = b = [2.0]
a.append(5.0)
out[:] = x * b[-1]
""", wanted=LISTED)
kernel("helper_mutates", """
f = [3.0]
grow(f)
out[:] = x * f[-1]
""", before="""
def grow(values):
    values.append(6.0)
""")
kernel("helper_mutates_alias", """
f = [3.0]
g = grown(f)
out[:] = x * f[-1] + g[0]
""", before="""
def grown(values):
    values.insert(0, 6.0)
    return values
""")
kernel("unknown_mutates", """
f = [3.0]
register(f)
out[:] = x * f[0]
""", before="""
def register(values):
    for i in range(len(values)):
        try:
            values[i] = 8.0
        finally:
            pass
    return [v for v in values]
""", wanted=LISTED)
kernel("dict_update", """
c = {"a": 2.0, "b": 3.0}
c.update(a=5.0)
c.update({"d": 7.0})
out[:] = x * c["a"] + c["d"]
""")
kernel("dict_store", """
c = {"a": 2.0}
c["a"] = 5.0
c["b"] = c["a"] + 1.0
out[:] = x * c["b"]
""")
kernel("dict_pop", """
c = {"a": 2.0, "b": 4.0}
v = c.pop("a")
out[:] = x * v + len(c)
""")
kernel("dict_get", """
c = {"a": 2.0}
out[:] = x * c.get("a", 9.0) + c.get("z", 3.0)
""")
kernel("dict_items", """
c = {"a": 2.0, "b": 3.0}
y = x
for name, value in c.items():
    y = y * value
out[:] = y
""")
kernel("dict_setdefault", """
c = {"a": 2.0}
c.setdefault("a", 8.0)
c.setdefault("b", 3.0)
out[:] = x * c["a"] + c["b"]
""")
kernel("pop_insert_reverse", """
f = [1.0, 2.0, 3.0, 4.0]
last = f.pop()
f.insert(1, last)
f.reverse()
out[:] = x * f[2] + f[0]
""")
kernel("remove_index_count", """
f = [1.0, 2.0, 3.0, 2.0]
f.remove(1.0)
out[:] = x * f.index(3.0) + f.count(2.0)
""")
kernel("slice_store", """
f = [1.0, 2.0, 3.0, 4.0]
f[1:3] = [7.0, 8.0]
out[:] = x * f[1] + f[2]
""")
kernel("module_list_changed", """
out[:] = x * FACTORS[-1]
""", before="""
FACTORS = [2.0]
FACTORS.append(3.0)
""")
kernel("module_dict_changed", """
out[:] = x * CONFIG["a"]
""", before="""
CONFIG = {"a": 2.0}
CONFIG["a"] = 5.0
""")
kernel("module_constant_twice", """
out[:] = x * FACTOR
""", before="""
FACTOR = 2.0
FACTOR = FACTOR * 3.0
""")
kernel("module_constant_augmented", """
out[:] = x * FACTOR
""", before="""
FACTOR = 2
FACTOR += 5
""")
kernel("module_constant_condition", """
out[:] = x * FACTOR
""", before="""
FAST = True
if FAST:
    FACTOR = 4.0
else:
    FACTOR = 8.0
""")
kernel("module_constant_loop", """
out[:] = x * TOTAL
""", before="""
TOTAL = 0
for step in range(4):
    TOTAL += step
""")
kernel("module_changed_by_function", """
out[:] = x * STATE["a"]
""", before="""
STATE = {"a": 2.0}


def setup():
    STATE["a"] = 6.0


setup()
""", wanted=LISTED)
kernel("module_global", """
out[:] = x * FACTOR
""", before="""
FACTOR = 2.0


def setup():
    global FACTOR
    FACTOR = 6.0


setup()
""", wanted=LISTED)
kernel("kernel_changes_module", """
FACTORS.append(9.0)
out[:] = x * FACTORS[-1]
""", before="FACTORS = [2.0]", wanted=LISTED)
kernel("integers_sorted", """
t = [64, 16]
t.sort()
pypto.set_vec_tile_shapes(*t)
out[:] = x * t[0]
""")
kernel("list_in_a_loop", """
for i in pypto.loop(2):
    parts = []
    for j in range(2):
        parts.append(pypto.view(x, [16, 64], [i * 32 + j * 16, 0]))
    out[i * 32:, :] = pypto.concat(parts, 0)
""")
kernel("list_grows_at_run_time", """
parts = [x]
for i in pypto.loop(2):
    parts.append(w)
out[:] = parts[-1] * 2.0
""", wanted=LISTED)
kernel("tensors_reordered", """
parts = [x[0:16, :], x[16:32, :], x[32:48, :], x[48:64, :]]
for i, p in enumerate(parts[::-1]):
    out[i * 16:, :] = p * (i + 1.0)
""")
kernel("every_second", """
parts = [x[0:16, :], x[16:32, :], x[32:48, :], x[48:64, :]]
out[0:32, :] = pypto.concat(parts[::2], 0)
out[32:64, :] = pypto.concat(parts[1::2], 0)
""")
kernel("reversed_list", """
f = [1.0, 2.0, 3.0]
y = x
for v in reversed(f):
    y = y * 0.5 + v
out[:] = y
""")
kernel("sorted_copy", """
f = [3.0, 1.0]
g = sorted(f)
out[:] = x * g[0] + f[0]
""")
kernel("copy_of_list", """
f = [3.0, 1.0]
g = f[:]
g.append(5.0)
h = list(f)
h[0] = 7.0
out[:] = x * len(f) + g[-1] * h[0]
""")
kernel("dict_of_tensors", """
values = {"a": x * 2.0}
values["b"] = values["a"] + w
out[:] = values["b"]
""")

# Control flow of Python -----------------------------------------------------------------------------------------------

kernel("continue_constant", """
for i in range(4):
    if i == 2:
        continue
    out[i * 16:, :] = x[i * 16:i * 16 + 16, :] * 2.0
""")
kernel("break_constant", """
y = x
for i in range(4):
    if i * 16 >= x.shape[0] - 16:
        break
    y = y + 1.0
out[:] = y
""")
kernel("continue_of_flag", """
for i in range(2):
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 2.0
    if SKIP:
        continue
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 3.0
""", before="SKIP = True")
kernel("continue_in_a_loop", """
for i in pypto.loop(2):
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 2.0
    if SKIP:
        continue
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 3.0
""", before="SKIP = True")
kernel("break_in_a_loop", """
for i in pypto.loop(2):
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 2.0
    if i == 0:
        break
""", wanted=LISTED)
kernel("nested_break", """
y = x
for i in range(3):
    for j in range(3):
        if j > i:
            break
        y = y + 1.0
out[:] = y
""")
kernel("for_else", """
y = x
for i in range(3):
    if i == 5:
        break
    y = y + 1.0
else:
    y = y * 2.0
out[:] = y
""")
kernel("for_else_broken", """
y = x
for i in range(3):
    if i == 1:
        break
    y = y + 1.0
else:
    y = y * 2.0
out[:] = y
""")
kernel("while_loop", """
i = 0
y = x
while i < 3:
    y = y + i
    i += 1
out[:] = y
""")
kernel("while_true", """
i = 0
y = x
while True:
    if i >= 3:
        break
    i = i + 1
    y = y * 1.5
out[:] = y
""")
kernel("countdown", """
y = x
for i in range(3, 0, -1):
    y = y * 0.5 + i
out[:] = y
""")
kernel("match_value", """
match MODE:
    case "wide":
        factor = 3.0
    case "narrow" | "slim":
        factor = 4.0
    case _:
        factor = 5.0
out[:] = x * factor
""", before='MODE = "slim"')
kernel("match_binds", """
factor = 2.0
match PAIR:
    case (a, b):
        factor = a + b
out[:] = x * factor
""", before="PAIR = (3.0, 4.0)", wanted=LISTED)
kernel("match_forgets", """
tile = 16
match x.shape[0] // 32:
    case n if n > 1:
        tile = 32
pypto.set_vec_tile_shapes(tile, 64)
out[:] = x * float(tile)
""", wanted=LISTED)
kernel("try_forgets", """
factor = 2.0
try:
    factor = CONFIG["z"]
except KeyError:
    factor = 7.0
out[:] = x * factor
""", before='CONFIG = {"a": 3.0}', wanted=LISTED)
kernel("early_return", """
out[:] = x * 2.0
if DONE:
    return
out[:] = x * 3.0
""", before="DONE = True")
kernel("return_in_a_loop", """
for i in range(2):
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 2.0
    if i == 0:
        return
""")
kernel("chained_comparison", """
y = x
for i in range(5):
    if 0 < i < 3:
        y = y + i
    if 1 <= i != 3 <= 4:
        y = y * 1.5
out[:] = y
""")
kernel("conditional_expression", """
y = x
for i in range(3):
    y = y + (1.0 if i % 2 == 0 else 5.0)
out[:] = y * (2.0 if x.shape[0] > 32 else 3.0)
""")
kernel("boolean_operators", """
factor = 0 or 3.0
if (FAST and x.shape[1] == 64) or not FAST:
    factor = factor and 4.0
out[:] = x * factor
""", before="FAST = True")
kernel("asserts_and_raises", """
assert x.shape[0] % 16 == 0, "rows"
if x.shape[1] > 1024:
    raise ValueError("too wide")
out[:] = x * 2.0
""")
kernel("loop_variable_after", """
for i in range(3):
    pypto.set_semantic_label(f"c{i}")
    y = x * (i + 1.0)
    out[i * 16:i * 16 + 16, :] = y[0:16, :]
out[48:64, :] = y[0:16, :] + i
""")
kernel("carried_by_name", """
previous = x
for i in range(3):
    current = previous * 2.0
    previous = current
out[:] = previous
""")
kernel("carried_pair", """
a, b = x, w
for i in range(3):
    a, b = b, a + b
out[:] = a
""")
kernel("carried_at_run_time", """
y = x
for i in pypto.loop(3):
    y = y * 2.0
out[:] = y
""", wanted=LISTED)
kernel("value_of_a_loop", """
y = x * 1.0
for i in pypto.loop(2):
    y = x[i * 32:i * 32 + 32, :] * 2.0
    out[i * 32:, :] = y
out[0:32, :] = y
""", wanted=LISTED)
kernel("derived_index", """
for i in range(4):
    j = 3 - i
    if j == 1:
        out[i * 16:, :] = x[j * 16:j * 16 + 16, :] * 5.0
    else:
        out[i * 16:, :] = x[j * 16:j * 16 + 16, :] * 2.0
""")
kernel("zip_enumerate", """
y = x
for i, (a, b) in enumerate(zip([1.0, 2.0], (3.0, 4.0)), start=1):
    y = y * a + b * i
out[:] = y
""")
kernel("unpacking", """
(a, b), c = (2.0, 3.0), 4.0
first, *rest = [1.0, 5.0, 6.0]
*head, last = rest
out[:] = x * a + b * c + first + last * len(head)
""")
kernel("swap", """
a, b = x * 2.0, w * 3.0
a, b = b, a
out[:] = a - b
""")
kernel("walrus", """
if (rows := x.shape[0]) > 32:
    factor = rows * 0.5
else:
    factor = 1.0
out[:] = (y := x * factor) + y
""")
kernel("with_statement", """
with pypto.options(pass_options={}):
    y = x * 3.0
out[:] = y
""", before="""
import contextlib

pypto.options = lambda **_: contextlib.nullcontext()
""", wanted=LISTED)

# Comprehensions --------------------------------------------------------------------------------------------------------

kernel("comprehension_if", """
f = [i * 1.0 for i in range(6) if i % 2]
out[:] = x * f[1] + len(f)
""")
kernel("comprehension_two", """
f = [a * b for a in (1.0, 2.0) for b in (3.0, 5.0)]
out[:] = x * f[3] + f[1]
""")
kernel("comprehension_of_calls", """
parts = [act(x[i * 16:i * 16 + 16, :], i) for i in range(4)]
out[:] = pypto.concat(parts, 0)
""", before="""
def act(v, n):
    y = v * (n + 1.0)
    return y + n
""")
kernel("comprehension_shadows", """
i = 5
f = [i for i in range(3)]
out[:] = x * i + f[-1]
""")
kernel("dict_comprehension", """
f = {n: n * 2.0 for n in (1, 2, 3)}
out[:] = x * f[2]
""")
kernel("any_all_sum", """
f = [1.0, 2.0, 3.0]
y = x * sum(f)
if any(v > 2.0 for v in f) and all(v > 0 for v in f):
    y = y + max(f) - min(f)
out[:] = y
""")
kernel("starred_list", """
a = [1.0, 2.0]
f = [*a, 5.0, *a]
out[:] = x * f[2] + len(f)
""")
kernel("starred_call", """
shape = [32, 64]
out[0:32, :] = pypto.view(x, *[shape, [32, 0]]) * 2.0
""")
kernel("double_star", """
options = dict(b_trans=True)
out[:] = pypto.matmul(x, w, pypto.DT_FP32, **options)
""")

# Functions --------------------------------------------------------------------------------------------------------------

kernel("nested_function", """
scale = 3.0

def act(v):
    y = v * scale
    return y + 1.0

out[:] = act(x)
""")
kernel("closure_binds_late", """
scale = 3.0

def act(v):
    return v * scale

scale = 5.0
out[:] = act(x)
""")
kernel("nonlocal_counter", """
count = 0

def step(v):
    nonlocal count
    count += 1
    return v * count

y = step(x)
y = step(y)
out[:] = y + count
""")
kernel("lambda_function", """
act = lambda v, by=2.0: v * by + 1.0
out[:] = act(act(x), by=3.0)
""")
kernel("partial_function", """
act = functools.partial(scaled, by=4.0)
out[:] = act(x)
""", before="""
def scaled(v, by=1.0, plus=0.5):
    return v * by + plus
""")
kernel("function_as_argument", """
out[:] = twice(act, x)
""", before="""
def act(v):
    return v * 2.0 + 1.0


def twice(f, v):
    return f(f(v))
""")
kernel("names_of_helpers", """
act_y = x * 7.0
y = act(x)
out[:] = act_y + y
""", before="""
def act(v):
    y = v * 2.0
    return y
""")
kernel("module_name_shadowed", """
SCALE = 9.0
out[:] = act(x) + SCALE
""", before="""
SCALE = 2.0


def act(v):
    return v * SCALE
""", wanted=LISTED)
kernel("inner_parameter_shadows", """
out[:] = outer(x, w)
""", before="""
def outer(v, other):
    def inner(v):
        return v * 3.0
    return inner(other) + v
""")
kernel("conditional_call", """
out[:] = act(x) if FAST else slow(x)
""", before="""
FAST = False


def act(v):
    pypto.set_vec_tile_shapes(8, 64)
    return v * 2.0


def slow(v):
    return v * 3.0
""")
kernel("call_with_effect", """
store(x * 2.0, 0) if FAST else store(x * 3.0, 0)
""".replace("store(x * 2.0, 0) if FAST else store(x * 3.0, 0)", "done = store(x, out) if FAST else None"), before="""
FAST = False


def store(v, to):
    to[:] = v * 2.0
""", wanted=LISTED)
kernel("order_of_calls", """
values = [2.0]
y = x * values[-1] + grown(values, x)
out[:] = y * values[-1]
""", before="""
def grown(values, v):
    values.append(3.0)
    return v * values[-1]
""")
kernel("default_list", """
out[:] = act(act(x))
""", before="""
def act(v, seen=[]):
    seen.append(1.0)
    return v * len(seen)
""", wanted=LISTED)
kernel("star_arguments", """
out[:] = combine(x, 2.0, 3.0, 4.0)
""", before="""
def combine(v, *factors):
    for f in factors:
        v = v * f
    return v
""")
kernel("star_call_of_helper", """
factors = [2.0, 3.0]
out[:] = combine(x, *factors)
""", before="""
def combine(v, a, b):
    return v * a + b
""", wanted=LISTED)
kernel("positional_only", """
out[:] = act(x, 2.0, by=3.0)
""", before="""
def act(v, plus, /, by):
    return v * by + plus
""")
kernel("several_returns", """
out[:] = act(x, 1) + act(x, 2)
""", before="""
def act(v, n):
    if n == 1:
        return v * 2.0
    for i in range(n):
        v = v + i
    return v
""")
kernel("return_from_a_loop", """
out[:] = x * first([1.0, 4.0, 9.0])
""", before="""
def first(values):
    for v in values:
        if v > 2.0:
            return v
    return 0.0
""", wanted=LISTED)
kernel("recursion", """
out[:] = x * depth(3)
""", before="""
def depth(n):
    if n == 0:
        return 1.0
    return depth(n - 1) * 2.0
""")
kernel("generator", """
y = x
for v in values():
    y = y * v
out[:] = y
""", before="""
def values():
    yield 2.0
    yield 3.0
""", wanted=LISTED)
kernel("redefined_function", """
out[:] = act(x)
""", before="""
def act(v):
    return v * 2.0


def act(v):
    return v * 3.0
""")
kernel("function_replaced", """
out[:] = act(x)
""", before="""
def act(v):
    return v * 2.0


act = lambda v: v * 5.0
""")
kernel("shadowed_builtin", """
out[:] = x * max(2.0, 3.0)
""", before="""
def max(a, b):
    while a:
        a = 0.0
    return b - a - 1.0
""")
kernel("decorated_helper", """
out[:] = act(x)
""", before="""
def doubled(f):
    return lambda v: f(v) * 2.0


@doubled
def act(v):
    return v * 3.0
""", wanted=LISTED)

# Settings ----------------------------------------------------------------------------------------------------------------

kernel("named_tuple", """
m, scale = CONFIG
pypto.set_vec_tile_shapes(m, 64)
out[:] = x * CONFIG.scale + CONFIG[1] * scale
""", before="""
class Config(NamedTuple):
    m: int = 16
    scale: float = 2.0


CONFIG = Config(scale=3.0)
""")
kernel("named_tuple_replaced", """
out[:] = x * CONFIG.scale + CONFIG.m
""", before="""
class Config(NamedTuple):
    m: int = 16
    scale: float = 2.0


CONFIG = Config(scale=3.0)._replace(m=8)
""")
kernel("collections_namedtuple", """
out[:] = x * CONFIG.scale + CONFIG.m
""", before="""
Config = namedtuple("Config", ["m", "scale"])
CONFIG = Config(16, 2.5)
""")
kernel("dataclass_replace", """
out[:] = x * CONFIG.scale + CONFIG.m
""", before="""
@dataclass
class Config:
    m: int = 16
    scale: float = 2.0
    tiles: list = field(default_factory=lambda: [16, 64])


BASE = Config(scale=3.0)
CONFIG = replace(BASE, m=8)
""")
kernel("dataclass_field_changed", """
out[:] = x * CONFIG.scale
""", before="""
@dataclass
class Config:
    m: int = 16
    scale: float = 2.0


CONFIG = Config()
CONFIG.scale = 7.0
""")
kernel("dataclass_alias_changed", """
other = CONFIG
other.scale = 7.0
out[:] = x * CONFIG.scale
""", before="""
@dataclass
class Config:
    scale: float = 2.0


CONFIG = Config()
""", wanted=LISTED)
kernel("class_constants", """
out[:] = x * Config.SCALE + Config.BOTH
""", before="""
class Config:
    SCALE = 2.0
    BOTH = SCALE * 3.0


Config.SCALE = 5.0
""")
kernel("slice_objects", """
rows = slice(16, 48)
all_columns = slice(None)
out[rows, all_columns] = x[rows, :] * 2.0
out[0:16, :] = x[slice(0, 16), all_columns] * 3.0
""")
kernel("text_labels", """
for i in range(2):
    pypto.set_semantic_label(f"part_{i}")
    y = x[i * 32:i * 32 + 32, :] * 2.0
    pypto.set_semantic_label("add_%d" % i)
    y = y + 1.0
    pypto.set_semantic_label("store_{}".format(i))
    out[i * 32:, :] = y * 3.0
""")
kernel("tiles_of_turns", """
for i in range(2):
    pypto.set_vec_tile_shapes(16 * (i + 1), 64)
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 2.0
""")
kernel("string_keys", """
kind = "a" + "b"
out[:] = x * TABLE[kind]["scale"]
""", before='TABLE = {"ab": {"scale": 4.0}, "a": {"scale": 1.0}}')
kernel("numbers", """
a = 7 // 2 + (-7) // 2 + 7 % -3 + (1 << 3) + (6 & 3) + 2 ** 3
b = math.ceil(7 / 2) + round(2.5) + int(3.9) + abs(-2) + divmod(7, 2)[0]
out[:] = x * a + (b - math.pi)
""", wanted=LISTED)
kernel("shape_of_parameter", """
rows, columns = x.shape
half = x.shape[-1] // 2
for r in range(0, rows, 32):
    out[r:r + 32, 0:half] = x[r:r + 32, half:columns] * 2.0
    out[r:r + 32, half:] = x[r:r + 32, :half] * 3.0
""")
kernel("typed_names", """
scale: float = 2.0
later: float
later = 3.0
out[:] = x * scale + later
""")
kernel("deleted_name", """
factor = 2.0
y = x * factor
del factor
out[:] = y
""")
kernel("import_inside", """
import math as m
out[:] = x * 2.0
""")

# Arguments that change values --------------------------------------------------------------------------------------------

kernel("positional_extra", """
out[:] = pypto.sum(x, -1, True) + w
""")
kernel("reshape_in_a_store", """
h = x * 2.0
t = pypto.reshape(h, [32, 128])
out[:] = pypto.reshape(t, [64, 64])
""")
kernel("view_of_value_by_index", """
h = x * 2.0
for i in range(4):
    out[i * 16:, :] = pypto.view(h, [16, 64], [i * 16, 0]) + 1.0
""", wanted=LISTED)
kernel("matmul_transposed_flag", """
for t in (False, True):
    out[:] = pypto.matmul(x, w, pypto.DT_FP32, b_trans=t)
""")
