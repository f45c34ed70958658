# SPDX-License-Identifier: GPL-3.0-or-later
"""A small independent stand-in of PyPTO for tests: kernels run in Python on NumPy arrays, loops as Python iterations.

It raises what PyPTO's frontend and passes raise (with their codes) and what it takes in silence although the documents
forbid it. What lies beyond a valid shape is poisoned: NaN where a type has it. `pypto._state.recording()` hands out
what a kernel did. Nothing here comes from Cubist's own arithmetic."""
from . import experimental, frontend
from ._control import (cond, get_cube_tile_shapes, get_vec_tile_shapes, is_loop_begin, is_loop_end, loop, loop_unroll,
                       set_codegen_options, set_cube_tile_shapes, set_debug_options, set_host_options, set_matrix_size,
                       set_options, set_pass_options, set_semantic_label, set_vec_tile_shapes, set_verify_options)
from ._cube import ReLuType, TransMode, matmul, scaled_mm
from ._dtypes import DataType
from ._indexing import (DequantScaleRoundingMode, argsort, concat, cumsum, dequantize, expand_clone, fillpad, gather,
                        index_add_, index_put_, index_select, pad, quant_mx, quantize, scatter_, topk, transpose)
from ._symbolic import SymbolicScalar
from ._tensor import (CachePolicy, StatusType, Tensor, TileOpFormat, assemble, atomic_add, bytes_of, clone, reshape,
                      unsqueeze, view)
from ._vector import (CastMode, PrecisionType, SaturationMode, abs, add, amax, amin, arange, cast, ceil, clip, div, eq,
                      exp, floor, full, ge, greater, gt, le, log, lt, maximum, minimum, mul, ne, neg, ones, pow, prod,
                      reciprocal, relu, rms_norm, round, rsqrt, sigmoid, softmax, sqrt, sub, sum, trunc, where, zeros)
from .frontend import RunMode

DYNAMIC = DYN = StatusType.DYNAMIC
STATIC = StatusType.STATIC
jit = frontend.jit
tensor = Tensor
symbolic_scalar = SymbolicScalar
globals().update(DataType.__members__)


def min(a, b):
    return SymbolicScalar(a).min(b)


def max(a, b):
    return SymbolicScalar(a).max(b)


def ceildiv(a, b):
    return (a + b - 1) // b


def _operators():
    """Operators of tensors, as PyPTO's Tensor class spells them."""

    def reflected_sub(self, other):
        return neg(sub(self, other))

    def reflected_div(self, other):
        return mul(reciprocal(self), other)

    def product(self, other):
        return matmul(self, other, DataType.DT_INT32 if other.dtype is DataType.DT_INT8 else other.dtype)

    def itself(self):
        return self

    for name, function in {
        "__matmul__": product, "__pos__": itself,
        "__add__": add, "__radd__": add, "__iadd__": add, "__sub__": sub, "__isub__": sub, "__mul__": mul,
        "__rmul__": mul, "__imul__": mul, "__truediv__": div, "__itruediv__": div, "__rsub__": reflected_sub,
        "__rtruediv__": reflected_div, "__neg__": neg, "__pow__": pow, "__lt__": lt, "__le__": le, "__gt__": gt,
        "__ge__": ge, "__eq__": eq,
        "__ne__": ne,
    }.items():  # fmt: skip
        setattr(Tensor, name, function)


_operators()
