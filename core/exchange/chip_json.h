// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/rules/finding.h"

namespace cubist {

struct LoadedChip {
    ChipSpec chip;
    std::vector<Finding> warnings;  ///< DOC-01: unknown keys, and constants of which the default is taken
};

/// Reads a chip file: the fields of ChipSpec after `"cubist_chip": 1`. Every constant is checked to lie in a range in
/// which the formulas stay exact in 64 bits.
/// Range: counts 1..4096, sizes in bytes 1..2^50, clocks 1..100000 MHz, bandwidths 1..10^16 B/s (all integers), cycles
/// and rates up to 10000 with at most 3 decimals; only overheads, aicpu_start, scalar_issue, ub_bank_.._cycles and
/// l0c_to_ub_bytes_per_cycle may be 0. What `ChipDefaults` has may be absent.
/// Errors: as `readDesign`; BadValue for a constant out of range, no or repeated cube types.
[[nodiscard]] Result<LoadedChip> readChip(std::string_view text);

/// The text of a chip file; `readChip` gives the chip back.
[[nodiscard]] std::string writeChip(const ChipSpec& chip);

/// Errors: as `readChip`; BadFile. `where` is the path, and the JSON pointer is part of the message.
[[nodiscard]] Result<LoadedChip> loadChip(const std::string& path);

/// The chips that designs can choose from.
class ChipLibrary {
public:
    /// Loads every *.json of the folders; a chip of a later folder replaces one with the same id. Folders that do not
    /// exist are skipped. A file that cannot be used is left out and listed in `problems`.
    [[nodiscard]] static ChipLibrary load(const std::vector<std::string>& folders);

    /// Sorted by id.
    [[nodiscard]] const std::vector<ChipSpec>& chips() const { return m_chips; }
    /// One error for each file that could not be used.
    [[nodiscard]] const std::vector<Error>& problems() const { return m_problems; }

    /// A chip by its id, its id without "Ascend", or an alias that no other chip has.
    /// Errors: UnknownName (nearest and all ids in the hint), BadValue (several chips share the name; they are listed).
    [[nodiscard]] Result<ChipSpec> find(const std::string& name) const;

private:
    std::vector<ChipSpec> m_chips;
    std::vector<Error> m_problems;
};

}  // namespace cubist
