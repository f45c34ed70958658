# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels with lists and dictionaries that change."""
from style_kernels import LISTED, kernel

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
