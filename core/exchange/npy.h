// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/run/run.h"

namespace cubist {

/// Reads a `.npy` file (versions 1 to 3, C or Fortran order, either byte order) as a tensor of `dtype`:
/// - FP32, FP16 and the integers travel as themselves, BF16 as uint16 codes, FP8, HF8 and E8M0 as uint8 codes, FP4 and
///   INT4 as one uint8 code per element;
/// - a float16, float32 or float64 file is encoded for every float type, to nearest even;
/// - an integer type is read from any integer file whose values it can hold (INT4 from int8 values too).
/// Nothing is allocated before type, shape and length of the file are known to be right.
/// Errors (`where` is the path): BadFile (unreadable, damaged, shorter or longer than its header says), Unsupported
/// (object and other types), WrongType (a type that does not fit `dtype`), BadValue (another shape than `shape`, a
/// value out of range), DoesNotFit.
[[nodiscard]] Result<HostTensor> readNpyAs(const std::string& path, DType dtype, const Shape& shape);

/// Reads golden values for an output of type `codesOf`: float files keep their values unrounded, codes are decoded;
/// integer outputs want integer files. Row-major. Errors: as `readNpyAs`.
[[nodiscard]] Result<std::vector<double>> readNpyFloat64(const std::string& path, DType codesOf, const Shape& shape);

/// Writes a tensor as version 1, C order, little endian, atomically. A type that travels as codes gets a second file
/// with the values as float32: "y.npy" and "y.f32.npy". Errors: BadFile.
[[nodiscard]] Result<void> writeNpy(const std::string& path, const HostTensor& tensor);

/// Both readers, for `RunRequest::readers`.
[[nodiscard]] TensorReaders npyReaders();

}  // namespace cubist
