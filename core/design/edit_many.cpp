// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/edit_many.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/design/edit_ops.h"
#include "core/design/edit_tree.h"

namespace cubist {
namespace {

constexpr std::array kAllSettings{
    StageSetting::ML0,    StageSetting::ML1,      StageSetting::KL0,          StageSetting::KAL1,
    StageSetting::KBL1,   StageSetting::NL0,      StageSetting::NL1,          StageSetting::SplitK,
    StageSetting::ATrans, StageSetting::BTrans,   StageSetting::OutDType,     StageSetting::Relu,
    StageSetting::Scale,  StageSetting::Fp32Mode, StageSetting::Accumulation, StageSetting::PartialDType,
    StageSetting::Tile0,  StageSetting::Tile1,    StageSetting::Tile2,        StageSetting::Tile3,
    StageSetting::Slots,  StageSetting::Label,    StageSetting::Notes,
};

enum class Taken { Yes, NoSuchSetting, OtherKind, OutOfRange };

/// One way to a setting for reading and for writing. `onEntry(list, index, optional)` gets an entry of a list of
/// extents, `onMember(member)` everything else; both return whether the stage has it.
template <class Stage, class OnEntry, class OnMember>
Taken visitSetting(Stage& stage, StageSetting setting, OnEntry&& onEntry, OnMember&& onMember) {
    constexpr bool isCube = std::is_same_v<std::remove_const_t<Stage>, CubeStage>;
    const auto ofCube = [&](auto&& take) {
        if constexpr (isCube)
            return take(stage);
        else
            return Taken::NoSuchSetting;
    };
    const auto ofVector = [&](auto&& take) {
        if constexpr (isCube)
            return Taken::NoSuchSetting;
        else
            return take(stage);
    };
    switch (setting) {
        case StageSetting::ML0: return ofCube([&](auto& s) { return onEntry(s.tile.m, 0, false); });
        case StageSetting::ML1: return ofCube([&](auto& s) { return onEntry(s.tile.m, 1, false); });
        case StageSetting::KL0: return ofCube([&](auto& s) { return onEntry(s.tile.k, 0, false); });
        case StageSetting::KAL1: return ofCube([&](auto& s) { return onEntry(s.tile.k, 1, false); });
        case StageSetting::KBL1: return ofCube([&](auto& s) { return onEntry(s.tile.k, 2, true); });
        case StageSetting::NL0: return ofCube([&](auto& s) { return onEntry(s.tile.n, 0, false); });
        case StageSetting::NL1: return ofCube([&](auto& s) { return onEntry(s.tile.n, 1, false); });
        case StageSetting::SplitK: return ofCube([&](auto& s) { return onMember(s.tile.splitK); });
        case StageSetting::ATrans: return ofCube([&](auto& s) { return onMember(s.aTrans); });
        case StageSetting::BTrans: return ofCube([&](auto& s) { return onMember(s.bTrans); });
        case StageSetting::OutDType: return ofCube([&](auto& s) { return onMember(s.outDType); });
        case StageSetting::Relu: return ofCube([&](auto& s) { return onMember(s.relu); });
        case StageSetting::Scale: return ofCube([&](auto& s) { return onMember(s.scale); });
        case StageSetting::Fp32Mode: return ofCube([&](auto& s) { return onMember(s.fp32Mode); });
        case StageSetting::Accumulation: return ofCube([&](auto& s) { return onMember(s.accumulation); });
        case StageSetting::PartialDType: return ofCube([&](auto& s) { return onMember(s.partialDType); });
        case StageSetting::Tile0: return ofVector([&](auto& s) { return onEntry(s.tile, 0, false); });
        case StageSetting::Tile1: return ofVector([&](auto& s) { return onEntry(s.tile, 1, false); });
        case StageSetting::Tile2: return ofVector([&](auto& s) { return onEntry(s.tile, 2, false); });
        case StageSetting::Tile3: return ofVector([&](auto& s) { return onEntry(s.tile, 3, false); });
        case StageSetting::Slots: return onMember(stage.slotCount);
        case StageSetting::Label: return onMember(stage.label);
        case StageSetting::Notes: return onMember(stage.notes);
    }
    return Taken::NoSuchSetting;
}

template <class Member>
SettingValue valueOfMember(const Member& member) {
    if constexpr (std::is_enum_v<Member>)
        return static_cast<std::int64_t>(member);
    else if constexpr (requires { member.has_value(); })
        return member ? SettingValue(*member) : SettingValue();
    else
        return member;
}

template <class Stage>
std::optional<SettingValue> readSetting(const Stage& stage, StageSetting setting) {
    SettingValue value;
    const Taken taken = visitSetting(
        stage, setting,
        [&](const std::vector<std::int64_t>& list, std::size_t index, bool optional) {
            if (index < list.size()) value = list[index];
            return index < list.size() || optional ? Taken::Yes : Taken::NoSuchSetting;
        },
        [&](const auto& member) {
            value = valueOfMember(member);
            return Taken::Yes;
        });
    return taken == Taken::Yes ? std::optional(value) : std::nullopt;
}

template <class Member>
Taken takeMember(Member& member, const SettingValue& value) {
    if constexpr (std::is_enum_v<Member>) {
        const auto* number = std::get_if<std::int64_t>(&value);
        if (!number) return Taken::OtherKind;
        for (const auto& entry : EnumTable<Member>::entries)
            if (static_cast<std::int64_t>(entry.first) == *number) {
                member = entry.first;
                return Taken::Yes;
            }
        return Taken::OutOfRange;
    } else if constexpr (requires { member.has_value(); }) {
        if (std::holds_alternative<std::monostate>(value)) {
            member.reset();
            return Taken::Yes;
        }
        const auto* given = std::get_if<typename Member::value_type>(&value);
        if (!given) return Taken::OtherKind;
        member = *given;
        return Taken::Yes;
    } else {
        const auto* given = std::get_if<Member>(&value);
        if (!given) return Taken::OtherKind;
        member = *given;
        return Taken::Yes;
    }
}

template <class Stage>
Taken writeSetting(Stage& stage, StageSetting setting, const SettingValue& value) {
    return visitSetting(
        stage, setting,
        [&](std::vector<std::int64_t>& list, std::size_t index, bool optional) {
            if (index > list.size() || (index == list.size() && !optional)) return Taken::NoSuchSetting;
            const auto* number = std::get_if<std::int64_t>(&value);
            if (!number) {
                if (!optional || !std::holds_alternative<std::monostate>(value)) return Taken::OtherKind;
                list.resize(std::min(list.size(), index));
            } else if (index == list.size()) {
                list.push_back(*number);
            } else {
                list[index] = *number;
            }
            return Taken::Yes;
        },
        [&](auto& member) { return takeMember(member, value); });
}

std::optional<SettingValue> settingOf(const Block& block, StageSetting setting) {
    return std::visit(
        [&](const auto& content) -> std::optional<SettingValue> {
            using Kind = std::decay_t<decltype(content)>;
            if constexpr (std::is_same_v<Kind, CubeStage> || std::is_same_v<Kind, VectorStage>)
                return readSetting(content, setting);
            else
                return std::nullopt;
        },
        block.content);
}

}  // namespace

std::vector<SharedSetting> sharedSettings(const Design& design, const std::vector<BlockId>& stages) {
    std::vector<const Block*> blocks;
    for (const BlockId& id : stages) {
        blocks.push_back(findBlock(design, id));
        if (!blocks.back()) return {};
    }
    std::vector<SharedSetting> shared;
    if (blocks.empty()) return shared;
    for (const StageSetting setting : kAllSettings) {
        SharedSetting entry{setting, settingOf(*blocks.front(), setting)};
        bool everywhere = entry.value.has_value();
        for (std::size_t i = 1; everywhere && i < blocks.size(); ++i) {
            const std::optional<SettingValue> other = settingOf(*blocks[i], setting);
            everywhere = other.has_value();
            if (other != entry.value) entry.value.reset();
        }
        if (everywhere) shared.push_back(std::move(entry));
    }
    return shared;
}

Result<Design> setShared(const Design& design, const std::vector<BlockId>& stages, StageSetting setting,
                         const SettingValue& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value); setting == StageSetting::Slots && number && *number < 1)
        return unexpected(ErrorCode::BadValue, "a stage needs at least 1 slot, not " + std::to_string(*number));
    Design edited = design;
    for (const BlockId& id : stages) {
        Block* block = detail::findBlockIn(edited.blocks, id);
        if (!block) return detail::unknownBlock(design, id);
        const Taken taken = std::visit(
            [&](auto& content) {
                using Kind = std::decay_t<decltype(content)>;
                if constexpr (std::is_same_v<Kind, CubeStage> || std::is_same_v<Kind, VectorStage>)
                    return writeSetting(content, setting, value);
                else
                    return Taken::NoSuchSetting;
            },
            block->content);
        switch (taken) {
            case Taken::Yes: break;
            case Taken::NoSuchSetting:
                return unexpected(ErrorCode::WrongType, "'" + id.text + "' does not have this setting");
            case Taken::OtherKind:
                return unexpected(ErrorCode::WrongType, "the value is of another kind than the setting");
            case Taken::OutOfRange: return unexpected(ErrorCode::BadValue, "the setting has no such value");
        }
    }
    return edited;
}

}  // namespace cubist
