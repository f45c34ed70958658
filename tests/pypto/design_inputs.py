# SPDX-License-Identifier: GPL-3.0-or-later
"""Designs as the proof of exports reads them: extents, inputs as their `data` says, stages with tiles and labels."""
import ast
import json
import math

import numpy as np

FLOAT_FILES = {"FP32": np.float32, "FP16": np.float16, "BF16": np.float32, "FP8E4M3": None, "FP8E5M2": None,
               "FP8E8M0": None}
INTEGERS = {"INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "INT64": np.int64, "UINT8": np.uint8,
            "INT4": np.int8,
            "BOOL": np.bool_}
CODES = {"FP8E4M3", "FP8E5M2", "FP8E8M0", "HF8"}


class Design:
    """A design file with one case chosen."""

    def __init__(self, path, case=None):
        self.path = path
        self.json = json.loads(path.read_text(encoding="utf-8"))
        self.name = self.json["name"]
        cases = self.json.get("cases", [])
        wanted = case or self.json.get("default_case") or (cases[0]["id"] if cases else None)
        self.case = next((entry for entry in cases if entry["id"] == wanted), {})
        self.case_name = self.case.get("id")
        for place, value in self.case.get("set", {}).items():
            put(self.json, place, value)
        self.symbols = {symbol["id"]: symbol.get("value", 1) for symbol in self.json.get("symbols", [])}
        self.symbols.update(self.case.get("symbols", {}))
        self.lists = {entry["id"]: entry.get("value", []) for entry in self.json.get("lists", [])}
        self.lists.update(self.case.get("lists", {}))
        self.forms = {entry["id"]: entry.get("form", "plain") for entry in self.json.get("lists", [])}
        self.tensors = {tensor["id"]: tensor for tensor in self.json["tensors"]}
        self.options = self.json.get("options", {})

    def evaluate(self, expression, more=None):
        if isinstance(expression, int):
            return expression
        functions = {"min": min, "max": max, "len": len, "sum": sum, "ceildiv": lambda a, b: -(-a // b)}
        tree = compile(ast.parse(expression, mode="eval"), "expression", "eval")
        return eval(tree, {"__builtins__": {}}, {**functions, **self.symbols, **self.lists, **(more or {})})

    def shape(self, tensor):
        return [self.evaluate(extent) for extent in self.tensors[tensor]["shape"]]

    def given(self):
        return [name for name, tensor in self.tensors.items() if tensor["role"] in ("input", "inout")]

    def results(self):
        return [name for name, tensor in self.tensors.items() if tensor["role"] in ("output", "inout")]

    def size(self):
        """Elements of all tensors, and multiply-adds of its products as far as they can be told from the tensors."""
        return sum(math.prod(self.shape(tensor)) for tensor in self.tensors)

    def types(self, output):
        """The output's type, and those of all values that stages make."""
        found = {self.tensors[output]["dtype"]}

        def walk(blocks):
            for block in blocks:
                walk(block.get("body", []))
                found.add(block.get("out_dtype"))
                found.update(operation.get("dtype") for operation in block.get("ops", []))

        walk(self.json["blocks"])
        return found - {None}

    def tile(self, block, factors):
        """The tile of a stage for this case: its own, with what the row of its table says instead. `factors`: values
        of the factors of unrolled loops around it."""

        def number(expression):
            return self.evaluate(expression, factors)

        tile, table = block["tile"], block.get("tile_by")
        rows = table["rows"] if table else []
        row = next((row for row in rows if number(table["value"]) <= row["up_to"]), {})
        if block["kind"] == "vector":
            return [number(extent) for extent in row.get("tile", tile)]
        axes = [[number(extent) for extent in row.get(axis, tile[axis])] for axis in ("m", "k", "n")]
        return [*axes, row.get("split_k", tile.get("split_k", False))]

    def stages(self):
        """(label, kind, tiles) of every stage, in order; several tiles where they follow the factor of an unrolled
        loop."""
        found = []

        def walk(blocks, factors):
            for block in blocks:
                if block["kind"] == "loop":
                    unroll = [*block.get("unroll", []), 1] if block.get("form") == "unroll" else [None]
                    name = block.get("factor", "factor")
                    walk(block["body"], [{**outer, name: value} for outer in factors for value in unroll])
                elif block["kind"] in ("cube", "vector"):
                    tiles = [self.tile(block, each) for each in factors]
                    tiles = [tile for number, tile in enumerate(tiles) if tile not in tiles[:number]]
                    found.append((block.get("label") or block["id"], block["kind"], tiles))

        walk(self.json["blocks"], [{}])
        return found

    def transposes(self):
        """Labels of stages with a transpose."""
        found = set()

        def walk(blocks):
            for block in blocks:
                walk(block.get("body", []))
                if any(operation["op"] == "transpose" for operation in block.get("ops", [])):
                    found.add(block.get("label") or block["id"])

        walk(self.json["blocks"])
        return found

    def values(self, name, rng):
        """What the tensor's .npy file holds."""
        tensor = self.tensors[name]
        kind, data, shape = tensor["dtype"], tensor.get("data", {}), self.shape(name)
        low, high = data.get("low", 0), data.get("high", 1)
        if data.get("list"):
            return np.array(self.lists[data["list"]]).astype(INTEGERS[kind]).reshape(shape)
        generator = data.get("generator", "uniform")
        if generator == "normal":
            values = rng.normal(low, high, shape)
        elif generator == "integers":
            values = rng.integers(low, high + 1, shape)
        elif generator == "constant":
            values = np.full(shape, low)
        elif generator == "arange":
            values = np.arange(math.prod(shape)).reshape(shape)
            values = values % self.evaluate(data["modulo"]) if data.get("modulo") else values
            values = low + values * high
        else:
            values = rng.uniform(low, high, shape)
        if kind in INTEGERS:
            return values.astype(INTEGERS[kind])
        return encoded(values, kind)


def put(value, place, new):
    """Writes to a JSON pointer; a step into a list is an index or the id of an element."""
    *steps, last = place.removeprefix("/").split("/")
    for step in [*steps, last]:
        parent, key = value, step
        if isinstance(value, list):
            ids = [entry.get("id") if isinstance(entry, dict) else None for entry in value]
            key = ids.index(step) if step in ids else int(step)
        value = parent[key] if isinstance(parent, list) else parent.get(key, {})
        if isinstance(value, dict) and key not in parent:
            parent[key] = value
    parent[key] = new


def encoded(values, kind):
    """Values as a file of the type holds them: floats, or codes where NumPy has no such float."""
    if kind == "BF16":
        bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    if kind == "FP8E8M0":
        exponent = np.rint(np.log2(np.maximum(values, 2.0**-127)))
        return (np.clip(exponent, -127, 127) + 127).astype(np.uint8)
    if kind == "FP4E2M1":  # one code to an element, as files have them
        table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
        return (np.abs(np.abs(values)[..., None] - table).argmin(-1) + 8 * (values < 0)).astype(np.uint8)
    if kind in CODES:
        return nearest_code(values, kind)
    return values.astype(FLOAT_FILES[kind])


def nearest_code(values, kind):
    from pypto._dtypes import DataType, decode_fp8

    table = decode_fp8(np.arange(256), DataType["DT_" + kind]).astype(np.float64)
    finite = np.flatnonzero(np.isfinite(table))
    order = finite[np.argsort(table[finite], kind="stable")]
    keys = table[order]
    after = np.clip(np.searchsorted(keys, values), 1, len(keys) - 1)
    take = np.where(values - keys[after - 1] <= keys[after] - values, after - 1, after)
    return order[take].astype(np.uint8)


def to_torch(array, kind):
    """A tensor of torch for the values of a file."""
    import torch

    if kind == "BF16":
        values = (array.astype(np.uint32) << 16).view(np.float32)
        return torch.from_numpy(values).to(torch.bfloat16)
    if kind == "FP4E2M1":
        return torch.from_numpy(np.ascontiguousarray(array[..., 0::2] + 16 * array[..., 1::2]).astype(np.uint8))
    names = {"FP8E4M3": "float8_e4m3fn", "FP8E5M2": "float8_e5m2", "FP8E8M0": "float8_e8m0fnu"}
    if kind in names:
        tensor = torch.from_numpy(array)
        wanted = getattr(torch, names[kind], None)
        return tensor if wanted is None else tensor.view(wanted)
    return torch.from_numpy(np.ascontiguousarray(array))
