# SPDX-License-Identifier: GPL-3.0-or-later
"""Small designs, one for every operation: rows in tiles of 32 with a tail of 8, one stage, one store."""


def op(name, *operands, **more):
    return {"op": name, "in": list(operands), "out": "r", **more}


POSITIVE = {"low": 0.5, "high": 2}
PLACES = {"generator": "integers", "low": 0, "high": 63}

# name: ops over `x` [32, 64] of FP32; other inputs are in TYPES, SHAPES and DATA by name, most of them with rows like x
OPERATIONS = {
    **{name: [op(name, "x")] for name in ("neg", "abs", "relu", "exp", "sigmoid", "silu", "gelu")},
    **{name: [op(name, "p")] for name in ("log", "sqrt", "rsqrt", "reciprocal")},
    **{name: [op(name, "x", "y")] for name in ("add", "sub", "mul", "maximum", "minimum")},
    **{name + "_number": [op(name, "x", 0.25)] for name in ("add", "sub", "mul", "div", "maximum", "minimum")},
    **{"number_" + name: [op(name, 3, "p")] for name in ("add", "sub", "mul", "div", "maximum", "minimum")},
    "div": [op("div", "x", "p")],
    "number_over_one": [op("div", 1, "p")],
    "row_broadcast": [op("add", "x", "row")],
    "column_broadcast": [op("mul", "x", "column")],
    "pow": [op("pow", "p", "x")],
    "pow_number": [op("pow", "p", 3)],
    "pow_half": [op("pow", "p", 0.5)],
    "number_pow": [op("pow", 2, "x")],
    "clip": [op("clip", "x", -0.5, 0.25)],
    **{name: [{**op(name, "x", "y"), "out": "c"}, op("where", "c", "x", "p")]
       for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{name + "_number": [{**op(name, "x", 0), "out": "c"}, op("where", "c", "x", 1.5)] for name in ("eq", "lt", "ge")},
    "number_gt": [{**op("gt", 0, "x"), "out": "c"}, op("where", "c", 2, "x")],
    **{name: [op(name, "x", dim=-1, keepdim=True)] for name in ("amax", "amin", "sum")},
    "prod": [op("prod", "p", dim=-1, keepdim=True)],
    "softmax": [op("softmax", "x", dim=-1)],
    "rms_norm": [op("rms_norm", "x", epsilon=1e-5)],
    "rms_norm_gamma": [op("rms_norm", "x", "row", epsilon=1e-5)],
    "slice": [{**op("slice", "x", shape=[32, 16], offset=[0, 32]), "out": "part"}, op("exp", "part")],
    "concat": [op("concat", "x", "y", dim=-1)],
    "concat_three": [op("concat", "x", "y", "x", dim=1)],
    "transpose": [{**op("transpose", "x", dims=[0, 1]), "out": "t"}, {**op("exp", "t"), "out": "e"},
                  op("transpose", "e", dims=[0, 1])],
    "expand_clone": [op("expand_clone", "column", shape=[32, 64])],
    "unsqueeze": [{**op("exp", "x"), "out": "e"}, {**op("unsqueeze", "e", dim=1), "out": "u"},
                  {**op("sum", "u", dim=1), "out": "r"}],
    "reshape": [{**op("exp", "x"), "out": "e"}, {**op("reshape", "e", shape=[32, 4, 16]), "out": "u"},
                op("sum", "u", dim=-1)],
    "full": [{**op("full", 1.5, shape=[32, 64], dtype="FP32"), "out": "f"}, op("mul", "f", "x")],
    "arange": [{**op("arange", range=[0, 64, 1], dtype="FP32"), "out": "a"},
               {**op("reshape", "a", shape=[1, 64]), "out": "b"}, op("add", "x", "b")],
    "fillpad": [{**op("fillpad", "x", -9), "out": "f"}, op("amin", "f", dim=0, keepdim=True)],
    "gather": [op("gather", "x", "places", dim=1)],
    "index_select": [op("index_select", "table", "rows", dim=0)],
    "scatter": [{**op("mul", "x", 1), "out": "m"}, op("scatter", "m", "places", "y16", dim=1)],
    **{"scatter_" + how: [{**op("mul", "x", 1), "out": "m"}, op("scatter", "m", "places", "y16", dim=1, reduce=how)]
       for how in ("add", "multiply")},
    "index_add": [{**op("mul", "x", 1), "out": "m"}, op("index_add", "m", "eight", "eight_rows", dim=0)],
    "index_add_alpha": [{**op("mul", "x", 1), "out": "m"}, op("index_add", "m", "eight", "eight_rows", dim=0, alpha=2)],
    "index_put": [{**op("mul", "x", 1), "out": "m"}, op("index_put", "m", "order", "eight_rows", dim=0)],
    "index_put_add": [{**op("mul", "x", 1), "out": "m"}, op("index_put", "m", "eight", "eight_rows", dim=0,
                                                            accumulate=True)],
    "topk": [op("topk", "x", count=8, out2="k")],
    "topk_smallest": [op("topk", "x", count=8, out2="k", largest=False)],
    "argsort": [op("argsort", "x", dim=-1)],
    "argsort_ascending": [op("argsort", "x", dim=-1, largest=False)],
    "cumsum": [op("cumsum", "x", dim=-1)],
    "rope": [op("rope", "x", "cosine", "sine")],
    "quantize": [op("quantize", "x", "scales", dtype="INT8", dim=-1)],
    "dequantize": [op("dequantize", "bytes", "scales", dtype="FP32", dim=-1)],
    "quant_mx": [op("quant_mx", "x", dtype="FP8E4M3", out2="k")],
    **{"cast_" + kind.lower(): [op("cast", "x", dtype=kind, round="RINT")] for kind in ("FP16", "BF16")},
    **{"cast_int32_" + mode.lower(): [{**op("mul", "x", 3), "out": "m"}, op("cast", "m", dtype="INT32", round=mode)]
       for mode in ("RINT", "ROUND", "FLOOR", "CEIL", "TRUNC")},
    "cast_to_bytes": [{**op("cast", "x", dtype="FP16", round="RINT"), "out": "h"},
                      op("cast", "h", dtype="INT8", round="TRUNC", saturate=True)],
    "cast_from_bytes": [{**op("cast", "bytes", dtype="FP16"), "out": "h"}, op("cast", "h", dtype="FP32")],
    "integers": [{**op("add", "whole", 3), "out": "a"}, {**op("mul", "a", 5), "out": "b"}, op("maximum", "b", "whole")],
    "where_half": [{**op("cast", "x", dtype="FP16", round="RINT"), "out": "h"}, {**op("lt", "h", 0), "out": "c"},
                   op("where", "c", 0.5, "h")],
    "clip_by_a_tensor": [op("clip", "x", -0.5, "p")],
    "lower_rank": [{**op("amax", "x", dim=-1), "out": "m"}, {**op("exp", "m"), "out": "e"},
                   {**op("unsqueeze", "e", dim=-1), "out": "u"}, op("mul", "x", "u")],
    "quant_mx_up": [op("quant_mx", "x", dtype="FP8E4M3", out2="k", scale_rounding="up")],
    "cumsum_integers": [op("cumsum", "whole", dim=-1)],
    "halves": [{**op("cast", "x", dtype="FP16", round="RINT"), "out": "h"}, {**op("mul", "h", 0.3), "out": "m"},
               op("add", "m", "h")],
}

TYPES = {"bytes": "INT8", "whole": "INT32", "places": "INT32", "rows": "INT32", "eight": "INT32", "order": "INT32"}
SHAPES = {"row": [1, 64], "column": ["T", 1], "places": ["T", 16], "y16": ["T", 16], "rows": ["T"], "scales": ["T"],
          "table": [80, 64], "eight": [8], "order": [8],
          "eight_rows": [8, 64]}
DATA = {"p": POSITIVE, "column": POSITIVE, "row": POSITIVE, "scales": POSITIVE, "places": PLACES, "rows": PLACES,
        "order": {"generator": "arange"}, "eight": {"generator": "integers", "low": 0, "high": 7},
        "bytes": {"generator": "integers", "low": -128, "high": 127},
        "whole": {"generator": "integers", "low": -1000, "high": 1000}}
# The stage's result where it is not FP32 [32, 64].
RESULTS = {
    **{name: ("FP32", 1) for name in ("amax", "amin", "sum", "prod")},
    "slice": ("FP32", 16), "concat": ("FP32", 128), "concat_three": ("FP32", 192), "reshape": ("FP32", 4),
    "gather": ("FP32", 16), "topk": ("FP32", 8), "topk_smallest": ("FP32", 8), "argsort": ("INT32", 64),
    "argsort_ascending": ("INT32", 64), "quantize": ("INT8", 64), "quant_mx": ("FP8E4M3", 64),
    "cast_fp16": ("FP16", 64), "cast_bf16": ("BF16", 64), "cast_to_bytes": ("INT8", 64), "integers": ("INT32", 64),
    "halves": ("FP16", 64), "where_half": ("FP16", 64), "quant_mx_up": ("FP8E4M3", 64), "cumsum_integers": ("INT64", 64),
    **{f"cast_int32_{mode}": ("INT32", 64)
                               for mode in ("rint", "round", "floor", "ceil", "trunc")},
}  # fmt: skip
TILES = {"unsqueeze": [32, 1, 64], "reshape": [32, 4, 16]}


def cube(types="BF16", out="FP32", **more):
    return {"types": (types, out), **more}


# What a matmul is told beside its operands: `x` [32, 128] and `w` [128, 64].
PRODUCTS = {
    **{f"matmul_{kind.lower()}": cube(kind) for kind in ("BF16", "FP16", "FP32")},
    "matmul_int8": cube("INT8", "INT32"),
    **{f"matmul_bf16_{kind.lower()}": cube("BF16", kind) for kind in ("BF16",)},
    "matmul_half_out": cube("FP16", "FP16"),
    "matmul_a_trans": cube(a_trans=True),
    "matmul_b_trans": cube(b_trans=True),
    "matmul_both_trans": cube(a_trans=True, b_trans=True),
    "matmul_bias": cube("BF16", "FP32", bias="bias"),
    "matmul_bias_int32": cube("INT8", "INT32", bias="bias", bias_type="INT32"),
    "matmul_relu": cube("FP16", "FP16", relu=True),
    "matmul_scale": cube("INT8", "FP16", scale=0.03125),
    "matmul_scale_relu": cube("INT8", "FP16", scale=0.03125, relu=True),
    "matmul_scale_tensor": cube("INT8", "FP16", scale_tensor="scale_w"),
    "matmul_scale_of_floats": cube("INT8", "FP16", scale_tensor="scale_w", scale_type="FP32"),
    "matmul_split_k": cube(split_k=True),
    "matmul_nz": cube(nz=True),
    "matmul_hf8": cube("HF8", "BF16", chip="Ascend950PR_958x"),
}
# Stores: how the result of a product [32, 64] reaches `out`.
STORES = {
    "store_assemble": {"op": "assemble"},
    "store_assemble_parallel": {"op": "assemble", "parallel": True},
    "store_atomic_add": {"op": "atomic_add"},
    "store_index_add": {"op": "index_add", "index": "places_i"},
    "store_index_add_alpha": {"op": "index_add", "index": "places_i", "alpha": 2},
    "store_index_put": {"op": "index_put", "index": "order_i"},
}
WHOLE = ("cast_modes", "cast_hf8", "cast_saturating", "quant_mx_columns", "fractals_of_groups", "unrolled_groups", "scaled_fp4",
         "tile_by_factor", "nested_groups", "rows_of_groups")  # functions that make a design
ALL = [*OPERATIONS, *PRODUCTS, *STORES, *WHOLE]


def product_design(name):
    """The design of one row of PRODUCTS or STORES: 40 rows in tiles of 32."""
    row = {"types": ("BF16", "FP32"), **PRODUCTS.get(name, {})}
    kind, made = row["types"]
    data = {"generator": "integers", "low": -8, "high": 8} if kind == "INT8" else {"generator": "normal"}
    x, w = (["T", 128], ["min(T - i * 32, 32)", 128]), [64, 128] if row.get("b_trans") else [128, 64]
    tensors = [{"id": "x", "role": "input", "dtype": kind, "shape": x[0], "data": data},
               {"id": "w", "role": "input", "dtype": kind, "shape": w, "data": data,
                "format": "NZ" if row.get("nz") else "ND"}]
    view = {"kind": "view", "id": "rows_of_x", "of": "x", "out": "x_i", "shape": [32, 128], "offset": ["i * 32", 0],
            "valid": x[1]}
    if row.get("a_trans"):
        tensors[0]["shape"] = [128, "T"]
        view.update(shape=[128, 32], offset=[0, "i * 32"], valid=[128, "min(T - i * 32, 32)"])
    more = {key: value for key, value in row.items()
            if key not in ("types", "split_k", "nz", "bias_type", "scale_type", "chip")}
    stage = {"kind": "cube", "id": "product", "a": "x_i", "b": "w", "out": "y", "out_dtype": made, **more,
             "tile": {"m": [32, 32], "k": [64, 64], "n": [64, 64], "split_k": row.get("split_k", False)}}
    if "bias" in row:
        tensors.append({"id": "bias", "role": "input", "dtype": row.get("bias_type", "FP32"),
                        "shape": [1, 64], "data": {"generator": "integers", "low": -9, "high": 9}})
    if row.get("scale_type"):
        tensors.append({"id": "scale_w", "role": "input", "dtype": row["scale_type"], "shape": [1, 64],
                        "data": {"low": 0.03125, "high": 0.0625}})
    elif "scale_tensor" in row:  # words of 64 bits with an FP32 in the low half
        words = {"generator": "integers", "low": 0x3D000000, "high": 0x3D7FE000}
        tensors.append({"id": "scale_w", "role": "input", "dtype": "INT64", "shape": [1, 64], "data": words})
    store = {"kind": "store", "id": "write", "from": "y", "to": "out", "offset": ["i * 32", 0], **STORES.get(name, {})}
    body = [view, stage, store]
    if "index" in store:
        base = store["index"].removesuffix("_i")
        generated = {"generator": "arange"} if base == "order" else {"generator": "integers", "low": 0, "high": 39}
        tensors.append({"id": base, "role": "input", "dtype": "INT32", "shape": ["T"], "data": generated})
        body.insert(1, {"kind": "view", "id": "rows_of_index", "of": base, "out": store["index"], "shape": [32],
                        "offset": ["i * 32"], "valid": ["min(T - i * 32, 32)"]})
        store["from"] = "z"
        del store["offset"]
        body.insert(3, {"kind": "vector", "id": "weigh", "ops": [{"op": "mul", "in": ["y", 0.5], "out": "z"}],
                        "tile": [32, 64]})
    if store.get("op") == "atomic_add":  # takes all of the declared rows: no tail
        del view["valid"]
    role = "inout" if store.get("op") in ("atomic_add", "index_add") else "output"
    tensors.append({"id": "out", "role": role, "dtype": made, "shape": ["T", 64], "data": {"generator": "normal"}})
    return {"cubist": 1, "name": name, "skeleton": {"variant": "C"}, "chip": row.get("chip", "Ascend910B1"),
            "symbols": [{"id": "T", "value": 40 if "valid" in view else 64}], "tensors": tensors,
            "tolerance": {"rtol": 0.0078125, "atol": 0.01, "golden": "framework"},
            "blocks": [{"kind": "loop", "id": "tiles", "index": "i", "axis": "T", "tile": 32, "body": body}]}


def scaled_fp4():
    """scaled_mm of FP4 operands, which torch holds in pairs."""
    data = {"low": -6, "high": 6}
    tensors = [{"id": "x", "role": "input", "dtype": "FP4E2M1", "shape": ["T", 128], "data": data},
               {"id": "w", "role": "input", "dtype": "FP4E2M1", "shape": [64, 128], "data": data},
               {"id": "x_scale", "role": "input", "dtype": "FP8E8M0", "shape": ["T", 2, 2], "data": POSITIVE},
               {"id": "w_scale", "role": "input", "dtype": "FP8E8M0", "shape": [64, 2, 2], "data": POSITIVE},
               {"id": "out", "role": "output", "dtype": "FP32", "shape": ["T", 64]}]
    rows = "min(T - i * 32, 32)"
    body = [{"kind": "view", "id": "rows_of_x", "of": "x", "out": "x_i", "shape": [32, 128], "offset": ["i * 32", 0],
             "valid": [rows, 128]},
            {"kind": "view", "id": "rows_of_scale", "of": "x_scale", "out": "s_i", "shape": [32, 2, 2],
             "offset": ["i * 32", 0, 0], "valid": [rows, 2, 2]},
            {"kind": "cube", "id": "product", "op": "scaled_mm", "a": "x_i", "b": "w", "b_trans": True,
             "scale_a": "s_i", "scale_b": "w_scale", "scale_b_trans": True, "out": "y", "out_dtype": "FP32",
             "tile": {"m": [32, 32], "k": [128, 128], "n": [64, 64]}},
            {"kind": "store", "id": "write", "from": "y", "to": "out", "offset": ["i * 32", 0]}]
    return {"cubist": 1, "name": "scaled_fp4", "skeleton": {"variant": "C"}, "chip": "Ascend950PR_958x",
            "symbols": [{"id": "T", "value": 40}], "tensors": tensors,
            "tolerance": {"rtol": 0.0078125, "atol": 0.01},
            "blocks": [{"kind": "loop", "id": "tiles", "index": "i", "axis": "T", "tile": 32, "body": body}]}


def one_stage(name, chip, ops, tensors, **more):
    """A vector stage over whole tensors: what it makes goes to the outputs of the same names."""
    stores = [{"kind": "store", "id": f"write_{each['id']}", "from": each["id"][:-4], "to": each["id"]}
              for each in tensors if each["role"] == "output"]
    return {"cubist": 1, "name": name, "skeleton": {"variant": "C"}, "chip": chip, "tensors": tensors,
            "tolerance": {"rtol": 0, "atol": 0, "golden": "framework", **more},
            "blocks": [{"kind": "vector", "id": "stage", "ops": ops, "tile": [128, 64]}, *stores]}


def cast_modes():
    """Casts to floats in every mode that the 950 has: nothing but the mode tells the results apart."""
    kinds = {"floor": "FLOOR", "ceil": "CEIL", "trunc": "TRUNC", "round": "ROUND", "rint": "RINT"}
    tensors = [{"id": "x", "role": "input", "dtype": "FP32", "shape": [64, 64], "data": {"generator": "normal"}},
               {"id": "odd_out", "role": "output", "dtype": "FP16", "shape": [64, 64]}]
    ops = [op("cast", "x", dtype="FP16", round="ODD", out="odd")]
    for name, mode in kinds.items():
        for kind in ("BF16", "FP8E4M3"):
            made = f"{name}_{kind.lower()}"
            ops += [op("cast", "x", dtype=kind, round=mode, out=made)]
            tensors += [{"id": made + "_out", "role": "output", "dtype": kind, "shape": [64, 64]}]
    return one_stage("cast_modes", "Ascend950PR_958x", ops, tensors)


def cast_hf8():
    """To HiFloat8 and back; values of all sizes, and some beyond its largest (32768)."""
    tensors = [{"id": "x", "role": "input", "dtype": "FP32", "shape": [64, 64], "data": {"low": -60000, "high": 60000}},
               {"id": "y", "role": "input", "dtype": "FP32", "shape": [64, 64], "data": {"generator": "normal"}},
               {"id": "clamped_out", "role": "output", "dtype": "HF8", "shape": [64, 64]},
               {"id": "half_out", "role": "output", "dtype": "HF8", "shape": [64, 64]},
               {"id": "back_out", "role": "output", "dtype": "FP32", "shape": [64, 64]}]
    ops = [op("cast", "x", dtype="HF8", round="ROUND", saturate=True, out="clamped"),
           op("cast", "y", dtype="FP16", round="RINT", out="h"), op("cast", "h", dtype="HF8", round="ROUND", out="half"),
           op("mul", "y", 0.001, out="small"), op("cast", "small", dtype="HF8", round="ROUND", out="q"),
           op("cast", "q", dtype="FP32", out="back")]
    return one_stage("cast_hf8", "Ascend950PR_958x", ops, tensors)


def cast_saturating():
    """Values beyond the range of FP16."""
    tensors = [{"id": "x", "role": "input", "dtype": "FP32", "shape": [64, 64], "data": {"low": -99000, "high": 99000}},
               {"id": "clamped_out", "role": "output", "dtype": "FP16", "shape": [64, 64]}]
    ops = [op("cast", "x", dtype="FP16", saturate=True, out="clamped")]
    return one_stage("cast_saturating", "Ascend910B1", ops, tensors)


def quant_mx_columns():
    """Groups of 32 along the last axis but one, as weights [K, N] have them."""
    tensors = [{"id": "x", "role": "input", "dtype": "BF16", "shape": [128, 64], "data": {"generator": "normal"}},
               {"id": "q_out", "role": "output", "dtype": "FP8E4M3", "shape": [128, 64]},
               {"id": "k_out", "role": "output", "dtype": "FP8E8M0", "shape": [2, 64, 2]}]
    ops = [op("quant_mx", "x", dtype="FP8E4M3", dim=-2, out="q", out2="k")]
    return one_stage("quant_mx_columns", "Ascend950PR_958x", ops, tensors)


def fractals_of_groups():
    """Weights in NZ, of which a view takes one matrix: the matmul is told the sizes."""
    loops = [{"id": "groups", "form": "static", "axis": "len(gl)", "index": "g"},
             {"id": "rows", "form": "static", "axis": "count(gl, g)", "tile": 32, "index": "r"}]
    made = grouped("fractals_of_groups", "static", loops, [30, 0, 47, 23], [])
    made["tensors"][1]["format"] = "NZ"
    return made


def unrolled_groups():
    """Groups that an unrolled loop walks."""
    loops = [{"id": "groups", "axis": 4, "index": "g"},
             {"id": "rows", "form": "unroll", "axis": "count(gl, g)", "unroll": [16, 4], "factor": "u", "index": "r"}]
    made = grouped("unrolled_groups", "", loops, [30, 0, 47, 23], [])
    rows, _, product, store = made["blocks"][0]["body"][0]["body"]
    rows.update(shape=["u", 64], offset=["start(gl, g) + r", 0])
    del rows["valid"]
    product["tile"]["m"] = [16, 16]
    store["offset"] = rows["offset"]
    return made


def tile_by_factor():
    """Tiles that follow the factor of an unrolled loop, one of them of a stage whose rank changes."""
    tensors = [{"id": "x", "role": "input", "dtype": "BF16", "shape": ["T", 128], "data": {"generator": "normal"}},
               {"id": "w", "role": "input", "dtype": "BF16", "shape": [128, 64], "data": {"generator": "normal"}},
               {"id": "out", "role": "output", "dtype": "FP32", "shape": ["T", 64]}]
    body = [{"kind": "view", "id": "rows_of_x", "of": "x", "out": "x_u", "shape": ["u", 128], "offset": ["t", 0]},
            {"kind": "cube", "id": "product", "a": "x_u", "b": "w", "out": "y", "out_dtype": "FP32",
             "tile": {"m": [16, 16], "k": [64, 128], "n": [64, 64]},
             "tile_by": {"value": "u", "rows": [{"up_to": 8, "k": [128, 128]}, {"up_to": 32, "m": ["u", "u"]}]}},
            {"kind": "vector", "id": "normalise", "tile": [16, 64],
             "tile_by": {"value": "u", "rows": [{"up_to": 16, "tile": [8, 64]}]},
             "ops": [{"op": "amax", "in": ["y"], "dim": -1, "out": "s"}, {"op": "relu", "in": ["s"], "out": "e"},
                     {"op": "unsqueeze", "in": ["e"], "dim": -1, "out": "c"},
                     {"op": "minimum", "in": ["c", 2], "out": "m"}, {"op": "mul", "in": ["y", "m"], "out": "r"}]},
            {"kind": "store", "id": "write", "from": "r", "to": "out", "offset": ["t", 0]}]
    return {"cubist": 1, "name": "tile_by_factor", "skeleton": {"variant": "D"}, "chip": "Ascend910B1",
            "symbols": [{"id": "T", "value": 45}], "tensors": tensors,
            "tolerance": {"rtol": 0.0078125, "atol": 0.01},
            "blocks": [{"kind": "loop", "id": "tokens", "form": "unroll", "index": "t", "factor": "u", "axis": "T",
                        "unroll": [32, 8, 1], "body": body}]}


def grouped(name, form, loops, rows, more):
    """Rows of x in groups, each with a weight of its own: `loops` around the body, outer one first."""
    tensors = [{"id": "x", "role": "input", "dtype": "BF16", "shape": ["T", 64], "data": {"generator": "normal"}},
               {"id": "w", "role": "input", "dtype": "BF16", "shape": [4, 64, 48], "data": {"generator": "normal"}},
               *more, {"id": "y", "role": "output", "dtype": "FP32", "shape": ["T", 48]}]
    place = ["start(gl, g) + r * 32", 0]
    body = [{"kind": "view", "id": "rows_of_x", "of": "x", "out": "x_r", "shape": [32, 64], "offset": place,
             "valid": ["min(count(gl, g) - r * 32, 32)", 64]},
            {"kind": "view", "id": "weight", "of": "w", "out": "w_g", "shape": [64, 48], "offset": ["g", 0, 0]},
            {"kind": "cube", "id": "product", "a": "x_r", "b": "w_g", "out": "h", "out_dtype": "FP32",
             "tile": {"m": [32, 32], "k": [64, 64], "n": [48, 48]}},
            {"kind": "store", "id": "write", "from": "h", "to": "y", "offset": place}]
    for loop in reversed(loops):
        body = [{"kind": "loop", **loop, "body": body}]
    return {"cubist": 1, "name": name, "skeleton": {"variant": "B'" if form == "static" else "B"},
            "chip": "Ascend910B1", "symbols": [{"id": "T", "value": 100, "static": form == "static"}],
            "lists": [{"id": "gl", "value": rows, "total": "T", "form": "counts" if len(rows) == 4 else "rows"}],
            "tensors": tensors, "tolerance": {"rtol": 0.0078125, "atol": 0.01}, "blocks": body}


def nested_groups():
    """A tail in a static loop whose length follows the index of another one."""
    loops = [{"id": "groups", "form": "static", "axis": "len(gl)", "index": "g"},
             {"id": "rows", "form": "static", "axis": "count(gl, g)", "tile": 32, "index": "r"}]
    return grouped("nested_groups", "static", loops, [30, 0, 47, 23], [])


def rows_of_groups():
    """A list that names the group of each row, and a tensor that is called as a function of the host would be."""
    loops = [{"id": "groups", "axis": 4, "index": "g"},
             {"id": "rows", "axis": "count(gl, g)", "tile": 32, "index": "r"}]
    other = {"id": "starts_of_gl", "role": "input", "dtype": "FP32", "shape": [4, 48], "data": {"generator": "normal"}}
    design = grouped("rows_of_groups", "", loops, [0] * 30 + [2] * 47 + [3] * 23, [other])
    design["blocks"][0]["body"][0]["body"][3:] = [
        {"kind": "view", "id": "bias", "of": "starts_of_gl", "out": "b_g", "shape": [1, 48], "offset": ["g", 0]},
        {"kind": "vector", "id": "shift", "ops": [{"op": "add", "in": ["h", "b_g"], "out": "s"}], "tile": [32, 48]},
        {"kind": "store", "id": "write", "from": "s", "to": "y", "offset": ["start(gl, g) + r * 32", 0]}]
    return design


def design(name):
    """The design of one row of OPERATIONS, PRODUCTS or STORES, or of a function of that name."""
    if name in WHOLE:
        return globals()[name]()
    if name not in OPERATIONS:
        return product_design(name)
    ops = OPERATIONS[name]
    made = {each["out"] for each in ops}
    needed = sorted({operand for each in ops for operand in each["in"] if isinstance(operand, str)} - made)
    tensors, views = [], []
    for each in needed or ["x"]:
        shape = SHAPES.get(each, ["T", 64])
        tensors.append({"id": "in_" + each, "role": "input", "dtype": TYPES.get(each, "FP32"), "shape": shape,
                        "data": DATA.get(each, {"generator": "normal"})})
        rows = shape[0] == "T"
        views.append({"kind": "view", "id": "view_" + each, "of": "in_" + each, "out": each,
                      "shape": [32 if rows else shape[0], *shape[1:]],
                      "offset": ["i * 32" if rows else 0] + [0] * (len(shape) - 1),
                      "valid": ["min(T - i * 32, 32)" if rows else shape[0], *shape[1:]]})
    if not any("T" in tensor["shape"] for tensor in tensors):
        raise ValueError(f"{name}: nothing has rows")
    kind, width = RESULTS.get(name, ("FP32", 64))
    tensors.append({"id": "out", "role": "output", "dtype": kind,
                    "shape": ["(T + 31) // 32" if name == "fillpad" else "T", width]})
    tile = TILES.get(name, [32, 64])
    stage = {"kind": "vector", "id": "stage", "ops": ops, "tile": tile}
    store = {"kind": "store", "id": "write", "from": "r", "to": "out",
             "offset": ["i" if name == "fillpad" else "i * 32", 0]}
    return {"cubist": 1, "name": name if name not in ("abs", "sum", "slice", "pow") else name + "_",
            "skeleton": {"variant": "C"},
            "chip": "Ascend950PR_958x" if name.startswith("quant_mx") else "Ascend910B1",
            "symbols": [{"id": "T", "value": 64 if name == "reshape" else 40}], "tensors": tensors,
            "tolerance": {"rtol": 0.0078125, "atol": 0.0001},
            "blocks": [{"kind": "loop", "id": "rows_of_x", "index": "i", "axis": "T", "tile": 32,
                        "body": [*views, stage, store]}]}
