# SPDX-License-Identifier: GPL-3.0-or-later
"""The decorator. A kernel that is called runs once, in Python, on the values of its arguments."""
import enum
import functools
import inspect

import numpy as np

from .._control import check_options
from .._dtypes import DataType as T
from .._dtypes import carrier, decode_fp8, decode_pairs, encode_fp8, is_float
from .._errors import INVALID_FORMAT, INVALID_SHAPE, INVALID_TYPE, RUNTIME_ERROR, PyptoError, StandInError, need
from .._state import state
from .._symbolic import SymbolicScalar
from .._tensor import StatusType, Tensor, TileOpFormat

OPTION_KINDS = ("host_options", "codegen_options", "pass_options", "runtime_options", "verify_options", "debug_options")
TORCH_NAMES = {
    T.DT_INT8: "int8", T.DT_INT16: "int16", T.DT_INT32: "int32", T.DT_INT64: "int64", T.DT_UINT8: "uint8",
    T.DT_UINT64: "uint64", T.DT_BOOL: "bool", T.DT_FP16: "float16", T.DT_FP32: "float32", T.DT_BF16: "bfloat16",
    T.DT_FP8E4M3: "float8_e4m3fn", T.DT_FP8E5M2: "float8_e5m2", T.DT_FP8E8M0: "float8_e8m0fnu",
}  # fmt: skip
BYTE_CODES = {T.DT_FP8E4M3, T.DT_FP8E5M2, T.DT_FP8E8M0, T.DT_HF8}


class RunMode(enum.IntEnum):
    NPU = 0
    SIM = 1


def values_of(tensor, dtype):
    """What a torch tensor holds, as the stand-in keeps it."""
    name = str(tensor.dtype).removeprefix("torch.")
    if name == "uint8" and dtype in BYTE_CODES:
        return decode_fp8(tensor.detach().cpu().numpy(), dtype)
    if dtype is T.DT_FP4_E2M1:  # torch has bytes, PyPTO counts their halves
        need(name == "uint8", INVALID_TYPE, f"a torch.{name} tensor for {dtype.name}")
        return decode_pairs(tensor.detach().cpu().numpy())
    need(name == TORCH_NAMES.get(dtype), INVALID_TYPE, f"a torch.{name} tensor for {dtype.name}")
    plain = tensor.detach().cpu()
    if is_float(dtype):
        plain = plain.float()
    return plain.numpy().astype(carrier(dtype))


def store(tensor, array, dtype):
    """The values of a kernel's tensor back into torch's."""
    import torch

    name = str(tensor.dtype).removeprefix("torch.")
    if name == "uint8" and dtype is T.DT_FP4_E2M1:
        raise StandInError("an output of FP4 codes")
    if name == "uint8" and dtype in BYTE_CODES:  # a torch without the type
        array = encode_fp8(array, dtype)
    tensor.copy_(torch.from_numpy(np.ascontiguousarray(array)).to(tensor.dtype))


class Kernel:
    def __init__(self, function, options):
        self.function = function
        self.options = options
        self.signature = inspect.signature(function)
        self.source = inspect.getsource(function)  # PyPTO reads it again: there has to be a file
        functools.update_wrapper(self, function)
        for kind, values in options.items():
            check_options(kind, values)

    def __call__(self, *arguments, **keywords):
        import torch

        bound = self.signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        with state.scope():
            state.settings.options.update(self.options.get("pass_options", {}))
            state.record.options.append({"in_kernel": False, "name": self.function.__name__, **self.options})
            inside, tensors, seen_other = {}, [], False
            for name, value in bound.arguments.items():
                annotation = self.signature.parameters[name].annotation
                if not isinstance(annotation, Tensor):
                    need(not isinstance(value, torch.Tensor), INVALID_TYPE, f"'{name}' has no pypto.Tensor annotation")
                    inside[name], seen_other = value, True
                    continue
                need(not seen_other, INVALID_TYPE, f"tensor '{name}' behind other parameters")
                need(isinstance(value, torch.Tensor), RUNTIME_ERROR,
                     f"'{name}' must be a torch.Tensor, got {type(value)}")
                tensor = self.parameter(name, annotation, value)
                inside[name] = tensor
                tensors.append((tensor, value, tensor.array.copy()))
            result = self.function(**inside)
            need(result is None, RUNTIME_ERROR, "a kernel returns nothing")
            for tensor, value, before in tensors:
                if not np.array_equal(tensor.array, before, equal_nan=is_float(tensor.dtype)):
                    store(value, tensor.array, tensor.dtype)

    def parameter(self, name, annotation, value):
        shape, dtype, format = annotation.annotation
        if dtype is None:
            names = {text: kind for kind, text in TORCH_NAMES.items()}
            dtype = names[str(value.dtype).removeprefix("torch.")]
        array = values_of(value, dtype)
        if format is not None and str(value.device).startswith("npu"):  # elsewhere formats do not exist
            need((value.npu_format == 29) == (format is TileOpFormat.TILEOP_NZ), INVALID_FORMAT,
                 f"'{name}' is declared {format.name}, the tensor is not")
        declared = list(shape)
        if declared and declared[-1] is Ellipsis:
            declared = declared[:-1] + [StatusType.STATIC] * (array.ndim - len(declared) + 1)
        if not shape:
            declared = [StatusType.STATIC] * array.ndim
        need(len(declared) == array.ndim, INVALID_SHAPE, f"'{name}' has {array.ndim} axes, declared {len(declared)}")
        extents = []
        for axis, (wanted, extent) in enumerate(zip(declared, array.shape)):
            if wanted is StatusType.DYNAMIC:
                extents.append(SymbolicScalar.unknown(extent, f"{name}.shape[{axis}]"))
            elif wanted is StatusType.STATIC:
                extents.append(extent)
            else:
                need(wanted == extent, INVALID_SHAPE, f"'{name}' has {extent} in axis {axis}, declared {wanted}")
                extents.append(extent)
        return Tensor.parameter(name, array, extents, dtype, format)


def jit(func=None, *, new_ir=True, create_new_logical_tensor=False, **options):
    unknown = set(options) - set(OPTION_KINDS)
    if unknown:
        raise PyptoError(INVALID_TYPE, f"jit has no {sorted(unknown)}")
    options = {kind: dict(values) for kind, values in options.items() if values is not None}
    if func is not None:
        return Kernel(func, options)
    return lambda function: Kernel(function, options)
