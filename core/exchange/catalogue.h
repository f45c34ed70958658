// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/rules/rule.h"
#include "core/skeleton/skeleton_index.h"

namespace cubist {

/// What this installation offers.
struct Catalogue {
    struct Entry {
        std::string id;  ///< what the user types; a sample's file name without its ending
        Design design;
        std::string titleZh = {};  ///< empty: the design's own title
    };
    std::vector<Entry> samples;
    std::vector<ChipSpec> chips;
    SkeletonIndex skeletons;
    std::vector<Rule> rules;  ///< of the registry
};

/// `list --json`: samples with cases, symbols and tensors; ids of chips; skeletons with their criteria, flow and
/// starting configuration, and under SK-14 its variants, patterns and templates; rules with their family, severity per
/// profile (null: silent), texts in both languages, formula, source, and what PyPTO says.
[[nodiscard]] std::string catalogueJson(const Catalogue& catalogue);

/// The same for people.
[[nodiscard]] std::string catalogueText(const Catalogue& catalogue);

}  // namespace cubist
