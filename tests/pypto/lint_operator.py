# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rules of the linter look at: the files of one operator, and calls in their syntax trees."""
import ast
import dataclasses
import functools
import pathlib

RULES = {}


def walk(node):
    """ast.walk of a tree that does not change: rules ask for the same nodes again and again."""
    try:
        return node.walked
    except AttributeError:
        node.walked = list(ast.walk(node))
        return node.walked


def text_of(path):
    """A file's text; nothing for data that a test loads (arrays) and for other files that are no UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        if path.suffix in (".py", ".md", ".json"):
            raise
        return None


class Operator:
    """The files of one operator."""

    def __init__(self, folder, files=None):
        if files is None:
            files = {path.name: text_of(path) for path in pathlib.Path(folder).iterdir() if path.is_file()}
        self.files = {name: text for name, text in files.items() if text is not None}
        impls = [name for name in self.files if name.endswith("_impl.py")]
        self.name = impls[0].removesuffix("_impl.py") if impls else pathlib.Path(folder or "x").name
        self.impl, self.golden, self.test = f"{self.name}_impl.py", f"{self.name}_golden.py", f"test_{self.name}.py"
        self.trees = {name: ast.parse(text) for name, text in self.files.items() if name.endswith(".py")}

    def tree(self, name):
        return self.trees.get(name, ast.Module([], []))

    @functools.cached_property
    def kernels(self):
        return jit_functions(self.tree(self.impl))

    def functions(self, name):
        return {node.name: node for node in walk(self.tree(name)) if isinstance(node, ast.FunctionDef)}

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
            for node in walk(function):
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
    for node in walk(tree):
        if called(node) in names:
            yield node


def jit_functions(tree):
    def jitted(decorator):
        return dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) == "pypto.frontend.jit"

    return [node for node in walk(tree) if isinstance(node, ast.FunctionDef) and any(map(jitted, node.decorator_list))]


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
        for node in walk(kernel):
            text = check(kernel, node)
            if text:
                yield operator.impl, node.lineno, text
