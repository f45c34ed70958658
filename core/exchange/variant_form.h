// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/run/variant_compare.h"

namespace cubist {

/// A document in the form of `form`, one of `designVariants` of what the document's case means (`designOfCase`): where
/// the case sets what the form changes, it is changed in the settings of the case, so that the case means the form.
/// Errors: Unsupported (the settings of the case leave no such form); as `designOfCase` and `setInCase`.
[[nodiscard]] Result<Design> withForm(const Design& document, const std::string& caseName, const DesignVariant& form);

/// Do two designs compute the same, whatever their cases and the places on their canvas?
[[nodiscard]] bool sameForm(const Design& a, const Design& b);

}  // namespace cubist
