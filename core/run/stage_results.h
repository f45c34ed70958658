// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/design/resolve.h"

namespace cubist {

/// The valid elements of a value that passes between stages. `padded` holds all its executions one behind the other
/// along the first axis, each with the declared shape; so does the result, each with its valid part. Other axes are as
/// long as the longest valid part, the rest of a shorter one is zero. Errors: as validShape; DoesNotFit.
[[nodiscard]] Result<HostTensor> validElements(const ResolvedDesign& design, const ValueId& value,
                                               const HostTensor& padded);

}  // namespace cubist
