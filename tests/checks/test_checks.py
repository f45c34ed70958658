# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks themselves can fail: each test plants one violation in a small tree and expects its file and line."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKS = pathlib.Path(__file__).resolve().parents[2] / "cmake"
SPDX = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
FORMULAS = "# Formulas\n\n| id | formula |\n|---|---|\n| F-01 | t = n |\n"


class Tree(unittest.TestCase):
    """A source tree in a temporary folder whose name has a space in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cubist checks ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("core/base/units.h", SPDX + "#pragma once\n#include <cstdint>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_check(self, script, *arguments):
        command = [sys.executable, str(CHECKS / script), str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_clean(self, script, *arguments):
        result = self.run_check(script, *arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_reports(self, script, place, words, *arguments):
        result = self.run_check(script, *arguments)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        hits = [line for line in result.stdout.splitlines() if line.startswith(f"{self.root}/{place}: ")]
        self.assertEqual(len(hits), 1, result.stdout)
        self.assertIn(words, hits[0])
        self.assertIn(" 1 ", result.stdout.splitlines()[-1], result.stdout)


class Layers(Tree):
    def header(self, name, body):
        self.write(name, SPDX + "#pragma once\n" + body)

    def test_accepts_what_the_layers_allow(self):
        self.header("core/exchange/report.h", '#include <cstdio>\n#include "core/accuracy/compare.h"\n')
        self.header("core/timing/listeners/stalls.h", '#include "core/timing/trace.h"\n#include "core/lowering/program.h"\n')
        self.header("core/emulator/kernels.h", '#include "hwy/highway.h"\n')
        self.header("views/models/runs.h", '#include <QString>\n#include "core/base/units.h"\n')
        self.header("app/main_window.h", '#include "views/theme.h"\n')
        self.assert_clean("check_layers.py")

    def test_ignores_comments_and_literals(self):
        self.header("core/base/names.h", '// #include <QString>\n/* std::exit(1) */\ninline auto text() { return "printf("; }\n')
        self.assert_clean("check_layers.py")

    def test_refuses_includes_against_the_order(self):
        cases = [
            ("core/base/a.h", '#include "core/design/design.h"', "core/base must not include core/design"),
            ("core/design/a.h", '#include "core/chip/chip_spec.h"', "core/design must not include core/chip"),
            ("core/rules/static/a.h", '#include "core/lowering/program.h"', "core/rules must not include core/lowering"),
            ("core/timing/a.h", '#include "core/emulator/cube.h"', "core/timing must not include core/emulator"),
            ("core/golden/a.h", '#include "core/timing/trace.h"', "core/golden must not include core/timing"),
            ("core/accuracy/a.h", '#include "core/exchange/npy.h"', "core/accuracy must not include core/exchange"),
            ("core/base/a.h", '#include "views/theme.h"', "core must not include views"),
            ("views/a.h", '#include "app/main_window.h"', "views must not include app"),
            ("app/a.h", '#include "tests/support/builders.h"', "app must not include tests"),
            ("core/base/a.h", '#include "units.h"', "include from the repository root"),
            ("core/base/a.h", "#include <QString>", "core must not include Qt"),
            ("core/base/a.h", "# include <QtCore/QString>", "core must not include Qt"),
            ("core/base/a.h", "#include <qglobal.h>", "core must not include Qt"),
            ("core/base/a.h", "#include <iostream>", "core must not include <iostream>"),
        ]
        for name, include, words in cases:
            with self.subTest(include=include, name=name):
                self.header(name, "\n" + include + "\n")
                self.assert_reports("check_layers.py", f"{name}:4", words)
                (self.root / name).unlink()

    def test_refuses_printing_and_ending_in_core(self):
        for call in ["std::cout << 1;", 'printf("x");', "std::fputs(text, file);", "std::exit(1);", "abort();"]:
            with self.subTest(call=call):
                self.header("core/base/a.h", "inline void f() {\n    " + call + "\n}\n")
                self.assert_reports("check_layers.py", "core/base/a.h:4", "core does")

    def test_refuses_a_long_file(self):
        self.header("views/a.h", "\n" * 599)
        self.assert_reports("check_layers.py", "views/a.h:601", "601 lines")
        self.header("views/a.h", "\n" * 598)
        self.assert_clean("check_layers.py")

    def test_refuses_a_source_that_is_not_built(self):
        self.write("core/CMakeLists.txt", "target_sources(cubist_core PRIVATE\n    base/a.cpp\n    # base/b.cpp\n)\n")
        self.write("core/base/a.cpp", SPDX)
        self.assert_clean("check_layers.py")
        self.write("core/base/b.cpp", SPDX)
        self.assert_reports("check_layers.py", "core/base/b.cpp:1", "not listed in core/CMakeLists.txt")

    def test_refuses_a_folder_without_a_layer(self):
        self.header("core/misc/a.h", "")
        self.assert_reports("check_layers.py", "core/misc/a.h:1", "in no layer")

    def test_refuses_missing_licence_line_and_guard(self):
        self.write("views/a.cpp", "int a;\n")
        self.write("views/CMakeLists.txt", "a.cpp\n")
        self.assert_reports("check_layers.py", "views/a.cpp:1", "the first line must be")
        (self.root / "views/a.cpp").unlink()
        self.write("views/a.h", SPDX)
        self.assert_reports("check_layers.py", "views/a.h:1", "#pragma once")

    def test_refuses_unfinished_work(self):
        self.header("app/a.h", "// TO" + "DO: later\n")
        self.assert_reports("check_layers.py", "app/a.h:3", "finish it")

    def test_refuses_links_upwards(self):
        links = self.root / "links.txt"
        good = "cubist_core Threads::Threads\ncubist-cli cubist::core\ncubist-cli Qt6::Core\n"
        self.write("links.txt", good)
        self.assert_clean("check_layers.py", "--links", str(links))
        for bad in ["cubist_core Qt6::Core", "cubist_views cubist::window", "cubist-cli Qt6::Widgets", "cubist-cli cubist::views"]:
            with self.subTest(link=bad):
                self.write("links.txt", good + bad + "\n")
                self.assert_reports("check_layers.py", "links.txt:4", "must not link", "--links", str(links))

    def compile(self, text, *arguments):
        self.write("probe.cpp", text)
        subprocess.run(["c++", *arguments, str(self.root / "probe.cpp")], check=True, cwd=self.root)

    def test_refuses_a_mutable_static(self):
        library = str(self.root / "libprobe.a")
        self.header("core/base/constants.h", "constexpr std::array kDeduced{1, 2};\nstatic const std::string once = make();\n")
        for text, words in [
            ("const int kTable[] = {1, 2}; const int* f() { return kTable; }", None),
            ("int f() { static int calls = 0; return ++calls; }", "calls"),
            ("int counter = 1;", "counter"),
            ("#include <array>\nconstexpr std::array kDeduced{1, 2}; const int* f() { return kDeduced.data(); }", None),
            ("int make(); int f() { static const int once = make(); return once; }", None),
            ("const int* f(const int* p) { static const int* where = p; return p == nullptr ? where = p : where; }", "where"),
        ]:
            with self.subTest(text=text):
                (self.root / "libprobe.a").unlink(missing_ok=True)
                self.compile(text, "-std=c++20", "-c", "-o", "probe.o")
                subprocess.run(["ar", "rc", library, "probe.o"], check=True, cwd=self.root)
                if words is None:
                    self.assert_clean("check_layers.py", "--library", library)
                else:
                    self.assert_reports("check_layers.py", "libprobe.a:1", words, "--library", library)


class FormulaIds(Tree):
    def setUp(self):
        super().setUp()
        self.write("docs/formulas.md", FORMULAS)

    def test_accepts_known_ids(self):
        self.write("core/chip/rates.h", "/// Source: F-01.\n")
        self.write("resources/chips/a.json", '{"source": "F-01"}\n')
        self.assert_clean("check_formula_ids.py")

    def test_refuses_an_unknown_id(self):
        for name, text in [("core/chip/rates.h", "\n/// Source: F-02.\n"), ("resources/chips/a.json", '{\n"source": "F-02"}\n')]:
            with self.subTest(name=name):
                self.write(name, text)
                self.assert_reports("check_formula_ids.py", f"{name}:2", "F-02 is not defined")
                (self.root / name).unlink()

    def test_refuses_a_malformed_source(self):
        self.write("core/chip/rates.h", "/// Source: F-1\n")
        self.assert_reports("check_formula_ids.py", "core/chip/rates.h:1", "not of the form")

    def test_refuses_an_id_defined_twice(self):
        self.write("docs/formulas.md", FORMULAS + "| F-01 | t = 2 n |\n")
        self.assert_reports("check_formula_ids.py", "docs/formulas.md:6", "already defined in line 5")

    def test_refuses_a_test_that_does_not_exist(self):
        self.write("docs/formulas.md", FORMULAS + "| F-02 | t = 2 n | tst_gone |\n")
        self.assert_reports("check_formula_ids.py", "docs/formulas.md:6", "tst_gone")

    def test_refuses_a_missing_page(self):
        (self.root / "docs/formulas.md").unlink()
        result = self.run_check("check_formula_ids.py")
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
