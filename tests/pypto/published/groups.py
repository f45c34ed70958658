# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass
import torch
import pypto


@dataclass
class Case:
    a: torch.Tensor
    b: torch.Tensor
    scale_a: torch.Tensor
    scale_b: torch.Tensor
    groups: list
    tiles: 'Tiles'


@dataclass
class Tiles:
    shape: list
    groups: list
    rows: list
    depth: list
    columns: list
    vector: list
    nz: bool = False
    name: str = ""


@pypto.jit
def grouped_kernel(
    a: pypto.Tensor,
    b: pypto.Tensor,
    scale_a: pypto.Tensor,
    scale_b: pypto.Tensor,
    out: pypto.Tensor,
    groups,
    tiles
) -> None:
    count = b.shape[0]
    width = b.shape[-1]
    begin = 0
    end = 0
    for i in range(count):
        begin = end
        end = end + groups[i]
        rows = a[begin:end, :]
        weight = b[i]
        rows_scale = scale_a[begin:end, :, :]
        pypto.set_vec_tile_shapes(tiles.vector[0], tiles.vector[1], tiles.vector[2], tiles.vector[3])
        weight_scale = scale_b[i]
        pypto.set_cube_tile_shapes(tiles.rows, tiles.depth, tiles.columns)
        out[begin:end, :] = pypto.scaled_mm(rows, weight, pypto.DT_FP32, rows_scale, weight_scale)


def compute(case):
    a = case.a
    b = case.b
    scale_a = case.scale_a
    scale_b = case.scale_b
    a = a.npu()
    b = b.npu()
    out = torch.zeros((a.shape[0], b.shape[-1]), dtype=torch.float32).npu()
    inputs = {a: [], b: [], scale_a: [], scale_b: []}
    outputs = {out: []}
    given = [pypto.from_torch(tensor, dynamic_axis=axis) for tensor, axis in inputs.items()]
    made = [pypto.from_torch(tensor, dynamic_axis=axis) for tensor, axis in outputs.items()]
    grouped_kernel(*given, *made, case.groups, case.tiles)
    return out.to(torch.float32)


def test_groups(tiles: Tiles):
    m = tiles.shape[0]
    k = tiles.shape[1]
    n = tiles.shape[2]
    a = torch.randn((m, k), dtype=torch.float32).uniform_(0, 1).to(torch.float8_e4m3fn)
    scale_a = torch.randn((m, k // 64, 2), dtype=torch.float32).to(torch.float8_e8m0fnu)
    if tiles.nz:
        b = torch.randn((len(tiles.groups), n, k), dtype=torch.float32).to(torch.float8_e4m3fn)
    else:
        b = torch.randn((len(tiles.groups), k, n), dtype=torch.float32).to(torch.float8_e4m3fn)
    scale_b = torch.randn((len(tiles.groups), k // 64, n, 2), dtype=torch.float32).to(torch.float8_e8m0fnu)
    return compute(Case(a=a, b=b, scale_a=scale_a, scale_b=scale_b, groups=tiles.groups, tiles=tiles))


if __name__ == "__main__":
    test_groups(Tiles([16, 512, 1024], [7, 9], [9, 9], [256, 256], [256, 256], [1, 8, 256, 32], False))
