# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a sample on given inputs and judges what it writes against a reference that shares nothing with it."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"


class Failure(Exception):
    pass


class Run:
    """One run of a sample: inputs by tensor (what the .npy files hold), expected outputs by tensor (float64 values or
    integers), or a function of all outputs for what depends on an output that may differ by a rounding."""

    def __init__(self, name, inputs, expected, case=None, symbols=None):
        self.name, self.inputs, self.expected = name, inputs, expected
        self.case, self.symbols = case, symbols or {}


def saved(folder, name, values):
    path = folder / f"{name}.npy"
    np.save(path, values)
    return path


def execute(sample, run, files):
    """Outputs of one run on the files of its inputs, decoded."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [os.environ["CUBIST_CLI"], "run", str(SAMPLES / f"{sample}.cubist.json"), "--no-golden", "--no-timing",
                   "--save-outputs", str(folder / "out"), "--json", "-"]
        if run.case:
            command += ["--case", run.case]
        for name, value in run.symbols.items():
            command += ["--sym", f"{name}={json.dumps(value)}"]
        for name, path in files.items():
            command += ["--input", f"{name}={path}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{sample} {run.name}: exit {done.returncode}\n{done.stderr}")
        outputs = {}
        for name in run.expected:
            decoded = folder / "out" / f"{name}.f32.npy"
            outputs[name] = np.load(decoded if decoded.exists() else folder / "out" / f"{name}.npy")
        return outputs


@functools.lru_cache
def design_of(sample):
    return json.loads((SAMPLES / f"{sample}.cubist.json").read_text(encoding="utf-8"))


def tolerance_of(sample, tensor):
    design = design_of(sample)
    chosen = next(t for t in design["tensors"] if t["id"] == tensor).get("tolerance") or design.get("tolerance", {})
    if chosen.get("dtype_defaults"):
        return {"criterion": "allclose", "rtol": 1e-3, "atol": 1e-3}
    return chosen


def wrong_share(tolerance, actual, expected):
    """Share of the elements beyond the tolerance, and how large a share may be."""
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    if actual.shape != expected.shape:
        raise Failure(f"shape {actual.shape}, expected {expected.shape}")
    limit = tolerance.get("atol", 1e-3) + tolerance.get("rtol", 1e-3) * np.abs(expected)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        wrong = ~same & ~(np.abs(actual - expected) <= limit)
    allowed = tolerance.get("max_error_ratio", 0.005) if tolerance.get("criterion") == "error_ratio" else 0.0
    return float(np.mean(wrong)), allowed


def misses(sample, run, outputs, names=None):
    """A sentence for each of the outputs (all, or those named) that is not what the reference says."""
    for name in names or run.expected:
        expected = run.expected[name]
        if callable(expected):
            expected = expected(outputs)
        share, allowed = wrong_share(tolerance_of(sample, name), outputs[name], expected)
        if share > allowed:
            worst = np.nanmax(np.abs(np.asarray(outputs[name], np.float64) - expected))
            yield f"{share:.3%} of '{name}' wrong ({allowed:.3%} may be), largest difference {worst:g}"


def check(sample, runs):
    """All runs agree with their references; and the comparison notices a changed output and a changed input."""
    with tempfile.TemporaryDirectory() as folder:
        check_in(pathlib.Path(folder), sample, list(runs))


def check_in(folder, sample, runs):
    all_files, all_outputs = [], []
    for number, run in enumerate(runs):
        (folder / str(number)).mkdir()
        files = {name: saved(folder / str(number), name, values) for name, values in run.inputs.items()}
        outputs = execute(sample, run, files)
        all_files.append(files)
        all_outputs.append(outputs)
        if found := list(misses(sample, run, outputs)):
            raise Failure(f"{sample} {run.name}: " + "; ".join(found))
        for name, values in outputs.items():
            if values.size == 0 or not np.any(values):
                raise Failure(f"{sample} {run.name}: '{name}' is all zero, which proves nothing")
        print(f"{sample} {run.name}: {', '.join(outputs)} agree")
    first, files, outputs = runs[0], all_files[0], all_outputs[0]
    for name in first.expected:
        changed = dict(outputs)
        values = np.asarray(outputs[name], np.float64)
        changed[name] = values * 1.1 + 10 * tolerance_of(sample, name).get("atol", 1e-3) + 1e-6
        if not any(misses(sample, first, changed, [name])):
            raise Failure(f"{sample}: the comparison does not notice a wrong '{name}'")
    for name, values in first.inputs.items():
        turned = np.roll(values.reshape(-1), values.size // 2 + 1).reshape(values.shape)
        if np.array_equal(turned, values):
            continue
        if not any(misses(sample, first, execute(sample, first, {**files, name: saved(folder, name, turned)}))):
            raise Failure(f"{sample}: the comparison does not notice another '{name}'")
    print(f"{sample}: wrong outputs and wrong inputs are noticed")
