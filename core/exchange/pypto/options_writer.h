// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/enum_table.h"
#include "core/design/design.h"
#include "core/exchange/pypto/python_writer.h"

namespace cubist {

/// How the keys of merge dictionaries are written. Labels: DEFAULT, labels and func keys, as the documentation has
/// them; Integers: -1, 0, 1 and so on, as most shipped kernels have them.
enum class KeyDialect : std::uint8_t { Labels, Integers };

template <>
struct EnumTable<KeyDialect> {
    static constexpr std::string_view name = "dialect of option keys";
    static constexpr std::array entries{std::pair{KeyDialect::Labels, std::string_view{"labels"}},
                                        std::pair{KeyDialect::Integers, std::string_view{"integers"}}};
};

namespace pypto {

class KernelPlan;

/// Arguments of `pypto.frontend.jit`: pass_options, runtime_options and codegen_options, those that are not the
/// default. Numbers of groups (0, 1, ...) have no label that is known before the kernel is compiled: a dictionary with
/// them keeps its integers in both dialects.
[[nodiscard]] std::vector<PyExpr> jitArguments(const KernelPlan& plan, const std::string& chip, KeyDialect dialect);

}  // namespace pypto
}  // namespace cubist
