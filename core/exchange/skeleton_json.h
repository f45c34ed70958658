// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/json_value.h"
#include "core/run/variant_compare.h"
#include "core/skeleton/checklist.h"
#include "core/skeleton/starting_configuration.h"

/// The checklist, the starting configurations and the forms of a design, for people and for programs.
namespace cubist {

/// {"recommended", "reason", "items": [{"id", "question", "holds", "evidence", "stages"}], "exit": {"advice",
/// "predicted", "cube", "vector", "switches", ...}}, English and Chinese texts.
[[nodiscard]] JsonValue checklistJson(const Checklist& checklist);
/// A few lines: what is recommended, what speaks against SK-14, how heavy V is.
[[nodiscard]] std::string checklistText(const Checklist& checklist);

/// {"rows": [{"id", "level", "table", "template", "shipped", "current", "differs"}], "steps": [...]}; `sample` names
/// where `shipped` comes from, empty: null.
[[nodiscard]] std::string configurationJson(const std::vector<ConfigurationRow>& rows, const std::string& sample,
                                            const std::vector<StartStep>& steps);
[[nodiscard]] std::string configurationText(const std::vector<ConfigurationRow>& rows, const std::string& sample,
                                            const std::vector<StartStep>& steps);

/// {"variants": [{"id", "title", "compile": {...}, "resources": {...}, "time": {...}, "error"}]}.
[[nodiscard]] std::string variantsJson(const std::vector<VariantFigures>& variants);
/// One column for each form.
[[nodiscard]] std::string variantsText(const std::vector<VariantFigures>& variants);

}  // namespace cubist
