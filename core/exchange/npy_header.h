// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/tensor.h"

namespace cubist {

/// Element type of a `.npy` file.
struct NpyType {
    enum class Kind : std::uint8_t { Float, Signed, Unsigned, Bool };
    Kind kind = Kind::Float;
    std::size_t bytes = 4;
    bool bigEndian = false;
    bool operator==(const NpyType&) const = default;

    [[nodiscard]] bool isInteger() const { return kind != Kind::Float; }
    [[nodiscard]] bool is(Kind wanted, std::size_t size) const { return kind == wanted && bytes == size; }
    /// NumPy's name: "float32", "uint8", "bool".
    [[nodiscard]] std::string name() const;
};

/// What stands before the elements.
struct NpyHeader {
    NpyType type;
    bool fortranOrder = false;
    Shape shape;
    bool operator==(const NpyHeader&) const = default;
};

inline constexpr std::size_t kNpyMagicBytes = 8;  ///< "\x93NUMPY", major, minor version
inline constexpr std::size_t kNpyMaxHeaderBytes = 1U << 20U;

/// Bytes of the header's length field behind the magic: 2 in version 1, 4 in versions 2 and 3.
/// Errors: BadFile (not a `.npy` file), Unsupported (another version).
[[nodiscard]] Result<std::size_t> npyLengthBytes(std::string_view magic);

/// Reads the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: these three keys, once each.
/// Errors: BadFile (anything else), Unsupported (object, structured, complex and text types), DoesNotFit (the sizes
/// leave 2^62 elements).
[[nodiscard]] Result<NpyHeader> parseNpyHeader(std::string_view dictionary);

/// Magic, length and dictionary of a version 1 file, padded to a multiple of 64 bytes, as NumPy writes them.
[[nodiscard]] std::string npyHeaderBytes(std::string_view descr, const Shape& shape);

/// "(64, 5120)", as Python writes a tuple.
[[nodiscard]] std::string shapeText(const Shape& shape);

}  // namespace cubist
