# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels as people write them, in the manner of PyPTO's own repository: for the tests of the import. They run on the
stand-in, and so do the exports of the designs that they are read into."""
import math
from dataclasses import dataclass

import pypto
import pypto as pt
from pypto import frontend

HIDDEN, EXPERTS = 256, 64
ROWS: int = 32
GATE_TILE = [[32, 32], [128, 256], [64, 64]]
OPTIONS = {"vec_nbuffer_setting": {"DEFAULT": 2}}
CONFIG = {"rows": 16, "depth": 8 * 16}
GROUPS = (0, 7, 16, 30)
COUNTS = [7, 9, 14]


@dataclass
class Tiles:
    m: int = 32
    k: tuple = (64, 128)


TILES = Tiles(m=16)


def ceil_div(a, b):
    return (a + b - 1) // b


def swiglu(gate, up):
    """gate / (1 + exp(-gate)) * up, written out."""
    power = pypto.exp(pypto.mul(gate, -1.0))
    silu = pypto.div(gate, pypto.add(power, 1.0))
    return pypto.mul(silu, up)


def store_rows(value, rows, out):
    pypto.assemble(value, [rows, 0], out)


# Constants in annotations and tiles, a helper in the length of the loop, a slice that has to be simplified.
@pypto.frontend.jit(pass_options=OPTIONS)
def constants(
    x: pypto.Tensor([pypto.DYNAMIC, HIDDEN], pypto.DT_BF16),
    w: pypto.Tensor([EXPERTS, HIDDEN], pypto.DT_BF16),
    out: pypto.Tensor([pypto.DYNAMIC, EXPERTS], pypto.DT_FP32),
):
    bs = x.shape[0]
    for i in pypto.loop(ceil_div(bs, ROWS), name="rows", idx_name="i"):
        start = i * ROWS
        tile = pypto.view(x, [ROWS, HIDDEN], [start, 0], valid_shape=[pypto.min(ROWS, bs - start), HIDDEN])
        pypto.set_semantic_label("gate")
        pypto.set_cube_tile_shapes(*GATE_TILE)
        out[start:, :] = pypto.matmul(tile, w, pypto.DT_FP32, b_trans=True)


# Another name for the module, slices, options by a call of dict.
@pt.frontend.jit(runtime_options=dict(device_sched_mode=1))
def aliased(
    x: pt.Tensor[[64, 128], pt.DT_FP16],
    w: pt.Tensor[[128, 64], pt.DT_FP16],
    out: pt.Tensor[[64, 64], pt.DT_FP32],
):
    for i in pt.loop(4):
        part = x[i * 16:(i + 1) * 16, :]
        pt.set_cube_tile_shapes([16, 16], [64, 128], [64, 64])
        out[i * 16:(i + 1) * 16, 0:64] = pt.matmul(input=part, mat2=w, out_dtype=pt.DT_FP32)


# A part of the module by name, helper functions, one of them for its effect, methods of tensors.
@frontend.jit
def helpers(
    x: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_BF16),
    w: pypto.Tensor([128, 128], pypto.DT_BF16),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16),
):
    rows = x.shape[0]
    for i in pypto.loop(ceil_div(rows, 32)):
        tile = x.view([32, 128], [i * 32, 0], valid_shape=[(rows - i * 32).min(32), 128])
        pypto.set_cube_tile_shapes([32, 32], [64, 128], [64, 64])
        h = pypto.matmul(tile, w, pypto.DT_FP32)
        pypto.set_vec_tile_shapes(32, 64)
        left = pypto.view(h, [32, 64], [0, 0], valid_shape=[(rows - i * 32).min(32), 64])
        right = pypto.view(h, [32, 64], [0, 64], valid_shape=[(rows - i * 32).min(32), 64])
        store_rows(pypto.cast(swiglu(left, right), pypto.DT_BF16), i * 32, out)


# Factors of an unrolled loop, and a tile that follows them.
@pypto.frontend.jit
def unrolled(
    x: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_BF16),
    w: pypto.Tensor([128, 64], pypto.DT_BF16),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
):
    for t, u in pypto.loop_unroll(0, x.shape[0], 1, name="tokens", idx_name="t", unroll_list=[32, 8]):
        if u > 8:
            pypto.set_cube_tile_shapes([32, 32], [64, 128], [64, 64])
        else:
            pypto.set_cube_tile_shapes([16, 16], [128, 128], [64, 64])
        part = pypto.view(x, [u, 128], [t, 0])
        out[t:, 0:] = pypto.matmul(part, w, pypto.DT_FP32)


# Bounds of groups taken two at a time.
@pypto.frontend.jit
def bounds(
    a: pypto.Tensor([30, 128], pypto.DT_BF16),
    b: pypto.Tensor([3, 128, 64], pypto.DT_BF16),
    out: pypto.Tensor([30, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(1, 64, 64)
    for g in range(len(GROUPS) - 1):
        first, last = GROUPS[g], GROUPS[g + 1]
        pypto.set_semantic_label("product")
        pypto.set_cube_tile_shapes([16, 16], [64, 128], [64, 64])
        out[first:last, 0:] = pypto.matmul(a[first:last, :], b[g], pypto.DT_FP32)


# Groups by a running sum of their lengths.
@pypto.frontend.jit
def running_sum(
    a: pypto.Tensor([30, 128], pypto.DT_BF16),
    b: pypto.Tensor([3, 128, 64], pypto.DT_BF16),
    out: pypto.Tensor([30, 64], pypto.DT_FP32),
):
    begin = 0
    pypto.set_vec_tile_shapes(1, 64, 64)
    for g in range(len(COUNTS)):
        end = begin + COUNTS[g]
        pypto.set_cube_tile_shapes([16, 16], [64, 128], [64, 64])
        product = pypto.matmul(a[begin:end, :], b[g], pypto.DT_FP32)
        out[begin:end, :] = product
        begin = end


# Settings of a class and of a dictionary, three nested loops.
@pypto.frontend.jit
def nested(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, 128], pypto.DT_FP16),
    w: pypto.Tensor([pypto.DYNAMIC, 128, CONFIG["depth"]], pypto.DT_FP16),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, 128], pypto.DT_FP32),
):
    batch, rows = x.shape[0], x.shape[1]
    for b in pypto.loop(batch, name="batches", idx_name="b"):
        for i in pypto.loop((rows + TILES.m - 1) // TILES.m, name="rows", idx_name="i"):
            for j in range(CONFIG["depth"] // 64):
                size = (rows - i * 16).min(CONFIG["rows"])
                pypto.set_vec_tile_shapes(1, 16, 128)
                left = pypto.reshape(pypto.view(x, [1, 16, 128], [b, i * 16, 0], valid_shape=[1, size, 128]),
                                     [16, 128], valid_shape=[size, 128])
                right = pypto.reshape(pypto.view(w, [1, 128, 64], [b, 0, j * 64]), [128, 64])
                pypto.set_cube_tile_shapes([TILES.m, TILES.m], list_of_k(), [64, 64])
                product = pypto.matmul(left, right, pypto.DT_FP32)
                out[b:, i * 16:, j * 64:] = pypto.reshape(product, [1, 16, 64], valid_shape=[1, size, 64])


def list_of_k():
    return [64, 128]


# Operators, numbers computed on the host, `+=`.
@pypto.frontend.jit
def operators(
    q: pypto.Tensor([64, 128], pypto.DT_FP16),
    k: pypto.Tensor([64, 128], pypto.DT_FP16),
    out: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    scale = 1.0 / math.sqrt(128)
    for i in pypto.loop(2):
        rows = q[i * 32:i * 32 + 32, :]
        pypto.set_cube_tile_shapes([32, 32], [64, 128], [64, 64])
        scores = pypto.matmul(rows, k, pypto.DT_FP32, b_trans=True)
        pypto.set_vec_tile_shapes(32, 64)
        scores *= scale
        shifted = scores - pypto.amax(scores, -1, True)
        power = shifted.exp()
        out[i * 32:, :] = power / power.sum(-1, True)


# A kernel that a function makes.
def build(rows=32):
    @pypto.frontend.jit
    def made(
        x: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32),
        w: pypto.Tensor([128, 64], pypto.DT_FP32),
        out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
    ):
        length = x.shape[0]
        for i in pypto.loop((length + 31) // 32):
            start = i * 32
            tile = pypto.view(x, [32, 128], [start, 0], valid_shape=[(length - start).min(32), 128])
            pypto.set_cube_tile_shapes([32, 32], [64, 128], [64, 64])
            pypto.assemble([(pypto.matmul(tile, w, pypto.DT_FP32), [start, 0])], out)

    return made


made = build()


MODE, HEADS = "wide", 4


@dataclass
class Blocking:
    rows: list
    depth: list
    columns: list
    vector: list = None
    split: bool = False

    def __post_init__(self):
        if self.vector is None:
            self.vector = [16, 256]


BLOCKING = Blocking([64, 64], [64, 128], columns=[128, 128])


def halves(parts):
    left, right = parts
    return pypto.mul(left, right)


# An object of settings, a sum that a loop of Python hands on, conditions on constants and on the index, lists that grow.
@pypto.frontend.jit
def flow(
    x: pypto.Tensor([64, 256], pypto.DT_FP32),
    w: pypto.Tensor([256, 256], pypto.DT_FP32),
    out: pypto.Tensor([64, 256], pypto.DT_FP32),
    scale: float = 2.0,
):
    pypto.set_cube_tile_shapes(BLOCKING.rows, BLOCKING.depth, BLOCKING.columns, BLOCKING.split)
    total = None
    for step in range(2):
        product = pypto.matmul(x[:, step * 128:(step + 1) * 128], w[step * 128:(step + 1) * 128, :], pypto.DT_FP32)
        pypto.set_vec_tile_shapes(*BLOCKING.vector)
        if step == 0:
            total = product
        else:
            total = pypto.add(total, product)
    parts = []
    for head in range(HEADS):
        part = pypto.view(total, [64, 64], [0, head * 64])
        if MODE == "wide" and head % 2 == 0:
            part = part * scale
        elif MODE in ("narrow", "slow"):
            continue
        parts.append(part)
    first = pypto.concat(parts[:2], -1)
    second = pypto.concat([parts[i] for i in (2, 3)], dim=-1)
    both = [first, second]
    both[1] = pypto.round(second)
    rows, width = first.shape[:2]
    pypto.assemble(pypto.concat([halves(both), pypto.view(first, [rows, width], [0, 0])], -1), [0, 0], out)


# Elements of a list one after the other, a step of more than one row for each turn of an unrolled loop.
@pypto.frontend.jit
def stepped(
    x: pypto.Tensor([96, 64], pypto.DT_FP32),
    w: pypto.Tensor([64, 64], pypto.DT_FP32),
    out: pypto.Tensor([96, 64], pypto.DT_FP32),
):
    for first, count in pypto.loop_unroll(0, 96, 32, unroll_list=[2, 1], name="rows", idx_name="first"):
        part = pypto.view(x, [32 * count, 64], [first, 0])
        pypto.set_cube_tile_shapes([32, 32], [64, 64], [64, 64])
        value = pypto.matmul(part, w, pypto.DT_FP32)
        pypto.set_vec_tile_shapes(16, 64)
        for factor in (0.5, 3.0):
            value = pypto.mul(value, factor)
        other = pypto.mul(value, 0.25)
        value, other = other, value
        value = pypto.sub(value, other)
        pypto.assemble(value, [first, 0], out)

# name: shapes of the inputs; None: the design's own
KERNELS = {
    "constants": {"x": (75, 256), "w": (64, 256)}, "aliased": {"x": (64, 128), "w": (128, 64)},
    "helpers": {"x": (75, 128), "w": (128, 128)}, "unrolled": {"x": (45, 128), "w": (128, 64)},
    "bounds": {"a": (30, 128), "b": (3, 128, 64)}, "running_sum": {"a": (30, 128), "b": (3, 128, 64)},
    "nested": {"x": (2, 40, 128), "w": (2, 128, 128)}, "operators": {"q": (64, 128), "k": (64, 128)},
    "made": {"x": (75, 128), "w": (128, 64)}, "flow": {"x": (64, 256), "w": (256, 256)},
    "stepped": {"x": (96, 64), "w": (64, 64)},
}  # fmt: skip
