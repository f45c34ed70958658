# SPDX-License-Identifier: GPL-3.0-or-later
"""prove_exports.py DESIGN... | --skeletons | --operations: exports each design as PyPTO, and proves what it says.

Every file compiles; the blocking lint rules have no finding that is not waived; the kernel, executed on the stand-in of
pypto through its wrapper, writes what the emulator computes from the same inputs; it sets the tiles, labels and options
of the design; a second export is the same. DESIGN is the name of a sample or a file; --operations are small designs
with one operation each."""
import ast
import contextlib
import importlib
import inspect
import io
import json
import os
import pathlib
import py_compile
import subprocess
import sys
import tempfile
import time
import traceback

import standin_path

import numpy as np
import operations
import torch
from design_inputs import CODES, Design, encoded, to_torch  # noqa: F401  (encoded: for its tests)
from lint import Operator, lint
from lint_operator import called, walk
from pypto._dtypes import DataType, decode_fp8
from pypto._errors import PyptoError, StandInError
from pypto._state import recording
from pypto._tensor import StatusType, TileOpFormat

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
ELEMENTS = 4.5e7  # of all tensors of a design's default case: what is larger takes too long in Python
OTHERS = 1e7  # of its other cases
ALWAYS = {"llada2_grouped_gemm_empty_experts"}  # groups without rows
# Emulator and stand-in add in different orders: FP32 sums differ in their last bits, and what is rounded afterwards
# differs by a step of that type where a sum lies at the border of two.
STEPS = {"FP32": 2.0**-17, "FP16": 2.0**-10, "BF16": 2.0**-7}


class Failure(Exception):
    pass


def cli(*arguments):
    done = subprocess.run([os.environ["CUBIST_CLI"], *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"cubist-cli {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def case_arguments(design):
    return ["--case", design.case_name] if design.case_name else []


def export(design, folder, *more):
    cli("export", design.path, *case_arguments(design), "--format", "pypto", "-o", folder, *more)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def check_files(design, folder):
    """Compiles and lints; the files and the waived findings."""
    for path in sorted(folder.glob("*.py")):
        py_compile.compile(str(path), cfile=str(folder / "compiled"), doraise=True)
    (folder / "compiled").unlink()
    operator = Operator(folder)
    findings = lint(operator)
    bad = [str(finding) for finding in findings if not finding.waiver]
    if bad:
        raise Failure("lint:\n  " + "\n  ".join(bad))
    return operator, sorted({f"{finding.rule}: {finding.waiver}" for finding in findings})


def emulated(design, inputs, folder):
    """Outputs of the emulator on these inputs, as float64."""
    command = ["run", design.path, *case_arguments(design), "--no-golden", "--no-timing", "--save-outputs",
               folder / "out"]
    for name, values in inputs.items():
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={folder / name}.npy"]
    cli(*command)
    found = {}
    for name in design.results():
        decoded = folder / "out" / f"{name}.f32.npy"
        found[name] = np.load(decoded if decoded.exists() else folder / "out" / f"{name}.npy").astype(np.float64)
    return found


@contextlib.contextmanager
def module_of(folder, name):
    """A module of the export, forgotten afterwards."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    before = set(sys.modules)
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for other in set(sys.modules) - before:
            file = getattr(sys.modules[other], "__file__", None) or ""
            if file.startswith(str(folder)):
                del sys.modules[other]


def arguments_of(function, design, inputs):
    """The design's inputs and lists by the names of the parameters."""
    tensors = {name: to_torch(values.copy(), design.tensors[name]["dtype"]) for name, values in inputs.items()}
    arguments = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in tensors:
            arguments[name] = tensors[name]
        elif name in design.lists:
            arguments[name] = list(design.lists[name])
        elif parameter.default is inspect.Parameter.empty:
            raise Failure(f"{function.__name__}: nothing for parameter '{name}'")
    return arguments


def outputs_of(result):
    results = result if isinstance(result, (tuple, list)) else (result,)
    return [tensor.float().numpy().astype(np.float64) if tensor.dtype.is_floating_point
            else tensor.numpy().astype(np.float64) for tensor in results]


def chip_of(design):
    return "950" if design.json["chip"].removeprefix("Ascend").startswith("950") else "A2A3"


def execute(design, folder, inputs):
    with module_of(folder, f"{design.module}_impl") as module, recording(chip_of(design)) as record:
        wrapper = getattr(module, f"{design.module}_wrapper")
        check_signature(design, getattr(module, f"{design.module}_kernel"))
        outputs = outputs_of(wrapper(**arguments_of(wrapper, design, inputs)))
    for number, name in enumerate(design.results()):
        kind = design.tensors[name]["dtype"]
        without = standin_path.TORCH and not hasattr(torch, "float8_e4m3fn")
        if kind == "HF8" or kind in CODES and without:
            codes = outputs[number].astype(np.uint8)  # torch has no such type
            outputs[number] = decode_fp8(codes, DataType[f"DT_{design.tensors[name]['dtype']}"]).astype(np.float64)
    return dict(zip(design.results(), outputs)), record


def compare(design, what, actual, expected):
    """Nearly all elements agree up to summation order and one rounding; all of them within the published tolerance."""
    lines = []
    for name in design.results():
        a, b = actual[name], expected[name]
        if a.shape != b.shape:
            raise Failure(f"{what} '{name}': shape {a.shape}, expected {b.shape}")
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        step = max(STEPS.get(kind, 0.0) for kind in design.types(name))
        kind = design.tensors[name]["dtype"]
        tolerance = design.tensors[name].get("tolerance") or design.json.get("tolerance", {})
        # One step of the output's own type is what a sum at the border of two values makes, whatever was published.
        rtol, atol = max(tolerance.get("rtol", 1e-3), STEPS.get(kind, 0.0)), tolerance.get("atol", 1e-3)
        scale = np.nanmax(np.abs(b), initial=0)
        with np.errstate(invalid="ignore"):
            difference = np.abs(a - b)
            close = same | (difference <= step * np.abs(b) + step * scale / 64) | (kind == "INT8") & (difference <= 1)
            inside = same | (difference <= max(atol, 1 if kind == "INT8" else 0) + rtol * np.abs(b))
        if np.isnan(b).any() or not np.any(b):
            raise Failure(f"'{name}': the emulator's values prove nothing")
        if not inside.all():
            raise Failure(f"{what} '{name}': {1 - inside.mean():.3%} outside of rtol {rtol}, atol {atol}; "
                          f"worst {np.nanmax(difference):g}, {np.isnan(a).sum()} NaN")
        if close.mean() < 0.999:
            raise Failure(f"{what} '{name}': only {close.mean():.3%} equal up to one rounding")
        lines.append(f"{name}: {same.mean():.1%} equal")
    return ", ".join(lines)


def check_record(design, record):
    """Tiles, labels and options against the design's."""
    stages = design.stages()
    tiles = {(label, kind): several for label, kind, several in stages}
    turned = design.transposes()  # stages that exchange axes go on with their tile in the new order
    seen = []
    for event in record.events:
        if event.kind not in ("cube", "vector"):
            continue
        key = (event.label, event.kind)
        if key not in tiles:
            raise Failure(f"{event.op} runs under the label '{event.label}', which no {event.kind} stage has")
        rank = len(event.tile) if event.kind == "vector" else None  # of a lower rank: the first values
        wanted = [tile[:rank] for tile in tiles[key]]
        if event.tile not in wanted and not (event.label in turned and sorted(event.tile) in map(sorted, wanted)):
            raise Failure(f"stage '{event.label}' runs with tile {event.tile}, the design has {tiles[key]}")
        if not seen or seen[-1] != key:
            seen.append(key)
    missing = [label for label, kind, _ in stages if (label, kind) not in seen]
    if missing:
        raise Failure(f"stages {missing} never run")
    order = [(label, kind) for label, kind, _ in stages]
    first = list(dict.fromkeys(seen))
    if first != [key for number, key in enumerate(order) if key not in order[:number]]:
        raise Failure(f"stages run in the order {first}, the design has {order}")
    silent = [note for note in record.notes if "more axes than" in note]
    if silent:
        raise Failure(f"a tile of another rank than the operation: {silent}")
    check_options(design, record)


def plain(setting, vector):
    """A setting in the dialect of names: what the two spellings have in common."""
    numbers = [int(key) for key in setting if key.lstrip("-").isdigit()]
    if any(number >= 0 for number in numbers) or vector and numbers and setting.get("-2") != 1:
        return {int(key) if key.lstrip("-").isdigit() else key: value for key, value in setting.items()}
    return {("DEFAULT" if key == "-1" else key): value for key, value in setting.items() if key != "-2"}


def check_options(design, record):
    written = next(options for options in record.options if not options["in_kernel"])
    passes, runtime = written.get("pass_options", {}), written.get("runtime_options", {})
    for name in ("cube_l1_reuse_setting", "cube_nbuffer_setting", "vec_nbuffer_setting"):
        wanted = plain(design.options.get(name, {}), name.startswith("vec"))
        found = {key: value[0] if isinstance(value, tuple) else value for key, value in passes.get(name, {}).items()}
        if found != wanted:
            raise Failure(f"{name} is {found}, the design has {design.options.get(name)}")
    for name, fallback in (("device_sched_mode", 0), ("device_sched_parallelism", 1), ("stitch_function_max_num", 128),
                           ("max_workspace_kb", 0)):
        if runtime.get(name, fallback) != design.options.get(name, fallback):
            raise Failure(f"{name} is {runtime.get(name)}, the design has {design.options.get(name)}")
    if bool(passes.get("auto_mix_partition", 0)) != design.options.get("auto_mix_partition", False):
        raise Failure("auto_mix_partition differs")
    combined = [event for event in record.events if event.op == "combine_axis" and event.tile]
    if bool(combined) != design.options.get("combine_axis", False):
        raise Failure("combine_axis differs")
    if combined and record.events[0] is not combined[0]:
        raise Failure("combine_axis is not the first call")


def check_signature(design, kernel):
    """The kernel's parameters: every tensor with its type and format; axes that are constants of the compilation have
    the design's value, the others are DYNAMIC, of which a design with groups written out (B') has none."""
    parameters = kernel.signature.parameters
    for name, tensor in design.tensors.items():
        if name not in parameters:
            raise Failure(f"the kernel has no parameter '{name}'")
        shape, kind, format = parameters[name].annotation.annotation
        # Indices are INT64, and so are the words that hold FP32 scales of columns.
        packed = tensor["dtype"] in ("INT32", "FP32", "BF16")
        allowed = {tensor["dtype"]} | ({"INT64"} if packed else set())
        if kind.value not in allowed:
            raise Failure(f"'{name}' is declared {kind.name}, the design has {tensor['dtype']}")
        if (format is TileOpFormat.TILEOP_NZ) != (tensor.get("format") == "NZ"):
            raise Failure(f"'{name}' is declared {format}, the design has {tensor.get('format', 'ND')}")
        dynamic = [extent for extent in shape if isinstance(extent, StatusType)]
        fixed = [extent in (StatusType.DYNAMIC, wanted) for extent, wanted in zip(shape, design.shape(name))]
        if len(shape) != len(tensor["shape"]) or not all(fixed):
            raise Failure(f"'{name}' is declared {shape}, the design has {design.shape(name)}")
        if dynamic and design.json["skeleton"]["variant"] == "B'":
            raise Failure(f"'{name}' is dynamic, the groups are constants")


def check_source(design, operator):
    """Each stage is written out with its own label and its own tile, the tile before the stage."""
    kernel = operator.kernels[0]
    found = [called(node) for node in walk(operator.tree(operator.impl)) if isinstance(node, ast.Call)]
    for name, kind in (("pypto.set_cube_tile_shapes", "cube"), ("pypto.set_vec_tile_shapes", "vector")):
        stages = [tiles for _, stage, tiles in design.stages() if stage == kind]
        branches = sum(len(tiles) - 1 for tiles in stages)  # of tiles that follow a factor
        spare = found.count(name) - len(stages)  # a tile for reshapes of windows, or of another rank
        if spare < 0 or spare > branches and kind == "cube":
            raise Failure(f"{found.count(name)} calls of {name} for {len(stages)} stages")
    if found.count("pypto.set_semantic_label") != len(design.stages()):
        raise Failure("not one label for each stage")
    for block in walk(kernel):
        statements = [tile_or_call(entry) for entry in getattr(block, "body", [])]
        for number, name in enumerate(statements):
            following = statements[number + 1 : number + 2]
            if name == "pypto.set_semantic_label" and (following[0] or "") not in TILES:
                raise Failure(f"no tile behind the label in line {block.body[number].lineno}")


TILES = ("pypto.set_cube_tile_shapes", "pypto.set_vec_tile_shapes")


def tile_or_call(statement):
    """The function that a statement calls; of an `if` that only sets tiles, the one in its first branch."""
    if isinstance(statement, ast.If):
        inside = [called(node) for node in ast.walk(statement) if isinstance(node, ast.Call)]
        return inside[0] if inside and set(inside) <= set(TILES) else None
    return called(statement.value) if isinstance(statement, ast.Expr) else None


def check_integer_keys(design, folder):
    """The other dialect has the keys that the design itself uses, where those are integers."""
    with module_of(folder, f"{design.module}_impl") as module:
        passes = getattr(module, f"{design.module}_kernel").options.get("pass_options", {})
    for name in ("cube_l1_reuse_setting", "cube_nbuffer_setting", "vec_nbuffer_setting"):
        setting = design.options.get(name, {})
        if all(key.lstrip("-").isdigit() for key in setting):
            wanted = {int(key): value for key, value in setting.items()}
            if passes.get(name, {}) != wanted:
                raise Failure(f"--keys integers: {name} is {passes.get(name)}, the design has {setting}")


def golden(design, folder, inputs, expected):
    """The exported golden on the same inputs."""
    with module_of(folder, f"{design.module}_golden") as module:
        function = getattr(module, f"{design.module}_golden")
        outputs = outputs_of(function(**arguments_of(function, design, inputs)))
    return compare_golden(design, dict(zip(design.results(), outputs)), expected)


def compare_golden(design, actual, expected):
    for name in design.results():
        tolerance = design.tensors[name].get("tolerance") or design.json.get("tolerance", {})
        a, b = actual[name], expected[name]
        limit = max(tolerance.get("atol", 1e-3), 1e-4) + max(tolerance.get("rtol", 1e-3), 2.0**-7) * np.abs(b)
        wrong = np.mean(~(np.abs(a - b) <= limit)) if a.shape == b.shape else 1.0
        if wrong > (tolerance.get("max_error_ratio", 0.005) if tolerance.get("criterion") == "error_ratio" else 0.001):
            raise Failure(f"golden '{name}': {wrong:.3%} of {b.shape} outside of the tolerance")
    return "agrees"


def own_test(design, folder):
    """The exported test, on the shim's NPU: seeded inputs, kernel against golden, the published tolerance."""
    if standin_path.TORCH:
        return "simulated only (no NPU beside the real torch)"
    with module_of(folder, f"test_{design.module}") as module, recording(chip_of(design)):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            try:
                module.check(design.case_name or next(iter(module.CASES)))
            except AssertionError as error:
                raise Failure(f"the exported test: {error}") from None
        if "outside" not in said.getvalue():
            raise Failure(f"the exported test compared nothing: {said.getvalue()}")
    return "passes"


def prove(path, case=None, short=False):
    """Raises what is wrong with one case; None: too large. `short`: one export only, nothing of options and dialects,
    which are those of the design and not of its cases."""
    design = Design(path, case)
    default = design.json.get("default_case") or cases_of(path)[0]
    if design.size() > (ELEMENTS if case in (default, *ALWAYS) else OTHERS):
        return None
    start = time.monotonic()
    rng = np.random.default_rng(2026)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        files = export(design, folder / "a")
        if not short and export(design, folder / "b") != files:
            raise Failure("a second export differs")
        impl = [name for name in files if name.endswith("_impl.py")]
        if len(impl) != 1:
            raise Failure(f"files {sorted(files)}")
        design.module = impl[0].removesuffix("_impl.py")
        operator, waived = check_files(design, folder / "a")
        inputs = {name: design.values(name, rng) for name in design.given()}
        expected = emulated(design, inputs, folder)
        outputs, record = execute(design, folder / "a", inputs)
        agreed = compare(design, "kernel", outputs, expected)
        check_record(design, record)
        check_source(design, operator)
        if not short:
            export(design, folder / "c", "--keys", "integers")
            check_integer_keys(design, folder / "c")
        said = golden(design, folder / "a", inputs, expected)
        tested = own_test(design, folder / "a")
    seconds = time.monotonic() - start
    print(f"{design.name} {design.case_name or ''}: {len(files)} files, {agreed}; golden {said}; "
          f"test {tested}; {seconds:.1f} s")
    for text in waived:
        print(f"  waived {text}")
    for note in record.notes:
        print(f"  note: {note}")
    return design


def cases_of(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    return [case["id"] for case in content.get("cases", [])] or [None]


def skeletons():
    """Every template: they are designs."""
    share = pathlib.Path(os.environ["CUBIST_SHARE_DIR"]) / "skeletons"
    return [path for path in sorted(share.glob("*.json")) if "blocks" in json.loads(path.read_text(encoding="utf-8"))]


def single_operations(folder):
    """A file for each design of operations.py, which has to know every vector operation."""
    schema = json.loads((SAMPLES.parent / "resources" / "design.schema.json").read_text(encoding="utf-8"))
    known = {each["op"] for ops in operations.OPERATIONS.values() for each in ops}
    missing = set(schema["$defs"]["vector_op"]["properties"]["op"]["enum"]) - known
    if missing:
        raise Failure(f"tests/pypto/operations.py has no design with {', '.join(sorted(missing))}")
    paths = []
    for name in operations.ALL:
        paths.append(pathlib.Path(folder) / f"{name}.cubist.json")
        paths[-1].write_text(json.dumps(operations.design(name)), encoding="utf-8")
    return paths


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        return prove_all(arguments, folder)


def prove_all(arguments, folder):
    failed = 0
    if arguments == ["--skeletons"]:
        paths = skeletons()
    elif arguments == ["--operations"]:
        paths = single_operations(folder)
    else:
        paths = [pathlib.Path(name) if "/" in name else SAMPLES / f"{name}.cubist.json" for name in arguments]
    if not standin_path.TORCH:
        print("SKIPPED: goldens and tests under torch, which is not installed; they run on a shim of it")
    for path in paths:
        for case in cases_of(path):
            try:
                with contextlib.redirect_stderr(io.StringIO()):
                    if prove(path, case, short=arguments == ["--operations"]) is None:
                        print(f"{path.name.removesuffix('.cubist.json')} {case}: too large to execute in Python")
            except Exception as failure:
                expected = isinstance(failure, (Failure, PyptoError, StandInError))
                said = f"{type(failure).__name__}: {failure}" if expected else traceback.format_exc()
                print(f"FAILED: {path.name} {case or ''}: {said}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
