# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels as an engineer writes them by hand, for the tests of the stand-in."""
import pypto


@pypto.frontend.jit()
def gate(
    hidden: pypto.Tensor([pypto.DYNAMIC, 512], pypto.DT_FP32),
    weight: pypto.Tensor([160, 512], pypto.DT_FP32),
    logits: pypto.Tensor([pypto.DYNAMIC, 160], pypto.DT_FP32),
):
    rows = hidden.shape[0]
    for i in pypto.loop((rows + 31) // 32, name="rows", idx_name="i"):
        tile = pypto.view(hidden, [32, 512], [i * 32, 0], valid_shape=[(rows - i * 32).min(32), 512])
        pypto.set_semantic_label("gate")
        pypto.set_cube_tile_shapes([32, 32], [128, 256], [16, 16])
        logits[i * 32:, 0:] = pypto.matmul(tile, weight, pypto.DT_FP32, b_trans=True)


@pypto.frontend.jit(
    pass_options={"cube_l1_reuse_setting": {"DEFAULT": 2}, "vec_nbuffer_setting": {"DEFAULT": 2}},
    runtime_options={"device_sched_mode": 1, "stitch_function_max_num": 128},
)
def ffn(
    x: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_BF16),
    w_gate: pypto.Tensor([128, 256], pypto.DT_BF16),
    w_up: pypto.Tensor([128, 256], pypto.DT_BF16),
    w_down: pypto.Tensor([256, 128], pypto.DT_BF16),
    out: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_BF16),
):
    pypto.experimental.set_operation_options(combine_axis=True)
    rows = x.shape[0]
    for i in pypto.loop(pypto.ceildiv(rows, 64), name="rows", idx_name="i"):
        tile = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[pypto.min(rows - i * 64, 64), 128])
        pypto.set_semantic_label("gate")
        pypto.set_cube_tile_shapes([64, 64], [64, 128], [128, 128])
        g = pypto.matmul(tile, w_gate, pypto.DT_FP32)
        pypto.set_semantic_label("up")
        pypto.set_cube_tile_shapes([64, 64], [64, 128], [128, 128])
        u = pypto.matmul(tile, w_up, pypto.DT_FP32)
        pypto.set_semantic_label("swiglu")
        pypto.set_vec_tile_shapes(16, 256)
        a = pypto.cast(g / (pypto.exp(g * -1.0) + 1.0) * u, pypto.DT_BF16)
        pypto.set_semantic_label("down")
        pypto.set_cube_tile_shapes([64, 64], [64, 256], [128, 128])
        pypto.assemble(pypto.matmul(a, w_down, pypto.DT_BF16), [i * 64, 0], out)


GROUPS = (0, 7, 16)


@pypto.frontend.jit(pass_options={"cube_nbuffer_setting": {-1: 4}})
def grouped_mx(
    a: pypto.Tensor([16, 128], pypto.DT_FP8E4M3),
    b: pypto.Tensor([2, 128, 64], pypto.DT_FP8E4M3),
    scale_a: pypto.Tensor([16, 2, 2], pypto.DT_FP8E8M0),
    scale_b: pypto.Tensor([2, 2, 64, 2], pypto.DT_FP8E8M0),
    out: pypto.Tensor([16, 64], pypto.DT_FP32),
):
    for g in range(2):
        first, last = GROUPS[g], GROUPS[g + 1]
        pypto.set_semantic_label("product")
        pypto.set_cube_tile_shapes([9, 9], [64, 128], [64, 64])
        out[first:last, 0:] = pypto.scaled_mm(
            a[first:last, :], b[g], pypto.DT_FP32, scale_a[first:last, :, :], scale_b[g]
        )


@pypto.frontend.jit
def int8_batch(
    x: pypto.Tensor([4, 64, 256], pypto.DT_INT8),
    w: pypto.Tensor([4, 256, 128], pypto.DT_INT8, format=pypto.TileOpFormat.TILEOP_NZ),
    scale: pypto.Tensor([4, 64, 1], pypto.DT_FP32),
    out: pypto.Tensor([64, 128], pypto.DT_BF16),
):
    pypto.set_semantic_label("product")
    pypto.set_matrix_size([64, 256, 128])
    pypto.set_cube_tile_shapes([64, 64], [128, 256], [128, 128])
    sums = pypto.matmul(x, w, pypto.DT_INT32)
    pypto.set_semantic_label("dequantise")
    pypto.set_vec_tile_shapes(1, 64, 128)
    total = pypto.sum(pypto.cast(sums, pypto.DT_FP32) * scale, 0)
    pypto.set_vec_tile_shapes(64, 128)
    out.move(pypto.cast(total, pypto.DT_BF16))


@pypto.frontend.jit()
def unrolled(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP16),
    w: pypto.Tensor([64, 32], pypto.DT_FP16),
    out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
):
    for t, u in pypto.loop_unroll(0, x.shape[0], 1, name="tokens", idx_name="t", unroll_list=[64, 8]):
        rows = pypto.view(x, [u, 64], [t, 0])
        pypto.set_cube_tile_shapes([64, 64], [64, 64], [32, 32])
        pypto.assemble(pypto.matmul(rows, w, pypto.DT_FP32), [t, 0], out)


@pypto.frontend.jit(runtime_options={"device_sched_parallelism": 4})
def routed(
    x: pypto.Tensor([4, 32, 64], pypto.DT_BF16),
    w: pypto.Tensor([4, 64, 32], pypto.DT_BF16),
    index: pypto.Tensor([128], pypto.DT_INT64),
    out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
):
    for g in pypto.loop(4, name="experts", idx_name="g", parallel=True):
        pypto.set_vec_tile_shapes(1, 32, 64)
        x_g = pypto.reshape(pypto.view(x, [1, 32, 64], [g, 0, 0], valid_shape=[1, 32, 64]), [32, 64],
                            valid_shape=[32, 64])
        w_g = pypto.reshape(pypto.view(w, [1, 64, 32], [g, 0, 0], valid_shape=[1, 64, 32]), [64, 32],
                            valid_shape=[64, 32])
        rows = pypto.view(index, [32], [g * 32])
        pypto.set_cube_tile_shapes([32, 32], [64, 64], [32, 32])
        product = pypto.matmul(x_g, w_g, pypto.DT_FP32)
        pypto.set_vec_tile_shapes(32, 32)
        pypto.index_add_(out, 0, rows, product)
