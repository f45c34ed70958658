// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/design/design_enums.h"

namespace cubist {

/// Integers known on the host, as bound: what `name[i]`, `len(name)`, `groups(name)`, `start(name, g)`,
/// `count(name, g)` and `sum(name)` read.
struct IntegerList {
    ListForm form = ListForm::Plain;
    std::vector<std::int64_t> values;
    /// Group lists: first row of each group, then the number of rows in all groups; ascending and never negative,
    /// whatever the values are (a broken group reads as empty; the rules report it). Empty for plain lists.
    std::vector<std::int64_t> starts;
    bool operator==(const IntegerList&) const = default;

    /// Number of groups; 0 for plain lists. Of rows: one more than the largest group named.
    [[nodiscard]] std::int64_t groups() const;
    /// Groups of a list of rows that are empty at the end are not known to it: they start where the rows end.
    /// Range: 0 <= g <= groups(), for rows any g >= 0; saturates at the end.
    [[nodiscard]] std::int64_t start(std::int64_t g) const;
    [[nodiscard]] std::int64_t count(std::int64_t g) const { return g >= groups() ? 0 : start(g + 1) - start(g); }
    /// Rows in all groups; of a plain list the sum of its values (saturating).
    [[nodiscard]] std::int64_t sum() const;
};

[[nodiscard]] IntegerList makeList(ListForm form, std::vector<std::int64_t> values);

/// The same groups in another form. Counts and prefix sums convert both ways without loss, whatever the values; rows
/// lose the empty groups at the end, so `groups` says how many there are (0: one more than the largest row's).
/// Errors: BadValue (a plain list; values that the other form cannot express, the index named), DoesNotFit (more than
/// 2^24 rows to write down).
[[nodiscard]] Result<std::vector<std::int64_t>> convertGroups(const std::vector<std::int64_t>& values, ListForm from,
                                                              ListForm to, std::int64_t groups = 0);

/// Counts as a router of a mixture of experts gives them: `groups` counts that add up to `total`. `skew` 0 is even
/// (the first groups take what is left over); the larger, the more uneven. The same numbers on every host.
/// Range: groups 1..65536, total 0..2^31 - 1, skew 0..16. Errors: BadValue outside. Source: F-91
[[nodiscard]] Result<std::vector<std::int64_t>> moeCounts(std::uint64_t seed, std::int64_t groups, std::int64_t total,
                                                          int skew);

}  // namespace cubist
