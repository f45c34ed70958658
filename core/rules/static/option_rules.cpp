// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/design/split_k.h"
#include "core/rules/families.h"
#include "core/rules/static/data_flow.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "OPT-01",
         .family = RuleFamily::Option,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A runtime option is out of range",
         .titleZh = "运行时选项超出范围",
         .explanation =
             "device_sched_mode chooses how ready tasks are queued (0 FIFO, 1 newest first, 2 fair, 3 both); "
             "device_sched_parallelism is the number of parallel iterations; stitch_function_max_num is the most "
             "root functions in one device task; launch_sched_aicpu_num is the number of scheduler threads.",
         .explanationZh =
             "device_sched_mode 选择就绪任务的排队方式（0 先进先出，1 最新优先，2 均匀分配，3 二者兼有）；"
             "device_sched_parallelism 是并行迭代数；stitch_function_max_num 是一个 device 任务最多拼接的 root "
             "function 数；launch_sched_aicpu_num 是调度线程数。",
         .formula = "device_sched_mode 0..3, device_sched_parallelism 1..8, stitch_function_max_num 1..1024, "
                    "launch_sched_aicpu_num 1..7, launch_early_mode 0..2, max_workspace_kb 0..2147483647, "
                    "buffer_slots >= 1 of L1, L0A, L0B, L0C",
         .source = "hicann/pypto, frontend.jit page",
         .pyptoCode = "F00002"},
    Rule{.id = "OPT-02",
         .family = RuleFamily::Option,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Integer keys and DEFAULT or func keys are mixed",
         .titleZh = "整数键与 DEFAULT 或 func 键混用",
         .explanation = "A merge setting uses either integer keys (-1 for all groups, n for group n) or DEFAULT and "
                        "func<id>_<n>. Labels go with both.",
         .explanationZh = "合图设置要么使用整数键（-1 表示所有组，n 表示第 n 组），要么使用 DEFAULT 和 func<id>_<n>。"
                          "label 可与二者混用。",
         .formula = "keys all integers, or all DEFAULT, func or labels",
         .source = "hicann/pypto, python config; run on the PyPTO frontend",
         .pyptoCode = "F00002"},
    Rule{.id = "OPT-03",
         .family = RuleFamily::Option,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "An option that does not change this prediction",
         .titleZh = "不影响本次预测的选项",
         .explanation =
             "The option is stored and exported, but the emulated core of this version does not model it, the chip of "
             "the design ignores it, or a prediction without it gives the same schedule to the tick. Values do not "
             "depend on it.",
         .explanationZh = "该选项会保存并导出，但本版本的仿真核没有对其建模、设计所选芯片会忽略它，或者去掉后预测的调度"
                          "逐 tick 相同。数值与它无关。",
         .formula = "value = default",
         .source = "this version of Cubist; hicann/pypto, set_pass_options page"},
    Rule{.id = "OPT-04",
         .family = RuleFamily::Option,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A label that no stage has",
         .titleZh = "没有阶段使用的 label",
         .explanation =
             "A key that is neither a number nor DEFAULT nor func<id>_<n> names a semantic label. One that matches "
             "nothing is ignored; PyPTO only writes a log line.",
         .explanationZh = "既不是数字，也不是 DEFAULT 或 func<id>_<n> 的键是语义 label。没有匹配的 label "
                          "会被忽略，PyPTO 只写一行日志。",
         .formula = "key in the labels of the stages",
         .source = "hicann/pypto, NBufferMerge pass; run on the PyPTO frontend",
         .compilerSilent = true},
    Rule{.id = "OPT-05",
         .family = RuleFamily::Option,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A merge count out of range",
         .titleZh = "合图数超出范围",
         .explanation =
             "The count says how many subgraphs become one task; 1 means no merging. Only the mode key -2 of "
             "vec_nbuffer_setting takes 0.",
         .explanationZh =
             "合图数表示多少个子图合为一个任务，1 表示不合图。只有 vec_nbuffer_setting 的模式键 -2 可以为 0。",
         .formula = "1 <= count <= 2147483647",
         .source = "hicann/pypto, L1CopyInReuseMerge pass; run on the PyPTO frontend",
         .pyptoCode = "F4FFFF"},
    Rule{.id = "OPT-13",
         .family = RuleFamily::Option,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "The mode key of vec_nbuffer_setting is a switch",
         .titleZh = "vec_nbuffer_setting 的模式键是开关",
         .explanation = "-2 says how subgraphs with several inputs or outputs are merged: 0 automatically, 1 by the "
                        "counts of the other keys. It is no count itself, and the compiler says nothing about one.",
         .explanationZh = "-2 决定多输入或多输出子图的合并方式：0 自动，1 按其他键的合图数。它本身不是合图数，"
                          "写成合图数时编译器不会报错。",
         .formula = "value in {0, 1}",
         .source = "hicann/pypto, set_pass_options page and NBufferMerge pass",
         .compilerSilent = true},
    Rule{.id = "OPT-06",
         .family = RuleFamily::Option,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "An integer key out of range",
         .titleZh = "整数键超出范围",
         .explanation = "Group keys are -1 (all groups) or 0 and up; -2 is a mode key of vec_nbuffer_setting alone.",
         .explanationZh = "组键为 -1（所有组）或 0 及以上；-2 只是 vec_nbuffer_setting 的模式键。",
         .formula = "-1 <= key <= 2147483647",
         .source = "hicann/pypto, option schema; run on the PyPTO frontend",
         .pyptoCode = "F00002"},
    Rule{.id = "OPT-08",
         .family = RuleFamily::Option,
         .enforced = Severity::Hint,
         .documented = Severity::Warning,
         .title = "vec_nbuffer_setting without its mode or default key",
         .titleZh = "vec_nbuffer_setting 缺少模式键或默认键",
         .explanation =
             "With integer keys -2: 1 switches to manual merging, else subgraphs with several inputs or outputs "
             "are merged automatically; with text keys DEFAULT says what happens to all other groups.",
         .explanationZh = "使用整数键时，-2: 1 表示手动合图，否则多输入、多输出的子图会自动合图；使用文本键时，DEFAULT "
                          "决定其余组的行为。",
         .formula = "integer keys: -2 present; text keys: DEFAULT present",
         .source = "hicann/pypto-gym, tuning guide (vec_nbuffer)",
         .compilerSilent = true},
    Rule{.id = "OPT-09",
         .family = RuleFamily::Option,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "stitch_function_max_num is ignored",
         .titleZh = "stitch_function_max_num 不起作用",
         .explanation = "With max_workspace_kb the workspace decides how many root functions are stitched.",
         .explanationZh = "设置 max_workspace_kb 后，由 workspace 大小决定拼接多少 root function。",
         .formula = "max_workspace_kb = 0 where stitch_function_max_num is set",
         .source = "hicann/pypto, frontend.jit page",
         .compilerSilent = true},
    Rule{.id = "OPT-10",
         .family = RuleFamily::Option,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "max_workspace_kb is below what the hidden workspaces need",
         .titleZh = "max_workspace_kb 小于隐含 workspace 所需",
         .explanation =
             "Every result that another stage reads lies in a workspace in global memory, once for each parallel "
             "iteration, and so do the partial sums of a matmul whose K is split. The cap must hold those of one "
             "iteration at least; the compiler prints its minimum.",
         .explanationZh =
             "每个被其他阶段读取的结果，以及 split-K 矩阵乘的部分和，都占用全局内存中的 workspace，每个并行迭代一份。"
             "上限至少要容纳一次迭代；编译器会打印最小值。",
         .formula = "max_workspace_kb * 1024 >= parallelism * (results read by other stages + partial sums of split-K)",
         .source = "hicann/pypto, frontend.jit page"},
    Rule{.id = "OPT-11",
         .family = RuleFamily::Option,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A side of cube_l1_reuse_setting that does not exist",
         .titleZh = "cube_l1_reuse_setting 的 side 不合法",
         .explanation =
             "A merge count may come with the operand that it is about: left (A), right (B) or auto. It belongs "
             "to a key of cube_l1_reuse_setting.",
         .explanationZh =
             "合图数可以附带所针对的操作数：left（A）、right（B）或 auto。它属于 cube_l1_reuse_setting 的某个键。",
         .formula = "left, right or auto",
         .source = "hicann/pypto, python config"},
    Rule{.id = "OPT-12",
         .family = RuleFamily::Option,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "ready_on_host_tensors does not name inputs once each",
         .titleZh = "ready_on_host_tensors 未逐个列出输入",
         .explanation = "The option names input tensors whose values the host has before the kernel starts.",
         .explanationZh = "该选项列出 kernel 启动前主机已有数值的输入张量。",
         .formula = "names in the input tensors, each once",
         .source = "hicann/pypto, frontend.jit page"},
};

using MergeSetting = Dictionary<std::int64_t>;

struct Range {
    std::string_view name;
    std::int64_t value, low, high;
};

void checkRange(CheckContext& context, const Range& range) {
    if (range.value >= range.low && range.value <= range.high) return;
    const std::string where = "/options/" + std::string(range.name);
    const std::string bounds = text(range.low) + ".." + text(range.high);
    const std::string head = std::string(range.name) + " = " + text(range.value);
    Reported* entry = context.report("OPT-01", where, BlockId(),
                                     {head + " must lie in " + bounds, head + " 必须在 " + bounds + " 之内"});
    if (entry == nullptr) return;
    const std::int64_t legal = std::clamp(range.value, range.low, range.high);
    entry->finding.measured = static_cast<double>(range.value);
    entry->finding.limit = static_cast<double>(legal);
    entry->candidates.push_back({{"Set it to " + text(legal), "设为 " + text(legal)}, {{where, legal}}});
}

constexpr std::int64_t kMostMerged = 2'147'483'647;

/// As Python writes it: "00" and "-0" are labels.
std::optional<std::int64_t> integerKey(const std::string& key) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), value);
    if (error != std::errc() || end != key.data() + key.size() || std::to_string(value) != key) return std::nullopt;
    return value;
}

bool isDigits(std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// DEFAULT or func<id>_<n>.
bool isGroupKey(const std::string& key) {
    if (key == "DEFAULT") return true;
    if (!key.starts_with("func")) return false;
    const std::size_t line = key.find('_');
    return line != std::string::npos && isDigits(std::string_view(key).substr(4, line - 4)) &&
           isDigits(std::string_view(key).substr(line + 1));
}

std::string pointerStep(const std::string& key) {
    std::string step;
    for (const char c : key) step += c == '~' ? "~0" : (c == '/' ? "~1" : std::string(1, c));
    return step;
}

class SettingCheck {
public:
    SettingCheck(CheckContext& context, std::string_view name, const MergeSetting& setting,
                 const std::set<std::string>& labels)
        : m_context(context),
          m_where("/options/" + std::string(name)),
          m_name(name),
          m_setting(setting),
          m_labels(labels) {}

    void check() const {
        bool integers = false, groups = false;
        for (const auto& [key, value] : m_setting.entries) {
            const std::optional<std::int64_t> number = integerKey(key);
            integers = integers || number;
            groups = groups || isGroupKey(key);
            const bool mode = isModeKey(key);
            if (number && !mode && (*number < -1 || *number > std::numeric_limits<std::int32_t>::max())) reportKey(key);
            if (value < (mode ? 0 : 1) || value > kMostMerged) reportCount(key, value);
            if (mode && value > 1) reportMode(key, value);
            if (!number && !isGroupKey(key) && !m_labels.contains(key)) reportLabel(key);
        }
        if (integers && groups) reportMix();
    }

private:
    [[nodiscard]] std::string range() const {
        return (m_name == "vec_nbuffer_setting" ? "-2" : "-1") + std::string("..2147483647");
    }
    [[nodiscard]] bool isModeKey(const std::string& key) const {
        return m_name == "vec_nbuffer_setting" && key == "-2";
    }
    /// Place of a key, escaped as JSON pointers want it.
    [[nodiscard]] std::string at(const std::string& key) const { return m_where + "/" + pointerStep(key); }
    [[nodiscard]] MergeSetting without(const std::string& key) const {
        MergeSetting changed;
        for (const auto& entry : m_setting.entries)
            if (entry.key != key) changed.entries.push_back(entry);
        return changed;
    }
    [[nodiscard]] FixCandidate removal(const std::string& key) const {
        return {{"Remove the key " + key, "删除键 " + key}, {{m_where, without(key)}}};
    }

    void reportKey(const std::string& key) const {
        if (Reported* entry = m_context.report("OPT-06", at(key), BlockId(),
                                               {m_name + ": key " + key + " must lie in " + range(),
                                                m_name + "：键 " + key + " 必须在 " + range() + " 之内"}))
            entry->candidates.push_back(removal(key));
    }

    void reportCount(const std::string& key, std::int64_t value) const {
        const std::string pair = "{\"" + key + "\": " + text(value) + "}";
        const bool below = value < 1;
        const std::string limit = text(below ? 1 : kMostMerged);
        Reported* entry =
            m_context.report("OPT-05", at(key), BlockId(),
                             {m_name + " " + pair + ": a merge count is at " + (below ? "least " : "most ") + limit,
                              m_name + " " + pair + "：合图数" + (below ? "至少为 " : "至多为 ") + limit});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(value);
        entry->finding.limit = static_cast<double>(below ? 1 : kMostMerged);
        MergeSetting changed = m_setting;
        changed.set(key, 1);
        entry->candidates.push_back({{"Set it to 1 (no merging)", "设为 1（不合图）"}, {{m_where, changed}}});
        entry->candidates.push_back(removal(key));
    }

    void reportMode(const std::string& key, std::int64_t value) const {
        const std::string pair = "{\"" + key + "\": " + text(value) + "}";
        Reported* entry = m_context.report(
            "OPT-13", at(key), BlockId(),
            {m_name + " " + pair + ": " + key + " is a switch, 0 for automatic and 1 for manual counts, and no count",
             m_name + " " + pair + "：" + key + " 是开关（0 自动，1 手动），不是合图数"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(value);
        entry->finding.limit = 1;
        for (const std::int64_t mode : {1, 0}) {
            MergeSetting changed = m_setting;
            changed.set(key, mode);
            entry->candidates.push_back({{"Set it to " + text(mode), "设为 " + text(mode)}, {{m_where, changed}}});
        }
    }

    void reportLabel(const std::string& key) const {
        if (Reported* entry = m_context.report(
                "OPT-04", at(key), BlockId(),
                {m_name + ": no stage has the label '" + key + "'", m_name + "：没有阶段使用 label '" + key + "'"}))
            entry->candidates.push_back(removal(key));
    }

    /// Keeps one dialect; the default of the other becomes its default where it has none.
    void reportMix() const {
        Reported* entry = m_context.report(
            "OPT-02", m_where, BlockId(),
            {m_name + " mixes integer keys with DEFAULT or func keys", m_name + " 混用了整数键与 DEFAULT 或 func 键"});
        if (entry == nullptr) return;
        for (const bool keepIntegers : {true, false}) {
            MergeSetting changed;
            for (const auto& [key, value] : m_setting.entries)
                if (keepIntegers ? !isGroupKey(key) : !integerKey(key)) changed.entries.push_back({key, value});
            const std::string dropped = keepIntegers ? "DEFAULT" : "-1", kept = keepIntegers ? "-1" : "DEFAULT";
            if (m_setting.find(dropped) != nullptr && changed.find(kept) == nullptr)
                changed.set(kept, *m_setting.find(dropped));
            entry->candidates.push_back({{keepIntegers ? "Keep the integer keys" : "Keep the DEFAULT and func keys",
                                          keepIntegers ? "保留整数键" : "保留 DEFAULT 和 func 键"},
                                         {{m_where, changed}}});
        }
    }

    CheckContext& m_context;
    std::string m_where;
    std::string m_name;
    const MergeSetting& m_setting;
    const std::set<std::string>& m_labels;
};

/// `why` follows the option's name and value.
void reportUnused(CheckContext& context, const std::string& name, const std::string& value, const Text& why,
                  std::optional<EditValue> neutral) {
    const std::string where = "/options/" + name;
    Reported* entry = context.report("OPT-03", where, BlockId(),
                                     {name + " = " + value + ": " + why.en, name + " = " + value + "：" + why.zh});
    if (entry != nullptr && neutral)
        entry->candidates.push_back({{"Set it back to its default", "恢复默认值"}, {{where, *neutral}}});
}

void checkUnmodelled(CheckContext& context, const Options& options) {
    const Text kept{"kept and exported; the emulated core of this version does not model it",
                    "会保存并导出；本版本的仿真核没有对其建模"};
    if (options.autoMixPartition && context.chip.arch == "2201")
        reportUnused(context, "auto_mix_partition", "1",
                     {"A2 and A3 chips have no path from L0C to UB; the compiler ignores the option there",
                      "A2/A3 芯片没有 L0C 到 UB 的通路，编译器会忽略该选项"},
                     EditValue(false));
    const bool compiledForSizes = std::any_of(context.design.loops.begin(), context.design.loops.end(),
                                              [](const auto& loop) { return loop.loop->form != LoopKind::Static; });
    if (options.validShapeOptimize && !compiledForSizes)
        reportUnused(context, "valid_shape_optimize", "1",
                     {"no loop runs at run time, so everything is compiled for static shapes already",
                      "没有运行时循环，所有内容本来就按静态 shape 编译"},
                     EditValue(false));
    constexpr std::int64_t kAlwaysEarly = 1;
    if (options.launchEarlyMode && *options.launchEarlyMode != kAlwaysEarly)
        reportUnused(context, "launch_early_mode", text(*options.launchEarlyMode),
                     {"early launch in capture mode only or never; the emulated launch is not captured",
                      "仅在 capture 模式下提前启动或从不提前启动；仿真的启动不在 capture 模式下"},
                     std::nullopt);
    // 7 is the default everywhere and means as many as there are.
    constexpr std::int64_t kThreadsOfA2 = 5;
    if (context.chip.arch == "2201" && options.launchSchedAicpuNum == kThreadsOfA2 + 1)
        reportUnused(context, "launch_sched_aicpu_num", text(options.launchSchedAicpuNum),
                     {"A2 and A3 chips have 5 scheduler threads; a larger number means as many as there are",
                      "A2/A3 芯片有 5 个调度线程；更大的值表示使用全部线程"},
                     EditValue(kThreadsOfA2));
    const bool parallel = std::any_of(context.design.loops.begin(), context.design.loops.end(), [](const auto& loop) {
        return loop.loop->parallel && loop.loop->form == LoopKind::Runtime;
    });
    if (options.deviceSchedParallelism > 1 && !parallel)
        reportUnused(context, "device_sched_parallelism", text(options.deviceSchedParallelism),
                     {"no loop is parallel, so nothing runs side by side", "没有并行循环，不会同时执行多个迭代"},
                     EditValue(std::int64_t{1}));
    const bool known = std::all_of(options.readyOnHostTensors.begin(), options.readyOnHostTensors.end(),
                                   [&](const ValueId& id) { return context.design.value(id) != nullptr; });
    if (!options.readyOnHostTensors.empty() && known)
        reportUnused(context, "ready_on_host_tensors",
                     text(static_cast<std::int64_t>(options.readyOnHostTensors.size())), kept, std::nullopt);
}

/// OPT-11.
void checkSides(CheckContext& context, const Options& options) {
    for (const auto& [key, side] : options.cubeL1ReuseSide.entries) {
        const std::string where = "/options/cube_l1_reuse_side/" + pointerStep(key);
        if (options.cubeL1Reuse.find(key) == nullptr) {
            context.report("OPT-11", where, BlockId(),
                           {"cube_l1_reuse_side: '" + key + "' is no key of cube_l1_reuse_setting",
                            "cube_l1_reuse_side：'" + key + "' 不是 cube_l1_reuse_setting 的键"});
            continue;
        }
        if (side == "left" || side == "right" || side == "auto") continue;
        Reported* entry =
            context.report("OPT-11", where, BlockId(),
                           {"cube_l1_reuse_side: '" + side + "' of '" + key + "' is not left, right or auto",
                            "cube_l1_reuse_side：'" + key + "' 的 '" + side + "' 不是 left、right 或 auto"});
        if (entry == nullptr) continue;
        for (const char* legal : {"auto", "left", "right"})
            entry->candidates.push_back(
                {{std::string("Set it to ") + legal, std::string("设为 ") + legal}, {{where, std::string(legal)}}});
    }
}

/// OPT-01 of the slots of a hand-written kernel.
void checkSlots(CheckContext& context, const Options& options) {
    for (const auto& [key, count] : options.bufferSlots.entries) {
        const std::string where = "/options/buffer_slots/" + pointerStep(key);
        const bool known = key == "L1" || key == "L0A" || key == "L0B" || key == "L0C";
        if (known && count >= 1) continue;
        const std::string head = "buffer_slots: " + key + " = " + text(count);
        Reported* entry = context.report(
            "OPT-01", where, BlockId(),
            known ? Text{head + ", a buffer has at least 1 slot", head + "，每个缓冲区至少 1 个缓冲槽"}
                  : Text{head + ", the buffers are L1, L0A, L0B and L0C", head + "，缓冲区只有 L1、L0A、L0B 和 L0C"});
        if (entry == nullptr) continue;
        if (known) {
            entry->candidates.push_back({{"Set it to 1", "设为 1"}, {{where, std::int64_t{1}}}});
            continue;
        }
        MergeSetting changed;
        for (const auto& other : options.bufferSlots.entries)
            if (other.key != key) changed.entries.push_back(other);
        entry->candidates.push_back({{"Remove the key " + key, "删除键 " + key}, {{"/options/buffer_slots", changed}}});
    }
}

/// OPT-12.
void checkHostTensors(CheckContext& context, const Options& options) {
    std::set<std::string> named;
    for (std::size_t i = 0; i < options.readyOnHostTensors.size(); ++i) {
        const std::string& name = options.readyOnHostTensors[i].text;
        const std::string where = "/options/ready_on_host_tensors/" + text(static_cast<std::int64_t>(i));
        const ResolvedValue* value = context.design.value(options.readyOnHostTensors[i]);
        const bool input =
            value != nullptr && value->kind == ResolvedValue::Kind::Tensor && value->tensor->role == TensorRole::Input;
        if (!input)
            context.report("OPT-12", where, BlockId(),
                           {"ready_on_host_tensors: '" + name + "' is no input tensor",
                            "ready_on_host_tensors：'" + name + "' 不是输入张量"});
        else if (!named.insert(name).second)
            context.report(
                "OPT-12", where, BlockId(),
                {"ready_on_host_tensors names '" + name + "' twice", "ready_on_host_tensors 重复列出 '" + name + "'"});
    }
}

/// OPT-08.
void checkMode(CheckContext& context, const MergeSetting& setting) {
    if (setting.empty()) return;
    const bool integers =
        std::any_of(setting.entries.begin(), setting.entries.end(), [](const auto& e) { return integerKey(e.key); });
    const std::string wanted = integers ? "-2" : "DEFAULT";
    if (setting.find(wanted) != nullptr) return;
    Reported* entry = context.report(
        "OPT-08", "/options/vec_nbuffer_setting", BlockId(),
        {"vec_nbuffer_setting has " + std::string(integers ? "integer" : "text") + " keys but no \"" + wanted + "\": 1",
         "vec_nbuffer_setting 使用" + std::string(integers ? "整数" : "文本") + "键，但没有 \"" + wanted + "\": 1"});
    if (entry == nullptr) return;
    MergeSetting changed = setting;
    changed.set(wanted, 1);
    entry->candidates.push_back(
        {{"Add \"" + wanted + "\": 1", "添加 \"" + wanted + "\": 1"}, {{"/options/vec_nbuffer_setting", changed}}});
}

/// OPT-09 and OPT-10.
void checkWorkspaceCap(CheckContext& context, const Options& options) {
    if (options.maxWorkspaceKb <= 0) return;
    if (options.stitchFunctionMaxNum != 128) {
        Reported* entry = context.report(
            "OPT-09", "/options/stitch_function_max_num", BlockId(),
            {"stitch_function_max_num = " + text(options.stitchFunctionMaxNum) + " is ignored: max_workspace_kb is set",
             "stitch_function_max_num = " + text(options.stitchFunctionMaxNum) + " 不起作用：已设置 max_workspace_kb"});
        if (entry != nullptr)
            entry->candidates.push_back({{"Set it back to its default", "恢复默认值"},
                                         {{"/options/stitch_function_max_num", std::int64_t{128}}}});
    }
    std::int64_t bytes = 0;
    std::set<std::string> counted;
    for (const ResolvedBlock& block : context.design.blocks)
        for (const ValueId& id : readsOf(*block.block)) {
            const ResolvedValue* value = context.design.value(id);
            const bool result = value != nullptr && (value->kind == ResolvedValue::Kind::CubeResult ||
                                                     value->kind == ResolvedValue::Kind::OpResult);
            if (!result || std::holds_alternative<Store>(block.block->content)) continue;
            if (context.design.blocks[value->block].block == block.block || !counted.insert(id.text).second) continue;
            std::int64_t size = hostBytesPerElement(value->dtype);
            for (const std::int64_t extent : value->shape) size = saturatingMul(size, extent);
            bytes = saturatingAdd(bytes, size);
        }
    for (const ResolvedBlock& block : context.design.blocks) {
        const auto* cube = std::get_if<CubeStage>(&block.block->content);
        if (cube == nullptr || !block.matmul) continue;
        const std::int64_t partial = partialElements(*cube, *block.matmul);
        bytes = saturatingAdd(bytes, saturatingMul(partial, hostBytesPerElement(partialType(*cube))));
    }
    const std::int64_t parallel = std::clamp<std::int64_t>(options.deviceSchedParallelism, 1, 8);
    const std::int64_t needed = ceilDiv(saturatingMul(bytes, parallel), 1024);
    if (needed <= options.maxWorkspaceKb) return;
    const std::string sum = text(parallel) + " x " + text(bytes) + " B = " + text(needed) + " KiB";
    Reported* entry = context.report(
        "OPT-10", "/options/max_workspace_kb", BlockId(),
        {"results that stages pass on and partial sums need " + sum + ", max_workspace_kb is " +
             text(options.maxWorkspaceKb),
         "阶段之间传递的结果和部分和需要 " + sum + "，max_workspace_kb 为 " + text(options.maxWorkspaceKb)});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(needed);
    entry->finding.limit = static_cast<double>(options.maxWorkspaceKb);
    entry->candidates.push_back(
        {{"Set it to " + text(needed), "设为 " + text(needed)}, {{"/options/max_workspace_kb", needed}}});
    entry->candidates.push_back({{"Remove the cap", "取消上限"}, {{"/options/max_workspace_kb", std::int64_t{0}}}});
}

}  // namespace

std::span<const Rule> optionRules() {
    return kRules;
}

void checkOptions(CheckContext& context) {
    const Options& options = context.design.design->options;
    checkRange(context, {"device_sched_mode", options.deviceSchedMode, 0, 3});
    checkRange(context, {"device_sched_parallelism", options.deviceSchedParallelism, 1, 8});
    checkRange(context, {"stitch_function_max_num", options.stitchFunctionMaxNum, 1, 1024});
    checkRange(context, {"launch_sched_aicpu_num", options.launchSchedAicpuNum, 1, 7});
    if (options.launchEarlyMode) checkRange(context, {"launch_early_mode", *options.launchEarlyMode, 0, 2});
    checkRange(context, {"max_workspace_kb", options.maxWorkspaceKb, 0, std::numeric_limits<std::int32_t>::max()});
    checkSlots(context, options);
    checkUnmodelled(context, options);
    std::set<std::string> labels;  // a stage without a label is labelled with its id
    for (const ResolvedBlock& block : context.design.blocks) {
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content))
            labels.insert(cube->label.empty() ? cube->id.text : cube->label);
        if (const auto* vector = std::get_if<VectorStage>(&block.block->content))
            labels.insert(vector->label.empty() ? vector->id.text : vector->label);
    }
    SettingCheck(context, "cube_l1_reuse_setting", options.cubeL1Reuse, labels).check();
    SettingCheck(context, "cube_nbuffer_setting", options.cubeNBuffer, labels).check();
    SettingCheck(context, "vec_nbuffer_setting", options.vecNBuffer, labels).check();
    checkMode(context, options.vecNBuffer);
    checkSides(context, options);
    checkHostTensors(context, options);
    checkWorkspaceCap(context, options);
}

}  // namespace cubist::rules
