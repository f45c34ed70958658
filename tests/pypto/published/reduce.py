# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass
import torch
import pypto


@dataclass
class Config:
    sizes: list
    rows: list
    depth: list
    columns: list
    kind: pypto.DataType
    nz: bool = True
    vector: list = None

    def __post_init__(self):
        if self.vector is None:
            self.vector = [1, 64, 128]


def reduce_sum(config: Config):
    batch, m, k, n = config.sizes
    left_shape = [batch, m, k]
    right_shape = [batch, k, n]
    layout = pypto.TileOpFormat.TILEOP_NZ if config.nz else pypto.TileOpFormat.TILEOP_ND

    @pypto.frontend.jit()
    def reduce_sum_impl(
        x1: pypto.Tensor(left_shape, pypto.DT_INT8),
        x2: pypto.Tensor(right_shape, pypto.DT_INT8, format=layout),
        s1: pypto.Tensor([batch, m], pypto.DT_FP32),
        s2: pypto.Tensor([n], pypto.DT_BF16)
    ) -> pypto.Tensor([m, n], pypto.DT_BF16):
        pypto.set_cube_tile_shapes(config.rows, config.depth, config.columns)
        pypto.set_vec_tile_shapes(*config.vector)
        if config.nz:
            pypto.set_matrix_size([m, k, n])
        product = pypto.matmul(x1, x2, pypto.DT_INT32)
        wide = pypto.cast(product, pypto.DT_FP32)
        right = pypto.expand_clone(pypto.unsqueeze(pypto.cast(s2, pypto.DT_FP32), 0), [m, n])
        left = pypto.expand_clone(pypto.unsqueeze(s1, 2), [batch, m, n])
        both = pypto.mul(left, right)
        total = pypto.sum(pypto.mul(wide, both), 0)
        return pypto.cast(total, pypto.DT_BF16)

    return reduce_sum_impl


def run_case(config):
    b, m, k, n = config.sizes
    x1 = torch.randint(-10, 10, (b, m, k), dtype=torch.int8).npu()
    return reduce_sum(config)(x1, None, None, None)


if __name__ == "__main__":
    run_case(Config([2, 128, 64, 128], [128, 128], [64, 64], [128, 128], pypto.DT_INT8, True))
