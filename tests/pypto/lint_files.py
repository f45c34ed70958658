# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about the golden, the test and the documents."""
import ast
import re

from lint_operator import called, dotted, jit_functions, rule, walk


@rule("OL09", "S1", "SPEC.md")
def ol09(operator):
    name = "SPEC.md"
    if name not in operator.files:
        yield name, 1, "missing"
        return
    text = operator.files[name]
    if operator.name not in text:
        yield name, 1, f"does not name '{operator.name}'"
    for heading in ("数学公式", "输入输出规格", "精度要求"):
        if not any(heading in line for line in operator.headings(name)):
            yield name, 1, f"no heading with {heading}"
    if not any(sign in operator.section(name, "数学") for sign in ("$$", "=", "round", "clamp")):
        yield name, 1, "no formula"
    inputs = operator.section(name, "输入输出规格").lower()
    if "dtype" not in inputs or "shape" not in inputs:
        yield name, 1, "no dtype and shape"
    if not any(word in operator.section(name, "精度").lower() for word in ("atol", "rtol", "mare")):
        yield name, 1, "no tolerance"
    yield from schema(operator, name, ("schema_version", "op_name", "supported_dtypes", "p0_shapes", "tolerance"))


def schema(operator, name, keys):
    head = operator.front_matter(name)
    if head is None:
        yield name, 1, "no front matter"
        return
    for key in keys:
        if not head.get(key):
            yield name, 1, f"front matter without '{key}'"
    for key in ("supported_dtypes", "p0_shapes", "dynamic_axes"):
        if key in keys and head.get(key) and not isinstance(head[key], list) and head[key] != "block":
            yield name, 1, f"'{key}' is no list"
    tolerance = head.get("tolerance")
    if "tolerance" in keys and isinstance(tolerance, dict):
        if not ({"atol", "rtol"} <= set(tolerance) or {"mare", "mere", "rmse"} <= set(tolerance)):
            yield name, 1, "tolerance is neither atol and rtol nor mare, mere, rmse"


def document(number, name, wanted):
    @rule(number, "S1", name)
    def check(operator):
        if name not in operator.files:
            yield name, 1, "missing"
            return
        for choices in wanted:
            if not any(choice.lower() in line for choice in choices for line in operator.headings(name)):
                yield name, 1, f"no heading with {' or '.join(choices)}"


document("OL10", "API_REPORT.md", [("API 映射",), ("约束",), ("Tiling",)])
document("OL12", "DESIGN.md", [("计算图", "API 映射"), ("Tiling", "数据切分"), ("验证方案",)])


@rule("OL13", "S1", "implementation, test and README")
def ol13(operator):
    for name in (operator.impl, operator.test, "README.md"):
        if name not in operator.files:
            yield name, 1, "missing"


@rule("OL15", "S1", "the golden is pure torch")
def ol15(operator):
    for node in walk(operator.tree(operator.golden)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(name.split(".")[0] == "pypto" for name in names):
                yield operator.golden, node.lineno, "imports pypto"
        if isinstance(node, ast.Attribute) and node.attr == "T":
            yield operator.golden, node.lineno, ".T"
        if isinstance(node, ast.Call) and isinstance(node.func,
                                                     ast.Attribute) and node.func.attr == "t" and not node.args:
            yield operator.golden, node.lineno, ".t()"


def imports(tree, module):
    for node in walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] == module:
            yield node
        if isinstance(node, ast.Import) and any(name.name.split(".")[-1] == module for name in node.names):
            yield node


@rule("OL16", "S1", "the implementation does not know the golden")
def ol16(operator):
    for node in imports(operator.tree(operator.impl), f"{operator.name}_golden"):
        yield operator.impl, node.lineno, "imports the golden"


@rule("OL17", "S1", "no kernel in the test")
def ol17(operator):
    for kernel in jit_functions(operator.tree(operator.test)):
        yield operator.test, kernel.lineno, f"kernel '{kernel.name}'"


@rule("OL18", "S1", "the test imports implementation and golden")
def ol18(operator):
    for module in (f"{operator.name}_impl", f"{operator.name}_golden"):
        if not list(imports(operator.tree(operator.test), module)):
            yield operator.test, 1, f"does not import {module}"


@rule("OL19", "S1", "comparison by assert_allclose or detailed_tensor_compare")
def ol19(operator):
    wanted = ("assert_allclose", "detailed_tensor_compare")
    names = [called(node) or "" for node in walk(operator.tree(operator.test)) if isinstance(node, ast.Call)]
    if not any(name.split(".")[-1] in wanted for name in names):
        yield operator.test, 1, "compares with neither assert_allclose nor detailed_tensor_compare"


@rule("OL20", "S1", "the device comes from TILE_FWK_DEVICE_ID")
def ol20(operator):
    for word in ("TILE_FWK_DEVICE_ID", "set_device"):
        if word not in operator.files.get(operator.test, ""):
            yield operator.test, 1, f"no {word}"


@rule("OL31", "S1", "dynamic axes of DESIGN.md are DYNAMIC in the kernel")
def ol31(operator):
    axes = (operator.front_matter("DESIGN.md") or {}).get("dynamic_axes")
    notes = [parameter.annotation for kernel in operator.kernels
             for parameter in kernel.args.args if parameter.annotation]
    dynamic = any(dotted(node) in ("pypto.DYNAMIC", "pypto.DYN") for note in notes for node in walk(note))
    if axes and operator.kernels and not dynamic:
        yield operator.impl, operator.kernels[0].lineno, f"dynamic axes {axes}, but no annotation is DYNAMIC"


@rule("OL34", "S1", "p0 shapes of SPEC.md appear in the test")
def ol34(operator):
    head = operator.front_matter("SPEC.md") or {}
    text = operator.files.get(operator.test, "").replace(" ", "")
    shapes = head.get("p0_shapes")
    for shape in shapes if isinstance(shapes, list) else []:
        inner = ",".join(map(str, shape)) if isinstance(shape,
                                                        list) and all(isinstance(n, int) for n in shape) else None
        if inner and len(shape) >= 2 and f"[{inner}]" not in text and f"({inner})" not in text:
            yield operator.test, 1, f"p0 shape {shape} is not tested"


@rule("OL39", "S1", "front matter")
def ol39(operator):
    for name in ("SPEC.md", "DESIGN.md", "API_REPORT.md"):
        if operator.front_matter(name) is None:
            yield name, 1, "missing, or without front matter"


@rule("OL40", "S1", "required fields of the front matter")
def ol40(operator):
    for name, keys in (("SPEC.md", ("schema_version", "op_name", "supported_dtypes", "p0_shapes", "tolerance")),
                       ("DESIGN.md", ("schema_version", "op_name", "dynamic_axes")),
                       ("API_REPORT.md", ("schema_version", "op_name"))):
        if operator.front_matter(name) is not None:
            yield from schema(operator, name, keys)


@rule("OL41", "S1", "no text of the linter in the files")
def ol41(operator):
    for name in (operator.impl, operator.golden, operator.test, "README.md"):
        for word in ("[pypto-op-lint]", "交付门禁阻断", "以下规则违规", "fix_hints:", "blocking_rules:", "docs_ref:"):
            if word in operator.files.get(name, "").lower():
                yield name, 1, f"contains {word}"


@rule("OL42", "S1", "no simulator mode by default")
def ol42(operator):
    for number, line in enumerate(operator.files.get(operator.test, "").splitlines(), 1):
        tight = line.replace(" ", "").replace("'", '"')
        if not tight.startswith("#") and ('default="sim"' in tight or 'run_mode="sim"' in tight):
            yield operator.test, number, "simulator mode is fixed"


@rule("OL43", "S1", "a loop over the dynamic axis")
def ol43(operator):
    text = operator.files.get("DESIGN.md", "")
    dynamic = (operator.front_matter("DESIGN.md") or {}).get("dynamic_axes") or re.search(
        r"pypto\.DYN|动态轴|dynamic.{0,10}axis", text, re.IGNORECASE)
    loops = [node for function in operator.reachable() for node in walk(function)
             if isinstance(node, (ast.For, ast.While))]
    if dynamic and operator.kernels and not loops:
        yield operator.impl, operator.kernels[0].lineno, "a dynamic axis, but no loop"


@rule("OL60", "S0", "the test reaches the kernel")
def ol60(operator):
    functions, names = operator.functions(operator.impl), {kernel.name for kernel in operator.kernels}
    tree = operator.tree(operator.test)
    used = {called(node) for node in walk(tree) if isinstance(node, ast.Call)}
    for node in imports(tree, f"{operator.name}_impl"):
        for name in node.names if isinstance(node, ast.ImportFrom) else []:
            if (name.asname or name.name) in used and name.name in functions and not reaches(functions, name.name,
                                                                                             names):
                yield operator.test, node.lineno, f"'{name.name}' does not reach the kernel"


def reaches(functions, start, goals):
    seen, open_ends = set(), [start]
    while open_ends:
        name = open_ends.pop()
        if name in goals:
            return True
        if name in seen or name not in functions:
            continue
        seen.add(name)
        open_ends += [called(node) for node in walk(functions[name]) if isinstance(node, ast.Call) and called(node)]
    return False
