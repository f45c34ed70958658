# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of the kernel, copies, slices that end at the axis, settings of a namespace and keywords that are handed on."""
from style_kernels import kernel

kernel("memory_of_the_kernel", """
work = pypto.tensor([64, 64], pypto.DT_FP32, "work")
for i in pypto.loop(2, name="first", idx_name="i"):
    part = pypto.view(x, [32, 64], [i * 32, 0])
    pypto.assemble(part * 2.0, [i * 32, 0], work)
for j in pypto.loop(4, name="second", idx_name="j"):
    rows = pypto.view(work, [16, 64], [j * 16, 0])
    out[j * 16:(j + 1) * 16, :] = rows + 1.0
""")
kernel("memory_of_a_turn", """
for i in pypto.loop(2, name="turns", idx_name="i"):
    both = pypto.tensor(shape=[32, 64], dtype=pypto.DT_FP32)
    for j in pypto.loop(2, name="fill", idx_name="j"):
        part = pypto.view(x, [16, 64], [i * 32 + j * 16, 0])
        both[j * 16:, 0:] = part * 3.0
    for n in pypto.loop(2, name="use", idx_name="n"):
        kept = pypto.view(both, [16, 64], [n * 16, 0])
        out[i * 32 + n * 16:, 0:] = kept + 1.0
""")
kernel("copy_of_a_result", """
y = x * 2.0
kept = y.clone()
other = pypto.clone(kept)
out[:] = other + y
""")
kernel("assemble_by_name", """
for i in pypto.loop(2, name="turns", idx_name="i"):
    y = pypto.view(x, [32, 64], [i * 32, 0]) * 2.0
    out.assemble(y, offsets=[i * 32, 0])
""")
kernel("least_bound", """
step = 24
for i in range(0, 64, step):
    rows = min(step, 64 - i)
    y = x[i:i + rows, :] * 2.0
    out[i:i + rows, :] = y
""")
kernel("least_end", """
for b in range(3):
    lo = b * 24
    hi = min(lo + 24, 64)
    out[lo:hi] = pypto.matmul(x[lo:hi], w, pypto.DT_FP32)
""")
kernel("namespace", """
for i in pypto.loop(0, 64, SETTINGS.rows, name="turns", idx_name="i"):
    part = pypto.view(x, [SETTINGS.rows, 64], [i, 0])
    out[i:, 0:] = part * SETTINGS.by + MORE.plus
""", before="""
from types import SimpleNamespace
SETTINGS = SimpleNamespace(rows=16 * 2, by=3.0)
MORE = SimpleNamespace(**{"plus": 1.0})
""")
kernel("keywords_handed_on", """
out[:] = product(x, w, b_trans=True)
""", before="""
def product(a, b, out_dtype=pypto.DT_FP32, **options):
    return pypto.matmul(a, b, out_dtype, **options)
""")
kernel("no_keywords_handed_on", """
out[:] = product(x, w, tile=[[16, 16], [32, 64], [32, 32]])
""", before="""
def product(a, b, *, tile, dtype=pypto.DT_FP32, **options):
    pypto.set_cube_tile_shapes(*tile)
    return pypto.matmul(a, b, dtype, **options)
""")
kernel("policy_of_a_view", """
for i in pypto.loop(2, name="turns", idx_name="i"):
    part = pypto.view(w, [64, 32], [0, i * 32])
    part.set_cache_policy(pypto.CachePolicy.NONE_CACHEABLE, True)
    out[0:, i * 32:] = pypto.matmul(x, part, pypto.DT_FP32)
""")
kernel("tiles_by_factor", """
for i, u in pypto.loop_unroll(0, 64, 1, name="rows", idx_name="i", unroll_list=[32, 8]):
    part = pypto.view(x, [u, 64], [i, 0])
    pypto.set_cube_tile_shapes(*TILES[u])
    product = pypto.matmul(part, w, pypto.DT_FP32)
    pypto.set_vec_tile_shapes(ROWS[u], 64)
    out[i:, 0:] = product * 2.0
""", before="""
TILES = {32: ([32, 32], [32, 64], [32, 32]), 8: ([16, 16], [64, 64], [64, 64]), 1: ([16, 16], [32, 32], [16, 16])}
ROWS = {1: 1, 8: 8, 32: 16}
""")
kernel("tile_of_a_factor_by_name", """
for i, u in pypto.loop_unroll(0, 64, 1, name="rows", idx_name="i", unroll_list=[16]):
    part = pypto.view(x, [u, 64], [i, 0])
    m, k = {16: ([16, 16], [32, 64]), 1: ([16, 16], [64, 64])}[u]
    n = WIDE[u]
    pypto.set_cube_tile_shapes(m, k, n)
    out[i:, 0:] = pypto.matmul(part, w, pypto.DT_FP32)
""", before="""
WIDE = {16: [32, 32], 1: [64, 64]}
""")
kernel("copied_settings", """
mine = copy.deepcopy(TILES)
mine["m"] = [16, 16]
other = copy.copy(STEPS)
other.append(5.0)
pypto.set_cube_tile_shapes(**mine)
y = pypto.matmul(x, w, pypto.DT_FP32)
pypto.set_cube_tile_shapes(**TILES)
z = pypto.matmul(y, w, pypto.DT_FP32)
out[:] = z * len(other) + y * STEPS[-1]
""", before="""
import copy
TILES = {"m": [32, 32], "k": [32, 64], "n": [32, 32]}
STEPS = [2.0, 3.0]
""")
