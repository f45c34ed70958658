// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/skeleton/skeleton_index.h"

namespace cubist {

/// What this installation offers.
struct Catalogue {
    struct Entry {
        std::string id;  ///< what the user types; a sample's file name without its ending
        Design design;
    };
    struct Rule {
        std::string id;
        std::string title;
    };
    std::vector<Entry> samples;
    std::vector<ChipSpec> chips;
    SkeletonIndex skeletons;
    std::vector<Rule> rules;
};

/// `list --json`: samples with cases, symbols and tensors; ids of chips and rules; skeletons with their criteria, flow
/// and starting configuration, and under SK-14 its variants, patterns and templates.
[[nodiscard]] std::string catalogueJson(const Catalogue& catalogue);

/// The same for people.
[[nodiscard]] std::string catalogueText(const Catalogue& catalogue);

}  // namespace cubist
