// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/result.h"

namespace cubist {

/// Which of the host's instruction sets the hot kernels use. Every choice gives the same bits.
enum class Isa : std::uint8_t {
    Auto,      ///< the fastest that the host has
    Avx512,    ///< AVX-512 F, VL, DQ, BW, CD
    Avx2,      ///< AVX2 with FMA
    Portable,  ///< std::fma one by one: correct everywhere, some 50 times slower
};

template <>
struct EnumTable<Isa> {
    static constexpr std::string_view name = "instruction set";
    static constexpr std::array entries{
        std::pair{Isa::Auto, std::string_view{"auto"}}, std::pair{Isa::Avx512, std::string_view{"avx512"}},
        std::pair{Isa::Avx2, std::string_view{"avx2"}}, std::pair{Isa::Portable, std::string_view{"portable"}}};
};

/// The instruction sets of this host, fastest first; Portable is always the last.
[[nodiscard]] std::vector<Isa> availableIsas();

/// `requested`, or the fastest one for Auto; never returns Auto.
/// Errors: Unsupported when this host lacks it.
[[nodiscard]] Result<Isa> resolveIsa(Isa requested);

}  // namespace cubist
