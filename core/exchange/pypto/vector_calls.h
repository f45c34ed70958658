// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/python_writer.h"

/// The table from operations of a vector stage to PyPTO's calls.
namespace cubist::pypto {

/// One line of the kernel: `target = value`, or the value alone where the target is empty.
struct PyLine {
    std::string target;
    PyExpr value;
};

/// The lines of an operation. One operation is one line wherever PyPTO has it, compositions are nested calls; EXP-03 in
/// `problems` for what PyPTO lacks.
[[nodiscard]] std::vector<PyLine> vectorLines(const KernelPlan& plan, const ResolvedBlock& block, std::size_t op,
                                              std::vector<ExportProblem>& problems);

[[nodiscard]] std::string pyptoType(DType type);  ///< "pypto.DT_BF16"
/// `[a, b]` of the extents, and of the valid parts where one axis has a tail.
[[nodiscard]] PyExpr extentList(const KernelPlan& plan, const std::vector<Axis>& axes);
[[nodiscard]] std::optional<PyExpr> validList(const KernelPlan& plan, const std::vector<Axis>& axes);
/// `pypto.view(value, shape, offsets[, valid_shape])`
[[nodiscard]] PyExpr viewCall(const KernelPlan& plan, PyExpr value, const std::vector<Axis>& axes,
                              std::vector<PyExpr> offsets);
/// `pypto.reshape(value, shape[, valid_shape])`
[[nodiscard]] PyExpr reshapeCall(const KernelPlan& plan, PyExpr value, const std::vector<Axis>& axes);

}  // namespace cubist::pypto
