# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rule of lint.py: an operator that it has nothing against, and one change that it finds."""
import pathlib
import tempfile
import unittest

import standin_path  # noqa: F401

from lint import NOT_OURS, RULES, Operator, lint

GOOD = {
    "toy_impl.py": '''import pypto
import torch

TILE = 16


@pypto.frontend.jit(pass_options={"vec_nbuffer_setting": {"DEFAULT": 2}})
def toy_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16),
    factor: int = 2,
):
    rows = x.shape[0]
    for i in pypto.loop((rows + 31) // 32, name="rows", idx_name="i", unroll_list=[1]):
        tile = pypto.view(x, [32, 64], [i * 32, 0], valid_shape=[(rows - i * 32).min(32), 64])
        pypto.set_vec_tile_shapes(TILE, 64)
        pypto.set_cube_tile_shapes([32, 32], [64, 64], [64, 64])
        wide = pypto.mul(pypto.cast(tile, pypto.DT_FP32), 2.0)
        single = pypto.cast(x, pypto.DT_FP32)
        out[i * 32:, 0:] = pypto.cast(wide + pypto.zeros(32, 64, dtype=pypto.DT_FP32), pypto.DT_BF16)


def toy_wrapper(x):
    out = torch.empty_like(x)
    toy_kernel(x, out)
    return out
''',
    "toy_golden.py": '''import torch


def toy_golden(x):
    return torch.transpose(torch.transpose(x * 2, 0, 1), 0, 1)
''',
    "test_toy.py": '''import os

import torch
from numpy.testing import assert_allclose
from toy_golden import toy_golden
from toy_impl import toy_wrapper

SHAPES = ([32, 64],)


def test_toy_l0():
    torch.npu.set_device(int(os.environ.get("TILE_FWK_DEVICE_ID", 0)))
    torch.manual_seed(0)
    x = torch.rand(SHAPES[0])
    assert_allclose(toy_wrapper(x), toy_golden(x), rtol=1e-3, atol=1e-3)
''',
    "SPEC.md": """---
schema_version: 2.0
op_name: toy
supported_dtypes: [bfloat16]
p0_shapes: [[32, 64]]
tolerance: {rtol: 0.001, atol: 0.001}
---
# toy
## 数学公式
out = 2 x
## 输入输出规格
| name | shape | dtype |
## 精度要求
rtol 0.001, atol 0.001
""",
    "DESIGN.md": """---
schema_version: 2.1
op_name: toy
dynamic_axes: [T]
---
## 计算图
```python
pypto.mul(x, 2.0)
```
## Tiling
## 验证方案
""",
    "API_REPORT.md": """---
schema_version: 1.0
op_name: toy
---
## API 映射
## 约束
## Tiling
""",
    "README.md": "# toy\n",
}

# rule -> (file, what is replaced, by what); a rule may have several.
CHANGES = [
    ("OL01", "toy_impl.py", "@pypto.frontend.jit(pass_options={", "@jit(pass_options={"),
    ("OL01", "toy_impl.py", "def toy_wrapper",
     "@pypto.frontend.jit\ndef second(x: int):\n    pass\n\n\ndef toy_wrapper"),
    ("OL02", "toy_impl.py", "out[i * 32:, 0:] =", "out ="),
    ("OL02", "toy_impl.py", "        single =", "        x += 1.0\n        single ="),
    ("OL03", "toy_impl.py", "\n\n\ndef toy_wrapper", "\n    return out\n\n\ndef toy_wrapper"),
    ("OL04", "toy_impl.py",
     "        pypto.set_vec_tile_shapes(TILE, 64)\n        pypto.set_cube_tile_shapes([32, 32], [64, 64], [64, 64])\n",
     ""),
    ("OL05", "toy_impl.py", "    factor: int = 2,", "    factor=2,"),
    ("OL06", "toy_impl.py", "(rows - i * 32).min(32)", "min(rows - i * 32, 32)"),
    ("OL07", "toy_impl.py", "import pypto\n", "import pypto as pt\nimport pypto\n"),
    ("OL07", "toy_impl.py", "import pypto\n", "from pypto import view\nimport pypto\n"),
    ("OL08", "toy_impl.py", "def toy_wrapper", "def toy"),
    ("OL09", "SPEC.md", "## 精度要求", "## tolerance"),
    ("OL09", "SPEC.md", "out = 2 x", "see the paper"),
    ("OL10", "API_REPORT.md", "## 约束", "## limits"),
    ("OL12", "DESIGN.md", "## 验证方案", "## tests"),
    ("OL13", "README.md", None, None),
    ("OL15", "toy_golden.py", "torch.transpose(x * 2, 0, 1)", "(x * 2).T"),
    ("OL15", "toy_golden.py", "torch.transpose(x * 2, 0, 1)", "(x * 2).t()"),
    ("OL15", "toy_golden.py", "import torch", "import pypto\nimport torch"),
    ("OL16", "toy_impl.py", "import torch", "import torch\nfrom toy_golden import toy_golden"),
    ("OL17", "test_toy.py", "def test_toy_l0", "@pypto.frontend.jit\ndef kernel(x):\n    pass\n\n\ndef test_toy_l0"),
    ("OL18", "test_toy.py", "from toy_golden import toy_golden\n", ""),
    ("OL19", "test_toy.py", "    assert_allclose(", "    print("),
    ("OL20", "test_toy.py", "TILE_FWK_DEVICE_ID", "DEVICE"),
    ("OL25", "toy_impl.py", "    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16)", "    out: pypto.Tensor()"),
    ("OL25", "toy_impl.py", "    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16)",
     "    out: pypto.Tensor([], pypto.DT_BF16)"),
    ("OL26", "toy_impl.py", "    x: pypto.Tensor", "    first: int,\n    x: pypto.Tensor"),
    ("OL31", "toy_impl.py", "pypto.DYNAMIC", "32"),
    ("OL34", "SPEC.md", "[[32, 64]]", "[[33, 64]]"),
    ("OL39", "DESIGN.md", "---\nschema_version: 2.1\nop_name: toy\ndynamic_axes: [T]\n---\n", ""),
    ("OL40", "DESIGN.md", "dynamic_axes: [T]\n", ""),
    ("OL41", "README.md", "# toy", "# toy\nfix_hints: none"),
    ("OL42", "test_toy.py", "SHAPES =", "run(default='sim')\nSHAPES ="),
    ("OL43", "toy_impl.py", "for i in pypto.loop((rows + 31) // 32, name=\"rows\", idx_name=\"i\", unroll_list=[1]):",
     "if True:"),
    ("OL45", "toy_impl.py", "    toy_kernel(x, out)", "    for i in range(2):\n        toy_kernel(x[i], out)"),
    ("OL48", "toy_impl.py", "set_vec_tile_shapes(TILE, 64)", "set_vec_tile_shapes(rows, 64)"),
    ("OL48", "toy_impl.py", "[32, 32], [64, 64]", "[32], [64, 64]"),
    ("OL48", "toy_impl.py", "[32, 32], [64, 64]", "[32, 48], [64, 64]"),
    ("OL49", "toy_impl.py", "        tile =", "        for j in pypto.loop(2):\n            pass\n        tile ="),
    ("OL51", "toy_impl.py", "= pypto.cast(wide + pypto.zeros(32, 64, dtype=pypto.DT_FP32), pypto.DT_BF16)", "= x"),
    ("OL52", "toy_impl.py", "[i * 32, 0]", "[i * 32]"),
    ("OL55", "toy_impl.py", "pypto.mul(", "pypto.silu("),
    ("OL55", "DESIGN.md", "pypto.mul(", "pypto.empty("),
    ("OL57", "toy_impl.py", "        single =", "        while False:\n            pass\n        single ="),
    ("OL57", "toy_impl.py", "        single =", "        for a in (1, 2):\n            pass\n        single ="),
    ("OL57", "toy_impl.py", "        single =", "        many = [pypto.exp(tile) for a in range(2)]\n        single ="),
    ("OL58", "toy_impl.py", "torch.empty_like(x)", "pypto.zeros(32, 64)"),
    ("OL60", "toy_impl.py", "    toy_kernel(x, out)", "    out.copy_(x)"),
    ("OL61", "toy_impl.py", "pypto.mul(pypto.cast(tile, pypto.DT_FP32), 2.0)",
     "pypto.mul(2.0, pypto.cast(tile, pypto.DT_FP32))"),
    ("OL61", "toy_impl.py", "pypto.cast(x, pypto.DT_FP32)", "pypto.cast(x, pypto.DT_INT8)"),
    ("OL61", "toy_impl.py", "dtype=pypto.DT_FP32", "pypto.DT_FP32"),
    ("OL61", "toy_impl.py", "pypto.set_vec_tile_shapes(TILE, 64)", "pypto.set_vec_tile_shapes(1, TILE, 64)"),
    ("OL61", "toy_impl.py", "single = pypto.cast(x, pypto.DT_FP32)",
     "single = pypto.abs(pypto.amax(pypto.cast(x, pypto.DT_FP32), -1))"),
    ("OL62", "toy_impl.py", "torch.empty_like(x)", "torch.matmul(x, x)"),
    ("OL62", "toy_impl.py", "torch.empty_like(x)", "x @ x"),
    ("OL62", "toy_impl.py", "torch.empty_like(x)", "x.sum()"),
]  # fmt: skip


def changed(file, old, new):
    files = dict(GOOD)
    if old is None:
        del files[file]
    else:
        assert old in files[file], (file, old)
        files[file] = files[file].replace(old, new)
    return Operator(None, files)


class Lint(unittest.TestCase):
    def test_a_good_operator_has_no_findings(self):
        self.assertEqual([str(finding) for finding in lint(Operator(None, GOOD))], [])

    def test_data_beside_the_operator_is_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in GOOD.items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            (pathlib.Path(folder) / "weights.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xfe")
            operator = Operator(folder)
            self.assertNotIn("weights.npy", operator.files)
            self.assertEqual([str(finding) for finding in lint(operator)], [])

    def test_every_rule_finds_its_mistake(self):
        for rule, file, old, new in CHANGES:
            with self.subTest(rule=rule, new=new):
                found = {finding.rule for finding in lint(changed(file, old, new)) if not finding.waiver}
                self.assertIn(rule, found)

    def test_every_rule_has_a_mistake(self):
        self.assertEqual(set(RULES) - {"OL56"}, {change[0] for change in CHANGES})
        self.assertFalse(set(RULES) & set(NOT_OURS))

    def test_waivers_have_reasons(self):
        for file, old, new, rule in (
            ("toy_impl.py", "[32, 32], [64, 64], [64, 64]", "[32, 32], [64, 128, 64], [64, 64]", "OL48"),
            ("toy_impl.py", "unroll_list=[1]", "unroll_list=[4, 1]", "OL56"),
        ):
            with self.subTest(rule=rule):
                findings = [finding for finding in lint(changed(file, old, new))]
                self.assertEqual([finding.rule for finding in findings], [rule])
                self.assertIn("(waived: ", str(findings[0]))
        files = dict(GOOD)
        files["toy_impl.py"] = files["toy_impl.py"].replace("pypto.DYNAMIC", "32")
        files["DESIGN.md"] = files["DESIGN.md"].replace("dynamic_axes: [T]", "dynamic_axes: []")
        findings = lint(Operator(None, files))
        self.assertEqual([(finding.rule, finding.waiver != "") for finding in findings], [("OL40", True)])


if __name__ == "__main__":
    unittest.main()
