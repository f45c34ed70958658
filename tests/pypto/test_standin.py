# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in of pypto by itself: hand-written kernels against NumPy, and the errors that the real one raises."""
import unittest

import standin_path  # noqa: F401  first: the path

import kernels
import numpy as np
import pypto
import torch
from pypto._errors import PyptoError, StandInError
from pypto._state import recording

RNG = np.random.default_rng(7)


def fp32(*shape):
    return torch.from_numpy(RNG.standard_normal(shape).astype(np.float32))


def bf16(*shape):
    return fp32(*shape).to(torch.bfloat16)


def blank(*shape, dtype=torch.float32):
    return torch.full(shape, -77.0, dtype=dtype)


def values(tensor):
    return tensor.float().numpy().astype(np.float64)


def int8(*shape):
    return torch.from_numpy(RNG.integers(-100, 100, shape).astype(np.int8))


class Kernels(unittest.TestCase):
    def test_rows_in_tiles_with_a_tail(self):
        for rows in (1, 32, 100):
            hidden, weight, logits = fp32(rows, 512), fp32(160, 512), blank(rows, 160)
            with recording() as record:
                kernels.gate(hidden, weight, logits)
            np.testing.assert_allclose(values(logits), values(hidden) @ values(weight).T, rtol=1e-6, atol=1e-4)
            cubes = [event for event in record.events if event.kind == "cube"]
            self.assertEqual(len(cubes), -(-rows // 32))
            self.assertEqual(cubes[0].tile, [[32, 32], [128, 256], [16, 16], False])
            self.assertEqual((cubes[0].label, cubes[0].loops), ("gate", ("rows",)))
            self.assertEqual(cubes[-1].detail["valid"], [(rows - 1) % 32 + 1, 160])

    def test_swiglu_ffn(self):
        x, w_gate, w_up, w_down = bf16(75, 128), bf16(128, 256), bf16(128, 256), bf16(256, 128)
        out = blank(75, 128, dtype=torch.bfloat16)
        with recording() as record:
            kernels.ffn(x, w_gate, w_up, w_down, out)
        g, u = values(x) @ values(w_gate), values(x) @ values(w_up)
        expected = values(torch.from_numpy(g / (np.exp(-g) + 1) * u).to(torch.bfloat16)) @ values(w_down)
        np.testing.assert_allclose(values(out), expected, rtol=2**-6, atol=0.5)
        self.assertEqual([event.label for event in record.events if event.kind == "cube"], ["gate", "up", "down"] * 2)
        self.assertEqual({event.op for event in record.events if event.label == "swiglu"},
                         {"mul", "exp", "add", "div", "cast"})
        self.assertEqual(record.options[0]["runtime_options"]["device_sched_mode"], 1)
        self.assertIn(True, [event.tile for event in record.events if event.op == "combine_axis"])

    def test_hifloat8_is_tapered_and_rounds_away_from_zero(self):
        from pypto._dtypes import DataType, decode_fp8, encode_fp8, round_float

        kind = DataType.DT_HF8
        table = decode_fp8(np.arange(256), kind)
        known = {0x00: 0.0, 0x01: 2.0**-22, 0x07: 2.0**-16, 0x08: 1.0, 0x0F: 1.875, 0x10: 2.0, 0x18: 0.5, 0x6E: 2.0**15,
                 0x6F: np.inf, 0x7E: 2.0**-15, 0x88: -1.0}
        self.assertEqual({code: float(table[code]) for code in known}, known)
        self.assertEqual(np.flatnonzero(np.isnan(table)).tolist(), [0x80])
        finite = np.flatnonzero(~np.isnan(table))
        self.assertEqual(encode_fp8(table[finite], kind).tolist(), finite.tolist())
        for value, rounded in ((1.0625, 1.125), (-1.0625, -1.125), (2.0**-23, 2.0**-22), (2.0**-24, 0.0),
                               (40959.0, 32768.0), (40960.0, np.inf), (-40960.0, -np.inf)):
            self.assertEqual(float(round_float(np.array([value]), kind)[0]), rounded)

    def test_grouped_mx_has_one_exponent_for_32_elements(self):
        a, b = (torch.from_numpy(RNG.integers(0, 0x7F, shape).astype(np.uint8)) for shape in ((16, 128), (2, 128, 64)))
        scale_a = torch.from_numpy(RNG.integers(124, 131, (16, 2, 2)).astype(np.uint8))
        scale_b = torch.from_numpy(RNG.integers(124, 131, (2, 2, 64, 2)).astype(np.uint8))
        out = blank(16, 64)
        with recording("950"):
            kernels.grouped_mx(a, b, scale_a, scale_b, out)

        def decode(codes, groups):
            exponent, fraction = codes >> 3, (codes & 7) / 8.0
            value = np.where(exponent == 0, fraction * 2.0**-6, (1 + fraction) * 2.0 ** (exponent.astype(int) - 7))
            return value * np.repeat(2.0 ** (groups.astype(int) - 127.0), 32, axis=-1)

        left = decode(a.numpy(), scale_a.numpy().reshape(16, 4))
        for group, (first, last) in enumerate(((0, 7), (7, 16))):
            scales = scale_b.numpy()[group].swapaxes(0, 1).reshape(64, 4)
            right = decode(b.numpy()[group].T, scales)
            np.testing.assert_allclose(values(out)[first:last], left[first:last] @ right.T, rtol=1e-6)

    def test_scaled_mm_needs_the_950(self):
        with recording("A2A3"), self.assertRaisesRegex(PyptoError, "F00001.*DAV_3510"):
            kernels.grouped_mx(*(torch.zeros(shape, dtype=torch.uint8)
                                 for shape in ((16, 128), (2, 128, 64), (16, 2, 2), (2, 2, 64, 2))),
                               blank(16, 64))

    def test_int8_batch_with_scales_and_sum(self):
        x, w, scale, out = int8(4, 64, 256), int8(4, 256, 128), fp32(4, 64, 1), blank(64, 128, dtype=torch.bfloat16)
        with recording() as record:
            kernels.int8_batch(x, w, scale, out)
        products = x.numpy().astype(np.int64) @ w.numpy().astype(np.int64)
        np.testing.assert_allclose(values(out), (products * values(scale)).sum(axis=0), rtol=2**-8, atol=1)
        self.assertEqual(record.notes, [])

    def test_unroll_takes_the_largest_factor_that_fits(self):
        x, w, out = fp32(75, 64).to(torch.float16), fp32(64, 32).to(torch.float16), blank(75, 32)
        with recording() as record:
            kernels.unrolled(x, w, out)
        np.testing.assert_allclose(values(out), values(x) @ values(w), rtol=1e-5, atol=1e-5)
        rows = [event.shapes[0][0] for event in record.events if event.kind == "cube"]
        self.assertEqual(rows, [64, 8, 1, 1, 1])
        self.assertEqual(record.loops[0]["unroll_list"], [64, 8, 1])

    def test_index_add_in_a_parallel_loop(self):
        x, w, out = bf16(4, 32, 64), bf16(4, 64, 32), torch.zeros((10, 32))
        index = torch.from_numpy(RNG.integers(0, 10, 128))
        with recording() as record:
            kernels.routed(x, w, index, out)
        expected = np.zeros((10, 32))
        np.add.at(expected, index.numpy(), (values(x) @ values(w)).reshape(128, 32))
        np.testing.assert_allclose(values(out), expected, rtol=1e-4, atol=1e-3)
        self.assertTrue(record.loops[0]["parallel"])


def run(body, *tensors, chip="A2A3"):
    """Runs a body as a kernel with tensors of its own signature."""
    with recording(chip) as record:
        body(*tensors)
    return record


@pypto.frontend.jit
def matmul_once(
    a: pypto.Tensor([...], pypto.DT_FP16),
    b: pypto.Tensor([...], pypto.DT_FP16),
    out: pypto.Tensor([...], pypto.DT_FP32),
    tile=None,
    arguments=None,
):
    if tile is not None:
        pypto.set_cube_tile_shapes(*tile)
    out.move(pypto.matmul(a, b, pypto.DT_FP32, **(arguments or {})))


@pypto.frontend.jit
def any_body(
    x: pypto.Tensor([pypto.DYNAMIC, ...], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, ...], pypto.DT_FP32),
    body=None,
):
    pypto.set_vec_tile_shapes(16, 16)
    body(x, out)


class Errors(unittest.TestCase):
    def product(self, tile, m=128, k=512, n=256, **arguments):
        a = torch.zeros((k, m) if arguments.get("a_trans") else (m, k), dtype=torch.float16)
        out = torch.zeros((m, n))
        return run(matmul_once, a, torch.zeros((k, n), dtype=torch.float16), out, tile, arguments)

    def test_cube_tiles(self):
        for tile, text in (
            (None, "F0000C.*Invalid tile values"),
            (([128, 128], [20, 40], [256, 256]), r"F0000C.*kL0\(20\) and nL0\(256\) must be aligned to 16"),
            (([128, 128], [64, 256], [24, 24]), r"F0000C.*nL0\(24\)"),
            (([128, 128], [64, 100], [256, 256]), "F0000C.*Invalid L1/L0 relation"),
            (([128, 128], [64, 192, 128], [256, 256]), "F0000C.*Invalid tileKL1 configuration"),
            (([128, 128], [512, 512], [256, 256]), "F40005.*MEM_L0A"),
            (([128, 128], [16, 512], [2048, 2048]), "F40005.*MEM_L0C"),
        ):
            with self.subTest(tile=tile), self.assertRaisesRegex(PyptoError, text):
                self.product(tile, n=2048 if tile and tile[2][0] == 2048 else 256)
        with self.assertRaisesRegex(PyptoError, "F00002.*2 or 3 elements, got 4"):
            self.product(([128, 128], [64, 256, 256, 256], [256, 256]))
        with self.assertRaisesRegex(PyptoError, "F0000C.*transA=true"):
            self.product(([9, 9], [64, 256], [256, 256]), a_trans=True)
        with self.assertRaisesRegex(PyptoError, "F00002.*do not support NZ"):
            self.product(([128, 128], [64, 256], [256, 256]), c_matrix_nz=True)

    def test_types_beside_the_operands(self):
        def body(x, out):
            for i in pypto.loop(1):
                rows = pypto.view(x, [16, 64], [0, 0])
                row = pypto.view(x, [1, 64], [0, 0])
                half = pypto.cast(row, pypto.DT_FP16)
                pypto.set_cube_tile_shapes([16, 16], [64, 64], [64, 64])
                for extra, text in (
                    ({"bias_tensor": half}, "DT_FP32 with a bias of DT_FP16"),
                    ({"scale_tensor": row}, "scale_tensor is DT_FP32"),
                    ({"relu": True}, "has no 'relu'"),
                ):
                    with self.subTest(extra=list(extra)), self.assertRaisesRegex(PyptoError, text):
                        pypto.matmul(rows, rows, pypto.DT_FP32, b_trans=True, extend_params=extra)

        run(any_body, torch.zeros((16, 64)), torch.zeros((16, 64)), body)

    def test_cube_tiles_that_are_accepted(self):
        for tile in (([9, 9], [64, 256], [256, 256]), ([1, 1], [64, 256], [256, 256]),
                     ([128, 128], [64, 256, 128], [256, 256]),
                     ([128, 128], [256, 256], [128, 128])):
            with self.subTest(tile=tile):
                self.assertEqual(self.product(tile).notes, [])
        record = self.product(([128, 128], [64, 1024], [256, 256]), k=1024)
        self.assertIn("A and B together need 786432 bytes of L1", record.notes[0])

    def check(self, body, text, error=PyptoError, rows=40):
        with self.assertRaisesRegex(error, text):
            run(any_body, torch.zeros((rows, 64)), torch.zeros((rows, 64)), body)

    def test_python_cannot_decide_on_symbolic_values(self):
        self.check(lambda x, out: min(x.shape[0], 32), "F21003")
        self.check(lambda x, out: 1 if x.shape[0] > 3 else 2, "F21003")
        self.check(lambda x, out: range(x.shape[0]), "F00002.*not known")
        self.check(lambda x, out: [1, 2][x.shape[0]], "F00002.*not known")
        self.check(lambda x, out: pypto.view(x, [x.shape[0], 64], [0, 0]), "F00001.*no SymbolicScalar")
        self.check(lambda x, out: pypto.exp(x), "F0000A")

    def test_differences_of_symbolic_values_can_be_constants(self):
        def body(x, out):
            for i in pypto.loop(x.shape[0] // 8):
                self.assertEqual(x[i * 8 : (i + 1) * 8, 0:].shape, [8, 64])
                out[i * 8 :, 0:] = x[i * 8 : (i + 1) * 8, 0:] + 1.0

        out = torch.zeros((40, 64))
        run(any_body, torch.zeros((40, 64)), out, body)
        self.assertTrue((values(out) == 1).all())
        self.check(lambda x, out: x[0 : x.shape[0].min(8), 0:], "F00002")

    def test_views_stay_inside(self):
        self.check(lambda x, out: pypto.view(x, [32, 64], [16, 0]), "reaches beyond its end", StandInError)
        self.check(lambda x, out: pypto.view(x, [32, 64], [16, 0], valid_shape=[32, 64]), "reads beyond its end",
                   StandInError)
        self.check(lambda x, out: pypto.view(x, [32, 64], [16, 0], valid_shape=[33, 64]), "F00002")
        self.check(lambda x, out: pypto.view(x, [64], [16]), "F0000B")
        self.check(lambda x, out: pypto.assemble(pypto.view(x, [32, 64], [0, 0]), [16, 0], out), "writes beyond",
                   StandInError)

    def test_one_root_function_does_not_read_what_it_writes(self):
        def body(x, out):
            pypto.assemble(pypto.view(out, [8, 64], [0, 0]) + 1.0, [8, 0], out)

        self.check(body, "F21009")

    def test_values_end_with_their_loop(self):
        def body(x, out):
            for i in pypto.loop(2):
                kept = pypto.view(x, [8, 64], [i * 8, 0]) + 1.0
            pypto.assemble(kept, [0, 0], out)

        self.check(body, "a loop that has ended", StandInError)

    def test_vector_tiles(self):
        def deep(x, out):
            pypto.set_vec_tile_shapes(16)
            pypto.view(x, [16, 64], [0, 0]) + 1.0

        def big(x, out):
            pypto.set_vec_tile_shapes(1024, 64)
            pypto.view(x, [1024, 64], [0, 0], valid_shape=[40, 64]) + 1.0

        def shared(x, out):
            # A loop forgets what its body sets.
            for _ in pypto.loop(1):
                pypto.set_vec_tile_shapes(8, 64)
            self.assertEqual(pypto.get_vec_tile_shapes(), [16, 16])

        self.check(deep, "F4FFFF.*Tile shape size 1 is not matched the output shape size 2")
        self.check(big, "F40005.*MEM_UB|F40005.*total size")
        run(any_body, torch.zeros((40, 64)), torch.zeros((40, 64)), shared)

    def test_operands(self):
        self.check(lambda x, out: pypto.div(127.0, pypto.view(x, [8, 64], [0, 0])), "FC0000.*has to be a Tensor")
        self.check(lambda x, out: pypto.cast(pypto.view(x, [8, 64], [0, 0]), pypto.DT_INT8), "FC0001.*FP32 to DT_INT8")
        self.check(lambda x, out: pypto.cast(pypto.view(x, [8, 64], [0, 0]), pypto.DT_INT32) + 1.5, "FC0001.*float 1.5")
        self.check(lambda x, out: pypto.silu(x), "no attribute 'silu'", AttributeError)

    def test_options(self):
        for options, text in (
            ({"cube_l1_reuse_setting": {-1: 2, "DEFAULT": 2}}, "cannot mix integer keys"),
            ({"cube_l1_reuse_setting": {"DEFAULT": 0}}, "F00002"),
            ({"cube_l1_reuse_setting": {-2: 1}}, "key below -1"),
            ({"unknown": 1}, "has no"),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(PyptoError, text):
                pypto.frontend.jit(pass_options=options)(kernels.gate.function)
        with self.assertRaisesRegex(PyptoError, "Range: .1, 1024."):
            pypto.frontend.jit(runtime_options={"stitch_function_max_num": 0})(kernels.gate.function)

    def test_arguments(self):
        with self.assertRaisesRegex(PyptoError, "F0000B.*declared 512"):
            run(kernels.gate, fp32(4, 256), fp32(160, 512), blank(4, 160))
        with self.assertRaisesRegex(PyptoError, "F00001"):
            run(kernels.gate, bf16(4, 512), fp32(160, 512), blank(4, 160))


class Values(unittest.TestCase):
    def compute(self, body, x, valid=None, shape=None):
        """body on a view whose rest is poisoned."""
        shape = shape or list(x.shape)
        found = []

        def kernel(source, out):
            pypto.set_vec_tile_shapes(*([16] * len(shape)))
            found.append(body(pypto.view(source, shape, [0] * len(shape), valid_shape=valid or shape)))

        run(any_body, torch.from_numpy(np.asarray(x, np.float32)), torch.zeros((1, 1)), kernel)
        return found[0]

    def test_shapes_are_integers_and_ranks_have_their_tile(self):
        x = np.ones((4, 16), np.float32)
        for body, text in (
            (lambda v: pypto.view(v, [pypto.min(2, 4), 16], [0, 0]), "F00001.*no SymbolicScalar"),
            (lambda v: pypto.reshape(v, [1, 4, 16]), "F4FFFF.*reshape of 2 to 3 axes"),
            (lambda v: pypto.cast(pypto.cast(v, pypto.DT_BF16), pypto.DT_FP4_E2M1), "FC0001.*FP4"),
            (lambda v: pypto.atomic_add(v, [1, 0], pypto.full([4, 16], 0.0, pypto.DT_FP32)), "F0000B.*outside"),
        ):
            with self.assertRaisesRegex(PyptoError, text):
                self.compute(body, x)

        def widened(v):
            pypto.set_vec_tile_shapes(1, 4, 16)
            return pypto.reshape(v, [1, 4, 16])

        self.assertEqual(list(self.compute(widened, x).array.shape), [1, 4, 16])

    def test_what_is_not_valid_is_poisoned_and_never_reduced(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        result = self.compute(lambda v: pypto.sum(v + 1.0, 0, keepdim=True), x, [3, 4], [8, 4])
        np.testing.assert_array_equal(result.array, (x + 1).sum(axis=0, keepdims=True))
        result = self.compute(lambda v: v * 2.0, x, [3, 4], [8, 4])
        self.assertTrue(np.isnan(result.array[3:]).all())
        np.testing.assert_array_equal(result.array[:3], x * 2)
        padded = self.compute(lambda v: pypto.fillpad(v, "constant", 5.0), x, [3, 4], [8, 4])
        self.assertTrue((padded.array[3:] == 5).all())

    def test_casts(self):
        x = np.array([[2.5, -2.5, 3.5, 300.0, -0.5, 0.4]], np.float32)

        def cast(mode, saturate=pypto.SaturationMode.OFF):
            def chain(v):
                return pypto.cast(pypto.cast(v, pypto.DT_FP16), pypto.DT_INT8, mode, saturate)

            return self.compute(chain, x).array[0].tolist()

        self.assertEqual(cast(pypto.CastMode.CAST_RINT), [2, -2, 4, 44, 0, 0])
        self.assertEqual(cast(pypto.CastMode.CAST_ROUND, pypto.SaturationMode.ON), [3, -3, 4, 127, -1, 0])
        self.assertEqual(cast(pypto.CastMode.CAST_NONE), [2, -2, 3, 44, 0, 0])
        self.assertEqual(cast(pypto.CastMode.CAST_FLOOR), [2, -3, 3, 44, -1, 0])
        self.assertEqual(cast(pypto.CastMode.CAST_CEIL), [3, -2, 4, 44, 0, 1])

    def test_compositions(self):
        x = RNG.standard_normal((4, 8)).astype(np.float32)
        wide = x.astype(np.float64)
        np.testing.assert_allclose(self.compute(pypto.sigmoid, x).array, 1 / (1 + np.exp(-wide)), rtol=1e-6)
        power = np.exp(wide - wide.max(axis=1, keepdims=True))
        np.testing.assert_allclose(self.compute(lambda v: pypto.softmax(v, -1), x).array,
                                   power / power.sum(axis=1, keepdims=True),
                                   rtol=1e-6)
        norm = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6)
        np.testing.assert_allclose(self.compute(pypto.rms_norm, x).array, norm, rtol=1e-6)
        np.testing.assert_array_equal(self.compute(lambda v: 1.0 - v, x).array, 1 - x)
        np.testing.assert_array_equal(self.compute(lambda v: 127.0 / v, x).array, (np.float32(1) / x) * np.float32(127))

    def test_indices(self):
        x = RNG.standard_normal((6, 4)).astype(np.float32)
        top, places = self.compute(lambda v: pypto.topk(v, 2, -1, True), x)
        np.testing.assert_array_equal(top.array, -np.sort(-x, axis=1)[:, :2])
        np.testing.assert_array_equal(places.array, np.argsort(-x, axis=1)[:, :2])
        picked = self.compute(lambda v: pypto.index_select(v, 0, pypto.arange(1, 6, 2)), x)
        np.testing.assert_array_equal(picked.array, x[1::2])
        np.testing.assert_array_equal(self.compute(lambda v: pypto.transpose(v, 0, 1), x).array, x.T)
        np.testing.assert_array_equal(self.compute(lambda v: pypto.concat([v, v], -1), x).array,
                                      np.concatenate([x, x], 1))
        # The rows beyond the valid ones come out as they are: poison.
        joined = self.compute(lambda v: pypto.concat([v, v], -1), x, [3, 4], [6, 4])
        self.assertEqual(joined.valid, (6, 8))
        self.assertTrue(np.isnan(joined.array[3:]).all())


if __name__ == "__main__":
    unittest.main()
