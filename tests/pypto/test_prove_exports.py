# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of exports notices what it is there for: one export, and mistakes put into it."""
import contextlib
import io
import os
import pathlib
import shutil
import tempfile
import unittest

import standin_path  # noqa: F401  first: the path

import numpy as np
import prove_exports as prove
from lint import Operator, lint
from pypto._errors import PyptoError, StandInError

# file, what is replaced, by what, and what has to be noticed
MISTAKES = [
    ("impl", "[128, 128], [128, 256], [128, 128]", "[64, 64], [128, 256], [128, 128]", "runs with tile"),
    ("impl", "pypto.set_vec_tile_shapes(128, 128)", "pypto.set_vec_tile_shapes(64, 128)", "runs with tile"),
    ("impl", 'set_semantic_label("value")', 'set_semantic_label("valve")', "the label 'valve'"),
    ("impl", 'set_semantic_label("value")', 'set_semantic_label("gate")', "never run"),
    ("impl", "pypto.mul(g, sigmoid_g)", "pypto.mul(g, g)", "outside of"),
    ("impl", "(M - i_start).min(512)", "(M - i_start - 1).min(512)", "outside of"),
    ("impl", ", valid_shape=[i_size, 512]", "", "without valid_shape"),
    ("impl", "(M - i_start).min(512)", "min(M - i_start, 512)", "F21003"),
    ("impl", "(M + 511) // 512", "M // 512", "outside of"),
    ("impl", '"cube_l1_reuse_setting": {"DEFAULT": 2}', '"cube_l1_reuse_setting": {"DEFAULT": 4}',
     "cube_l1_reuse_setting is"),
    ("impl", '"device_sched_mode": 3', '"device_sched_mode": 2', "device_sched_mode is 2"),
    ("impl", "combine_axis=True", "combine_axis=False", "combine_axis differs"),
    ("impl", ', extend_params={"bias_tensor": b_gate}', "", "outside of"),
    ("impl", "        pypto.set_cube_tile_shapes([128, 128], [128, 256], [128, 128])\n        v =", "        v =",
     "1 calls of"),
    ("impl", "w_gate: pypto.Tensor([512, 1024]", "w_gate: pypto.Tensor([pypto.DYNAMIC, 1024]", "F0000A"),
    ("impl", "y: pypto.Tensor([pypto.DYNAMIC, 1024], pypto.DT_BF16",
     "y: pypto.Tensor([pypto.DYNAMIC, 1024], pypto.DT_FP16",
     "'y' is declared DT_FP16"),
    ("impl", "w_fc: pypto.Tensor([512, 1024], pypto.DT_BF16",
     "w_fc: pypto.Tensor([512, 1024], pypto.DT_BF16, format=pypto.TileOpFormat.TILEOP_NZ", "'w_fc' is declared TileOp"),
    ("golden", "torch.sigmoid(", "torch.exp(", "golden 'y'"),
    ("test", "torch.manual_seed(SEED)", "torch.manual_seed(SEED)\n    raise AssertionError('seen')",
     "exported test: seen"),
]  # fmt: skip


class Proof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.design = prove.Design(prove.SAMPLES / "fused_swiglu.cubist.json", "fused_swiglu_small")
        cls.design.module = "fused_swiglu"
        prove.export(cls.design, cls.folder / "export")
        rng = np.random.default_rng(5)
        cls.inputs = {name: cls.design.values(name, rng) for name in cls.design.given()}
        # Larger numbers than the design draws, so that the tolerance is narrow beside the values.
        cls.inputs["x"] = prove.encoded(rng.normal(0, 1, cls.design.shape("x")), "BF16")
        cls.expected = prove.emulated(cls.design, cls.inputs, cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def prove(self, folder):
        outputs, record = prove.execute(self.design, folder, self.inputs)
        prove.compare(self.design, "kernel", outputs, self.expected)
        prove.check_record(self.design, record)
        prove.check_source(self.design, Operator(folder))
        prove.golden(self.design, folder, self.inputs, self.expected)
        prove.own_test(self.design, folder)

    def changed(self, kind, old, new):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.folder / "export", folder / "changed")
        name = {"impl": "fused_swiglu_impl.py", "golden": "fused_swiglu_golden.py",
                "test": "test_fused_swiglu.py"}[kind]
        path = folder / "changed" / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")
        return folder / "changed"

    def test_the_export_itself_is_fine(self):
        self.prove(self.folder / "export")
        self.assertEqual([str(finding) for finding in lint(Operator(self.folder / "export"))], [])

    def test_mistakes_are_noticed(self):
        for kind, old, new, said in MISTAKES:
            with self.subTest(new=new), self.assertRaisesRegex((prove.Failure, PyptoError, StandInError), said):
                with contextlib.redirect_stdout(io.StringIO()):
                    self.prove(self.changed(kind, old, new))

    def test_a_chip_without_the_operation_is_noticed(self):
        folder = self.changed("impl", "x_tile, w_gate, pypto.DT_FP32", "x_tile, w_gate, pypto.DT_INT32")
        with self.assertRaisesRegex(PyptoError, "documented table"):
            self.prove(folder)


if __name__ == "__main__":
    if "CUBIST_CLI" not in os.environ:
        raise SystemExit("CUBIST_CLI is not set")
    unittest.main()
