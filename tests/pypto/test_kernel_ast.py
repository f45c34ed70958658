# SPDX-License-Identifier: GPL-3.0-or-later
"""The script that prints the syntax tree of a kernel: what it says of good files, and that bad ones cost little."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "resources" / "python" / "kernel_ast.py"


def dump(source, by_file=False):
    data = source if isinstance(source, bytes) else source.encode()
    command = [sys.executable, "-I", "-S", str(SCRIPT)]
    if by_file:
        with tempfile.NamedTemporaryFile(suffix=".py") as file:
            file.write(data)
            file.flush()
            done = subprocess.run([*command, file.name], capture_output=True)
    else:
        done = subprocess.run(command, input=data, capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done.stderr.decode()
    return json.loads(done.stdout.decode("ascii"))


class KernelAst(unittest.TestCase):
    def test_a_tree_has_the_fields_of_python_s_own(self):
        answer = dump("import pypto\n\n\ndef f(a: int, *, b=2):\n"
                      "    for i, j in pypto.loop(3):\n        a[i:, 0] = -b // 2\n")
        self.assertEqual((answer["kernel_ast"], answer["lines"]), (1, 6))
        function = answer["body"][1]
        self.assertEqual((function["t"], function["l"], function["c"], function["name"]), ("FunctionDef", 4, 0, "f"))
        self.assertEqual(function["args"]["args"][0]["annotation"], {"t": "Name", "l": 4, "c": 9, "id": "int"})
        self.assertEqual(function["args"]["kw_defaults"][0]["value"], "2")
        loop = function["body"][0]
        self.assertEqual(loop["target"]["elts"][1]["id"], "j")
        self.assertEqual(loop["iter"]["func"]["attr"], "loop")
        write = loop["body"][0]
        self.assertEqual(write["targets"][0]["slice"]["elts"][0]["t"], "Slice")
        self.assertIsNone(write["targets"][0]["slice"]["elts"][0]["upper"])
        self.assertEqual((write["value"]["op"], write["value"]["left"]["op"]), ("FloorDiv", "USub"))
        self.assertNotIn("ctx", json.dumps(answer))

    def test_constants_are_kinds_and_texts(self):
        answer = dump('x = [1, -2, 2**0, 1.5, 1e999, "\u00e9\\ud800", None, True, ..., b"a", 3j, '
                      "99999999999999999999]\n")
        found = [(node.get("kind"), node.get("value")) for node in answer["body"][0]["value"]["elts"]
                 if node["t"] == "Constant"]
        self.assertEqual(found, [("int", "1"), ("float", "1.5"), ("other", ""), ("str", "\u00e9?"), ("none", ""),
                                 ("bool", "True"),
                                 ("ellipsis", ""), ("other", ""), ("other", ""), ("other", "")])

    def test_comments_are_handed_out(self):
        self.assertEqual(dump("x = 1  # one\n# two\n")["comments"], [[1, 7, "# one"], [2, 0, "# two"]])

    def test_a_file_and_standard_input_are_the_same(self):
        self.assertEqual(dump("x = 1\n", by_file=True), dump("x = 1\n"))

    def test_errors_have_a_place(self):
        for source, expected in (
            ("x = (1,\n", ("syntax", 1, 4)),
            ("x = 1\ny = \u00e9 \u00e9\n", ("syntax", 2, 7)),
            (b"x = 1\ny = \xff\n", ("encoding", 2, 4)),
            ("x = '\0'\n", ("encoding", 1, None)),
        ):
            with self.subTest(source=source):
                error = dump(source)["error"]
                self.assertEqual((error["kind"], error["line"], error["column"]), expected)
        self.assertEqual(dump("x = " + "9" * 5000)["error"]["kind"], "syntax")

    def test_hostile_files_are_refused_in_time_and_memory(self):
        for source in (
            "x = " + "+".join(["1"] * 60000),
            "x = " + "-" * 100000 + "1",
            "x = " + "a." * 100000 + "a",
            "x = " + "f(" * 150 + ")" * 150,
            "a=[1,2];" * 30000,
            "x = " + "[" * 120 + "]" * 120,
            "x = 1\n" * 100000,
            "def f():\n" + "".join(" " * depth + "if x:\n" for depth in range(1, 99)) + " " * 99 + "y",
        ):
            with self.subTest(source=source[:20]):
                start = time.monotonic()
                self.assertEqual(dump(source)["error"]["kind"], "limit")
                self.assertLess(time.monotonic() - start, 20)

    def test_nothing_is_executed(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = pathlib.Path(folder) / "mark"
            dump(f"open({str(mark)!r}, 'w')\nimport antigravity\n")
            self.assertFalse(mark.exists())


if __name__ == "__main__":
    unittest.main()
