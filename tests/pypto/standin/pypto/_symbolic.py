# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that the compiler does not know: dimensions marked DYNAMIC, loop indices, and what is computed from them.

Each carries its number of this run for the stand-in's own use, and a linear form over unknowns, so that differences
such as (i + 1) * 32 - i * 32 are constants, as they are for the compiler. Everything that would need the number while
the kernel is compiled (Python's if, min, max, range, list indices) is refused."""
import itertools

from ._errors import INVALID_VALUE, NOT_SYMBOLIC, PyptoError, fail

_names = itertools.count()


class SymbolicScalar:
    def __init__(self, value=0, terms=None, constant=None):
        if isinstance(value, SymbolicScalar):
            value, terms, constant = value.value, value.terms, value.constant
        self.value = value  # the number of this run
        self.terms = terms or {}  # unknown -> factor
        self.constant = value if constant is None else constant

    @staticmethod
    def unknown(value, name):
        return SymbolicScalar(value, {f"{name}#{next(_names)}": 1}, 0)

    def key(self):
        return (self.constant, tuple(sorted(self.terms.items())))

    def __repr__(self):
        text = "".join(f" + {factor} * {name.split('#')[0]}" for name, factor in sorted(self.terms.items()))
        return f"SymbolicScalar({self.constant}{text})"

    def is_concrete(self):
        return not self.terms

    def concrete(self):
        if self.terms:
            fail(INVALID_VALUE, f"{self!r} is not known while the kernel is compiled")
        return self.constant

    def simplify(self):
        return self

    def __int__(self):
        return self.concrete()

    __index__ = __int__

    def __bool__(self):
        if not self.terms:
            return bool(self.constant)
        raise PyptoError(NOT_SYMBOLIC, f"{self!r} cannot be a condition while the kernel is compiled; use pypto.cond, "
                                       ".min() or .max()")

    def _linear(self, other, factor):
        if not isinstance(other, (int, SymbolicScalar)) or isinstance(other, bool):
            return NotImplemented
        other = SymbolicScalar(other)
        terms = dict(self.terms)
        for name, count in other.terms.items():
            terms[name] = terms.get(name, 0) + factor * count
        terms = {name: count for name, count in terms.items() if count != 0}
        return SymbolicScalar(self.value + factor * other.value, terms, self.constant + factor * other.constant)

    def _new(self, operation, other, number):
        """Not linear: an unknown of its own, the same for the same operands."""
        other = SymbolicScalar(other)
        if not self.terms and not other.terms:
            return SymbolicScalar(number(self.constant, other.constant))
        name = f"{operation}({self.key()}, {other.key()})"
        return SymbolicScalar(number(self.value, other.value), {name: 1}, 0)

    def __add__(self, other):
        return self._linear(other, 1)

    __radd__ = __add__

    def __sub__(self, other):
        return self._linear(other, -1)

    def __rsub__(self, other):
        return SymbolicScalar(other)._linear(self, -1)

    def __neg__(self):
        return SymbolicScalar(0)._linear(self, -1)

    def __mul__(self, other):
        if not isinstance(other, (int, SymbolicScalar)):
            return NotImplemented
        other = SymbolicScalar(other)
        scaled, factor = (self, other) if not other.terms else (other, self)
        if factor.terms:
            return self._new("*", other, lambda a, b: a * b)
        if factor.constant == 0:
            return SymbolicScalar(0)
        terms = {name: count * factor.constant for name, count in scaled.terms.items()}
        return SymbolicScalar(scaled.value * factor.constant, terms, scaled.constant * factor.constant)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        return self._new("//", other, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return SymbolicScalar(other) // self

    def __truediv__(self, other):
        fail(INVALID_VALUE, "symbolic values are integers: use //")

    def __mod__(self, other):
        return self._new("%", other, lambda a, b: a % b)

    def __rmod__(self, other):
        return SymbolicScalar(other) % self

    def min(self, other):
        return self._new("min", other, min)

    def max(self, other):
        return self._new("max", other, max)

    def _compare(self, operation, other, number):
        if not isinstance(other, (int, SymbolicScalar)):
            return NotImplemented
        return self._new(operation, other, lambda a, b: int(number(a, b)))

    def __eq__(self, other):
        return self._compare("==", other, lambda a, b: a == b)

    def __ne__(self, other):
        return self._compare("!=", other, lambda a, b: a != b)

    def __lt__(self, other):
        return self._compare("<", other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compare("<=", other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compare(">", other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compare(">=", other, lambda a, b: a >= b)

    __hash__ = object.__hash__


def number(value):
    """The number of this run, of an integer or symbolic value."""
    if isinstance(value, SymbolicScalar):
        return value.value
    if isinstance(value, bool) or not isinstance(value, int):
        fail(INVALID_VALUE, f"{value!r} is neither an integer nor symbolic")
    return value


def numbers(values):
    return [number(value) for value in values]


def constants(values, what):
    """Integers that the compiler must know."""
    result = []
    for value in values:
        if isinstance(value, SymbolicScalar):
            value = value.concrete()
        if isinstance(value, bool) or not isinstance(value, int):
            fail(INVALID_VALUE, f"{what}: {value!r} is not an integer")
        result.append(value)
    return result
