# SPDX-License-Identifier: GPL-3.0-or-later
"""F3 of the linter's fixed rules: a value of another rank wants a vector tile of its own."""
import ast

from lint_operator import argument, called

REDUCTIONS = {"amax", "amin", "sum", "prod", "argmax", "argmin", "var"}
WITHOUT_TILE = {"view", "matmul", "scaled_mm", "assemble", "min", "max", "loop", "loop_unroll", "cond", "Tensor", "tensor",
                "Element", "is_loop_begin", "is_loop_end"}


def length(node):
    return len(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else None


class Ranks:
    """Follows the ranks of values and of the vector tile through a kernel, statement by statement."""

    def __init__(self, kernel):
        self.known, self.tile, self.found = {}, None, []
        for parameter in kernel.args.args:
            note = parameter.annotation
            if isinstance(note, ast.Call) and note.args:
                self.known[parameter.arg] = length(note.args[0])
        self.body(kernel.body)

    def body(self, statements):
        for statement in statements:
            if isinstance(statement, (ast.For, ast.If)):
                before = self.tile
                self.body(statement.body)
                after = self.tile
                if statement.orelse:
                    self.tile = before
                    self.body(statement.orelse)
                if isinstance(statement, ast.If) and self.tile != after:
                    self.tile = None  # the branches set tiles of several ranks
            elif isinstance(statement, ast.Assign):
                rank = self.rank(statement.value)
                if isinstance(statement.targets[0], ast.Name):
                    self.known[statement.targets[0].id] = rank
                elif isinstance(statement.targets[0], ast.Tuple):
                    self.known.update({each.id: rank for each in statement.targets[0].elts if isinstance(each, ast.Name)})
            elif isinstance(statement, ast.Expr):
                self.rank(statement.value)

    def rank(self, node):
        """Of a value, or None; looks at the tile of every operation on the way."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, (ast.List, ast.Tuple)):
            ranks = [rank for rank in map(self.rank, node.elts) if rank]
            return max(ranks, default=None)
        name = called(node) or ""
        if not name.startswith("pypto."):
            return None
        name = name.removeprefix("pypto.")
        if name == "set_vec_tile_shapes":
            self.tile = len(node.args) if not any(isinstance(entry, ast.Starred) for entry in node.args) else None
            return None
        if name.startswith(("set_", "experimental.")):
            return None
        ranks = [self.rank(entry) for entry in node.args]
        rank = self.result(name, node, ranks)
        if name not in WITHOUT_TILE:
            self.check(name, node, ranks, rank)
        return rank

    @staticmethod
    def result(name, node, ranks):
        first = ranks[0] if ranks else None
        if name in ("view", "reshape", "expand_clone"):
            return length(argument(node, 1, "shape")) or (None if name == "reshape" else first)
        if name == "full":
            return length(argument(node, 0, "size"))
        if name == "arange":
            return 1
        if first is None:
            return max((rank for rank in ranks if rank), default=None)
        if name == "unsqueeze":
            return first + 1
        if name in REDUCTIONS:
            keep = argument(node, 2, "keepdim")
            return first if isinstance(keep, ast.Constant) and keep.value else first - 1
        if name == "index_select":
            return first + ranks[2] - 1 if len(ranks) > 2 and ranks[2] else None
        if name in ("matmul", "scaled_mm", "index_add_", "scatter_", "gather", "index_put_"):
            return first
        return max(rank for rank in ranks if rank)

    def check(self, name, node, ranks, rank):
        cut = ranks[0] if name in REDUCTIONS and ranks else rank
        if name in ("reshape", "unsqueeze"):  # nothing moves: a tile of more values does no harm
            cut = max((each for each in (ranks[0], rank) if each), default=None)
            if cut is not None and self.tile is not None and self.tile >= cut:
                return
        if cut is not None and self.tile is not None and self.tile != cut:
            self.found.append((node.lineno, f"F3: {name} of rank {cut} under a vector tile of {self.tile} values"))
