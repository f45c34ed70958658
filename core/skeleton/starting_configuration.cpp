// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/skeleton/starting_configuration.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/skeleton/design_facts.h"

namespace cubist {
namespace {

constexpr std::int64_t kGroupPattern = 3;

using Settings = Dictionary<std::int64_t>;

std::string settingText(const Settings& settings) {
    if (settings.empty()) return "automatic";
    std::string text = "{";
    for (const Settings::Entry& entry : settings.entries)
        text += (text.size() == 1 ? "" : ", ") + entry.key + ": " + std::to_string(entry.value);
    return text + "}";
}

/// The rows of the table that are options, and how to read and write them.
struct OptionRow {
    std::string_view id;
    Settings Options::*setting = nullptr;
    std::int64_t Options::*number = nullptr;
    bool Options::*flag = nullptr;

    [[nodiscard]] std::string text(const Options& options) const {
        if (setting != nullptr) return settingText(options.*setting);
        return number != nullptr ? std::to_string(options.*number) : (options.*flag ? "true" : "false");
    }
    void copy(const Options& from, Options& to) const {
        if (setting != nullptr) to.*setting = from.*setting;
        if (number != nullptr) to.*number = from.*number;
        if (flag != nullptr) to.*flag = from.*flag;
    }
};

constexpr std::array kOptionRows{
    OptionRow{"cube_l1_reuse_setting", &Options::cubeL1Reuse, nullptr, nullptr},
    OptionRow{"cube_nbuffer_setting", &Options::cubeNBuffer, nullptr, nullptr},
    OptionRow{"vec_nbuffer_setting", &Options::vecNBuffer, nullptr, nullptr},
    OptionRow{"stitch_function_max_num", nullptr, &Options::stitchFunctionMaxNum, nullptr},
    OptionRow{"device_sched_mode", nullptr, &Options::deviceSchedMode, nullptr},
    OptionRow{"combine_axis", nullptr, nullptr, &Options::combineAxis},
};

const OptionRow* optionRow(std::string_view id) {
    const auto found =
        std::find_if(kOptionRows.begin(), kOptionRows.end(), [&](const OptionRow& row) { return row.id == id; });
    return found == kOptionRows.end() ? nullptr : &*found;
}

/// The card's template says nothing about these two.
bool templateSets(std::string_view id) {
    return id != "device_sched_mode" && id != "combine_axis";
}

/// Takes away the keys of groups that the program does not have; returns what was taken.
std::string dropMissingGroups(Settings& settings, std::int64_t groups) {
    std::string dropped;
    std::erase_if(settings.entries, [&](const Settings::Entry& entry) {
        const bool digits = !entry.key.empty() && std::all_of(entry.key.begin(), entry.key.end(),
                                                              [](char c) { return c >= '0' && c <= '9'; });
        if (!digits || entry.key.size() > 9 || std::stoll(entry.key) < groups) return false;
        dropped += (dropped.empty() ? "" : ", ") + entry.key;
        return true;
    });
    return dropped;
}

class Starter {
public:
    Starter(const Design& design, const StartingTable& table, const StartRequest& request)
        : m_table(table), m_request(request) {
        m_started.design = design;
    }

    StartedDesign run() {
        for (const TableSetting& setting : m_table.settings) {
            const OptionRow* row = optionRow(setting.id);
            if (row != nullptr)
                setOption(*row);
            else if (m_request.source != StartSource::Table)
                note(setting.id, false, {"only the table asks for it", "只有配置表对此有要求"});
            else if (setting.id == "group_parallel")
                markGroupLoops();
            else if (setting.id == "nz_weights")
                declareWeights();
            else
                keep(setting);
        }
        return std::move(m_started);
    }

private:
    void note(const std::string& setting, bool changed, BilingualText text) {
        m_started.steps.push_back({setting, changed, std::move(text)});
    }

    const Options& source() const {
        switch (m_request.source) {
            case StartSource::CardTemplate: return m_table.cardTemplate;
            case StartSource::Shipped: return m_request.shipped->options;
            case StartSource::Table: break;
        }
        return worksOnGroups(m_started.design) ? m_table.groupedTable : m_table.table;
    }

    void setOption(const OptionRow& row) {
        if (m_request.source == StartSource::CardTemplate && !templateSets(row.id)) {
            note(std::string(row.id), false, {"the card's template does not set it", "卡片模板未设置"});
            return;
        }
        const std::string before = row.text(m_started.design.options);
        row.copy(source(), m_started.design.options);
        std::string dropped;
        const bool cube = row.id == "cube_l1_reuse_setting" || row.id == "cube_nbuffer_setting";
        if (cube && m_request.cubeGroups) {
            Settings& setting = m_started.design.options.*row.setting;
            dropped = dropMissingGroups(setting, *m_request.cubeGroups);
            // No key left says nothing, but {} would: automatic.
            if (!dropped.empty() && setting.entries.empty()) setting = Options().*row.setting;
        }
        const std::string after = row.text(m_started.design.options);
        BilingualText text{after + (after == before ? " as before" : ", was " + before),
                           after + (after == before ? "（不变）" : "（原为 " + before + "）")};
        if (!dropped.empty()) {
            text.en += "; without key " + dropped + ": there is no such group";
            text.zh += "；去掉键 " + dropped + "：没有该组";
        }
        note(std::string(row.id), after != before, std::move(text));
    }

    void markGroupLoops() {
        std::string marked, refused;
        forEachLoop(m_started.design.blocks, [&](const Loop& found, bool outermost) {
            if (!outermost || found.form != LoopKind::Runtime || found.parallel) return;
            if (!holdsMatmul(found.body) || !iteratesOverGroups(m_started.design, found)) return;
            Design trial = m_started.design;
            changeLoop(trial.blocks, found.id, [](Loop& loop) { loop.parallel = true; });
            const bool fine = !m_request.accept || m_request.accept(m_started.design, trial);
            std::string& list = fine ? marked : refused;
            list += (list.empty() ? "" : ", ") + found.id.text;
        });
        for (const std::string& id : split(marked))
            changeLoop(m_started.design.blocks, BlockId(id), [](Loop& loop) { loop.parallel = true; });
        if (!marked.empty())
            note("group_parallel", true, {"parallel=True on " + marked, marked + " 设为 parallel=True"});
        else if (!refused.empty())
            note("group_parallel", false,
                 {refused + " stays serial: its iterations meet in one output", refused + " 保持串行：迭代写同一输出"});
        else
            note("group_parallel", false, {groupLoopText(m_started.design), groupLoopText(m_started.design)});
    }

    void declareWeights() {
        std::string declared, refused;
        for (Tensor& tensor : m_started.design.tensors) {
            if (tensor.format == Format::NZ || !isWeight(m_started.design, tensor)) continue;
            Design trial = m_started.design;
            for (Tensor& other : trial.tensors)
                if (other.id == tensor.id) other.format = Format::NZ;
            const bool fine = !m_request.accept || m_request.accept(m_started.design, trial);
            if (fine) tensor.format = Format::NZ;
            std::string& list = fine ? declared : refused;
            list += (list.empty() ? "" : ", ") + tensor.id.text;
        }
        BilingualText text{weightText(m_started.design), weightText(m_started.design)};
        if (!declared.empty()) text = {"NZ: " + declared, "NZ：" + declared};
        if (!refused.empty()) {
            text.en += "; stays ND, the rules refuse NZ: " + refused;
            text.zh += "；保持 ND（规则不允许 NZ）：" + refused;
        }
        note("nz_weights", !declared.empty(), std::move(text));
    }

    void keep(const TableSetting& setting) {
        const std::string text = factText(m_started.design, setting.id);
        note(setting.id, false, {"as the design has it: " + text, "沿用设计：" + text});
    }

    static std::vector<std::string> split(const std::string& list) {
        std::vector<std::string> parts;
        for (std::size_t at = 0; at < list.size();) {
            const std::size_t end = std::min(list.find(", ", at), list.size());
            parts.push_back(list.substr(at, end - at));
            at = end + 2;
        }
        return parts;
    }

    const StartingTable& m_table;
    const StartRequest& m_request;
    StartedDesign m_started;
};

}  // namespace

bool worksOnGroups(const Design& design) {
    const auto& pattern = design.skeleton.pattern;
    if (std::find(pattern.begin(), pattern.end(), kGroupPattern) != pattern.end()) return true;
    return std::any_of(design.lists.begin(), design.lists.end(),
                       [](const List& list) { return list.form != ListForm::Plain; });
}

Result<StartedDesign> applyStartingConfiguration(const Design& design, const StartingTable& table,
                                                 const StartRequest& request) {
    if (request.source == StartSource::Shipped && request.shipped == nullptr)
        return unexpected(ErrorCode::BadValue, "there is no sample whose values could be taken");
    return Starter(design, table, request).run();
}

std::vector<ConfigurationRow> compareConfigurations(const Design& design, const StartingTable& table,
                                                    const Design* shipped) {
    std::vector<ConfigurationRow> rows;
    const Options& asked = worksOnGroups(design) ? table.groupedTable : table.table;
    for (const TableSetting& setting : table.settings) {
        ConfigurationRow row{setting.id, setting.level, setting.remark, {}, {}, std::nullopt, {}, false};
        if (const OptionRow* option = optionRow(setting.id); option != nullptr) {
            row.table = option->text(asked);
            if (templateSets(setting.id)) row.cardTemplate = option->text(table.cardTemplate);
            if (shipped != nullptr) row.shipped = option->text(shipped->options);
            row.current = option->text(design.options);
            row.differs = row.current != row.table;
        } else {
            row.table = setting.value.en;
            if (shipped != nullptr) row.shipped = factText(*shipped, setting.id);
            row.current = factText(design, setting.id);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace cubist
