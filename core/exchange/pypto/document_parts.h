// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"

/// What the exported documents have in common.
namespace cubist::pypto {

/// "[1, 2]"
[[nodiscard]] std::string listText(const std::vector<std::int64_t>& values);
/// A text that may stand in a Markdown table.
[[nodiscard]] std::string cell(std::string text);

using FrontMatter = std::vector<std::pair<std::string, std::string>>;
/// The head of a document between lines of `---`, with the schema's version and the operator's name.
[[nodiscard]] std::string frontMatter(const std::string& name, const FrontMatter& fields);

/// `["float32", "int8"]`: the types of the arguments as torch spells them.
[[nodiscard]] std::string typesText(const KernelPlan& plan);
/// rtol and atol of the output that is judged most strictly.
[[nodiscard]] std::pair<double, double> strictestLimits(const KernelPlan& plan);
/// Shape of a tensor with these values of the symbols.
[[nodiscard]] std::vector<std::int64_t> extentsOf(const Tensor& tensor, const Binding& binding);
/// A table of what is read from the arguments at run time.
[[nodiscard]] std::string symbolTable(const KernelPlan& plan);
/// "pypto.loop, parallel"
[[nodiscard]] std::string loopForm(const Loop& loop);
/// "m[128, 128] k[64, 256] n[256, 256] split-K"
[[nodiscard]] std::string tileText(const CubeStage& stage);
/// Tiles of an operation's result times its operands and itself: the most of a stage. PyPTO's expression table ends
/// at 18000. Source: F-78.
[[nodiscard]] std::int64_t mostPieces(const KernelPlan& plan, const VectorStage& stage);
/// The tile calls of all stages.
[[nodiscard]] std::string tileCallsText(const KernelPlan& plan);

}  // namespace cubist::pypto
