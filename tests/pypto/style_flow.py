# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels with Python's control flow, and comprehensions."""
from style_kernels import LISTED, kernel

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
