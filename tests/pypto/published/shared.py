# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch_npu
import pypto
from common import gated, per_token as quantised, widen
from layout import format_of


def check_args(hidden, w13, w13_scale, w2, w2_scale):
    assert hidden.dim() == 2
    assert hidden.shape[1] == 512
    assert hidden.dtype == torch.bfloat16
    assert w13.dim() == 2
    assert w13.shape[0] == 512
    assert w13.shape[1] == 384
    assert format_of(w13) == 'NZ'
    assert w13.dtype == torch.int8
    assert w13_scale.dim() == 1
    assert w13_scale.shape[0] == 384
    assert w13_scale.dtype == torch.bfloat16
    assert w2.shape == (192, 512)
    assert format_of(w2) == 'NZ'
    assert w2.dtype == torch.int8
    if w2_scale.shape[0] != 512 or w2_scale.dtype != torch.bfloat16:
        raise ValueError("w2_scale")


def layer(hidden, up_parts, down_parts, result, tiles, place):
    w13, w13_scale = up_parts
    w2, w2_scale = down_parts
    first, count = place
    vector, up_tile, down_tile = tiles
    depth = hidden.shape[1]
    inner = w2.shape[0]
    kind = hidden.dtype
    pypto.set_vec_tile_shapes(vector[0], vector[1])
    at = [first, 0]
    rows = pypto.view(hidden, [count, depth], at)
    codes, scale = quantised(rows)
    pypto.set_cube_tile_shapes([count, count], [up_tile[1], up_tile[1] * 2], [up_tile[2], up_tile[2]], True)
    up = pypto.matmul(codes, w13, pypto.DT_INT32)
    wide_scale = pypto.unsqueeze(w13_scale, 0)
    pypto.set_vec_tile_shapes(4, inner * 2)
    active = gated(widen(up, wide_scale, scale))
    codes2, scale2 = quantised(active)
    pypto.set_cube_tile_shapes([count, count], [down_tile[1], down_tile[1] * 2], [down_tile[2], down_tile[2]], False)
    down = pypto.matmul(codes2, w2, pypto.DT_INT32)
    down_scale = pypto.unsqueeze(w2_scale, 0)
    pypto.set_vec_tile_shapes(4, depth)
    pypto.assemble(pypto.cast(widen(down, down_scale, scale2), kind), at, result)


@pypto.frontend.jit(runtime_options={"device_sched_mode": 1})
def shared_expert(
    hidden: pypto.tensor([pypto.DYNAMIC, ...], pypto.DT_BF16),
    w13: pypto.tensor(),
    w13_scale: pypto.tensor(),
    w2: pypto.tensor(),
    w2_scale: pypto.tensor(),
    result: pypto.tensor([pypto.DYNAMIC, ...], pypto.DT_BF16)
):
    vector = (4, 512)
    up_tile = (8, 256, 128)
    down_tile = (8, 96, 256)
    tokens = hidden.shape[0]
    for first, count in pypto.loop_unroll(tokens, unroll_list=[1, 2, 4, 8, 16], name="tokens"):
        layer(hidden=hidden, up_parts=[w13, w13_scale], down_parts=[w2, w2_scale], result=result,
              tiles=[vector, up_tile, down_tile], place=[first, count])


def expert(hidden, w13, w13_scale, w2, w2_scale, result):
    check_args(hidden, w13, w13_scale, w2, w2_scale)
    shared_expert(*[hidden, w13, w13_scale, w2, w2_scale, result])


def test_expert():
    for rows in [2, 16]:
        hidden = torch.randn((rows, 512), dtype=torch.bfloat16, device="npu:0")
        result = torch.empty((rows, 512), dtype=torch.bfloat16)
        w13 = torch_npu.npu_format_cast(torch.zeros((512, 384), dtype=torch.int8), 29)
        expert(hidden, w13, None, None, None, result)
