// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/prediction_cache.h"

#include <utility>

namespace cubist {

PredictionCache::Source PredictionCache::sourceOf(const RunRequest& request, const Binding& binding) {
    Source source{*request.design, binding.symbols, binding.lists, request.chip, request.launch, request.order};
    Design& design = source.design;
    const Design plain;
    design.name = plain.name;
    design.title = plain.title;
    design.notes = plain.notes;
    design.skeleton = plain.skeleton;
    design.layout = plain.layout;
    design.tolerance = plain.tolerance;
    design.profile = plain.profile;
    design.seed = plain.seed;
    design.cases.clear();  // what they say is bound
    design.defaultCase = plain.defaultCase;
    // Of the task runtime: the trace depends on them, the program does not.
    design.options.deviceSchedMode = plain.options.deviceSchedMode;
    design.options.deviceSchedParallelism = plain.options.deviceSchedParallelism;
    design.options.stitchFunctionMaxNum = plain.options.stitchFunctionMaxNum;
    design.options.maxWorkspaceKb = plain.options.maxWorkspaceKb;
    design.options.launchSchedAicpuNum = plain.options.launchSchedAicpuNum;
    design.options.launchEarlyMode = plain.options.launchEarlyMode;
    design.options.validShapeOptimize = plain.options.validShapeOptimize;
    if (request.launch != LaunchProfile::Bare) {
        design.options.unitFlag = plain.options.unitFlag;
        design.options.bufferSlots = plain.options.bufferSlots;
    }
    return source;
}

std::shared_ptr<const Program> PredictionCache::program(const Source& source) const {
    return m_source == source ? m_program : nullptr;
}

void PredictionCache::keep(Source source, std::shared_ptr<const Program> program, std::vector<std::uint16_t> coreOf) {
    m_source = std::move(source);
    m_program = std::move(program);
    m_coreOf = std::move(coreOf);
    m_options.reset();
    m_trace.reset();
}

const Trace* PredictionCache::trace(const std::shared_ptr<const Program>& program, const Options& options) const {
    return m_trace && program == m_program && m_options == options ? &*m_trace : nullptr;
}

void PredictionCache::keep(const Options& options, const Trace& trace) {
    m_options = options;
    m_trace = trace;
}

}  // namespace cubist
