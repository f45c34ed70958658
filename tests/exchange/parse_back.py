# SPDX-License-Identifier: GPL-3.0-or-later
"""parse_back.py SAMPLE: every format that the program writes of this sample, read back without its code.

The formats are the program's own list, and so are the options of `run` and `check` that write files: one that no reader
below knows fails. What is read is compared with the JSON of the same run, and with the design's file."""
import ast
import bisect
import collections
import csv
import functools
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
LANES = {"SCALAR": 1, "MTE1": 3, "CUBE": 4, "FIXP": 5, "MTE2": 6, "VECTOR": 7, "MTE3": 8}
PIPES = {"CUBE": "M", "VECTOR": "V", "FIXP": "FIX", "SCALAR": "S", "MTE1": "MTE1", "MTE2": "MTE2", "MTE3": "MTE3"}


class Failure(Exception):
    pass


def need(holds, text):
    if not holds:
        raise Failure(text)


def close(a, b, tolerance, what):
    need(math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance), f"{what}: {a}, the run says {b}")


def cli(*arguments, code=0):
    done = subprocess.run([os.environ["CUBIST_CLI"], *map(str, arguments)], capture_output=True, text=True)
    need(done.returncode == code, f"{' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}")
    return done


def stages_with_tables(blocks):
    for block in blocks:
        if "tile_by" in block:
            yield block["id"]
        yield from stages_with_tables(block.get("body", []))


class Sample:
    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.design = json.loads((SAMPLES / f"{name}.cubist.json").read_text(encoding="utf-8"))
        self.report = json.loads(cli("run", name, "--no-golden", "--json", "-").stdout)
        self.timing = self.report["timing"]
        self.stages = {stage["id"]: stage for stage in self.timing["stages"]}
        self.tasks = sum(stage["tasks"] for stage in self.timing["stages"])
        self.tables = set(stages_with_tables(self.design["blocks"]))
        self.outputs = [each["id"] for each in self.design["tensors"] if each["role"] in ("output", "inout")]


@functools.lru_cache(maxsize=1)
def parsed(text):
    """A trace, for several looks at it."""
    trace = json.loads(text)
    by_phase = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        by_phase[event["ph"]].append(event)
    return trace, by_phase


def events(text, phase):
    return parsed(text)[1][phase]


def read_config(sample, path):
    config = json.loads(path.read_text(encoding="utf-8"))
    need(config["design"] == sample.name and config["chip"] == sample.report["chip"], "design and chip")
    need({stage["id"] for stage in config["stages"]} == set(sample.stages), "the stages")
    for stage in config["stages"]:
        tile = stage["matmul"]["cube_tile"] if stage["kind"] == "C" else stage["vector"]["vec_tile"]
        if stage["id"] in sample.tables:  # of the factor that runs, or of the table's row
            need(all(n > 0 for n in (tile if isinstance(tile, list) else tile["m"] + tile["k"] + tile["n"])), "a tile")
        else:
            need(tile == sample.report["settings"]["stages"][stage["id"]]["tile"], f"the tile of {stage['id']}")
    close(config["predicted"]["kernel_us"], sample.timing["kernel_us"], 1e-6, "the predicted time")
    changed = cli("import", path, sample.name, "-o", sample.folder / "config.cubist.json")
    need("left" not in changed.stdout, changed.stdout)


def read_snippet(sample, path):
    tree, labels, tiles = ast.parse(path.read_text(encoding="utf-8")), [], collections.defaultdict(list)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).removeprefix("pypto.")
        if name == "set_semantic_label":
            labels.append(ast.literal_eval(node.args[0]))
        elif name.endswith("_tile_shapes"):
            tiles[labels[-1]].append([ast.literal_eval(entry) for entry in node.args])
    need(len(labels) == len(sample.stages), f"{len(labels)} labels")
    for (stage, settings), label in zip(sample.report["settings"]["stages"].items(), labels):
        tile = settings["tile"]
        wanted = [tile["m"], tile["k"], tile["n"]] if isinstance(tile, dict) else tile
        need(tiles[label] and tiles[label][0] == wanted, f"the tile of {stage}: {tiles[label]}, not {wanted}")


def read_pypto(sample, path):
    files = {file.name: file.read_text(encoding="utf-8") for file in path.iterdir()}
    for name, text in files.items():
        if name.endswith(".py"):
            compile(text, name, "exec")
    impl = next(name for name in files if name.endswith("_impl.py"))
    record = next(ast.literal_eval(node.value) for node in ast.parse(files[impl]).body
                  if isinstance(node, ast.Assign) and node.targets[0].id == "CUBIST")
    need(json.loads(record)["design"]["blocks"] == sample.design["blocks"], "the blocks of the design it records")
    back = sample.folder / "back.cubist.json"
    cli("import", path / impl, "-o", back)
    again = sample.folder / "again"
    cli("export", back, "--format", "pypto", "-o", again)
    need({file.name: file.read_text(encoding="utf-8") for file in again.iterdir()} == files, "exported again")


def check_lanes(text, what):
    """No slice of a lane begins before the one before it ends; none is negative. Bounds are rounded to picoseconds."""
    lanes = collections.defaultdict(list)
    for event in events(text, "X"):
        need(all(isinstance(event[key], (int, float)) for key in ("ts", "dur")), f"{what}: times are numbers")
        need(event["ts"] >= 0 and event["dur"] >= 0, f"{what}: {event['name']} at {event['ts']} for {event['dur']}")
        lanes[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for lane, spans in lanes.items():
        spans.sort()
        for (_, end), (start, _) in zip(spans, spans[1:]):
            need(end <= start + 1e-5, f"{what}: slices overlap in lane {lane} at {start}")
    return lanes


def check_flows(text, what, last):
    """Each flow begins once and ends once, later, and in slices of its lanes."""
    lanes = {lane: sorted(spans) for lane, spans in check_lanes(text, what).items()}
    begins, ends = events(text, "s"), {event["id"]: event for event in events(text, last)}
    need(len(ends) == len(begins) == len(events(text, last)) and {event["id"] for event in begins} == set(ends),
         f"{what}: flows without a begin or an end")
    for begin in begins:
        end = ends[begin["id"]]
        need(begin["ts"] <= end["ts"] and begin["cat"] == end["cat"], f"{what}: flow {begin['id']} goes back")
        for event in (begin, end):
            spans = lanes.get((event["pid"], event["tid"]), [])
            at = bisect.bisect_right(spans, (event["ts"] + 1e-5, math.inf))
            need(any(start - 1e-5 <= event["ts"] <= stop + 1e-5 for start, stop in spans[max(0, at - 2) : at]),
                 f"{what}: flow {event['id']} is in no slice")


def read_perfetto(sample, path):
    text = path.read_text(encoding="utf-8")
    slices = events(text, "X")
    check_flows(text, "perfetto", "f")
    everything = parsed(text)[0]["traceEvents"]
    need(all(isinstance(event.get(key, 0), int) for event in everything for key in ("pid", "tid", "id")), "integer ids")
    named = {(event["pid"], event["tid"]) for event in events(text, "M") if event["name"] == "thread_name"}
    need({(event["pid"], event["tid"]) for event in slices} <= named, "lanes without a name")
    tasks = [event for event in slices if event["cat"] in ("C", "V")]
    need(len(tasks) == sample.tasks, f"{len(tasks)} tasks, not {sample.tasks}")
    end = max(event["args"]["end_ticks"] for event in slices)
    need(end == sample.timing["kernel_ticks"], f"ends at {end}")
    busy = sum(event["args"]["end_ticks"] - event["args"]["start_ticks"] for event in slices
               if event["cat"] == "instruction")
    if parsed(text)[0]["otherData"]["pipes"] == "shown":
        need(busy == sample.timing["causes_ticks"]["busy"], f"{busy} ticks of instructions")


def read_swimlane(sample, path):
    text = path.read_text(encoding="utf-8")
    tasks = events(text, "X")
    need(len(tasks) == sample.tasks, f"{len(tasks)} tasks, not {sample.tasks}")
    labels = collections.Counter(re.fullmatch(r"\d+-\d+-\d+-\d+-\d+\((.+)\)", event["name"])[1] for event in tasks)
    known = {settings["label"] or stage for stage, settings in sample.report["settings"]["stages"].items()}
    need(set(labels) <= known, f"labels {set(labels) - known}")
    lanes = {event["tid"] for event in events(text, "M") if event["name"] == "thread_name"}
    need({event["tid"] for event in tasks} <= lanes, "tasks on lanes without a name")
    check_flows(text, "swimlane", "f")
    hints = {"event-hint", "ioperand-hint", "ooperand-hint", "execution-hint", "color", "taskId", "seqNo", "wrapId",
             "hashOrder-hint", "syncEvents"}
    need(all(event["cat"] == "event" and set(event["args"]) >= hints for event in tasks), "hints of tasks")
    need(len({event["id"] for event in tasks}) == len(tasks), "ids of tasks")
    need(all(event["tid"] >= 1002 and event["tid"] % 2 == 0 and event["pid"] == 1 for event in tasks), "lanes of tasks")
    counters = {event["name"] for event in events(text, "C")}
    need(counters == {"ReadyCount_AIC", "ReadyCount_AIV", "ReadyCount_Total"}, f"counters {counters}")
    end = max((event["ts"] + event["dur"] for event in tasks), default=0)
    close(end, sample.timing["kernel_us"], 1e-4, "the last end")


def read_mindstudio(sample, path):
    text = path.read_text(encoding="utf-8")
    need(list(parsed(text)[0]) == ["schemaVersion", "displayTimeUnit", "profilingType", "traceEvents"], "the keys")
    check_flows(text, "mindstudio", "t")
    busy, instructions = collections.Counter(), events(text, "X")
    need(all(re.fullmatch(r"core\d+\.(cubecore0|veccore[0-2])", event["pid"]) for event in instructions), "cores")
    need(all(set(event["args"]) == {"pc_addr", "code", "detail"} and event["cname"] for event in instructions), "args")
    order = {event["tid"]: event["args"]["sort_index"] for event in events(text, "M")
             if event["name"] == "thread_sort_index"}
    need(set(order.items()) <= set(LANES.items()), f"order of lanes {order}")
    for event in instructions:
        busy[PIPES[event["tid"]]] += event["dur"]
    for pipe, times in sample.timing["pipes"].items():
        close(busy[pipe], times["busy_us"], 1e-6 * (len(instructions) + 10), f"pipe {pipe}")


def read_csv(sample, path):
    tables = {file.name: list(csv.DictReader(file.open(encoding="utf-8", newline=""))) for file in path.iterdir()}
    wanted = {"causes.csv", "pipes.csv", "PipeUtilization.csv", "stages.csv", "tasks.csv"}
    need(set(tables) == wanted, f"tables {set(tables) ^ wanted}")
    need({row["cause"]: int(row["ticks"]) for row in tables["causes.csv"]} == sample.timing["causes_ticks"], "causes")
    need(len(tables["tasks.csv"]) == sample.tasks, "tasks")
    need({row["id"]: int(row["tasks"]) for row in tables["stages.csv"]} ==
         {name: stage["tasks"] for name, stage in sample.stages.items()}, "stages")
    counted = collections.Counter(row["stage"] for row in tables["tasks.csv"])
    need(set(counted) <= set(sample.stages), "stages of tasks")
    for row in tables["pipes.csv"]:
        close(float(row["busy_us"]), sample.timing["pipes"][row["pipe"]]["busy_us"], 1e-5, row["pipe"])
    for row in tables["PipeUtilization.csv"]:
        for name in row:
            if name.endswith("_ratio") and row[name]:
                kind = name.split("_")[0]
                time, whole = float(row[name.replace("_ratio", "_time(us)")]), float(row[f"{kind}_time(us)"])
                need(0 <= float(row[name]) <= 1, f"{name} is {row[name]}")
                close(float(row[name]) * whole, time, 1e-4, name)
    cube = sum(float(row["aic_mac_time(us)"] or 0) for row in tables["PipeUtilization.csv"])
    close(cube, sample.timing["pipes"]["M"]["busy_us"], 1e-4, "mac times")


def read_bundle(sample, path):
    with zipfile.ZipFile(path) as archive:
        need(archive.testzip() is None, "a broken entry")
        names = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(names["manifest.json"])
    need(all(name in names for name in ("design.cubist.json", "chip.json", "run.json")), f"entries {set(names)}")
    need(json.loads(names["design.cubist.json"])["blocks"] == sample.design["blocks"], "the design")
    need(json.loads(names["run.json"])["timing"]["kernel_ticks"] == sample.timing["kernel_ticks"], "the time")
    need(manifest, "an empty manifest")
    need("reproduced bit for bit" in cli("run", path).stderr, "it does not reproduce")


def npy_array(data):
    """Type, shape and bytes of a .npy file."""
    need(data[:6] == b"\x93NUMPY", "no .npy")
    width = 2 if data[6] == 1 else 4
    length = struct.unpack("<H" if width == 2 else "<I", data[8 : 8 + width])[0]
    head = ast.literal_eval(data[8 + width : 8 + width + length].decode("latin-1").strip())
    need(not head["fortran_order"], "Fortran order")
    body = data[8 + width + length :]
    need(len(body) == math.prod(head["shape"]) * int(head["descr"][2:]), "the length of the data")
    return head["descr"], list(head["shape"]), body


def read_outputs(sample, path):
    names = [file.name.removesuffix(".npy") for file in path.iterdir() if not file.name.endswith(".f32.npy")]
    need(sorted(names) == sorted(sample.outputs), f"outputs {names}, not {sample.outputs}")
    archive = sample.folder / "outputs.npz"
    cli("run", sample.name, "--no-golden", "--no-timing", "--save-outputs", archive)
    with zipfile.ZipFile(archive) as packed:
        for name in sample.outputs:
            single = npy_array((path / f"{name}.npy").read_bytes())
            need(npy_array(packed.read(f"{name}.npy")) == single, f"{name} in the .npz is another one")
            need(single[1] == sample.report["settings"]["tensors"][name], f"{name}: shape {single[1]}")
    together = sample.folder / "outputs.safetensors"
    cli("run", sample.name, "--no-golden", "--no-timing", "--save-outputs", together)
    found = safe_arrays(together)
    need(sorted(found) == sorted(sample.outputs), f"tensors {sorted(found)}")
    for name, (_, shape, body) in found.items():
        need([shape, body] == list(npy_array((path / f"{name}.npy").read_bytes())[1:]), f"{name} is another one")


def safe_arrays(path):
    """Type, shape and bytes of every tensor of a .safetensors file."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    head, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    types = head.pop("__metadata__")
    need(set(types) == set(head), "types of other tensors")
    need(sorted(entry["data_offsets"][0] for entry in head.values())[0] == 0, "a gap before the first tensor")
    return {name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])]) for name, entry in head.items()}


def read_stages(sample, path):
    arrays = [npy_array(file.read_bytes()) for file in path.glob("*.npy")]
    need(arrays or len(sample.stages) == 1, "no values between the stages")
    need(all(any(body) for _, _, body in arrays), "values that are all zero")


def read_report(sample, path):
    need({file.name for file in path.iterdir()} == {"report.html", "report.txt", "run.json"}, "the files")
    report = json.loads((path / "run.json").read_text(encoding="utf-8"))
    need(report["timing"] == sample.timing, "run.json")
    for name in ("report.html", "report.txt"):
        text = (path / name).read_text(encoding="utf-8")
        need(sample.name in text and all(stage in text for stage in sample.stages), name)


def read_json(sample, path):
    report = json.loads(path.read_text(encoding="utf-8"))
    need(report["timing"] == sample.timing and report["findings"] == sample.report["findings"], "another run")


def read_sarif(sample, path):
    log = json.loads(path.read_text(encoding="utf-8"))
    need(log["version"] == "2.1.0" and len(log["runs"]) == 1, "the version")
    results, rules = log["runs"][0]["results"], log["runs"][0]["tool"]["driver"]["rules"]
    found = [finding["id"] for finding in json.loads(cli("check", sample.name, "--json", "-").stdout)["findings"]]
    need([result["ruleId"] for result in results] == found, "the findings")
    need(all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results), "indices of rules")


FORMATS = {"config": read_config, "snippet": read_snippet, "pypto": read_pypto, "perfetto": read_perfetto,
           "pypto-swimlane": read_swimlane, "mindstudio": read_mindstudio, "csv": read_csv, "bundle": read_bundle}
OF_RUN = {"--json": read_json, "--trace": read_perfetto, "--save-outputs": read_outputs, "--save-stages": read_stages,
          "--report": read_report}
OF_CHECK = {"--json": None, "--sarif": read_sarif}  # --json is read beside --sarif
NOT_WRITTEN = {"--input", "--golden", "--measured"}  # files that are read


def known(listed, readers, what):
    need(set(listed) == set(readers), f"{what}: no reader of {set(listed) - set(readers)}, or nothing that writes "
         f"{set(readers) - set(listed)}")


def file_options(command):
    text = cli(command, "--help").stdout
    return set(re.findall(r"^ {2}(?:-\w, )?(--[a-z-]+) (?:FILE|DIR|TENSOR=FILE)\b", text, re.M)) - NOT_WRITTEN


def main(name):
    said = cli("export", name, "--format", "?", "-o", "-", code=2).stderr
    known(re.search(r"available: ([^)]*)", said)[1].split(", "), FORMATS, "formats of export")
    known(file_options("run"), OF_RUN, "files of run")
    known(file_options("check"), OF_CHECK, "files of check")
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        sample = Sample(name, pathlib.Path(temporary))
        writes = [(format, reader, ("export", name, "--format", format, "-o")) for format, reader in FORMATS.items()]
        # One run that writes everything; each file is read by itself.
        together = [part for option in OF_RUN for part in (option, sample.folder / option.strip("-"))]
        cli("run", name, "--no-golden", *together)
        writes += [(option, reader, None) for option, reader in OF_RUN.items()]
        writes += [(option, reader, ("check", name, option)) for option, reader in OF_CHECK.items() if reader]
        for what, reader, command in writes:
            path = sample.folder / what.strip("-")
            try:
                if command:
                    cli(*command, path)
                reader(sample, path)
                print(f"{name} {what}: read back")
            except (Failure, KeyError, IndexError, ValueError, StopIteration) as failure:
                print(f"FAILED: {name} {what}: {type(failure).__name__}: {failure}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
