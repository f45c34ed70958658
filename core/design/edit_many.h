// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"

namespace cubist {

/// What several stages may have in common and be given together. Names, operands and operations are each stage's own.
enum class StageSetting : std::uint8_t {
    // cube stages: the tile, in elements
    ML0,
    ML1,
    KL0,
    KAL1,
    KBL1,  ///< absent: as KAL1
    NL0,
    NL1,
    SplitK,
    // cube stages: operands, result, arithmetic
    ATrans,
    BTrans,
    OutDType,
    Relu,
    Scale,  ///< absent: none
    Fp32Mode,
    Accumulation,
    PartialDType,
    // vector stages: the tile by axis, in elements
    Tile0,
    Tile1,
    Tile2,
    Tile3,
    // both
    Slots,  ///< absent: as many as fit, at most 2
    Label,
    Notes,
};

/// A setting's value: nothing (absent), a flag, an integer or the number of an enumerator, a number, a text.
using SettingValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

struct SharedSetting {
    StageSetting setting = StageSetting::Slots;
    std::optional<SettingValue> value;  ///< what all stages have; absent: they differ
    bool operator==(const SharedSetting&) const = default;
};

/// The settings that every one of these stages has, in the order of StageSetting: those of both kinds for cube and
/// vector stages together; of a vector tile the axes that all of them have. Blocks that are no stages, or unknown,
/// leave nothing.
[[nodiscard]] std::vector<SharedSetting> sharedSettings(const Design& design, const std::vector<BlockId>& stages);

/// Gives all stages one value. Errors: UnknownName; WrongType (a stage without this setting, or a value of another
/// kind); BadValue (fewer than 1 slot, an enumerator that does not exist).
[[nodiscard]] Result<Design> setShared(const Design& design, const std::vector<BlockId>& stages, StageSetting setting,
                                       const SettingValue& value);

}  // namespace cubist
