// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

/// Functions of a golden module that are the same for every design; a module gets those that it calls.
namespace cubist::pypto {

inline constexpr std::string_view kSmallFloats = R"(def float_values(exponent_bits, mantissa_bits, bias):
    """Values of all codes of a small float, in the order of the codes."""
    codes = torch.arange(2 ** (1 + exponent_bits + mantissa_bits))
    mantissa = codes % 2**mantissa_bits
    exponent = torch.div(codes, 2**mantissa_bits, rounding_mode="floor") % 2**exponent_bits
    negative = torch.div(codes, 2 ** (exponent_bits + mantissa_bits), rounding_mode="floor")
    fraction = torch.where(exponent > 0, mantissa + 2**mantissa_bits, mantissa).double()
    power = (exponent.clamp(min=1) - bias - mantissa_bits).double()
    return (1.0 - 2.0 * negative.double()) * fraction * torch.exp2(power)


def code_values(kind):
    """Values of all codes of an 8-bit or 4-bit float."""
    if kind == "FP8E8M0":
        values = torch.exp2(torch.arange(256).double() - 127.0)
        values[255] = float("nan")
    elif kind == "FP8E4M3":
        values = float_values(4, 3, 7)
        values[[0x7F, 0xFF]] = float("nan")
    elif kind == "FP8E5M2":
        values = float_values(5, 2, 15)
        values[[0x7C, 0xFC]] = torch.tensor([float("inf"), float("-inf")]).double()
        values[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = float("nan")
    elif kind == "FP4E2M1":
        values = float_values(2, 1, 1)
    else:
        values = float_values(1, 2, 1)
    return values


def encode(values, kind):
    """Codes of the nearest values, ties to the even code; what is too large becomes the largest."""
    table = code_values(kind)
    positive = torch.isfinite(table) & (torch.arange(len(table)) < 128)
    codes = torch.nonzero(positive, as_tuple=True)[0]
    if kind == "FP8E8M0":
        codes = torch.arange(255)
    if kind.startswith("FP4"):
        codes = torch.arange(8)
    steps = table[codes]
    size = values.double().abs()
    upper = torch.bucketize(size, steps).clamp(max=len(steps) - 1)
    lower = (upper - 1).clamp(min=0)
    up, down = steps[upper] - size, size - steps[lower]
    take_lower = (down < up) | ((down == up) & (codes[lower] % 2 == 0))
    nearest = torch.where(take_lower, codes[lower], codes[upper])
    sign_bit = 8 if kind.startswith("FP4") else 128
    if kind != "FP8E8M0":
        nearest = nearest + sign_bit * torch.signbit(values).long()
    return nearest.to(torch.uint8)
)";

inline constexpr std::string_view kHifloat8 = R"(def hifloat8_values():
    """Values of all codes of HiFloat8: a prefix says how many bits the exponent has, the mantissa has the rest."""
    values = [0.0] + [2.0 ** (code - 23) for code in range(1, 8)]
    values += [1 + part / 8 for part in range(8)]
    for exponent_bits, mantissa_bits in ((1, 3), (2, 3), (3, 2), (4, 1)):
        implied = 2 ** (exponent_bits - 1)
        for sign in (1, -1):
            for size in range(implied, 2 * implied):
                steps = range(2**mantissa_bits)
                values += [(1 + part / 2**mantissa_bits) * 2.0 ** (sign * size) for part in steps]
    values[0x6F] = float("inf")
    negative = [float("nan")] + [-each for each in values[1:]]
    return torch.tensor(values + negative, dtype=torch.float64)


def to_hifloat8(values, saturate=False):
    """A cast to HiFloat8: ties away from zero; what is beyond its range becomes infinite, or the largest value."""
    most = 2.0**15
    stored = code_values("HF8")[encode(values, "HF8").long()]
    beyond = torch.sign(values).double() * (most if saturate else float("inf"))
    stored = torch.where(values.abs() >= 1.25 * most, beyond, stored)
    none = torch.zeros_like(stored) if saturate else torch.full_like(stored, float("nan"))
    return torch.where(torch.isnan(values), none, stored).to(COMPUTE)
)";
/// What `kSmallFloats` says instead where HiFloat8 occurs: its codes do not ascend, and its ties go away from zero.
struct HelperChange {
    std::string_view from, to;
};
inline constexpr std::array kHifloat8Changes{
    HelperChange{"    elif kind == \"FP4E2M1\":\n        values = float_values(2",
                 "    elif kind == \"HF8\":\n        values = hifloat8_values()\n"
                 "    elif kind == \"FP4E2M1\":\n        values = float_values(2"},
    HelperChange{"    if kind == \"FP8E8M0\":\n        codes = torch.arange(255)\n",
                 "    codes = codes[torch.argsort(table[codes])]\n"
                 "    if kind == \"FP8E8M0\":\n        codes = torch.arange(255)\n"},
    HelperChange{"(codes[lower] % 2 == 0))\n", "(codes[lower] % 2 == 0) & (kind != \"HF8\"))\n"},
    HelperChange{"        nearest = nearest + sign_bit * torch.signbit(values).long()\n",
                 "        negative = torch.signbit(values) & ((nearest > 0) | (kind != \"HF8\"))\n"
                 "        nearest = nearest + sign_bit * negative.long()\n"},
};

inline constexpr std::string_view kToValues = R"(def to_values(tensor, kind):
    """The numbers that a tensor holds: codes are decoded, floats widened."""
    tensor = tensor.detach().cpu()
    if kind == "BOOL":
        return tensor.bool()
    if kind == "INT4":
        return torch.where(tensor.long() > 7, tensor.long() - 16, tensor.long())
    if kind.startswith(("INT", "UINT")):
        return tensor.long()
)";
inline constexpr std::string_view kPackPairs = R"(def pack_pairs(codes):
    """Two 4-bit codes in a byte, the first in the low half."""
    return (codes[..., 0::2] + 16 * codes[..., 1::2]).to(torch.uint8)
)";
inline constexpr std::string_view kToValuesPairs = R"(    if kind.startswith("FP4"):
        codes = tensor.long()
        pairs = [codes % 16, torch.div(codes, 16, rounding_mode="floor")]
        tensor = torch.stack(pairs, dim=-1).flatten(-2).to(torch.uint8)
)";
inline constexpr std::string_view kToValuesCodes = R"(    if tensor.dtype == torch.uint8:
        return code_values(kind)[tensor.long()].to(COMPUTE)
)";
inline constexpr std::string_view kToValuesEnd = R"(    return tensor.to(COMPUTE)
)";

inline constexpr std::string_view kRounded = R"(def store_as(values, kind):
    """Values of a float type after they were stored in it."""
    types = {"FP32": torch.float32, "FP16": torch.float16, "BF16": torch.bfloat16}
    if kind in types:
        return values.float().to(types[kind]).to(COMPUTE)
    return code_values(kind)[encode(values, kind).long()].to(COMPUTE)
)";
inline constexpr std::string_view kRoundedPlain = R"(def store_as(values, kind):
    """Values of a float type after they were stored in it."""
    types = {"FP32": torch.float32, "FP16": torch.float16, "BF16": torch.bfloat16}
    return values.float().to(types[kind]).to(COMPUTE)
)";

inline constexpr std::string_view kCastTo = R"(def cast_to(values, kind, mode="RINT", saturate=False):
    """A cast to a float type in a mode of the kernel; beyond its range as the type says."""
    types = {"FP16": (10, -14, 65504.0), "BF16": (7, -126, 255 * 2.0**120)}
    types.update(FP8E4M3=(3, -6, 448.0), FP8E5M2=(2, -14, 57344.0))
    types.update(FP4E2M1=(1, 0, 6.0), FP4E1M2=(2, 0, 1.75))
    digits, least, most = types[kind]
    saturate = saturate or kind.startswith("FP4")
    values = values.double()
    exponent = torch.frexp(values).exponent.clamp(min=least + 1) - 1
    step = torch.exp2((exponent - digits).double())
    whole = values / step
    if mode == "RINT":
        whole = torch.round(whole)
    elif mode == "ROUND":
        whole = torch.sign(whole) * torch.floor(whole.abs() + 0.5)
    elif mode == "FLOOR":
        whole = torch.floor(whole)
    elif mode == "CEIL":
        whole = torch.ceil(whole)
    elif mode == "TRUNC":
        whole = torch.trunc(whole)
    else:  # ODD: what is not exact gets an odd last bit
        cut = torch.trunc(whole)
        whole = torch.where((cut != whole) & (cut % 2 == 0), cut + torch.sign(whole), cut)
    stored = torch.where(torch.isinf(values), values, whole * step)
    largest = torch.sign(values) * most
    if saturate:
        beyond = largest
    else:
        never, always = values != values, values == values
        sides = {"FLOOR": values < 0, "CEIL": values > 0, "TRUNC": never, "ODD": never}
        infinite = torch.isinf(values) | sides.get(mode, always)
        none = float("nan") if kind == "FP8E4M3" else float("inf")
        beyond = torch.where(infinite, torch.sign(values) * none, largest)
    stored = torch.where(stored.abs() > most, beyond, stored)
    if saturate:
        stored = torch.where(torch.isnan(stored), torch.zeros_like(stored), stored)
    return stored.to(COMPUTE)
)";

inline constexpr std::string_view kToInteger = R"(def to_integer(values, mode, bits, saturate, signed=True):
    """A cast to an integer type: rounds, then clamps or keeps the low bits."""
    if values.is_floating_point():
        if mode == "RINT":
            values = torch.round(values)
        elif mode == "ROUND":
            values = torch.sign(values) * torch.floor(values.abs() + 0.5)
        elif mode == "FLOOR":
            values = torch.floor(values)
        elif mode == "CEIL":
            values = torch.ceil(values)
        else:
            values = torch.trunc(values)
    if bits == 64:
        return values.long()
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if saturate:
        return torch.nan_to_num(values).clamp(low, high).long()
    return (values.long() - low) % 2**bits + low
)";

inline constexpr std::string_view kIntegerProduct = R"(def integer_product(a, b):
    """An exact product of integer matrices: FP64 holds every sum."""
    return torch.matmul(a.double(), b.double()).long()
)";

inline constexpr std::string_view kMxOperand = R"(def mx_operand(values, scales, axis, scale_axis):
    """Values times the scale of their group of 32 along K, the axis `axis`; scales lie in pairs."""
    if scale_axis == 0:
        scales = scales.transpose(0, 1)
    flat = scales.reshape(scales.shape[0], 2 * scales.shape[1]).repeat_interleave(32, dim=1)
    flat = flat[:, : values.shape[axis]]
    return values * (flat.transpose(0, 1) if axis == 0 else flat)
)";

inline constexpr std::string_view kFixpipeScale = R"(def fixpipe_scale(value):
    """The scale as the FIXPIPE keeps it: FP32 without its low 13 mantissa bits."""
    bits = torch.tensor([value], dtype=torch.float32).view(torch.int32)
    return (bits & -8192).view(torch.float32).item()
)";

inline constexpr std::string_view kFixpipeScales = R"(def fixpipe_scales(values):
    """Scales of columns as the FIXPIPE keeps them: FP32, or words with an FP32 in their low half."""
    if values.dtype == torch.int64:
        bits = (values << 32) >> 32
    else:
        bits = values.float().view(torch.int32)
    return (bits & -8192).to(torch.int32).view(torch.float32).to(COMPUTE)
)";

inline constexpr std::string_view kExtreme = R"(def extreme(function, values, dim, keepdim=False):
    """torch.amax or torch.amin; an axis without elements has neither."""
    if values.shape[dim] == 0:
        return torch.sum(values, dim=dim, keepdim=keepdim)
    return function(values, dim=dim, keepdim=keepdim)
)";

inline constexpr std::string_view kFilled = R"(def filled(values, shape, number):
    """Values in the corner of a tensor that is `number` elsewhere."""
    out = torch.full(shape, number, dtype=values.dtype)
    out[tuple(slice(0, extent) for extent in values.shape)] = values
    return out
)";

inline constexpr std::string_view kQuantMx = R"(def quant_mx(values, kind, up=False, axis=-1):
    """Values in groups of 32 along one of the last two axes, and their powers of two, in pairs."""
    if axis == -2:
        data, scale = quant_mx(values.transpose(-1, -2), kind, up)
        return data.transpose(-1, -2), scale.transpose(-2, -3)
    groups = torch.nn.functional.pad(values, (0, -values.shape[-1] % 64)).unflatten(-1, (-1, 2, 32))
    largest = groups.abs().amax(dim=-1).clamp(min=2.0**-127)
    if up:  # nothing of the group lies beyond the type's largest value
        part = torch.frexp(largest.double() / (448.0 if kind == "FP8E4M3" else 6.0))
        exponent = part.exponent - (part.mantissa == 0.5).int()
    else:
        exponent = torch.frexp(largest).exponent - 1 - (8 if kind == "FP8E4M3" else 2)
    scale = torch.exp2(exponent.clamp(-127, 127).to(COMPUTE))
    data = store_as(groups / scale.unsqueeze(-1), kind).flatten(-3)[..., : values.shape[-1]]
    return data, scale
)";

}  // namespace cubist::pypto
