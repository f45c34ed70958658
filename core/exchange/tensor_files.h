// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/run/run.h"

namespace cubist {

/// Readers of every kind of tensor file, for `RunRequest::readers`:
/// - `.npy` (see npy.h);
/// - `.npz`: "FILE.npz#NAME" names the array; without a name it is the one called like the tensor, or the only one;
/// - `.safetensors`: the same; F64 F32 F16 BF16 F8_E4M3 F8_E5M2 F8_E8M0, integers, BOOL;
/// - raw elements, little endian, row by row: `.bin`, `.data`, `.raw`, or any file whose type is told. Their number of
///   bytes must be the tensor's; 4-bit types lie two in a byte, the first in the low half, or one in a byte.
/// A file in NZ order holds whole fractals, in any shape; the block width is that of the elements' type.
/// What a file holds is recognised by its first bytes, the raw kind by its name. Where the type of the elements is told
/// (TensorFile::stored, float64), a file that says it itself must agree: integers of a `.npy` may be the codes of that
/// type. Elements of another float type than the tensor's are decoded and encoded again, to nearest even; integers must
/// fit. Errors (`where` is the file): as `readNpyAs`; WrongType also where the file holds another type than is told;
/// BadFile also says which types and shapes the size of a raw file fits; UnknownName (no such array; the hint lists
/// them).
[[nodiscard]] TensorReaders tensorReaders();

/// What options and messages call the type of TensorFile::float64.
inline constexpr std::string_view kFloat64Name = "FP64";

/// A file as an option names it: "y:FP64:nz=y.bin".
[[nodiscard]] std::string tensorOption(const std::string& tensor, const TensorFile& file);

/// Splits "FILE.npz#NAME" and "FILE.safetensors#NAME"; the name is empty for anything else.
struct FileAndEntry {
    std::string file, entry;
};
[[nodiscard]] FileAndEntry splitEntry(const std::string& path);

/// "BF16 (4, 1024), INT16 (4, 1024)": types in which `bytes` bytes are a tensor of this shape, then, for the type
/// itself, the shape with another first axis. Empty when nothing fits.
[[nodiscard]] std::string typesThatFit(std::int64_t bytes, DType dtype, const Shape& shape);

}  // namespace cubist
