# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that call functions of their file."""
from style_kernels import LISTED, kernel

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
