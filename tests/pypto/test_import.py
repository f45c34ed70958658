# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels read back: exports of samples without loss, changed exports with the change, hostile files in good time."""
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import unittest

import standin_path  # noqa: F401

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
KERNEL = '''import pypto


@pypto.frontend.jit
def kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_BF16),
    w: pypto.Tensor([128, 64], pypto.DT_BF16),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
):
    rows = x.shape[0]
    for i in pypto.loop((rows + 31) // 32, name="rows", idx_name="i"):
        tile = pypto.view(x, [32, 128], [i * 32, 0], valid_shape=[(rows - i * 32).min(32), 128])
        pypto.set_semantic_label("product")
        pypto.set_cube_tile_shapes([32, 32], [64, 128], [64, 64])
        out[i * 32:, 0:] = pypto.matmul(tile, w, pypto.DT_FP32)
'''
APPEND = "def f(z):\n    l.append(1)\n    return 1\n"
# Calls that are written out: functions before the kernel, lines of the kernel
CALLS = {
    "reads before thousands of calls": (APPEND, "    l = []\n" + "    y = x[0] + f(z)\n" * 1500),
    "calls in calls": (APPEND, "    l = []\n" + ("    y = " + "x[0] + f(" * 40 + "x" + ")" * 40 + "\n") * 40),
    "long functions in each other": ("def f(z):\n" + "    l.append(1)\n" * 150 + "    return z\n",
                                     "    l = []\n    y = " + "x[0] + f(" * 45 + "x" + ")" * 45 + "\n"),
    "a condition of a thousand lines": ("def f(z):\n    if z:\n" + "        l.append(1)\n" * 1000 + "    return z\n",
                                        "    l = []\n" + "    f(x)\n" * 1000),
    "a comprehension of four thousand loops": (APPEND, "    l = []\n    y = [f(a) for a in x " + "for b in x " * 4000 + "]\n"),
    "a comprehension of four thousand conditions": (APPEND, "    l = []\n    y = [f(a) for a in x " + "if x " * 4000 + "]\n"),
    "many cases": ("", "    match rows:\n" + "".join(f"        case {i}: pass\n" for i in range(3000))),
    "partials of partials": ("from functools import partial\ndef f(*z):\n    return 1\ng0 = partial(f, 1)\n" +
                             "".join(f"g{i + 1} = partial(g{i}, 1)\n" for i in range(2500)), "    g2500()\n"),
    "returns in front of much": ("def f(z):\n" + "    if z: return 1\n" * 400 + "    l.append([" + "1," * 9000 + "])\n",
                                 "    l = []\n    f(x)\n"),
    "returns in each other": ("def f(z):\n" + "".join("    " * n + "if z:\n" for n in range(1, 10)) + "    " * 10 +
                              "return 1\n    l.append([" + "1," * 9000 + "])\n", "    l = []\n    f(x)\n"),
    "a long default": ("def f(z=[" + "1," * 4000 + "]):\n    return z\n", "    f()\n" * 1500),
    "many parameters": ("def f(" + ",".join(f"a{i}" for i in range(2000)) + "):\n    return 1\n", "    f()\n" * 1500),
}
EMPTY = {"kernel": "", "no kernel": "import os\n", "only comments": "# nothing\n" * 1000}
HOSTILE = {
    "null bytes": b"import pypto\0\n",
    "no UTF-8": b"# \xff\xfe\n" + KERNEL.encode(),
    "another encoding": b"# -*- coding: latin-1 -*-\n# \xe9\n" + KERNEL.encode(),
    "unknown encoding": b"# -*- coding: rot13 -*-\n" + KERNEL.encode(),
    "binary": bytes(range(256)) * 4096,
    "a bracket too many": (KERNEL + ")").encode(),
    "open brackets": b"(" * 100000,
    "nested lists": b"x = " + b"[" * 3000 + b"]" * 3000,
    "long chain of operators": b"x = " + b"-" * 200000 + b"1",
    "long sum": b"x = " + b"1+" * 100000 + b"1",
    "attribute chain": b"x = pypto" + b".a" * 50000,
    "deep blocks": b"".join(b" " * n + b"if x:\n" for n in range(150)) + b" " * 150 + b"pass\n",
    "huge integer": b"x = " + b"9" * 1000000,
    "huge line": b"x = '" + b"a" * 5000000 + b"'",
    "many lines": b"x = 1\n" * 400000,
    "huge file": KERNEL.encode() + b"# " + b"z" * 40000000,
    "huge extents": KERNEL.replace("128]", "9223372036854775807]").encode(),
    "negative extents": KERNEL.replace("128]", "-128]").encode(),
    "extents beyond 64 bits": KERNEL.replace("128]", "99999999999999999999]").encode(),
    "huge tiles": KERNEL.replace("[32, 32]", "[2147483648, 9223372036854775807]").encode(),
    "floats as tiles": KERNEL.replace("[32, 32]", "[1e400, float('nan')]").encode(),
    "a loop over itself": KERNEL.replace("rows = x.shape[0]", "rows = rows").encode(),
    "a tensor of itself": KERNEL.replace("pypto.view(x", "pypto.view(tile").encode(),
    "no arguments": KERNEL.replace("pypto.matmul(tile, w, pypto.DT_FP32)", "pypto.matmul()").encode(),
    "starred arguments": KERNEL.replace("(tile, w, pypto.DT_FP32)", "(*tile, **w)").encode(),
    "a loop without bounds": KERNEL.replace("(rows + 31) // 32, ", "").encode(),
    "division by zero": KERNEL.replace("// 32", "// 0").encode(),
    "a name twice": KERNEL.replace("w: pypto", "x: pypto").encode(),
    "no annotations": KERNEL.replace(": pypto.Tensor([128, 64], pypto.DT_BF16)", "").encode(),
    "names of Python": KERNEL.replace("product", "../../etc/passwd\\x00\\ud800").encode(),
    "ten thousand loops": (KERNEL + "    for j in pypto.loop(2):\n        pass\n" * 10000).encode(),
    "deep loops": (KERNEL + "".join("    " * (n + 1) + f"for i{n} in pypto.loop(2):\n" for n in range(60)) +
                   "    " * 61 + "pass\n").encode(),
    "a huge power": KERNEL.replace("i * 32, 0]", "10**10**8, 0]").encode(),
    "a huge list": KERNEL.replace("rows = x.shape[0]", "rows = len([0] * 10**9) + len([[0] * 4096] * 4096)").encode(),
    "a loop for ever": KERNEL.replace("rows = x.shape[0]", "rows = 1\n    while True:\n        rows = rows + 1").encode(),
    "a list that doubles": KERNEL.replace("rows = x.shape[0]", "a = [1.5]\n    for i in range(60):\n        a = a + a\n"
                                          "    rows = len(a)").encode(),
    "a list in itself": KERNEL.replace("rows = x.shape[0]", "a = []\n    a.append(a)\n    rows = len(a)").encode(),
    "functions of functions": ("".join(f"def f{n}(v):\n    return f{n + 1}(f{n + 1}(v))\n" for n in range(40)) +
                               "def f40(v):\n    return v * 2.0\n" + KERNEL + "    out[0:, 0:] = f0(out)\n").encode(),
    "a comprehension of comprehensions": KERNEL.replace(
        "rows = x.shape[0]", "rows = len([a for a in range(1000) for b in range(1000) for c in range(1000)])").encode(),
    "loops in loops": (KERNEL + "".join("    " * (n + 1) + f"for i{n} in range(4):\n" for n in range(40)) + "    " * 41 +
                       "out[0:, 0:] = x\n" + "".join("    " * 41 + f"y{n} = x * {n}.5\n" for n in range(2000))).encode(),
    **{what: KERNEL.replace("rows = x.shape[0]", "rows = x.shape[0]\n" + body).replace("import pypto", before + "import pypto", 1)
       .encode() for what, (before, body) in CALLS.items()},
    "powers": KERNEL.replace("i * 32, 0]", "9**9**9**9, 0]").encode(),
    "strings times": KERNEL.replace('"product"', '"p" * 10**10').encode(),
}
RECORDS = {
    "no JSON": "'{'",
    "deep JSON": "'" + "[" * 50000 + "'",
    "another record": "'{\"case\": 7, \"design\": []}'",
    "a design that is none": "'{\"case\": \"\", \"keys\": \"labels\", \"chip\": \"x\", \"design\": {\"cubist\": 99}}'",
    "a number": "12",
    "an expression": "__import__('os').system('touch {marker}')",
}


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def cost(before, after):
    """Seconds of CPU that processes have taken between two readings of RUSAGE_CHILDREN."""
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cli(*arguments, timeout=60):
    return subprocess.run([os.environ["CUBIST_CLI"], *map(str, arguments)], capture_output=True, text=True,
                          errors="replace", timeout=timeout, preexec_fn=limits)


class Import(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def fine(self, *arguments):
        done = cli(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def exported(self, design, name="export", *more):
        self.fine("export", design, "--format", "pypto", "-o", self.folder / name, *more)
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()}

    def impl(self, name="export"):
        return next((self.folder / name).glob("*_impl.py"))

    def imported(self, path, name="back.cubist.json"):
        said = self.fine("import", path, "--force", "-o", self.folder / name)
        return json.loads((self.folder / name).read_text(encoding="utf-8")), said

    def test_exports_come_back_without_loss(self):
        for sample in sorted(SAMPLES.glob("*.cubist.json")):
            with self.subTest(sample=sample.name):
                name = sample.name.removesuffix(".cubist.json")
                files = self.exported(sample, name)
                back, _ = self.imported(self.impl(name), f"{name}.back.cubist.json")
                again = self.exported(self.folder / f"{name}.back.cubist.json", f"{name}_again")
                self.assertEqual(files, again)
                self.assertEqual(canonical(json.loads(sample.read_text(encoding="utf-8"))), canonical(back))

    def test_a_changed_export_gives_the_changed_design(self):
        self.exported(SAMPLES / "fused_swiglu.cubist.json")
        text = self.impl().read_text(encoding="utf-8")
        for old, new, found in (
            ("[128, 128], [128, 256], [128, 128]", "[64, 64], [128, 256], [128, 128]", '"m": [64, 64]'),
            ("set_vec_tile_shapes(128, 128)", "set_vec_tile_shapes(32, 128)", "[32, 128]"),
            ('"device_sched_mode": 3', '"device_sched_mode": 1', '"device_sched_mode": 1'),
            ('set_semantic_label("value")', 'set_semantic_label("second")', '"second"'),
        ):
            with self.subTest(new=new):
                self.assertIn(old, text)
                changed = self.folder / "fused_swiglu_impl.py"
                changed.write_text(text.replace(old, new), encoding="utf-8")
                back, _ = self.imported(changed)
                self.assertIn(found, json.dumps(back))

    def test_a_kernel_written_by_hand(self):
        path = self.folder / "by_hand.py"
        path.write_text(KERNEL, encoding="utf-8")
        back, _ = self.imported(path)
        stages = [block for loop in back["blocks"] for block in loop["body"] if block["kind"] == "cube"]
        self.assertEqual(stages[0]["tile"]["k"], [64, 128])
        self.assertEqual([tensor["role"] for tensor in back["tensors"]], ["input", "input", "output"])

    def test_kernels_of_the_stand_in(self):
        """What an engineer writes by hand: (function of kernels.py, cube stages, vector stages)."""
        source = (pathlib.Path(__file__).parent / "kernels.py").read_text(encoding="utf-8")
        parts = source.split("\n\n\n")
        for name, cubes, vectors in (("gate", 1, 0), ("ffn", 3, 1), ("int8_batch", 1, 1),
                                     ("unrolled", 1, 0)):
            with self.subTest(name):
                kernel = next(part for part in parts if f"def {name}(" in part)
                path = self.folder / f"{name}.py"
                path.write_text("\n\n\n".join(["import pypto", kernel]), encoding="utf-8")
                back, said = self.imported(path)
                kinds = [block["kind"] for block in flat(back["blocks"])]
                self.assertEqual((kinds.count("cube"), kinds.count("vector")), (cubes, vectors), said)

    def test_kernels_by_hand_compute_the_same(self):
        """Each kernel of by_hand.py is read without a note into a design that `check` accepts, and the kernel that is
        exported from it writes what the original writes."""
        import by_hand

        source = (pathlib.Path(__file__).parent / "by_hand.py").read_text(encoding="utf-8")
        for name, shapes in by_hand.KERNELS.items():
            with self.subTest(name):
                path = self.folder / f"{name}.py"
                path.write_text(only(source, name), encoding="utf-8")
                back, said = self.imported(path, f"{name}.cubist.json")
                self.assertNotIn("not understood", said)
                design = self.folder / f"{name}.cubist.json"
                back["name"] = f"{name}_again"
                design.write_text(json.dumps(back), encoding="utf-8")
                self.fine("check", design)
                self.exported(design, f"{name}_out")
                self.assertEqual(*results(getattr(by_hand, name), self.folder / f"{name}_out", name, shapes))

    def test_kernels_in_every_style(self):
        """Each kernel of styles.py computes the same after it was read, or a line of it is named: never another one."""
        import styles

        def read(name):
            path = self.folder / f"{name}.py"
            path.write_text(styles.source(name), encoding="utf-8")
            done = cli("import", path, "--force", "-o", self.folder / f"{name}.cubist.json")
            said = done.stdout + done.stderr
            if done.returncode != 0 or any(f"{name}.py:" in line and "guessed" not in line for line in said.splitlines()):
                return said, "listed"
            back = json.loads((self.folder / f"{name}.cubist.json").read_text(encoding="utf-8"))
            back["name"] = f"{name}_again"
            (self.folder / f"{name}.cubist.json").write_text(json.dumps(back), encoding="utf-8")
            done = cli("export", self.folder / f"{name}.cubist.json", "--format", "pypto", "-o", self.folder / name)
            return said + done.stdout + done.stderr, "same" if done.returncode == 0 else "no export"

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = dict(zip(styles.KERNELS, pool.map(read, styles.KERNELS)))
        for name, (said, state) in answers.items():
            with self.subTest(name):
                self.assertEqual(state, styles.KERNELS[name][2], said)
                if state == "same":
                    own, again = styled_results(self.folder, name)
                    self.assertEqual(own.shape, again.shape)
                    self.assertLess(abs(own - again).max(), 1e-4, said)

    def test_what_a_design_cannot_hold_is_listed(self):
        """Conditions, carried values, loops over lists: every line that is left out is named."""
        lines = {
            "    for k in pypto.loop(2):\n        if pypto.is_loop_begin(k):\n            out[0:, 0:] = x\n": (1, 2),
            "    total = out\n    for k in pypto.loop(2):\n        total = pypto.add(total, out)\n": (2,),
            "    for part in [x, w]:\n        pypto.exp(part)\n": (1,),
            "    while rows:\n        pypto.exp(x)\n": (0, 1),
            "    parts = [x]\n    parts.sort()\n": (1,),
            "    parts = []\n    same = parts\n    parts.append(w)\n": (2,),
            "    parts = []\n    for k in pypto.loop(2):\n        parts.append(w)\n": (2,),
            "    y = x\n    y[0:, 0:] += w\n": (1,),
            "    v = pypto.exp(w)\n    out[0:64, 0:64] = v\n": (1,),
            "    v = pypto.exp(w)\n    out[0:128, 0:32] = v\n": (1,),
            "    v = pypto.exp(w)\n    out[:] = pypto.reshape(v, [1, 128, 64])\n": (1,),
            "    v = pypto.exp(w)\n    out[:128] = v\n": (1,),  # PyPTO: at 128 - rows
            "    v = pypto.exp(w)\n    out[0:, :32] = v\n": (1,),
        }
        for extra, wanted in lines.items():
            with self.subTest(extra):
                path = self.folder / "listed.py"
                path.write_text(KERNEL + extra, encoding="utf-8")
                _, said = self.imported(path)
                first = len(KERNEL.splitlines()) + 1
                for line in wanted:
                    self.assertRegex(said, rf"(?m)listed.py:{first + line}: ")

    def test_lines_that_are_not_understood_are_named(self):
        path = self.folder / "by_hand.py"
        path.write_text(KERNEL + "    pypto.experimental.spin(out, 3)\n", encoding="utf-8")
        line = len(KERNEL.splitlines()) + 1
        _, said = self.imported(path)
        self.assertRegex(said, rf"(?m)(:|line ){line}\b")

    def refused_or_noted(self, path, seconds=3):
        start = time.monotonic()
        done = cli("import", path, "--force", "-o", self.folder / "back.cubist.json")
        self.assertLess(time.monotonic() - start, 10 * seconds)
        self.assertIn(done.returncode, (0, 1, 2), done.stdout + done.stderr)
        if done.returncode == 0:  # a design, whatever its rules say
            checked = cli("check", self.folder / "back.cubist.json")
            self.assertIn(checked.returncode, (0, 1, 2), checked.stderr)
        else:
            self.assertTrue((done.stdout + done.stderr).strip())
        self.assertNotIn("Traceback", done.stdout + done.stderr)
        self.assertLess(len(done.stdout + done.stderr), 1_000_000)
        return done

    def test_hostile_files_are_refused_or_noted(self):
        for what, content in HOSTILE.items():
            with self.subTest(what):
                path = self.folder / "hostile.py"
                path.write_bytes(content)
                self.refused_or_noted(path)

    def test_calls_are_written_out_within_time_and_memory(self):
        """Of Cubist, Python's parser included: less than a second of CPU in a Release build, 100 MiB in any."""
        for what in CALLS:
            with self.subTest(what):
                path = self.folder / "hostile.py"
                path.write_bytes(HOSTILE[what])
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = cli("import", path, "--force", "-o", self.folder / "back.cubist.json")
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr[-2000:])
                self.assertLess(cost(before, after), float(os.environ.get("CUBIST_CPU_SECONDS", "4")))
                self.assertLess(after.ru_maxrss, 100 << 10)  # KiB, of the largest so far

    def test_files_without_a_kernel_are_refused(self):
        for what, content in EMPTY.items():
            with self.subTest(what):
                path = self.folder / "empty.py"
                path.write_text(content, encoding="utf-8")
                self.assertEqual(self.refused_or_noted(path).returncode, 2)
                self.assertFalse((self.folder / "back.cubist.json").exists())

    def test_records_that_are_none(self):
        marker = self.folder / "ran"
        for what, record in RECORDS.items():
            with self.subTest(what):
                path = self.folder / "record.py"
                path.write_text(f"{KERNEL}\n\nCUBIST = ({record.replace('{marker}', str(marker))})\n", encoding="utf-8")
                self.refused_or_noted(path)
        self.assertFalse(marker.exists())

    def test_nothing_of_the_file_is_run(self):
        marker, path = self.folder / "ran", self.folder / "trap.py"
        path.write_text(f"import os\nos.system('touch {marker}')\nopen({str(marker)!r}, 'w')\n{KERNEL}",
                        encoding="utf-8")
        (self.folder / "pypto.py").write_text(f"open({str(marker)!r}, 'w')\n", encoding="utf-8")
        (self.folder / "sitecustomize.py").write_text(f"open({str(marker)!r}, 'w')\n", encoding="utf-8")
        subprocess.run([os.environ["CUBIST_CLI"], "import", path, "-o", self.folder / "back.cubist.json"],
                       cwd=self.folder, env={**os.environ, "PYTHONPATH": str(self.folder)}, capture_output=True,
                       timeout=60)
        self.assertFalse(marker.exists())


def only(source, name):
    """The module without the other kernels."""
    import ast

    tree = ast.parse(source)
    lines = source.splitlines()
    for node in reversed(tree.body):
        jit = isinstance(node, ast.FunctionDef) and any("jit" in ast.dump(each) for each in node.decorator_list)
        keep = node.name == name or name == "made" and node.name == "build" if isinstance(node, ast.FunctionDef) else True
        if jit and not keep or isinstance(node, ast.FunctionDef) and node.name == "build" and name != "made":
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            del lines[start - 1:node.end_lineno]
    return "\n".join(lines) + "\n"


def results(kernel, folder, name, shapes):
    """What the kernel writes and what the wrapper of the export returns, for the same inputs."""
    import importlib

    import numpy as np
    import torch
    from pypto._dtypes import DataType
    from pypto._state import recording
    from pypto._tensor import StatusType

    kinds = {DataType.DT_BF16: torch.bfloat16, DataType.DT_FP16: torch.float16, DataType.DT_FP32: torch.float32}
    rng = np.random.default_rng(7)
    inputs, axes = {}, {}
    for parameter, shape in shapes.items():
        declared, kind, _ = kernel.signature.parameters[parameter].annotation.annotation
        inputs[parameter] = torch.from_numpy(rng.normal(0, 1, shape).astype(np.float32)).to(kinds[kind])
    declared, kind, _ = kernel.signature.parameters["out"].annotation.annotation
    first = next(iter(shapes.values()))
    extents = [first[axis] if isinstance(extent, StatusType) else extent for axis, extent in enumerate(declared)]
    out = torch.zeros(extents, dtype=kinds[kind])
    with recording("A2A3"):
        kernel(*inputs.values(), out)
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(f"{name}_again_impl")
        with recording("A2A3"):
            again = getattr(module, f"{name}_again_wrapper")(**inputs)
    finally:
        sys.path.remove(str(folder))
    return out.float().numpy().tolist(), again.float().numpy().tolist()


def styled_results(folder, name):
    """What a kernel of styles.py writes, and what the wrapper of its export returns."""
    import importlib
    import inspect

    import numpy as np
    import torch
    from pypto._state import recording

    rng = np.random.default_rng(3)
    inputs = {each: torch.from_numpy(rng.normal(0, 1, (64, 64)).astype(np.float32)) for each in ("x", "w")}
    out = torch.zeros((64, 64), dtype=torch.float32)
    sys.path[:0] = [str(folder), str(folder / name)]
    try:
        kernel = importlib.import_module(name).k
        wrapper = getattr(importlib.import_module(f"{name}_again_impl"), f"{name}_again_wrapper")
    finally:
        del sys.path[:2]
    with recording("A2A3"):
        kernel(*inputs.values(), out)
    wanted = inspect.signature(wrapper).parameters
    given = {each: value for each, value in inputs.items() if each in wanted}
    if "out" in wanted:
        given["out"] = torch.zeros((64, 64), dtype=torch.float32)
    with recording("A2A3"):
        again = wrapper(**given)
    return np.array(out.numpy()), np.array(again.float().numpy())


def flat(blocks):
    for block in blocks:
        yield block
        yield from flat(block.get("body", []))


def canonical(value):
    return json.dumps(value, sort_keys=True)


if __name__ == "__main__":
    if "CUBIST_CLI" not in os.environ:
        raise SystemExit("CUBIST_CLI is not set")
    unittest.main()
