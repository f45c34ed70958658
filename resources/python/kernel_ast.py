# SPDX-License-Identifier: GPL-3.0-or-later
"""kernel_ast.py [FILE]: the syntax tree of a Python source file (or of standard input) as one line of ASCII JSON.

Run as `python3 -I -S kernel_ast.py FILE`. The source is parsed, never executed, and nothing of it is imported.

    {"kernel_ast":1,"python":"3.11.2","lines":N,"comments":[[line,column,"# text"],...],"body":[NODE,...]}
or, where the file cannot be parsed (the exit status is 0 as well),
    {"kernel_ast":1,"error":{"kind":KIND,"message":TEXT,"line":L,"column":C}}   line and column: null where unknown
    KIND: read (file cannot be read), encoding (not UTF-8), syntax, limit (too big, too deep, too slow), version.

NODE is {"t":"Call","l":12,"c":4, FIELD:VALUE, ...}: the class of Python's `ast` module, where it starts (lines from 1,
columns from 0 in UTF-8 bytes; both absent where a node has no place), and the fields of the class with their own names,
in their own order. A VALUE is a NODE, a list of VALUEs, a string (names), an integer (`level`, `is_async`, `simple`),
null, or for operators the name of their class ("Add", "NotEq", "And", "USub"). `ctx`, `type_comment`, `type_ignores`
and `type_params` are left out.

A Constant is {"t":"Constant",...,"kind":KIND,"value":TEXT}; TEXT is always a string:
    int (of 64 bits) and float: as Python prints them; bool: True, False; str: the text, lone surrogates replaced;
    none, ellipsis, other (longer integers, infinity, bytes, complex numbers): empty
"""
import sys

MAX_BYTES = 256 << 10
MAX_DEPTH = 100  # nodes inside of nodes
MAX_NODES = 100_000
MAX_CPU_SECONDS = 1.0
MAX_MEMORY = 96 << 20  # address space
LEFT_OUT = {"ctx", "type_comment", "type_ignores", "type_params"}


class Refused(Exception):
    def __init__(self, kind, message, line=None, col=None):
        super().__init__(message)
        self.answer = {"kind": kind, "message": message, "line": line, "column": col}


def limit_resources():
    """Where the system allows it; a caller that cannot rely on it has to keep the time itself."""
    try:
        import resource
        import signal
    except ImportError:
        return

    def too_slow(_number, _frame):
        raise Refused("limit", f"parsing takes more than {MAX_CPU_SECONDS:g} s")

    signal.signal(signal.SIGPROF, too_slow)
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
    for kind, value in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CPU, 2), (resource.RLIMIT_CORE, 0)):
        try:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
        except (OSError, ValueError):
            pass


def read(path):
    try:
        if path is None:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused("read", f"{path}: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise Refused("limit", f"the file has more than {MAX_BYTES >> 10} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        col = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        raise Refused("encoding", "the file is not UTF-8", line, col) from None
    if "\0" in text:
        raise Refused("encoding", "the file has a NUL character", text.count("\n", 0, text.index("\0")) + 1)
    return text


def parse(text):
    import _ast
    import warnings

    warnings.simplefilter("ignore")
    try:
        return compile(text, "<kernel>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        col = None
        if error.offset is not None and error.offset > 0:
            # Python counts characters from 1.
            col = len((error.text or "")[: error.offset - 1].encode("utf-8", "replace"))
        raise Refused("syntax", error.msg, error.lineno, col) from None
    except RecursionError:
        raise Refused("limit", "expressions are nested too deeply") from None
    except (ValueError, OverflowError) as error:
        raise Refused("syntax", str(error)) from None


def constant(value, quote):
    """The fields "kind" and "value" of a constant."""
    kind, text = "other", ""
    if value is None:
        kind = "none"
    elif value is Ellipsis:
        kind = "ellipsis"
    elif isinstance(value, bool):
        kind, text = "bool", str(value)
    elif isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        kind, text = "int", str(value)
    elif isinstance(value, float) and value - value == 0:
        kind, text = "float", repr(value)
    elif isinstance(value, str):
        kind, text = "str", value.encode("utf-8", "replace").decode("utf-8")
    return f'"kind":"{kind}","value":{quote(text)}'


class Writer:
    def __init__(self, ast, quote):
        self.ast = ast
        self.quote = quote
        self.out = []
        self.nodes = 0

    def node(self, node, depth):
        self.nodes += 1
        line = getattr(node, "lineno", None)
        if depth > MAX_DEPTH:
            raise Refused("limit", f"code is nested deeper than {MAX_DEPTH} levels", line)
        if self.nodes > MAX_NODES:
            raise Refused("limit", f"the syntax tree has more than {MAX_NODES} nodes", line)
        out = self.out
        out.append(f'{{"t":"{type(node).__name__}"')
        if line is not None:
            out.append(f',"l":{line},"c":{node.col_offset}')
        if isinstance(node, self.ast.Constant):
            out.append("," + constant(node.value, self.quote))
        else:
            for name in node._fields:
                if name not in LEFT_OUT:
                    out.append(f',"{name}":')
                    self.value(getattr(node, name, None), depth)
        out.append("}")

    def value(self, value, depth):
        if isinstance(value, list):
            self.out.append("[")
            for number, entry in enumerate(value):
                if number:
                    self.out.append(",")
                self.value(entry, depth)
            self.out.append("]")
        elif isinstance(value, (self.ast.operator, self.ast.unaryop, self.ast.boolop, self.ast.cmpop)):
            self.out.append(f'"{type(value).__name__}"')
        elif isinstance(value, self.ast.AST):
            self.node(value, depth + 1)
        elif isinstance(value, str):
            self.out.append(self.quote(value))
        elif isinstance(value, int):
            self.out.append(str(int(value)))
        else:
            self.out.append("null")


def comments(text):
    import io
    import tokenize

    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                col = len(token.line[: token.start[1]].encode("utf-8", "replace"))
                found.append([token.start[0], col, token.string])
    except (tokenize.TokenError, SyntaxError):
        pass  # the parser took the file: what the tokenizer of older versions dislikes costs only comments
    return found


def describe(path):
    if sys.version_info < (3, 9):
        raise Refused("version", f"Python 3.9 or newer is needed, this is {sys.version.split()[0]}")
    import _ast
    import json

    text = read(path)
    tree = parse(text)
    writer = Writer(_ast, json.JSONEncoder().encode)
    writer.value(tree.body, 0)
    head = json.dumps(
        {
            "kernel_ast": 1,
            "python": ".".join(map(str, sys.version_info[:3])),
            "lines": len(text.splitlines()),
            "comments": comments(text) if "#" in text else [],
        },
        separators=(",", ":"),
    )
    return head[:-1] + ',"body":' + "".join(writer.out) + "}\n"


def main(arguments):
    import json

    limit_resources()
    try:
        if len(arguments) > 1:
            raise Refused("read", "usage: kernel_ast.py [FILE]")
        answer = describe(arguments[0] if arguments else None)
    except Refused as refused:
        answer = json.dumps({"kernel_ast": 1, "error": refused.answer}, separators=(",", ":")) + "\n"
    except (MemoryError, RecursionError):
        error = {"kind": "limit", "message": "parsing takes too much memory", "line": None, "column": None}
        answer = json.dumps({"kernel_ast": 1, "error": error}, separators=(",", ":")) + "\n"
    sys.stdout.write(answer)


if __name__ == "__main__":
    main(sys.argv[1:])
