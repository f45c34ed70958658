// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/result.h"

namespace cubist {

/// Instruction sets that the hot kernels are built for. They differ in speed, never in a bit of a result.
enum class Isa : std::uint8_t { Auto, Avx512, Avx2, Portable };

template <>
struct EnumTable<Isa> {
    static constexpr std::string_view name = "instruction set";
    static constexpr std::array entries{
        std::pair{Isa::Auto, std::string_view{"auto"}},
        std::pair{Isa::Avx512, std::string_view{"avx512"}},
        std::pair{Isa::Avx2, std::string_view{"avx2"}},
        std::pair{Isa::Portable, std::string_view{"portable"}},
    };
};

/// Instruction sets of this machine, best first; always ends with Portable.
[[nodiscard]] std::vector<Isa> availableIsas();

/// Auto becomes the best available one. Errors: Unsupported when the machine lacks the requested one.
[[nodiscard]] Result<Isa> resolveIsa(Isa requested);

}  // namespace cubist
