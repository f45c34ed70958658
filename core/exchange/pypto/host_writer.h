// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/python_writer.h"

namespace cubist::pypto {

/// Names of the functions' parameters: tensors that the caller gives, then lists.
struct HostParameter {
    std::string name;
    const Tensor* tensor = nullptr;     ///< null: a list
    const PlannedList* list = nullptr;  ///< with a default where it is fixed when the kernel is compiled
};
[[nodiscard]] std::vector<HostParameter> hostParameters(const KernelPlan& plan);

/// `check_args` and `NAME_wrapper`: allocates outputs and workspaces, calls the kernel once, returns the outputs.
void writeHost(const KernelPlan& plan, PythonWriter& out);

/// Imports of the implementation module.
void writeImports(const KernelPlan& plan, PythonWriter& out);
/// `FP8_E4M3 = ...` for the 8-bit floats among the tensors: torch's own type where it has one, else uint8.
void writeFloat8Names(const KernelPlan& plan, PythonWriter& out);

/// A float that torch computes nothing in: its values come and go as codes.
[[nodiscard]] bool isCoded(DType type);

/// "torch.bfloat16"; 8-bit floats travel as torch's type where it has one, else as codes in uint8.
[[nodiscard]] std::string torchType(DType type);

/// Extents of a tensor in elements, as Python integers of the host.
[[nodiscard]] PyExpr elementShape(const KernelPlan& plan, const Tensor& tensor);
/// Extents of the torch tensor that holds it; the last one halved where two values share a byte.
[[nodiscard]] PyExpr hostShape(const KernelPlan& plan, const Tensor& tensor);
/// The generator `unrolled(length, factors)`: steps of an unrolled loop.
void writeUnrolled(PythonWriter& out);
/// `T = x.shape[0]` for every symbol that is read from the arguments.
void writeSymbols(const KernelPlan& plan, PythonWriter& out);
/// Must the kernel find zeros in this output? (It adds to it, or groups may leave rows out.)
[[nodiscard]] bool startsFromZero(const KernelPlan& plan, const Tensor& tensor);
[[nodiscard]] bool isReturned(const Tensor& tensor);

}  // namespace cubist::pypto
