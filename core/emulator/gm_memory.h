// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/lowering/program.h"

namespace cubist {

/// Where the GM tensors of a program lie in the host's memory.
struct GmPlace {
    const std::byte* read = nullptr;
    std::byte* write = nullptr;  ///< null for inputs
    DType dtype = DType::FP32;
    Extent4 stride{0, 0, 0, 1};  ///< elements

    [[nodiscard]] std::int64_t at(const Box& box, std::int64_t row, std::int64_t col) const {
        return box.offset[0] * stride[0] + box.offset[1] * stride[1] + (box.offset[2] + row) * stride[2] +
               box.offset[3] + col;
    }
    [[nodiscard]] std::int64_t bytes(std::int64_t elements) const { return elements * hostBytesPerElement(dtype); }
    [[nodiscard]] const std::byte* source(const Box& box, std::int64_t row, std::int64_t col) const {
        return read + bytes(at(box, row, col));
    }
    [[nodiscard]] std::byte* target(const Box& box, std::int64_t row, std::int64_t col) const {
        return write + bytes(at(box, row, col));
    }
};

using GmMemory = std::vector<GmPlace>;

/// Fills memory with what no result should hold: NaN where the type has one, else a value that no sum hides.
void poisonElements(DType type, std::byte* data, std::int64_t count);

}  // namespace cubist
