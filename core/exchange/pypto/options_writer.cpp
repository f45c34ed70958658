// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/options_writer.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/lowering/merge_settings.h"

namespace cubist::pypto {
namespace {

using Items = std::vector<PyExpr>;
using Setting = Dictionary<std::int64_t>;

bool has(const Setting& setting, MergeKey::Kind kind) {
    return std::any_of(setting.entries.begin(), setting.entries.end(),
                       [&](const auto& entry) { return parseMergeKey(entry.key).kind == kind; });
}

/// The same setting in the other dialect, where it has one.
Setting inDialect(const Setting& setting, KeyDialect dialect, bool vector) {
    Setting out;
    if (dialect == KeyDialect::Integers) {
        if (has(setting, MergeKey::Kind::Function)) return setting;
        for (const auto& entry : setting.entries) {
            if (entry.key == "DEFAULT" && vector) out.set("-2", 1);
            out.set(entry.key == "DEFAULT" ? "-1" : entry.key, entry.value);
        }
        return out;
    }
    for (const auto& entry : setting.entries) {
        const MergeKey key = parseMergeKey(entry.key);
        if (key.kind == MergeKey::Kind::Integer && key.order >= 0) return setting;
    }
    // DEFAULT cuts whole groups, as {-2: 1} does; plain numbers of the vector setting bundle by shared neighbours only.
    const std::int64_t* mode = setting.find("-2");
    if (vector && has(setting, MergeKey::Kind::Integer) && (mode == nullptr || *mode != 1)) return setting;
    for (const auto& entry : setting.entries)
        if (entry.key == "-1")
            out.set("DEFAULT", entry.value);
        else if (entry.key != "-2")
            out.set(entry.key, entry.value);
    return out;
}

/// `usual`: what PyPTO takes where a kernel says nothing.
void addSetting(Items& options, const char* name, const Setting& setting, const Dictionary<std::string>* sides,
                KeyDialect dialect, const Setting& usual = {}) {
    if (setting == usual) return;
    const Setting written = inDialect(setting, dialect, std::string_view(name) == "vec_nbuffer_setting");
    Items entries;
    for (const auto& entry : written.entries) {
        const bool integer = parseMergeKey(entry.key).kind == MergeKey::Kind::Integer;
        const std::string* side = sides == nullptr ? nullptr : sides->find(entry.key);
        if (side == nullptr && sides != nullptr && (entry.key == "DEFAULT" || entry.key == "-1"))
            side = sides->find(entry.key == "-1" ? "DEFAULT" : "-1");
        PyExpr value =
            side == nullptr ? PyExpr(entry.value) : PyExpr::tuple({PyExpr(entry.value), PyExpr(pythonString(*side))});
        entries.push_back(integer ? PyExpr::keyed(entry.key, std::move(value))
                                  : PyExpr::entry(entry.key, std::move(value)));
    }
    options.push_back(PyExpr::entry(name, PyExpr::dict(std::move(entries))));
}

/// The platform that the compiler checks against, where it is not its default (A2/A3).
std::optional<std::string> socVersion(const std::string& chip) {
    constexpr std::string_view kPrefix = "Ascend";
    const std::string name = chip.starts_with(kPrefix) ? chip.substr(kPrefix.size()) : chip;
    if (!name.starts_with("950")) return std::nullopt;
    // The "b" of 950PR_957b marks the board; the platform file is the family's.
    return name == "950PR_957bx" ? "950PR_957x" : name;
}

}  // namespace

std::vector<PyExpr> jitArguments(const KernelPlan& plan, const std::string& chip, KeyDialect dialect) {
    const Options& options = plan.design().options;
    Items pass, runtime, arguments;
    addSetting(pass, "cube_l1_reuse_setting", options.cubeL1Reuse, &options.cubeL1ReuseSide, dialect);
    addSetting(pass, "cube_nbuffer_setting", options.cubeNBuffer, nullptr, dialect, usualCubeNBuffer());
    addSetting(pass, "vec_nbuffer_setting", options.vecNBuffer, nullptr, dialect);
    if (options.autoMixPartition) pass.push_back(PyExpr::entry("auto_mix_partition", 1));

    const auto number = [&](const char* name, std::int64_t value, std::int64_t fallback) {
        if (value != fallback) runtime.push_back(PyExpr::entry(name, value));
    };
    number("device_sched_mode", options.deviceSchedMode, 0);
    number("device_sched_parallelism", options.deviceSchedParallelism, 1);
    number("stitch_function_max_num", options.stitchFunctionMaxNum, 128);
    number("max_workspace_kb", options.maxWorkspaceKb, 0);
    number("valid_shape_optimize", options.validShapeOptimize ? 1 : 0, 0);
    if (!options.readyOnHostTensors.empty()) {
        Items names;
        for (const ValueId& tensor : options.readyOnHostTensors) names.emplace_back(pythonString(plan.python(tensor)));
        runtime.push_back(PyExpr::entry("ready_on_host_tensors", PyExpr::list(std::move(names))));
    }
    number("launch_sched_aicpu_num", options.launchSchedAicpuNum, 7);
    if (options.launchEarlyMode) runtime.push_back(PyExpr::entry("launch_early_mode", *options.launchEarlyMode));

    if (!pass.empty()) arguments.push_back(PyExpr::named("pass_options", PyExpr::dict(std::move(pass))));
    if (!runtime.empty()) arguments.push_back(PyExpr::named("runtime_options", PyExpr::dict(std::move(runtime))));
    if (const auto soc = socVersion(chip))
        arguments.push_back(
            PyExpr::named("codegen_options", PyExpr::dict({PyExpr::entry("soc_version", pythonString(*soc))})));
    return arguments;
}

}  // namespace cubist::pypto
