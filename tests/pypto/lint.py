# SPDX-License-Identifier: GPL-3.0-or-later
"""lint.py FOLDER...: the blocking rules (S0, S1) of pypto-op-lint, written again from their description.

A folder holds one operator: NAME_impl.py, NAME_golden.py, test_NAME.py, SPEC.md, DESIGN.md, API_REPORT.md, README.md.
Prints findings, and waived ones with the reason. Exit 1: findings that are not waived."""
import ast
import dataclasses
import pathlib
import sys

RULES = {}
# Rules about the state of an agent's work, which an operator in a folder does not have.
NOT_OURS = {
    "OL14": "the state file of the work flow",
    "OL24": "the state file of the work flow",
    "OL44": "module files of a stage of the work flow",
    "OL50": "the interface file of the work flow",
    "OL54": "the self review of a stage, in the work flow's memory",
    "OL59": "a report of times measured on an NPU",
}


@dataclasses.dataclass
class Finding:
    rule: str
    file: str
    line: int
    text: str
    waiver: str = ""

    def __str__(self):
        waived = f" (waived: {self.waiver})" if self.waiver else ""
        return f"{self.rule} [{RULES[self.rule].severity}] {self.file}:{self.line}: {self.text}{waived}"


class Operator:
    """The files of one operator."""

    def __init__(self, folder, files=None):
        self.files = files if files is not None else {
            path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir() if path.is_file()
        }
        impls = [name for name in self.files if name.endswith("_impl.py")]
        self.name = impls[0].removesuffix("_impl.py") if impls else pathlib.Path(folder or "x").name
        self.impl, self.golden, self.test = f"{self.name}_impl.py", f"{self.name}_golden.py", f"test_{self.name}.py"
        self.trees = {name: ast.parse(text) for name, text in self.files.items() if name.endswith(".py")}

    def tree(self, name):
        return self.trees.get(name, ast.Module([], []))

    @property
    def kernels(self):
        return jit_functions(self.tree(self.impl))

    def functions(self, name):
        return {node.name: node for node in ast.walk(self.tree(name)) if isinstance(node, ast.FunctionDef)}

    def wrappers(self):
        return [node for node in self.functions(self.impl).values() if is_wrapper(node.name, self.name)]

    def reachable(self):
        """The kernels and the functions of the file that they call."""
        functions = self.functions(self.impl)
        found, open_ends = {}, list(self.kernels)
        while open_ends:
            function = open_ends.pop()
            if function.name in found:
                continue
            found[function.name] = function
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
                    open_ends.append(functions[node.func.id])
        return list(found.values())

    def front_matter(self, name):
        """The keys of a document's head, as far as they are literals; None without a head."""
        text = self.files.get(name, "")
        if not text.startswith("---\n") or "\n---\n" not in text[4:]:
            return None
        head = text[4 : text.index("\n---\n", 4)]
        keys = {}
        for line in head.splitlines():
            if ":" in line and not line.startswith((" ", "#", "-")):
                key, value = line.split(":", 1)
                keys[key.strip()] = scalar(value.strip())
            elif line.startswith((" ", "-")) and keys:
                last = next(reversed(keys))
                keys[last] = keys[last] or "block"
        return keys

    def headings(self, name):
        return [line.lstrip("#").strip().lower() for line in self.files.get(name,
                                                                            "").splitlines() if line.startswith("#")]

    def section(self, name, keyword):
        lines, found, level = [], False, 0
        for line in self.files.get(name, "").splitlines():
            depth = len(line) - len(line.lstrip("#"))
            if depth:
                if found and depth <= level:
                    break
                if not found and keyword in line:
                    found, level = True, depth
                    continue
            if found:
                lines.append(line)
        return "\n".join(lines)


def scalar(text):
    if text in ("", "null", "[]", "{}"):
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        if text[:1] == "{":
            pairs = (pair.split(":", 1) for pair in text.strip("{}").split(",") if ":" in pair)
            return {key.strip(): value.strip() for key, value in pairs}
        return [entry.strip() for entry in text.strip("[]").split(",")] if text[:1] == "[" else text


@dataclasses.dataclass
class Rule:
    check: object
    severity: str
    says: str


def rule(number, severity, says):
    def register(check):
        RULES[number] = Rule(check, severity, says)
        return check

    return register


def dotted(node):
    """pypto.frontend.jit as a text, or nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else None
    return None


def called(node):
    return dotted(node.func) if isinstance(node, ast.Call) else None


def calls(tree, *names):
    for node in ast.walk(tree):
        if called(node) in names:
            yield node


def jit_functions(tree):
    def jitted(decorator):
        return dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) == "pypto.frontend.jit"

    return [node for node in ast.walk(tree) if isinstance(node,
                                                          ast.FunctionDef) and any(map(jitted, node.decorator_list))]


def is_wrapper(name, operator):
    return name in ("host_wrapper", f"{operator}_wrapper") or name.startswith(("launch_", "run_"))


def is_tensor(annotation):
    return dotted(annotation.func if isinstance(annotation, ast.Call) else annotation) in ("pypto.Tensor", "Tensor")


def argument(call, position, name):
    if len(call.args) > position:
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def in_kernels(operator, check):
    for kernel in operator.kernels:
        for node in ast.walk(kernel):
            text = check(kernel, node)
            if text:
                yield operator.impl, node.lineno, text


@rule("OL01", "S0", "exactly one literal @pypto.frontend.jit")
def ol01(operator):
    if len(operator.kernels) != 1:
        yield operator.impl, 1, f"{len(operator.kernels)} functions with a literal @pypto.frontend.jit"


@rule("OL02", "S1", "outputs are written in place")
def ol02(operator):
    def check(kernel, node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node,
                                                                                                ast.AugAssign) else []
        names = {parameter.arg for parameter in kernel.args.args}
        for target in targets:
            if isinstance(target, ast.Name) and target.id in names:
                return f"parameter '{target.id}' is bound to something else"

    yield from in_kernels(operator, check)


@rule("OL03", "S1", "a kernel returns nothing")
def ol03(operator):
    yield from in_kernels(operator, lambda _, node: "return in a kernel" if isinstance(node, ast.Return) else None)


@rule("OL04", "S1", "tile shapes are set")
def ol04(operator):
    names = ("pypto.set_vec_tile_shapes", "pypto.set_cube_tile_shapes")
    if operator.kernels and not any(list(calls(function, *names)) for function in operator.reachable()):
        yield operator.impl, operator.kernels[0].lineno, "no tile shapes are set on any path from the kernel"


@rule("OL05", "S1", "tensor parameters are annotated")
def ol05(operator):
    for kernel in operator.kernels:
        for parameter in kernel.args.args:
            if parameter.annotation is None:
                yield operator.impl, parameter.lineno, f"parameter '{parameter.arg}' has no annotation"


@rule("OL06", "S1", "no Python min and max in a kernel")
def ol06(operator):
    yield from in_kernels(operator, lambda _, node: f"{called(node)}() in a kernel"
                          if called(node) in ("min", "max") else None)


@rule("OL07", "S0", "only `import pypto`")
def ol07(operator):
    plain = False
    for node in operator.tree(operator.impl).body:
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name == "pypto" and name.asname is None:
                    plain = True
                elif name.name.split(".")[0] == "pypto":
                    yield operator.impl, node.lineno, "an import of pypto in another form"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pypto":
            yield operator.impl, node.lineno, "from pypto import ..."
    if not plain:
        yield operator.impl, 1, "no `import pypto`"


@rule("OL08", "S1", "a function *_wrapper")
def ol08(operator):
    names = [node.name for node in operator.tree(operator.impl).body if isinstance(node, ast.FunctionDef)]
    if not any(name.endswith("_wrapper") for name in names):
        yield operator.impl, 1, "no function *_wrapper"


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
    for node in ast.walk(operator.tree(operator.golden)):
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
    for node in ast.walk(tree):
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
    names = [called(node) or "" for node in ast.walk(operator.tree(operator.test)) if isinstance(node, ast.Call)]
    if not any(name.split(".")[-1] in wanted for name in names):
        yield operator.test, 1, "compares with neither assert_allclose nor detailed_tensor_compare"


@rule("OL20", "S1", "the device comes from TILE_FWK_DEVICE_ID")
def ol20(operator):
    for word in ("TILE_FWK_DEVICE_ID", "set_device"):
        if word not in operator.files.get(operator.test, ""):
            yield operator.test, 1, f"no {word}"


@rule("OL25", "S1", "no empty Tensor annotation")
def ol25(operator):
    for kernel in operator.kernels:
        for parameter in kernel.args.args:
            note = parameter.annotation
            if note is None or not is_tensor(note):
                continue
            shape = note.args[0] if isinstance(note, ast.Call) and note.args else None
            if shape is None or (isinstance(shape, ast.List) and not shape.elts):
                yield operator.impl, note.lineno, f"'{parameter.arg}' has an empty annotation"
            elif len(note.args) < 2:
                yield operator.impl, note.lineno, f"'{parameter.arg}' has no dtype"


@rule("OL26", "S1", "tensors come before scalars")
def ol26(operator):
    for kernel in operator.kernels:
        scalar_seen = False
        for parameter in kernel.args.args:
            if parameter.annotation is not None and not is_tensor(parameter.annotation):
                scalar_seen = True
            elif scalar_seen:
                yield operator.impl, parameter.lineno, f"tensor '{parameter.arg}' behind a scalar"


@rule("OL31", "S1", "dynamic axes of DESIGN.md are DYNAMIC in the kernel")
def ol31(operator):
    axes = (operator.front_matter("DESIGN.md") or {}).get("dynamic_axes")
    notes = [parameter.annotation for kernel in operator.kernels
             for parameter in kernel.args.args if parameter.annotation]
    dynamic = any(dotted(node) in ("pypto.DYNAMIC", "pypto.DYN") for note in notes for node in ast.walk(note))
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
    text = operator.files.get("DESIGN.md", "").lower()
    dynamic = (operator.front_matter("DESIGN.md") or {}).get("dynamic_axes") or any(
        word in text for word in ("pypto.dynamic", "动态轴", "dynamic axis", "dynamic_axis"))
    loops = [node for function in operator.reachable() for node in ast.walk(function)
             if isinstance(node, (ast.For, ast.While))]
    if dynamic and operator.kernels and not loops:
        yield operator.impl, operator.kernels[0].lineno, "a dynamic axis, but no loop"


@rule("OL45", "S0", "the host calls the kernel once")
def ol45(operator):
    names = {kernel.name for kernel in operator.kernels}
    for wrapper in operator.wrappers():
        for node in ast.walk(wrapper):
            if isinstance(node, ast.For) and called(node.iter) == "range":
                if any((called(inner) or "").split(".")[-1] in names for inner in ast.walk(node)):
                    yield operator.impl, node.lineno, "calls the kernel in a Python loop"


def constant_value(node, scope, depth=10):
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id in scope and depth:
        return constant_value(scope[node.id], scope, depth - 1)
    return None


def assignments(tree, before=None):
    found = {}
    for node in ast.walk(tree) if isinstance(tree, ast.FunctionDef) else tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if before is None or node.lineno < before:
                found[node.targets[0].id] = node.value
    return found


@rule("OL48", "S0", "tile arguments are known while compiling; two values per cube axis")
def ol48(operator):
    for kernel in operator.kernels:
        for call in calls(kernel, "pypto.set_vec_tile_shapes", "pypto.set_cube_tile_shapes"):
            scope = {**assignments(operator.tree(operator.impl)), **assignments(kernel, call.lineno)}
            for entry in call.args:
                for value in entry.elts if isinstance(entry, ast.List) else [entry]:
                    if constant_value(value, scope) is None:
                        yield operator.impl, call.lineno, f"tile value `{ast.unparse(value)}` is no constant"
            if called(call) != "pypto.set_cube_tile_shapes":
                continue
            for position, axis in enumerate("mkn"):
                entry = argument(call, position, axis)
                if not isinstance(entry, ast.List):
                    continue
                if len(entry.elts) != 2:
                    yield operator.impl, call.lineno, f"{axis} has {len(entry.elts)} values"
                    continue
                low, high = (constant_value(value, {}) for value in entry.elts)
                if low is not None and high is not None and not (0 < low <= high and high % low == 0):
                    yield operator.impl, call.lineno, f"{axis}: 0 < L0 <= L1 and L1 % L0 == 0, not [{low}, {high}]"


def pypto_loops(tree, *kinds):
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and called(node.iter) in kinds:
            yield node


@rule("OL49", "S1", "an unroll list only on the innermost loop")
def ol49(operator):
    kinds = ("pypto.loop", "pypto.loop_unroll")
    for kernel in operator.kernels:
        for loop in pypto_loops(kernel, *kinds):
            inner = [node for child in loop.body for node in pypto_loops(child, *kinds)]
            if inner and any(keyword.arg == "unroll_list" for keyword in loop.iter.keywords):
                yield operator.impl, loop.lineno, "unroll_list on a loop around a loop"


@rule("OL51", "S1", "every output is written, and with something computed")
def ol51(operator):
    for kernel in operator.kernels:
        names = [parameter.arg for parameter in kernel.args.args]
        written = dict(writes(operator, set(names)))
        if not written:
            yield operator.impl, kernel.lineno, "no parameter is written"
        for name, sources in written.items():
            plain = [source for source in sources if isinstance(source,
                                                                ast.Name)
                                                                and source.id in names and source.id not in written]
            made = [source for source in sources if called(source) in ("pypto.zeros", "pypto.ones", "pypto.full",
                                                                       "pypto.tensor")]
            if len(plain) + len(made) == len(sources):
                yield operator.impl, kernel.lineno, f"'{name}' is only copied or filled"


def writes(operator, names):
    found = {}
    for function in operator.reachable():
        for node in ast.walk(function):
            target, source = None, None
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target, source = node.targets[0].value, node.value
            elif called(node) in ("pypto.assemble", "pypto.atomic_add") and len(node.args) >= 3:
                target, source = node.args[2], node.args[0]
            elif called(node) in ("pypto.index_add_", "pypto.index_put_", "pypto.scatter_"):
                target, source = node.args[0], node
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("move",
                                                                                                            "assemble"):
                target, source = node.func.value, node.args[0]
            if isinstance(target, ast.Name) and target.id in names:
                found.setdefault(target.id, []).append(source)
    return found.items()


@rule("OL52", "S1", "shape, offsets and valid_shape of a view have one length")
def ol52(operator):
    for call in calls(operator.tree(operator.impl), "pypto.view"):
        lengths = {}
        for name, entry in (("shape", argument(call, 1, "shape")), ("offsets", argument(call, 2, "offsets")),
                            ("valid_shape", argument(call, 99, "valid_shape"))):
            if isinstance(entry, (ast.List, ast.Tuple)):
                lengths[name] = len(entry.elts)
        if len(set(lengths.values())) > 1:
            yield operator.impl, call.lineno, f"lengths {lengths}"


@rule("OL55", "S0", "only what pypto has")
def ol55(operator):
    import pypto

    trees = [(operator.impl, 0, operator.tree(operator.impl))]
    for number, block in code_blocks(operator.files.get("DESIGN.md", "")):
        try:
            trees.append(("DESIGN.md", number, ast.parse(block)))
        except SyntaxError:
            continue
    for name, offset, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pypto":
                if not hasattr(pypto, node.attr) or node.attr.startswith("_"):
                    yield name, offset + node.lineno, f"pypto.{node.attr} does not exist"


def code_blocks(text):
    lines, start = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if start is None:
                lines, start = [], number
            else:
                yield start, "\n".join(lines)
                start = None
        elif start is not None:
            lines.append(line)


@rule("OL56", "S0", "one unroll factor")
def ol56(operator):
    for kernel in operator.kernels:
        for loop in pypto_loops(kernel, "pypto.loop", "pypto.loop_unroll"):
            factors = argument(loop.iter, 99, "unroll_list")
            if isinstance(factors, (ast.List, ast.Tuple)) and len(factors.elts) > 1:
                yield operator.impl, loop.lineno, f"{len(factors.elts)} unroll factors"


def uses_pypto(tree):
    return any((called(node) or "").startswith("pypto.") for node in ast.walk(tree))


@rule("OL57", "S0", "only pypto.loop, pypto.loop_unroll and range loops in the graph")
def ol57(operator):
    functions = {function.name: function for function in operator.reachable()}
    for name, function in operator.functions(operator.impl).items():
        if uses_pypto(function):
            functions[name] = function
    for name, function in functions.items():
        if is_wrapper(name, operator.name):
            continue
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if isinstance(node, ast.While):
                yield operator.impl, node.lineno, "while"
            if isinstance(node, ast.For) and called(node.iter) not in ("pypto.loop", "pypto.loop_unroll", "range"):
                yield operator.impl, node.lineno, f"for over `{ast.unparse(node.iter)}`"
            if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)) and uses_pypto(node):
                yield operator.impl, node.lineno, "pypto in a comprehension"


@rule("OL58", "S0", "the wrapper allocates with torch")
def ol58(operator):
    names = {kernel.name for kernel in operator.kernels}
    for wrapper in operator.wrappers():
        for call in calls(wrapper, "pypto.zeros", "pypto.ones", "pypto.full", "pypto.empty"):
            yield operator.impl, call.lineno, f"{called(call)} in the wrapper"
        known = {parameter.arg for parameter in wrapper.args.args + wrapper.args.kwonlyargs} | set(assignments(wrapper))
        for call in ast.walk(wrapper):
            if (called(call) or "").split(".")[-1] not in names:
                continue
            for entry in [*call.args, *(keyword.value for keyword in call.keywords)]:
                if isinstance(entry, ast.Name) and entry.id not in known:
                    if entry.id in ("out", "output") or entry.id.startswith("out_") or entry.id.endswith("_out"):
                        yield operator.impl, entry.lineno, f"output '{entry.id}' comes from nowhere"


@rule("OL60", "S0", "the test reaches the kernel")
def ol60(operator):
    functions, names = operator.functions(operator.impl), {kernel.name for kernel in operator.kernels}
    tree = operator.tree(operator.test)
    used = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
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
        open_ends += [called(node) for node in ast.walk(functions[name]) if isinstance(node, ast.Call) and called(node)]
    return False


LEGAL_CASTS = {
    "DT_FP16": {"DT_FP32", "DT_INT32", "DT_INT16", "DT_INT8", "DT_UINT8", "DT_INT4"},
    "DT_BF16": {"DT_FP32", "DT_INT32"},
    "DT_INT32": {"DT_FP32", "DT_INT16", "DT_INT64", "DT_FP16"},
    "DT_FP32": {"DT_BF16", "DT_FP16", "DT_INT16", "DT_INT32", "DT_INT64"},
    "DT_UINT8": {"DT_FP16"},
    "DT_INT8": {"DT_FP16"},
    "DT_INT4": {"DT_FP16"},
    "DT_INT16": {"DT_FP32", "DT_FP16"},
    "DT_INT64": {"DT_FP32", "DT_INT32"},
}


@rule("OL61", "S1", "F1, F2, F4, F8: operands and casts")
def ol61(operator):
    types = {}
    for kernel in operator.kernels:
        for parameter in kernel.args.args:
            if isinstance(parameter.annotation, ast.Call) and len(parameter.annotation.args) > 1:
                types[parameter.arg] = (dotted(parameter.annotation.args[1]) or "").split(".")[-1]
    for node in ast.walk(operator.tree(operator.impl)):
        name = called(node) or ""
        if not name.startswith("pypto."):
            continue
        first = node.args[0] if node.args else None
        if name in ("pypto.add", "pypto.sub", "pypto.mul", "pypto.div") and isinstance(first, ast.Constant):
            yield operator.impl, node.lineno, f"F1: the first operand of {name} is a number"
        if any(called(entry) == "pypto.Element" for entry in node.args):
            yield operator.impl, node.lineno, "F2: Element() as an argument"
        if name == "pypto.cast" and isinstance(first, ast.Name) and first.id in types and len(node.args) > 1:
            target = (dotted(node.args[1]) or "").split(".")[-1]
            if target.startswith("DT_") and target not in LEGAL_CASTS.get(types[first.id], set()):
                yield operator.impl, node.lineno, f"F4: cast of {types[first.id]} to {target}"
        if name in ("pypto.zeros", "pypto.ones") and any((dotted(entry)
                                                          or "").startswith("pypto.DT_") for entry in node.args):
            yield operator.impl, node.lineno, "F8: the type of zeros is a keyword"


TORCH_FINE = set(
    "empty zeros ones full empty_like zeros_like ones_like full_like tensor as_tensor from_numpy arange eye randn rand "
    "randint normal randn_like rand_like reshape cat stack chunk split unbind movedim swapaxes swapdims broadcast_to "
    "flatten squeeze unsqueeze permute transpose pad tril triu meshgrid repeat tile set_device manual_seed device "
    "no_grad is_available device_count current_device".split()
)
ARITHMETIC = set(
    "matmul mm bmm dot mv einsum exp expm1 log log1p log2 log10 softmax log_softmax sum mean median std var prod cumsum "
    "cumprod rsqrt sqrt sigmoid tanh relu gelu silu pow neg abs maximum minimum amax amin argmax argmin where clamp "
    "clamp_min clamp_max erf sin cos tan sign floor ceil round reciprocal addmm baddbmm scatter scatter_add gather "
    "index_select index_add norm dist cross outer masked_fill add sub mul div".split()
)


@rule("OL62", "S0", "no torch arithmetic in the implementation")
def ol62(operator):
    for node in ast.walk(operator.tree(operator.impl)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield operator.impl, node.lineno, "@"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        root = node.func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        root = root.id if isinstance(root, ast.Name) else None
        name = node.func.attr
        if root == "torch" and name not in TORCH_FINE:
            yield operator.impl, node.lineno, f"torch.{name}"
        elif root in ("F", "functional"):
            yield operator.impl, node.lineno, f"F.{name}"
        elif name in ARITHMETIC and root not in ("torch", "pypto", "np", "numpy", "math", "os", "sys", "self",
                                                 "kwargs"):
            yield operator.impl, node.lineno, f".{name}()"


def waiver(finding, operator):
    """Why a finding may stand, or nothing."""
    if finding.rule == "OL48" and finding.text.startswith("k has 3 values"):
        return "three K depths, which the framework supports"
    if finding.rule == "OL56":
        return "a tuned kernel: several factors belong to the optimisation stage, shipped operators have them too"
    if finding.rule == "OL40" and "'dynamic_axes'" in finding.text:
        notes = [parameter.annotation for kernel in operator.kernels
                 for parameter in kernel.args.args if parameter.annotation]
        if not any(dotted(node) == "pypto.DYNAMIC" for note in notes for node in ast.walk(note)):
            return "every axis is a constant of the compilation"
    return ""


def lint(operator):
    found = []
    for number, entry in sorted(RULES.items()):
        for file, line, text in entry.check(operator):
            finding = Finding(number, file, line, text)
            finding.waiver = waiver(finding, operator)
            found.append(finding)
    return found


def main(folders):
    bad = 0
    for folder in folders:
        for finding in lint(Operator(folder)):
            print(f"{folder}: {finding}")
            bad += not finding.waiver
    for number, reason in sorted(NOT_OURS.items()):
        print(f"not checked: {number} is about {reason}")
    return 1 if bad else 0


if __name__ == "__main__":
    import standin_path  # noqa: F401

    sys.exit(main(sys.argv[1:]))
