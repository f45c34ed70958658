# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about NAME_impl.py."""
import ast

from lint_operator import argument, called, calls, dotted, in_kernels, is_tensor, is_wrapper, rule, walk
from lint_ranks import Ranks


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


@rule("OL45", "S0", "the host calls the kernel once")
def ol45(operator):
    names = {kernel.name for kernel in operator.kernels}
    for wrapper in operator.wrappers():
        for node in walk(wrapper):
            if isinstance(node, ast.For) and called(node.iter) == "range":
                if any((called(inner) or "").split(".")[-1] in names for inner in walk(node)):
                    yield operator.impl, node.lineno, "calls the kernel in a Python loop"


def constant_value(node, scope, depth=10):
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id in scope and depth:
        return constant_value(scope[node.id], scope, depth - 1)
    return None


def assignments(tree, before=None):
    found = {}
    for node in walk(tree) if isinstance(tree, ast.FunctionDef) else tree.body:
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
    for node in walk(tree):
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
        for node in walk(function):
            target, source = None, None
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target, source = node.targets[0].value, node.value
            elif called(node) in ("pypto.assemble", "pypto.atomic_add") and len(node.args) >= 3:
                target, source = node.args[2], node.args[0]
            elif called(node) == "pypto.assemble" and len(node.args) == 2:  # [(source, offsets), ...], target
                target, source = node.args[1], node.args[0].elts[0].elts[0]
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
        for node in walk(tree):
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
    return any((called(node) or "").startswith("pypto.") for node in walk(tree))


@rule("OL57", "S0", "only pypto.loop, pypto.loop_unroll and range loops in the graph")
def ol57(operator):
    functions = {function.name: function for function in operator.reachable()}
    for name, function in operator.functions(operator.impl).items():
        if uses_pypto(function):
            functions[name] = function
    for name, function in functions.items():
        if is_wrapper(name, operator.name):
            continue
        for node in (inner for statement in function.body for inner in walk(statement)):
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
        for call in walk(wrapper):
            if (called(call) or "").split(".")[-1] not in names:
                continue
            for entry in [*call.args, *(keyword.value for keyword in call.keywords)]:
                if isinstance(entry, ast.Name) and entry.id not in known:
                    if entry.id in ("out", "output") or entry.id.startswith("out_") or entry.id.endswith("_out"):
                        yield operator.impl, entry.lineno, f"output '{entry.id}' comes from nowhere"


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
CASTS_OF_950 = {
    "DT_FP32": {"DT_FP8E4M3", "DT_FP8E5M2", "DT_HF8"},
    "DT_FP16": {"DT_HF8"},
    "DT_BF16": {"DT_FP16"},
    "DT_FP8E4M3": {"DT_FP32"},
    "DT_FP8E5M2": {"DT_FP32"},
    "DT_HF8": {"DT_FP32"},
    "DT_INT8": {"DT_INT16", "DT_INT32"},
}


@rule("OL61", "S1", "F1 to F4, F8: operands, tiles and casts")
def ol61(operator):
    for kernel in operator.kernels:
        for line, text in Ranks(kernel).found:
            yield operator.impl, line, text
    types = {}
    for kernel in operator.kernels:
        for parameter in kernel.args.args:
            if isinstance(parameter.annotation, ast.Call) and len(parameter.annotation.args) > 1:
                types[parameter.arg] = (dotted(parameter.annotation.args[1]) or "").split(".")[-1]
    for node in walk(operator.tree(operator.impl)):
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
            newer = "Ascend950" in (ast.get_docstring(operator.tree(operator.impl)) or "")
            legal = LEGAL_CASTS.get(types[first.id], set()) | (CASTS_OF_950.get(types[first.id], set()) if newer else set())
            if target.startswith("DT_") and target not in legal:
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
    "matmul mm bmm dot mv einsum exp expm1 log log1p log2 log10 softmax log_softmax sum mean median std var prod "
    "cumsum cumprod rsqrt sqrt sigmoid tanh relu gelu silu pow neg abs maximum minimum amax amin argmax argmin where "
    "clamp clamp_min clamp_max erf sin cos tan sign floor ceil round reciprocal addmm baddbmm scatter scatter_add gather "
    "index_select index_add norm dist cross outer masked_fill add sub mul div".split()
)


@rule("OL62", "S0", "no torch arithmetic in the implementation")
def ol62(operator):
    for node in walk(operator.tree(operator.impl)):
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
