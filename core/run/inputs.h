// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/tensor.h"
#include "core/lowering/program.h"
#include "core/run/run.h"

namespace cubist {

/// The inputs of a program, in the order of its input tensors: from the request's files, else the design's files, else
/// generated. A generated element depends on the seed, the tensor's name and its index only.
/// Errors: what the readers report; UnknownName (a request's file for something that is no input), Unsupported (a file
/// without a reader), BadValue (a generator's parameters), DoesNotFit, Cancelled.
[[nodiscard]] Result<std::vector<HostTensor>> makeInputs(const RunRequest& request, const Program& program,
                                                         std::int64_t seed, const RunContext& context);

/// Refuses files for names that are not tensors of the right role. Errors: UnknownName.
[[nodiscard]] Result<void> checkTensorNames(const RunRequest& request);

/// Logical shape of a global-memory tensor.
[[nodiscard]] Shape logicalShape(const GmTensor& tensor);

}  // namespace cubist
