// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/design/binding.h"
#include "core/golden/reference.h"
#include "core/rules/finding.h"
#include "core/run/run.h"

namespace cubist {

/// VAL-17 for every given golden of a float output with elements that the output's type does not hold: how many, and
/// the first. `goldens`: the values of the files, by output.
[[nodiscard]] std::vector<Finding> goldenFindings(const RunRequest& request,
                                                  const std::map<std::string, const HostTensor*>& outputs,
                                                  const std::map<std::string, GoldenTensor>& goldens);

/// VAL-17 for every input that was generated, not read, and has NaN or infinite elements: the generators make finite
/// numbers; for FP8E8M0, which has no sign, also if numbers of the generator are negative, and for integers if they
/// wrap around. `seed`: the run's; `inputs`: by tensor.
[[nodiscard]] std::vector<Finding> generatedFindings(const RunRequest& request, const Binding& binding,
                                                     std::int64_t seed,
                                                     const std::map<std::string, const HostTensor*>& inputs);

}  // namespace cubist
