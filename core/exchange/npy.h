// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/exchange/byte_source.h"
#include "core/exchange/npy_header.h"

namespace cubist {

/// Which shapes a file may have: that of the tensor, or any with as many elements (data in another order).
enum class FileShape : std::uint8_t { Same, SameCount };

/// Reads a `.npy` file (versions 1 to 3, C or Fortran order, either byte order) as a tensor of `dtype`:
/// - FP32, FP16 and the integers travel as themselves, BF16 as uint16 codes, FP8, HF8 and E8M0 as uint8 codes, FP4 and
///   INT4 as one uint8 code per element;
/// - a float16, float32 or float64 file is encoded for every float type, to nearest even (FP8E8M0: to the power of two
///   below), and its values must be held by the type (see held_values.h);
/// - an integer type is read from any integer file whose values it can hold (INT4 from int8 values too).
/// Nothing is allocated before type, shape and length of the file are known to be right. A large file that holds the
/// tensor's elements as they are stored is mapped, not copied (see MappedBytes).
/// Errors (`where` is the path): BadFile (unreadable, damaged, shorter or longer than its header says), Unsupported
/// (object and other types), WrongType (a type that does not fit `dtype`), BadValue (another shape than `shape`, a
/// value out of range), DoesNotFit.
[[nodiscard]] Result<HostTensor> readNpyAs(const std::string& path, DType dtype, const Shape& shape);
/// The same from an entry of an archive; `path` is what messages call it.
[[nodiscard]] Result<HostTensor> readNpyAs(std::unique_ptr<ByteSource> source, const std::string& path, DType dtype,
                                           const Shape& shape, FileShape fileShape = FileShape::Same);

/// Reads golden values for an output of type `codesOf`: float files keep their values unrounded, codes are decoded;
/// integer outputs want integer files. Row-major. Errors: as `readNpyAs`.
[[nodiscard]] Result<std::vector<double>> readNpyFloat64(const std::string& path, DType codesOf, const Shape& shape);
[[nodiscard]] Result<std::vector<double>> readNpyFloat64(std::unique_ptr<ByteSource> source, const std::string& path,
                                                         DType codesOf, const Shape& shape,
                                                         FileShape fileShape = FileShape::Same);

/// Both for elements without a header of their own, which `header` stands in for.
[[nodiscard]] Result<HostTensor> readElementsAs(std::unique_ptr<ByteSource> source, const std::string& path,
                                                const NpyHeader& header, DType dtype, const Shape& shape);
[[nodiscard]] Result<std::vector<double>> readElementsFloat64(std::unique_ptr<ByteSource> source,
                                                              const std::string& path, const NpyHeader& header,
                                                              DType codesOf, const Shape& shape);

/// Writes a tensor as version 1, C order, little endian, atomically. A type that travels as codes gets a second file
/// with the values as float32: "y.npy" and "y.f32.npy". Errors: BadFile.
[[nodiscard]] Result<void> writeNpy(const std::string& path, const HostTensor& tensor);

/// A tensor as the two parts of such a file. The tensor must outlive it.
struct NpyParts {
    explicit NpyParts(const HostTensor& tensor);
    std::string header;
    std::vector<std::uint8_t> codes;      ///< elements that travel in another form than they are stored
    std::span<const std::byte> elements;  ///< of the tensor; empty when `codes` has them
    [[nodiscard]] std::vector<std::span<const std::byte>> spans() const;
    /// Without the header.
    [[nodiscard]] std::vector<std::span<const std::byte>> elementSpans() const;
};

/// The name of a tensor's file, without ending. Ids are free text and no paths: '/', '\\', ':' and control characters
/// become '_', so does what is longer than a file's name; a leading '.' and an empty id get one in front.
[[nodiscard]] std::string tensorFileName(const std::string& id);

/// Writes one array for each tensor into a `.npz` file, uncompressed, without the float32 copies; arrays have the names
/// that `tensorFileName` gives, and a number where two tensors would have one. Errors: BadFile.
[[nodiscard]] Result<void> writeNpz(const std::string& path, const std::map<std::string, HostTensor>& tensors);

}  // namespace cubist
