# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks every case of every sample, and runs those that take a short time. What does not fit the memory of a small
machine has to be refused with the arithmetic. Exit 1: a case failed."""
import ast
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
LIMIT = 6 << 30  # bytes: what needs more must be refused
GOLDEN_LIMIT = 2 * 10**9  # multiply-adds: above, the golden is a sample of each output
BITS = {"FP32": 32, "INT32": 32, "FP16": 16, "BF16": 16, "INT16": 16, "INT64": 64, "INT4": 4, "FP4E2M1": 4, "FP4E1M2": 4}

# Fit, but take minutes together; only checked here.
LONG = {
    "fused_swiglu_m220000": "2.3e11 multiply-adds",
    "qgmm_inplace_add_case2": "3.2 GiB of memory",
    "qgmm_inplace_add_case3": "5.2e10 multiply-adds, 3.4 GiB of memory",
    "qgmm_inplace_add_case4": "6.0e10 multiply-adds, 3.5 GiB of memory",
    "qbmm_b8_m128_k7168_n2048": "1.5e10 multiply-adds in 1024 tiles of 4 rows",
    "qbmm_b32_m64_k6144_n2048": "2.6e10 multiply-adds in 2048 tiles of 4 rows",
    "tqbmm_test3": "6.9e10 multiply-adds, 3.8 GiB of memory",
    "gmmfr_case1": "1.5e11 multiply-adds",
    "sfa_forward_tnd_7": "3.7e10 multiply-adds, 3.9 GiB of memory",
}


def evaluate(expression, names):
    """An extent: an integer or a formula over symbols and lists."""
    if isinstance(expression, int):
        return expression
    functions = {"min": min, "max": max, "len": len, "sum": sum, "ceildiv": lambda a, b: -(-a // b)}
    tree = ast.parse(expression, mode="eval")
    return eval(compile(tree, "expression", "eval"), {"__builtins__": {}}, {**functions, **names})


def bytes_of(design, case):
    names = {symbol["id"]: symbol.get("value", 1) for symbol in design.get("symbols", [])}
    names.update({entry["id"]: entry.get("value", []) for entry in design.get("lists", [])})
    names.update(case.get("symbols", {}))
    names.update(case.get("lists", {}))
    total = 0
    for tensor in design["tensors"]:
        bits = BITS.get(tensor["dtype"], 8)
        for extent in tensor["shape"]:
            bits *= evaluate(extent, names)
        total += bits // 8
    return total


def run(arguments):
    return subprocess.run([os.environ["CUBIST_CLI"], *arguments], capture_output=True, text=True)


def seconds_used():
    """Of all cores, by what was run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_case(path, design, case):
    """What went wrong, or nothing; and what was done."""
    name = case["id"]
    size = bytes_of(design, case)
    command = ["run", str(path), "--case", name, "--golden-limit", str(GOLDEN_LIMIT), "--max-memory", str(LIMIT)]
    refusal = 3 * size + (256 << 20) > LIMIT
    if refusal or name in LONG:  # a run checks what it runs
        checked = run(["check", str(path), "--case", name])
        if checked.returncode != 0:
            return f"check: exit {checked.returncode}: {checked.stderr.strip()}", "checked"
    if refusal:
        refused = run(command)
        if refused.returncode != 2 or "GiB" not in refused.stderr:
            return f"{size} bytes of tensors: exit {refused.returncode} instead of a refusal", "refused"
        return None, "refused: " + refused.stderr.strip().splitlines()[0]
    if name in LONG:
        return None, f"checked only: {LONG[name]}"
    done = run([*command, "--json", "-"])
    if done.returncode == 2 and "GiB workspaces" in done.stderr:
        return None, "refused: " + done.stderr.strip().splitlines()[0]
    if done.returncode != 0:
        return f"run: exit {done.returncode}: {done.stderr.strip()}", "run"
    accuracy = json.loads(done.stdout)["accuracy"]
    if accuracy["verdict"] != "pass":
        return f"verdict {accuracy['verdict']}", "run"
    return None, "passed" + (" (sampled golden)" if accuracy["sampled"] else "")


def main(names):
    failed = False
    unknown = set(names) - {json.loads(path.read_text(encoding="utf-8"))["name"] for path in SAMPLES.glob("*.cubist.json")}
    if unknown:
        print("no such sample: " + ", ".join(sorted(unknown)))
        return 1
    for path in sorted(SAMPLES.glob("*.cubist.json")):
        design = json.loads(path.read_text(encoding="utf-8"))
        if names and design["name"] not in names:
            continue
        for case in design.get("cases", [{"id": ""}]):
            begin, used = time.monotonic(), seconds_used()
            problem, action = check_case(path, design, case)
            failed |= problem is not None
            print(f"{design['name']} {case['id']}: {'FAILED: ' + problem if problem else action} "
                  f"[{time.monotonic() - begin:.1f} s, CPU {seconds_used() - used:.1f} s]", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
