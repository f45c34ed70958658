# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors of a kernel, and what only moves data: view, assemble, reshape and their kin."""
import enum

import numpy as np

from ._dtypes import DataType, carrier, poison, size_of
from ._errors import (DYNAMIC_SHAPE, INVALID_SHAPE, INVALID_TYPE, INVALID_VALUE, RUNTIME_ERROR, TILE_RANK, StandInError,
                      fail, need)
from ._state import state
from ._symbolic import SymbolicScalar, numbers


class TileOpFormat(enum.Enum):
    TILEOP_ND = 0
    TILEOP_NZ = 1


class CachePolicy(enum.Enum):
    NONE_CACHEABLE = 0
    PREFETCH = 1


class StatusType(enum.Enum):
    DYNAMIC = 0
    STATIC = 1


class Tensor:
    """In a signature an annotation; in a kernel a tensor. `array` has the declared shape; what lies beyond `valid` (one
    extent per axis) is poisoned."""

    def __init__(self, shape=None, dtype=None, name="", format=None):
        self.annotation = (list(shape) if shape is not None else [], dtype, format)
        self.dtype = dtype or DataType.DT_FP32
        self.format = format or TileOpFormat.TILEOP_ND
        self.name = name
        self.base = None  # of a parameter or local tensor: itself
        self.policies = {}
        self.frame = None
        if state.frames and shape is not None:  # pypto.tensor(...) in a kernel: memory of its own
            extents = numbers(shape)
            self._fill(np.full(extents, poison(self.dtype), carrier(self.dtype)), list(shape), tuple(extents))
            self.base = self

    def __class_getitem__(cls, parameters):
        parameters = parameters if isinstance(parameters, tuple) else (parameters,)
        found = {}
        for parameter in parameters:
            if isinstance(parameter, dict):
                found.update(parameter)
            elif isinstance(parameter, (list, tuple)):
                found["shape"] = parameter
            elif isinstance(parameter, DataType):
                found["dtype"] = parameter
            elif isinstance(parameter, TileOpFormat):
                found["format"] = parameter
            elif isinstance(parameter, str):
                found["name"] = parameter
        return Tensor(**found)

    def _fill(self, array, shape, valid):
        self.array, self._shape, self.valid = array, shape, tuple(valid)
        self.frame = state.frame.id

    @staticmethod
    def parameter(name, array, shape, dtype, format):
        tensor = Tensor(None, dtype, name, format)
        tensor._fill(array, shape, array.shape)
        tensor.base = tensor
        return tensor

    @staticmethod
    def value(array, dtype, valid=None, shape=None):
        """A result. Poisons what is not valid."""
        tensor = Tensor(None, dtype)
        valid = tuple(array.shape if valid is None else valid)
        if valid != array.shape:
            kept = array[tuple(slice(0, extent) for extent in valid)]
            whole = np.full(array.shape, poison(dtype), carrier(dtype))
            whole[tuple(slice(0, extent) for extent in valid)] = kept
            array = whole
        tensor._fill(np.ascontiguousarray(array, carrier(dtype)), list(shape or array.shape), valid)
        return tensor

    @property
    def shape(self):
        return list(self._shape)

    @property
    def dim(self):
        return len(self._shape)

    @property
    def valid_shape(self):
        return [SymbolicScalar(extent) for extent in self.valid]

    def valid_part(self):
        return self.array[tuple(slice(0, extent) for extent in self.valid)]

    def check_alive(self):
        if self.frame is None:
            raise StandInError("an annotation is not a tensor")
        if not state.active(self.frame):
            raise StandInError(f"'{self.name or 'a value'}' was computed in a loop that has ended")

    def static_shape(self, what):
        """Operands of operations need extents that the compiler knows."""
        self.check_alive()
        for extent in self._shape:
            if isinstance(extent, SymbolicScalar) and not extent.is_concrete():
                fail(DYNAMIC_SHAPE, f"{what}: '{self.name}' has invalid shape value: -1. Dynamic shape tensors are not "
                                    "allowed; use view in a loop")
        return tuple(int(extent) for extent in self._shape)

    def set_cache_policy(self, policy, value):
        need(isinstance(policy, CachePolicy), INVALID_TYPE, "set_cache_policy takes a CachePolicy")
        self.policies[policy.name] = bool(value)
        state.record.events.append(state_event(self, policy))

    def __iter__(self):
        fail(INVALID_TYPE, "Tensor is not iterable.")

    def __bool__(self):
        fail(INVALID_TYPE, "a Tensor is no condition")

    __hash__ = object.__hash__

    def move(self, other):
        need(isinstance(other, Tensor), INVALID_TYPE, f"'{type(other).__name__}' type cannot be moved to Tensor")
        write(other, [0] * self.dim, self, "move", whole=True)

    def assemble(self, input, offsets):
        assemble(input, offsets, self)

    def __setitem__(self, key, value):
        if is_empty_slice(key):
            self.move(value)
            return
        key = normal_key(self, key)
        offsets, kept = [], []
        for axis, entry in enumerate(key):
            if isinstance(entry, slice):
                need(entry.step in (None, 1), INVALID_VALUE, "step must be 1 or None")
                if entry.start is None and entry.stop is None:
                    offsets.append(0)
                elif entry.start is not None:
                    offsets.append(entry.start)
                else:
                    offsets.append(entry.stop - self._shape[axis])
                kept.append(axis)
            else:
                offsets.append(entry)
        if not kept:
            fail(INVALID_VALUE, "single elements are for INT32 values on the host")
        if len(kept) < len(key):
            need(value.dim == len(kept), INVALID_SHAPE, f"{len(kept)} slices for a value with {value.dim} axes")
            if value.valid != value.array.shape:
                raise StandInError("an integer index reshapes the value, which does not keep its valid shape")
            extents = iter(value.shape)
            value = reshaped(value, [next(extents) if axis in kept else 1 for axis in range(len(key))])
        write(value, offsets, self, "slice")

    def __getitem__(self, key):
        if is_empty_slice(key):
            return self
        key = normal_key(self, key)
        offsets, shape, dropped = [], [], []
        for axis, entry in enumerate(key):
            if isinstance(entry, slice):
                need(entry.step in (None, 1), INVALID_VALUE, "step must be 1 or None")
                start = 0 if entry.start is None else entry.start
                stop = self._shape[axis] if entry.stop is None else entry.stop
                extent = stop - start
                shape.append(extent.concrete() if isinstance(extent, SymbolicScalar) else extent)
                offsets.append(start)
            else:
                offsets.append(entry)
                shape.append(1)
                dropped.append(axis)
        if len(dropped) == len(key):
            return self.element(key)
        result = view(self, shape, offsets)
        if dropped:
            if result.valid != result.array.shape:
                raise StandInError("an integer index reshapes the window, which does not keep its valid shape")
            result = reshaped(result, [extent for axis, extent in enumerate(shape) if axis not in dropped])
        return result

    def element(self, key):
        """A value that steers loops and windows: read by the host from an INT32 parameter."""
        need(self.dtype is DataType.DT_INT32, INVALID_TYPE, f"single elements of {self.dtype!r}: only INT32")
        at = tuple(numbers(key))
        for index, extent in zip(at, self.array.shape):
            need(0 <= index < extent, INVALID_VALUE, f"'{self.name}'{list(at)} of {list(self.array.shape)}")
        return SymbolicScalar(int(self.array[at]), {f"{self.name}{at}": 1}, 0)

    def __getattr__(self, name):
        # Methods that are the functions of the module: x.exp(), x.sum(-1), ...
        import pypto

        if name in METHODS:
            return lambda *arguments, **named: getattr(pypto, name)(self, *arguments, **named)
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")


METHODS = {
    "add", "sub", "mul", "div", "maximum", "minimum", "matmul", "reshape", "unsqueeze", "view", "clone", "sigmoid",
    "softmax", "exp", "log", "amax", "amin", "sum", "prod", "sqrt", "rsqrt", "reciprocal", "relu", "transpose",
    "gather", "index_add_", "cumsum", "expand_clone", "pad", "fillpad", "topk", "quant_mx", "where", "round", "ceil",
    "floor",
    "trunc", "neg", "abs",
}  # fmt: skip


def state_event(tensor, policy):
    from ._state import Event

    return Event("cache", policy.name, state.settings.label, None, [tensor.array.shape], state.loop_names(),
                 {"tensor": tensor.name})


def is_empty_slice(key):
    def empty(entry):
        return isinstance(entry, slice) and entry.start is None and entry.stop is None and entry.step is None

    return key is Ellipsis or empty(key) or (isinstance(key, tuple) and all(map(empty, key)))


def normal_key(tensor, key):
    """One entry per axis, no negative constants."""
    key = key if isinstance(key, tuple) else (key,)
    if Ellipsis in [entry for entry in key if entry is Ellipsis]:
        at = next(number for number, entry in enumerate(key) if entry is Ellipsis)
        key = key[:at] + (slice(None),) * (tensor.dim - len(key) + 1) + key[at + 1:]
    need(len(key) <= tensor.dim, INVALID_SHAPE, f"{len(key)} indices for {tensor.dim} axes")
    key = key + (slice(None),) * (tensor.dim - len(key))
    result = []
    for entry, extent in zip(key, tensor.shape):
        def positive(value):
            return extent + value if isinstance(value, int) and value < 0 else value

        if isinstance(entry, slice):
            result.append(slice(positive(entry.start), positive(entry.stop), entry.step))
        elif isinstance(entry, (int, SymbolicScalar)):
            result.append(positive(entry))
        else:
            fail(INVALID_VALUE, "tuple key must be int, SymbolicScalar or slice")
    return result


def view(input, shape=None, offsets=None, *, valid_shape=None, dtype=None):
    need(isinstance(input, Tensor), INVALID_TYPE, "view takes a Tensor")
    if dtype is not None:
        raise StandInError("the stand-in has no view that reinterprets bytes")
    input.check_alive()
    need(all(isinstance(extent, int) and not isinstance(extent, bool) for extent in shape), INVALID_TYPE,
         f"view shape {shape}: a list of int, no SymbolicScalar")
    need(len(shape) == input.dim, INVALID_SHAPE, f"view shape {shape} of a tensor with {input.dim} axes")
    need(len(offsets) == len(shape), INVALID_SHAPE, f"view offsets {offsets} for shape {shape}")
    need(all(extent > 0 for extent in shape), INVALID_SHAPE, f"view shape {shape}")
    at = numbers(offsets)
    need(all(offset >= 0 for offset in at), INVALID_VALUE, f"view offsets {at}")
    if valid_shape is None:
        valid = [extent for extent in shape]
        for axis, (offset, extent) in enumerate(zip(at, shape)):
            room = input.valid[axis] - offset
            if input.base is not None and room < extent:
                raise StandInError(f"view {shape} at {at} of '{input.name}' {list(input.array.shape)} reaches beyond "
                                   "its end without valid_shape")
            valid[axis] = max(0, min(extent, room))
    else:
        need(len(valid_shape) == len(shape), INVALID_SHAPE, f"valid_shape {valid_shape} for shape {shape}")
        valid = numbers(valid_shape)
    for axis, (offset, extent) in enumerate(zip(at, valid)):
        need(0 <= extent <= shape[axis], INVALID_VALUE, f"valid shape {valid} of a view with shape {shape}")
        if extent and offset + extent > input.valid[axis]:
            raise StandInError(f"view at {at}, valid {valid}, of '{input.name}' {list(input.valid)} reads beyond its "
                               "end")
    state.reads(input.base)
    whole = np.full(shape, poison(input.dtype), carrier(input.dtype))
    if all(valid):
        source = tuple(slice(offset, offset + extent) for offset, extent in zip(at, valid))
        whole[tuple(slice(0, extent) for extent in valid)] = input.array[source]
    result = Tensor.value(whole, input.dtype, valid)
    result.format, result.name, result.policies = input.format, input.name, input.policies
    result.viewed = True
    state.event("view", "view", None, [shape], tensor=input.name, valid=valid)
    return result


def write(source, offsets, target, op, whole=False, combine=None):
    """The valid part of a value into a tensor."""
    need(isinstance(source, Tensor) and isinstance(target, Tensor), INVALID_TYPE, f"{op} takes Tensors")
    source.check_alive()
    target.check_alive()
    need(source.dtype is target.dtype, INVALID_TYPE, f"{op}: {source.dtype!r} into {target.dtype!r} '{target.name}'")
    need(source.dim == target.dim, INVALID_SHAPE, f"{op}: {source.dim} axes into {target.dim} axes of '{target.name}'")
    need(len(offsets) == target.dim, INVALID_SHAPE, f"{op}: offsets {offsets} for {target.dim} axes")
    at = numbers(offsets)
    extents = source.valid
    if whole and target.base is target:
        need(source.array.shape == target.array.shape or source.valid == target.array.shape, INVALID_SHAPE,
             f"{op}: shape {list(source.array.shape)} into '{target.name}' {list(target.array.shape)}")
    for offset, extent, room in zip(at, extents, target.array.shape):
        if extent and not 0 <= offset <= room - extent:
            raise StandInError(f"{op} of {list(extents)} at {at} writes beyond '{target.name}' "
                               f"{list(target.array.shape)}")
    if target.base is not target:
        if getattr(target, "viewed", False):
            raise StandInError(f"{op} into a view: the valid shape of the view is the caller's job")
    state.writes(target.base)
    if not all(extents):
        return
    where = tuple(slice(offset, offset + extent) for offset, extent in zip(at, extents))
    values = source.valid_part()
    target.array[where] = values if combine is None else combine(target.array[where], values)
    state.event("write", op, None, [extents], tensor=target.name)


def assemble(*arguments, parallel=False):
    several = bool(arguments) and isinstance(arguments[0], (list, tuple))
    need(several or not parallel, INVALID_VALUE, "assemble(x, offsets, out) has no 'parallel'; the form for lists has")
    if several:
        need(len(arguments) == 2, INVALID_VALUE, "assemble([(x, offsets), ...], out)")
        for source, offsets in arguments[0]:
            write(source, offsets, arguments[1], "assemble")
    else:
        need(len(arguments) == 3, INVALID_VALUE, "assemble(x, offsets, out)")
        source, offsets, target = arguments
        write(source, offsets, target, "assemble")


def atomic_add(src, offsets, dst):
    def add(old, new):
        return (old + new).astype(old.dtype)

    for offset, extent, room in zip(numbers(offsets), src.array.shape, dst.array.shape):
        need(offset + extent <= room, INVALID_SHAPE,
             f"atomic_add of a declared {extent} at {offset} into {room}: offset + shape lies outside")
    write(src, offsets, dst, "atomic_add", combine=add)


def reshape(input, shape, *, valid_shape=None, inplace=False):
    need(isinstance(input, Tensor), INVALID_TYPE, "reshape takes a Tensor")
    if not inplace and input.dim != len(shape):
        tile, rank = state.settings.vec_tile or [], max(input.dim, len(shape))
        need(len(tile) >= rank, TILE_RANK, f"Operation: reshape of {input.dim} to {len(shape)} axes. "
                                           f"Tile shape size {len(tile)} is not matched.")
    result = reshaped(input, shape, valid_shape, inplace)
    result.reshaped = True  # fractals: a matmul has to be told the sizes
    return result


def reshaped(input, shape, valid_shape=None, inplace=False):
    """Without a look at the tile: what an integer index does."""
    input.check_alive()
    if inplace:
        extents = numbers(shape)
    else:
        need(all(isinstance(extent, int) for extent in shape), INVALID_TYPE,
             "reshape() requires integer shape when using non-inplace reshape")
        input.static_shape("reshape")
        extents = list(shape)
    if extents.count(-1) == 1:
        known = -int(np.prod(extents))
        extents[extents.index(-1)] = input.array.size // known if known else 0
    need(int(np.prod(extents)) == input.array.size, INVALID_SHAPE, f"reshape {list(input.array.shape)} to {extents}")
    if inplace:
        need(not getattr(input, "viewed", False), INVALID_VALUE, "reshape in place of a view")
        result = Tensor.parameter(input.name, input.array.reshape(extents), list(shape), input.dtype, input.format)
        result.frame, result.base = input.frame, input.base
        return result
    valid = numbers(valid_shape) if valid_shape is not None else extents
    if valid_shape is None and input.valid != input.array.shape:
        # Axes of extent 1 may come and go; anything else would scatter the valid part.
        squeezed = [(extent, kept) for extent, kept in zip(input.array.shape, input.valid) if extent != 1]
        if [extent for extent, _ in squeezed] != [extent for extent in extents if extent != 1]:
            raise StandInError("reshape of a partly valid value needs valid_shape")
        raise StandInError("reshape does not hand on the valid shape: give valid_shape")
    result = Tensor.value(input.array.reshape(extents), input.dtype)
    result.valid = tuple(valid)
    result.format = input.format
    state.event("view", "reshape", None, [extents], tensor=input.name, valid=list(valid))
    return result


def unsqueeze(input, dim):
    shape = input.static_shape("unsqueeze")
    need(-len(shape) - 1 <= dim <= len(shape), INVALID_VALUE, f"unsqueeze axis {dim}")
    dim = dim % (len(shape) + 1)
    valid = list(input.valid)
    valid.insert(dim, 1)
    return Tensor.value(np.expand_dims(input.array, dim), input.dtype, valid)


def clone(input):
    input.static_shape("clone")
    return Tensor.value(input.array.copy(), input.dtype, input.valid)


def bytes_of(dtype):
    return size_of(dtype)


def check_runtime(condition, text):
    need(condition, RUNTIME_ERROR, text)
