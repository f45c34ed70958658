// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/design/binding.h"
#include "core/run/run.h"
#include "core/timing/plan_cache.h"

namespace cubist {

/// What one prediction leaves for the next, so that only what an edit has changed is worked out again: the program when
/// nothing that lowering reads is different, the whole trace when the time cannot be different either, the plans of
/// equal leaves. Everything is found by its content, so that a prediction with a cache equals one without. Owned by
/// whoever predicts again and again; for one thread at a time.
class PredictionCache {
public:
    /// What a program is made from, without what lowering does not read.
    struct Source {
        Design design;
        Dictionary<std::int64_t> symbols;
        Dictionary<IntegerList> lists;
        ChipSpec chip;
        LaunchProfile launch = LaunchProfile::Pypto;
        BlockOrder order;
        bool operator==(const Source&) const = default;
    };
    [[nodiscard]] static Source sourceOf(const RunRequest& request, const Binding& binding);

    /// The program made from an equal source; null: not known.
    [[nodiscard]] std::shared_ptr<const Program> program(const Source& source) const;
    void keep(Source source, std::shared_ptr<const Program> program, std::vector<std::uint16_t> coreOf);
    /// Of the program that is kept. Range: launch `bare`.
    [[nodiscard]] const std::vector<std::uint16_t>& coreOf() const { return m_coreOf; }

    /// The trace of the program that is kept, under equal options of the task runtime; null: not known.
    [[nodiscard]] const Trace* trace(const std::shared_ptr<const Program>& program, const Options& options) const;
    void keep(const Options& options, const Trace& trace);

    [[nodiscard]] PlanCache& plans() { return m_plans; }

private:
    std::optional<Source> m_source;
    std::shared_ptr<const Program> m_program;
    std::vector<std::uint16_t> m_coreOf;
    std::optional<Options> m_options;
    std::optional<Trace> m_trace;
    PlanCache m_plans;
};

/// `predictOnly` with what earlier predictions left. The report is the same, `host` apart.
[[nodiscard]] Result<RunReport> predictAgain(const RunRequest& request, PredictionCache& cache,
                                             const RunContext& context);

}  // namespace cubist
