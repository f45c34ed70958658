# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import pypto


def check(hidden, weight):
    assert hidden.dim() == 2 and hidden.shape[1] == 512
    assert weight.dtype == torch.float32


def router(rows, experts, depth):
    rows = pypto.frontend.dynamic("rows")

    @pypto.frontend.jit(runtime_options={"device_sched_mode": 1})
    def router_kernel(
        hidden: pypto.Tensor((rows, depth), pypto.DT_FP32),
        matrix: pypto.Tensor((experts, depth), pypto.DT_FP32),
        logits: pypto.Tensor((rows, experts), pypto.DT_FP32)
    ):
        rows = hidden.shape[0]
        experts = matrix.shape[0]
        depth = hidden.shape[1]
        window = (32, depth)
        count = (rows + window[0] - 1) // window[0]
        for step in pypto.loop(count, name="rows", idx_name="step"):
            part = pypto.view(hidden, window, [step * window[0], 0],
                              valid_shape=[(rows - step * window[0]).min(window[0]), depth])
            pypto.set_cube_tile_shapes([32, 32], [256, 512], [16, 16])
            product = pypto.matmul(part, matrix, part.dtype, b_trans=True)
            logits[step * window[0]:, 0:] = product

    return router_kernel


def run(hidden, weight, out):
    check(hidden, weight)
    tensors = [hidden, weight, out]
    rows, depth = hidden.shape
    experts = weight.shape[0]
    sizes = [rows, experts, depth]
    router(*sizes)(*tensors)


def test_router():
    rows, experts, depth = 64, 160, 512
    hidden = torch.rand((rows, depth), dtype=torch.float32, device="npu:0")
    weight = torch.rand((experts, depth), dtype=torch.float32)
    out = torch.empty((rows, experts), dtype=torch.float32)
    inputs = [hidden, weight, out]
    run(*inputs)


if __name__ == "__main__":
    test_router()
