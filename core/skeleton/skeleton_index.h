// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/result.h"
#include "core/base/visit.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"

/// The skeletons of the operator-design library as data: the index SK-01 to SK-16, the loop variants and data-flow
/// patterns of SK-14, the templates that `new` offers, and the configurations a design may start from.
/// Source: hicann/pypto-gym, skeleton index and cards; resources/skeletons/index.json.
namespace cubist {

/// A text in both languages of the window.
struct BilingualText {
    std::string en, zh;
    UnknownFields unknown = {};
    bool operator==(const BilingualText&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("en", self.en);
        v.required("zh", self.zh);
        v.unknown(self.unknown);
    }
};

/// A computation skeleton: SK-01 to SK-16.
struct SkeletonCard {
    std::string id;  ///< "SK-14"
    BilingualText name;
    std::vector<std::string> tags;  ///< "attention", "matmul"
    std::string flow;               ///< stages in order: "C1, V1, C2"
    BilingualText choose;           ///< the criteria
    BilingualText start;            ///< the card's starting configuration and special rules
    Options options;                ///< as far as options can say it
    UnknownFields unknown;
    bool operator==(const SkeletonCard&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("name", self.name);
        v.required("tags", self.tags);
        v.required("flow", self.flow);
        v.required("choose", self.choose);
        v.required("start", self.start);
        v.optional("options", self.options);
        v.unknown(self.unknown);
    }
};

/// A loop variant of SK-14.
struct VariantCard {
    Variant variant = Variant::C;
    BilingualText title, text;
    UnknownFields unknown;
    bool operator==(const VariantCard&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("variant", self.variant);
        v.required("title", self.title);
        v.required("text", self.text);
        v.unknown(self.unknown);
    }
};

/// A data-flow pattern of SK-14.
struct PatternCard {
    std::int64_t pattern = 1;
    BilingualText title, text;
    UnknownFields unknown;
    bool operator==(const PatternCard&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("pattern", self.pattern);
        v.required("title", self.title);
        v.required("text", self.text);
        v.unknown(self.unknown);
    }
};

/// A runnable design that `new` offers.
struct SkeletonTemplate {
    std::string id;  ///< "Bs-3-mxfp8": the design is the file <id>.json beside the index
    Variant variant = Variant::C;
    std::vector<std::int64_t> pattern;  ///< ascending; empty: no pattern
    std::string kind;                   ///< what its matmuls multiply: "FP32", "BF16", "INT8", "MXFP8"
    std::string arch;                   ///< only chips of this architecture; empty: all
    BilingualText title, summary;
    UnknownFields unknown;
    bool operator==(const SkeletonTemplate&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("variant", self.variant);
        v.numberOrList("pattern", self.pattern);
        v.required("kind", self.kind);
        v.optional("arch", self.arch);
        v.required("title", self.title);
        v.required("summary", self.summary);
        v.unknown(self.unknown);
    }
};

/// A combination that does not exist, and why.
struct MissingTemplate {
    Variant variant = Variant::C;
    std::int64_t pattern = 1;
    BilingualText reason;
    UnknownFields unknown;
    bool operator==(const MissingTemplate&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("variant", self.variant);
        v.required("pattern", self.pattern);
        v.required("reason", self.reason);
        v.unknown(self.unknown);
    }
};

/// How strongly the card asks for a setting.
enum class SettingLevel : std::uint8_t { Must, Mandatory, Recommended, KeepLight };
template <>
struct EnumTable<SettingLevel> {
    static constexpr std::string_view name = "setting level";
    static constexpr std::array entries{std::pair{SettingLevel::Must, std::string_view{"must"}},
                                        std::pair{SettingLevel::Mandatory, std::string_view{"mandatory"}},
                                        std::pair{SettingLevel::Recommended, std::string_view{"recommended"}},
                                        std::pair{SettingLevel::KeepLight, std::string_view{"keep light"}}};
};

/// A row of the out-of-box table of SK-14. Rows that are no option say what the design should do.
struct TableSetting {
    std::string id;  ///< key of `options`, or "own_tile", "group_parallel", "group_slice", "scaled_mm", "index_put",
                     ///< "light_v", "post_loop_v", "nz_weights"
    SettingLevel level = SettingLevel::Recommended;
    BilingualText value;   ///< as the table has it
    BilingualText remark;  ///< what Cubist does with it
    UnknownFields unknown;
    bool operator==(const TableSetting&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("level", self.level);
        v.required("value", self.value);
        v.required("remark", self.remark);
        v.unknown(self.unknown);
    }
};

/// The out-of-box configuration of SK-14: the options of the table and of the card's template, and all rows of the
/// table. A start, not a fixed value.
struct StartingTable {
    Options table;         ///< for designs without groups
    Options groupedTable;  ///< for designs with a group loop (pattern 3)
    Options cardTemplate;  ///< the code template on the same card
    std::vector<TableSetting> settings;
    UnknownFields unknown;
    bool operator==(const StartingTable&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("table", self.table);
        v.required("grouped_table", self.groupedTable);
        v.required("card_template", self.cardTemplate);
        v.required("settings", self.settings);
        v.unknown(self.unknown);
    }
};

/// The file resources/skeletons/index.json.
struct SkeletonIndex {
    static constexpr std::int64_t kFormatVersion = 1;

    std::vector<SkeletonCard> skeletons;
    std::vector<VariantCard> variants;
    std::vector<PatternCard> patterns;
    std::vector<SkeletonTemplate> templates;
    std::vector<MissingTemplate> missing;
    StartingTable start;
    UnknownFields unknown;
    bool operator==(const SkeletonIndex&) const = default;

    /// The key "cubist_skeletons" (format version) is the reader's business and comes before these.
    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("skeletons", self.skeletons);
        v.required("variants", self.variants);
        v.required("patterns", self.patterns);
        v.required("templates", self.templates);
        v.required("missing", self.missing);
        v.required("start", self.start);
        v.unknown(self.unknown);
    }

    /// Null when there is none.
    [[nodiscard]] const SkeletonCard* skeleton(const std::string& id) const;
};

/// What somebody wants to start from.
struct TemplateQuery {
    Variant variant = Variant::C;
    std::vector<std::int64_t> pattern;  ///< empty: the variant's first template
    std::string kind;                   ///< "mxfp8", in any case; empty: what the chip allows
    const ChipSpec* chip = nullptr;     ///< null: the template's own
};

/// The template that fits best: the pattern alone before one among several, the listed order among equals. Where there
/// is none of FP16 or FP32, the one of BF16 with the kind that was asked for: its design has to be turned
/// (`withDType`). Errors: Unsupported (no such combination, with the reason where there is one; none on this chip or of
/// this kind); the hint names those that exist.
[[nodiscard]] Result<SkeletonTemplate> selectTemplate(const SkeletonIndex& index, const TemplateQuery& query);

/// "B' with pattern 3": how messages name a combination.
[[nodiscard]] std::string combinationText(Variant variant, const std::vector<std::int64_t>& pattern);

}  // namespace cubist
