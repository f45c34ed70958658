# SPDX-License-Identifier: GPL-3.0-or-later
"""hostile_files.py [SECONDS MEGABYTES]: files that lie about themselves, one at a time through every reader of
cubist-cli. Each has to end with a message and exit status 1 or 2 (some may be read: 0), and none may take more
processor time or memory than given; nothing may appear outside of the folder that was asked for."""
import io
import json
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile

CLI = os.environ["CUBIST_CLI"]
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
MEGABYTES = float(sys.argv[2]) if len(sys.argv) > 2 else 200.0
SAMPLE = "glm_gate"
TENSOR = "hidden_states"  # of the sample: FP32 [T, 5120], T = 64
CASE = ["--sym", "T=64", "--no-golden", "--no-timing"]
DESIGN = pathlib.Path(os.environ["CUBIST_SHARE_DIR"]) / "samples" / f"{SAMPLE}.cubist.json"


def npy(header, data=b"", magic=b"\x93NUMPY\x01\x00", length=None):
    text = header.encode("latin1")
    size = len(text) if length is None else length
    return magic + (struct.pack("<H", size & 0xFFFF) if magic[6] == 1 else struct.pack("<I", size)) + text + data


def header(shape, descr="'<f4'", fortran="False"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"


def safetensors(text, length=None, data=b""):
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def archive(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, data in entries:
            file.writestr(name, data)
    return out.getvalue()


def linked(name, target):
    """An archive whose entry says that it is a symbolic link."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        entry = zipfile.ZipInfo(name)
        entry.create_system, entry.external_attr = 3, 0o120777 << 16
        file.writestr(entry, target)
    return out.getvalue()


def packed_otherwise(data):
    """The same archive with a method of compression that there is none of."""
    changed = bytearray(data)
    at = data.rindex(b"PK\x01\x02")
    changed[8:10] = changed[at + 10:at + 12] = struct.pack("<H", 77)
    return bytes(changed)


def sparse(folder, name, start, size):
    path = folder / name
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(size)
    return path


def tensor_files():
    entry = '{"%s":{"dtype":"F32","shape":%s,"data_offsets":%s}}'
    full = header("(64, 5120)")
    bomb = archive([(f"{TENSOR}.npy", npy(full, bytes(200 << 20)))])
    same = archive([(f"{TENSOR}.npy", bytes(20 << 20))])
    at = same.rindex(b"PK\x05\x06")
    first = struct.unpack("<I", same[at + 16:at + 20])[0]
    central = same[first:at]
    overlapping = same[:first] + central * 500 + b"PK\x05\x06" + struct.pack(
        "<HHHHIIH", 0, 0, 500, 500, len(central) * 500, first, 0)
    return {
        "empty.npy": b"",
        "magic.npy": b"\x93NUMPZ\x01\x00" + bytes(100),
        "version.npy": npy(full, magic=b"\x93NUMPY\x09\x00"),
        "header.npy": b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFF0) + b"{",
        "negative.npy": npy(header("(-64, -5120)")),
        "nan.npy": npy(header("(nan, 5120)")),
        "overflow.npy": npy(header("(4294967296, 4294967296, 4294967296)")),
        "short.npy": npy(full),
        "long.npy": npy(full, bytes(64 * 5120 * 4 + 8)),
        "objects.npy": npy(header("(64, 5120)", "'|O'"), b"\x80\x04."),
        "records.npy": npy(header("(64, 5120)", "[('a', '<f4'), ('b', '<f4')]")),
        "nested.npy": npy("{'descr': " + "(" * 60000 + ", 'shape': (64, 5120), }"),
        "code.npy": npy("__import__('os').system('touch marker')"),
        "no order.npy": npy(header("(64, 5120)", fortran="None")),
        "many axes.npy": npy(header("(" + "1, " * 20000 + ")")),
        "zero axis.npy": npy(header("(0, 5120)")),
        "zero and huge axis.npy": npy(header("(0, 9223372036854775807, 9223372036854775807)")),
        "float axis.npy": npy(header("(64.0, 5120)")),
        "axis of a text.npy": npy(header("('64', 5120)")),
        "long axis.npy": npy(header("(" + "9" * 60000 + ", 5120)")),
        "wide elements.npy": npy(header("(64, 5120)", "'<f16'"), bytes(64 * 5120 * 16)),
        "odd order of bytes.npy": npy(header("(64, 5120)", "'=f4'"), bytes(64 * 5120 * 4)),
        "texts.npy": npy(header("(64, 5120)", "'<U2147483647'")),
        "dates.npy": npy(header("(64, 5120)", "'<M8[ns]'"), bytes(64 * 5120 * 8)),
        "parts of elements.npy": npy(header("(64, 5120)", "('<f4', (2, 2))"), bytes(64 * 5120 * 16)),
        "keys twice.npy": npy(header("(1,), 'shape': (64, 5120)")),
        "missing key.npy": npy("{'descr': '<f4', 'shape': (64, 5120), }"),
        "NUL.npy": npy("{'descr': '<f4\0', 'fortran_order': False, 'shape': (64, 5120), }"),
        "bomb.npz": bomb,
        "named twice.npz": archive([(f"{TENSOR}.npy", npy(header("(1,)"), bytes(4))),
                                    (f"{TENSOR}.npy", npy(full, bytes(64 * 5120 * 4)))]),
        "NUL.npz": archive([(f"{TENSOR}.npy?x", npy(full, bytes(64 * 5120 * 4)))]).replace(b".npy?", b".npy\0"),
        "link.npz": linked(f"{TENSOR}.npy", "/etc/passwd"),
        "unknown packing.npz": packed_otherwise(archive([(f"{TENSOR}.npy", npy(full, bytes(64 * 5120 * 4)))])),
        "long name.npz": archive([("n" * 65000 + ".npy", npy(header("(1,)"), bytes(4)))]),
        "folder.npz": archive([(f"{TENSOR}.npy/", b"")]),
        "archive in an archive.npz": archive([(f"{TENSOR}.npy", bomb)]),
        "overlapping.npz": overlapping,
        "traversal.npz": archive([(f"../../../{TENSOR}.npy", b"x"), ("/absolute.npy", b"y")]),
        "cut.npz": bomb[:len(bomb) // 2],
        "nothing.npz": b"PK\x05\x06" + bytes(18),
        "many.npz": archive([(f"a{i}.npy", b"") for i in range(20000)]),
        "length.safetensors": safetensors(b"{}", 1 << 63),
        "header.safetensors": safetensors(b"{}", 99_000_000),
        "nested.safetensors": safetensors(b'{"a":' * 200000 + b"1" + b"}" * 200000),
        "offsets.safetensors": safetensors((entry % (TENSOR, "[64,5120]", "[0,99999999999]")).encode()),
        "negative.safetensors": safetensors((entry % (TENSOR, "[64,-5120]", "[-4,5]")).encode()),
        "nan.safetensors": safetensors((entry % (TENSOR, "[NaN,5120]", "[0,4]")).encode()),
        "twice.safetensors": safetensors((("{" + (entry % (TENSOR, "[1]", "[0,4]"))[1:-1] + ",") +
                                          (entry % (TENSOR, "[64,5120]", "[0,1310720]"))[1:]).encode(),
                                         data=bytes(64 * 5120 * 4)),
        "overlap.safetensors": safetensors((("{" + (entry % ("a", "[2]", "[0,8]"))[1:-1] + ",") +
                                            (entry % (TENSOR, "[2]", "[4,12]"))[1:]).encode(), data=bytes(12)),
        "backwards.safetensors": safetensors((entry % (TENSOR, "[64,5120]", "[1310720,0]")).encode(),
                                             data=bytes(64 * 5120 * 4)),
        "type.safetensors": safetensors((entry % (TENSOR, "[64,5120]", "[0,1310720]")).replace("F32", "F\\u0000").encode(),
                                        data=bytes(64 * 5120 * 4)),
        "zero axis.safetensors": safetensors((entry % (TENSOR, "[0,5120]", "[0,0]")).encode()),
        "cut.safetensors": safetensors((entry % (TENSOR, "[64,5120]", "[0,1310720]")).encode()),
        "overflow.safetensors": safetensors((entry % (TENSOR, "[4294967296,4294967296,8]", "[0,0]")).encode()),
    }


def json_texts():
    """For each reader of JSON: the design, the settings, the bundle's parts, measured files, results, cases."""
    return {
        "nothing": b"",
        "no text": random.Random(1).randbytes(100000),
        "deep list": b"[" * 100000 + b"]" * 100000,
        "deep objects": b'{"a":' * 100000 + b"1" + b"}" * 100000,
        "not finite": b'{"cubist": 1, "traceEvents": [{"ph": "X", "ts": NaN, "dur": Infinity}]}',
        "long number": b'{"cubist": ' + b"1" * 1000000 + b"}",
        "twice": b'{"cubist": 1, "cubist": 1}',
        "many values": b'{"cubist": 1, "tensors": [' + b"1," * 1000000 + b"1]}",
        "other kind": b'{"a": 1}',
        "utf-16": '{"cubist": 1}'.encode("utf-16"),
    }


def kernels():
    head = ("import pypto\n%s@pypto.frontend.jit\ndef k(x: pypto.Tensor([16, 16], pypto.DT_FP32), "
            "y: pypto.Tensor([16, 16], pypto.DT_FP32)):\n    pypto.set_vec_tile_shapes(16, 16)\n%s")
    tree = "".join(f"def f{i}(t):\n    return pypto.add(f{i + 1}(t), f{i + 1}(t))\n" for i in range(40))
    doubled = "A0 = (1, 2)\n" + "".join(f"A{i + 1} = A{i} + A{i}\n" for i in range(60))
    chain = "".join(f"def g{i}(t):\n    return g{i + 1}(t)\n" for i in range(400)) + "class C:\n    x: int = g0(1)\n"
    host = "".join(f"def h{i}(a):\n    return [h{i + 1}(a), h{i + 1}(a)]\n" for i in range(40))
    store = "    y[:] = pypto.mul(x, 2.0)\n"
    return {
        "deep": "x = " + "(" * 50000 + "1" + ")" * 50000 + "\n",
        "powers": head % ("N = 9**9**9**9\nM = 'a' * 10**10\nL = [0] * 10**10\n", "    y[:] = pypto.mul(x, N)\n"),
        "ranges": head % ("", "    for i in range(10**12):\n        for j in range(10**12):\n            y[:] = x\n"),
        "written out": head % ("", "".join("    " * (i + 1) + f"for i{i} in range(1000):\n" for i in range(8)) +
                               "    " * 9 + "if i0 == i7:\n" + "    " * 10 + "y[:] = pypto.mul(x, 2.0)\n"),
        "growing": head % ("", "    p = [x]\n" + "".join(f"    p{i} = [p, p]\n    p = p{i}\n" for i in range(40)) + store),
        "comprehension": head % ("", "    p = [[[x for i in range(900)] for j in range(900)] for k in range(900)]\n" + store),
        "cycle": head % ("def f(t):\n    return g(t)\ndef g(t):\n    return f(t)\n", "    y[:] = f(x)\n"),
        "tree of calls": head % (tree + "def f40(t):\n    return t\n", "    y[:] = f0(x)\n"),
        "doubled": head % (doubled, store) + "    y[:] = pypto.concat(A60)\n",
        "classes of calls": head % (chain, store),
        "callers": host + (head % ("", store)).replace("FP32)):", "FP32), a, b: C = None):") + "k(1, 2, h0(1))\n",
        "names": head % ("", "".join(f"    a{i} = pypto.add(x, x)\n" for i in range(4000)) + store),
        "parameters": "import pypto\n@pypto.frontend.jit\ndef k(" +
                      ", ".join(f"x{i}: pypto.Tensor([16], pypto.DT_FP32)" for i in range(4000)) +
                      "):\n    pypto.set_vec_tile_shapes(16)\n    x0[:] = pypto.mul(x1, 2.0)\n",
        "long sum": head % ("", "    y[:] = x" + " + x" * 20000 + "\n"),
        "big": "x = 1\n" * 2000000,
        "NUL": "import pypto\n\0\n",
        "record": (head % ("", store)) + "CUBIST = '" + "[" * 100000 + "'\n",
    }


class Run:
    def __init__(self, folder):
        self.folder = folder
        self.failures = []
        self.count = 0
        self.worst = [0.0, 0.0]

    def check(self, name, *arguments, codes=(0, 1, 2)):
        """The message is on standard error, and the limits hold."""
        self.count += 1
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen([CLI, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=said, cwd=self.folder, preexec_fn=limits)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = 0
            said.seek(0)
            text = said.read(20000).decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(status)
        seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        self.worst = [max(self.worst[0], seconds), max(self.worst[1], megabytes)]
        why = []
        if code not in codes:
            why.append(f"exit status {code}")
        if code == 2 and "error: " not in text:
            why.append("no message")
        if seconds > SECONDS:
            why.append(f"{seconds:.2f} s")
        if megabytes > MEGABYTES:
            why.append(f"{megabytes:.0f} MB")
        if why:
            self.failures.append(f"{name}: {', '.join(why)}: {text[:200]!r}")

    def file(self, name, data):
        path = self.folder / name.replace(" ", "_")
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return path


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def tensors(run):
    paths = {name: run.file(name, data) for name, data in tensor_files().items()}
    for name, path in paths.items():
        run.check(name, "run", SAMPLE, *CASE, "--input", f"{TENSOR}={path}",
                  codes=(0,) if name == "odd order of bytes.npy" else (2,))
        path.unlink()
    for name, start in (("sparse.npy", npy(header("(64, 5120)"))), ("sparse.bin", b""), ("sparse.data", b""),
                        ("sparse.safetensors", safetensors(b"{}", 1 << 30)), ("sparse.npz", b"PK\x03\x04")):
        path = sparse(run.folder, name, start, 8 << 30)
        run.check(name, "run", SAMPLE, *CASE, "--input", f"{TENSOR}={path}")
        path.unlink()


def places(run):
    """What is no file at all, under every name that a reader may be given."""
    made = {
        "pipe": lambda path: os.mkfifo(path),
        "folder": lambda path: path.mkdir(),
        "endless device": lambda path: path.symlink_to("/dev/zero"),
        "empty device": lambda path: path.symlink_to("/dev/null"),
        "link to itself": lambda path: path.symlink_to(path.name),
        "link to nothing": lambda path: path.symlink_to("nothing"),
        "long name": lambda path: None,
    }
    for what, make in made.items():
        base = "n" * 300 if what == "long name" else what.replace(" ", "_")

        def at(ending):
            path = run.folder / f"{base}{ending}"
            if not os.path.lexists(path) if what != "long name" else False:
                make(path)
            return path

        for ending in (".npy", ".npz", ".bin", ".data", ".safetensors"):
            run.check(f"{what}{ending}", "run", SAMPLE, *CASE, "--input", f"{TENSOR}={at(ending)}", codes=(2,))
            run.check(f"golden, {what}{ending}", "run", SAMPLE, "--sym", "T=64", "--no-timing", "--golden",
                      f"router_logits={at(ending)}", codes=(2,))
        run.check(f"design, {what}", "check", at(".cubist.json"), codes=(2,))
        run.check(f"bundle, {what}", "run", at(".zip"), "--no-timing", codes=(2,))
        run.check(f"kernel, {what}", "import", at(".py"), "-o", run.folder / "out.cubist.json", codes=(2,))
        run.check(f"settings, {what}", "import", at(".json"), DESIGN, "-o", run.folder / "out.cubist.json", codes=(2,))
        run.check(f"measured, {what}", "run", SAMPLE, "--sym", "T=64", "--no-values", "--measured", at(".json"), codes=(2,))
        run.check(f"results, {what}", "compare", at(".json"), at(".json"), codes=(2,))
        run.check(f"cases, {what}", "fidelity", at(".json"), codes=(2,))


def documents(run):
    texts = {name: (data, None) for name, data in json_texts().items()}
    for name, (data, _) in texts.items():
        design = run.file(f"{name}.cubist.json", data)
        other = run.file(f"{name}.json", data)
        run.check(f"design, {name}", "check", design)
        run.check(f"measured, {name}", "run", SAMPLE, "--sym", "T=64", "--no-values", "--measured", other)
        run.check(f"settings, {name}", "import", other, DESIGN, "-o", run.folder / "out.cubist.json", "--force")
        run.check(f"results, {name}", "compare", other, other)
        run.check(f"cases, {name}", "fidelity", other)
        bundle = run.file(f"{name}.zip", archive([("manifest.json", data), ("design.cubist.json", data)]))
        run.check(f"bundle, {name}", "run", bundle, "--no-timing")
        for path in (design, other, bundle):
            path.unlink()
    for name in ("string.cubist.json", "string.json"):
        path = sparse(run.folder, name, b'{"cubist": 1, "name": "', 2 << 30)
        run.check(f"design of 2 GB, {name}", "check", path)
        run.check(f"measured of 2 GB, {name}", "run", SAMPLE, "--no-values", "--measured", path)
        run.check(f"settings of 2 GB, {name}", "import", path, DESIGN, "-o", run.folder / "out.cubist.json")
        run.check(f"results of 2 GB, {name}", "compare", path, path)
        path.unlink()


def long_traces(run):
    """Just under and over what a measured file may have."""
    event = '{"ph":"X","ts":%d,"dur":1,"pid":1,"tid":1,"name":"a(b)"}'
    block = '{"taskId":%d,"seqNo":0,"execStart":%d,"execEnd":%d}'
    core = '{"blockIdx":%d,"coreType":"AIC","tasks":[%s]}'
    for name, first, count, entry, last in (
        ("events", '{"traceEvents":[', 750_000, lambda i: event % i, "]}"),
        ("tasks", '[{"blockIdx":0,"coreType":"AIC","tasks":[', 62_000, lambda i: block % (i, 10 * i, 10 * i + 5), "]}]"),
        ("cores", "[", 450_000, lambda i: core % (i, block % (i, i, i + 1)), "]"),
    ):
        path = run.folder / f"{name}.json"
        with open(path, "w", encoding="utf-8") as file:  # not in memory: a process starts with that of its parent
            file.write(first)
            file.writelines(("," if i else "") + entry(i) for i in range(count))
            file.write(last)
        run.check(f"measured, many {name}", "run", SAMPLE, "--sym", "T=64", "--no-values", "--measured", path)
        path.unlink()


def designs(run):
    text = DESIGN.read_text(encoding="utf-8")
    design = json.loads(text)

    def changed(edit):
        copy = json.loads(text)
        edit(copy)
        return json.dumps(copy)

    loop = next(block for block in design["blocks"] if block["kind"] == "loop")
    place = design["blocks"].index(loop)
    view = next(i for i, block in enumerate(loop["body"]) if block["kind"] == "view")
    for name, edit in {
        "reads itself": lambda d: d["blocks"][place]["body"][view].update(of=loop["body"][view]["out"]),
        "shape below zero": lambda d: d["tensors"][0].update(shape=[-64, 5120]),
        "shape beyond 64 bits": lambda d: d["tensors"][0].update(shape=["9223372036854775807 * T", 5120]),
        "huge tensors": lambda d: d["tensors"][0].update(shape=[1 << 40, 1 << 20]),
        "long expression": lambda d: d["tensors"][0].update(shape=["T" + " + T" * 20000, 5120]),
        "nested expression": lambda d: d["tensors"][0].update(shape=["(" * 20000 + "T" + ")" * 20000, 5120]),
        "symbol of itself": lambda d: d["symbols"][0].update(value="T"),
        "values of a device": lambda d: d["tensors"][0].update(data={"file": "/dev/zero"}),
        "values of a far folder": lambda d: d["tensors"][0].update(data={"file": "../../../../etc/passwd"}),
        "loop of many turns": lambda d: d["blocks"][place].update(axis=1 << 62, tile=1),
        "tile of nothing": lambda d: d["blocks"][place].update(tile=0),
        "many tensors": lambda d: d.update(tensors=[dict(design["tensors"][0], id=f"t{i}") for i in range(20000)]),
    }.items():
        path = run.file(f"{name}.cubist.json", changed(edit))
        run.check(f"design that {name}", "run", path, "--no-golden")
        path.unlink()


def long_keys(count):
    """JSON whose keys take most of its bytes, in parts: what this process holds counts for those that it starts."""
    yield b"{"
    for i in range(count):
        yield b'"%s%d": 0, ' % (b"k" * 240, i)
    yield b'"": 0}'


def long_texts(count):
    yield b"["
    for _ in range(count):
        yield b'"%s", ' % (b"v" * 250)
    yield b"0]"


def numbers(count):
    yield b'{"a": ['
    for _ in range(count):
        yield b"0, "
    yield b"0]}"


def blanks(count):
    for _ in range(count >> 20):
        yield b" " * (1 << 20)


def large_documents(run):
    """Every reader of JSON, with text that takes more memory as values, and with what does not end."""
    path = run.folder / "large.json"
    for name, parts in {"keys": long_keys(240_000), "keys below the limits": long_keys(60_000),
                        "texts": long_texts(240_000), "texts below the limits": long_texts(60_000),
                        "blanks": blanks(66 << 20), "numbers": numbers(245_000)}.items():
        with open(path, "wb") as file:
            file.writelines(parts)
        for command in (("check", path), ("run", path), ("compare", path, path), ("fidelity", path)):
            run.check(f"{command[0]} of {name}", *command)
        path.unlink()
    for command in (("check", "/dev/zero"), ("run", "/dev/zero"), ("compare", "/dev/zero", "/dev/zero"),
                    ("fidelity", "/dev/zero")):
        run.check(f"{command[0]} of /dev/zero", *command)


def bundles(run):
    made = run.folder / "made.zip"
    done = subprocess.run([CLI, "export", SAMPLE, "--sym", "T=64", "--format", "bundle", "-o", made], check=False,
                          capture_output=True)
    if done.returncode not in (0, 1):
        run.failures.append(f"no bundle: {done.stderr[:200]!r}")
        return
    with zipfile.ZipFile(made) as file:
        parts = [(each, file.read(each)) for each in file.namelist()]
    whole = made.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for name, data in {
        "cut": whole[:len(whole) // 2],
        "one bit": bytes(flipped),
        "outside": archive([(f"../{each}", data) for each, data in parts]),
        "absolute": archive([(f"/tmp/{each}", data) for each, data in parts]),
        "a part too many": archive(parts + [("more.bin", bytes(1 << 20))]),
        "a bomb": archive([(each, data + b" " * (150 << 20) if each.endswith(".json") else data)
                           for each, data in parts]),
        "without its first": archive(parts[1:]),
    }.items():
        path = run.file(f"{name}.zip", data)
        run.check(f"bundle, {name}", "run", path, "--no-timing")
        path.unlink()
    path = run.folder / "bomb.zip"
    for name, contents in {"keys": long_keys(240_000), "texts": long_texts(240_000),
                           "keys below the limits": long_keys(60_000)}.items():
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("manifest.json", "w") as entry:
            entry.writelines(contents)
        run.check(f"bundle, a bomb of {name}", "run", path, "--no-timing")
        path.unlink()


def main():
    before = {each.name for each in pathlib.Path("/tmp").iterdir()}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "inner" / "most"
        folder.mkdir(parents=True)
        run = Run(folder)
        tensors(run)
        places(run)
        documents(run)
        long_traces(run)
        designs(run)
        bundles(run)
        large_documents(run)
        for kernel, text in kernels().items():
            path = run.file(f"{kernel}.py", text)
            run.check(f"kernel, {kernel}", "import", path, "-o", folder / "kernel.cubist.json", "--force")
            path.unlink()
        outside = [str(each) for each in pathlib.Path(name).rglob("*") if folder not in each.parents and each != folder
                   and each != folder.parent]
        if outside or (folder / "marker").exists():
            run.failures.append(f"written outside of the folder: {outside}")
    left = {each.name for each in pathlib.Path("/tmp").iterdir()} - before - {pathlib.Path(name).name}
    if any("hidden_states" in each or "manifest" in each for each in left):
        run.failures.append(f"left in the folder for temporary files: {sorted(left)}")
    print(f"{run.count} files, at most {run.worst[0]:.2f} s and {run.worst[1]:.0f} MB", *run.failures, sep="\n")
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
