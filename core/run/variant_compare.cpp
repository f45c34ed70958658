// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/variant_compare.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/integer_math.h"
#include "core/design/binding.h"
#include "core/design/block_values.h"
#include "core/design/resolve.h"
#include "core/run/inputs.h"
#include "core/run/part_context.h"
#include "core/run/unrolled_forms.h"
#include "core/skeleton/design_facts.h"

namespace cubist {
namespace {

constexpr std::int64_t kParallelism = 4;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t saturatingMul(std::int64_t a, std::int64_t b) {
    return checkedMul(a, b).value_or(kMost);
}

std::int64_t saturatingAdd(std::int64_t a, std::int64_t b) {
    return checkedAdd(a, b).value_or(kMost);
}

Design withLoop(const Design& design, const BlockId& id, const std::function<void(Loop&)>& change) {
    Design changed = design;
    changeLoop(changed.blocks, id, change);
    return changed;
}

bool holdsRunTimeLoop(const std::vector<Block>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
        const auto* loop = std::get_if<Loop>(&block.content);
        return loop != nullptr && (loop->form != LoopKind::Static || holdsRunTimeLoop(loop->body));
    });
}

/// The variant follows the form: groups written out are B', the same in a run-time loop B, or D with three matmuls.
void fitVariant(Design& design, const Loop& loop, bool writtenOut) {
    if (writtenOut) {
        if (!holdsRunTimeLoop(loop.body)) design.skeleton.variant = Variant::BStatic;
    } else if (design.skeleton.variant == Variant::BStatic) {
        std::int64_t matmuls = 0;
        forEachBlock(loop.body,
                     [&](const Block& block) { matmuls += std::holds_alternative<CubeStage>(block.content) ? 1 : 0; });
        design.skeleton.variant = matmuls > 2 ? Variant::D : Variant::B;
    }
}

/// The room of every window in its largest copy, over all cases of the design; those that cannot be bound say so when
/// they are chosen.
std::map<std::string, std::vector<std::int64_t>> roomsOf(const Design& design) {
    std::vector<std::string> cases{""};
    for (const Case& each : design.cases) cases.push_back(each.id.text);
    std::map<std::string, std::vector<std::int64_t>> rooms;
    for (const std::string& each : cases) {
        const auto binding = bindWith(design, each, {});
        if (!binding) continue;
        const auto resolved = resolve(design, *binding);
        if (!resolved) continue;
        for (const auto& [name, value] : resolved->values) {
            if (value.view == nullptr) continue;
            std::vector<std::int64_t>& room = rooms[name];
            room.resize(value.shape.size(), 1);
            for (std::size_t axis = 0; axis < room.size(); ++axis) room[axis] = std::max(room[axis], value.shape[axis]);
        }
    }
    return rooms;
}

/// At run time the shape of a window is a constant: what was exact in each copy is the valid part of the largest.
void keepRooms(Design& changed, const Loop& loop) {
    if (loop.form != LoopKind::Static) return;
    const auto rooms = roomsOf(changed);
    const auto ofLoop = [&](const Expression& extent) {
        const auto names = extent.names();
        return names && std::find(names->begin(), names->end(), loop.index) != names->end();
    };
    changeLoop(changed.blocks, loop.id, [&](Loop& one) {
        visitTree(one.body, [&](Block& block) {
            auto* view = std::get_if<View>(&block.content);
            const auto room = view == nullptr ? rooms.end() : rooms.find(view->out.text);
            if (room == rooms.end() || std::none_of(view->shape.begin(), view->shape.end(), ofLoop)) return;
            if (view->valid.empty()) view->valid = view->shape;
            for (std::size_t axis = 0; axis < view->shape.size(); ++axis)
                if (ofLoop(view->shape[axis])) view->shape[axis] = room->second[axis];
        });
    });
}

DesignVariant parallelForm(const Design& design, const Loop& loop) {
    const std::int64_t wanted = std::max(design.options.deviceSchedParallelism, std::int64_t{2});
    const std::int64_t used = design.options.deviceSchedParallelism > 1 ? wanted : kParallelism;
    Design changed = design;
    keepRooms(changed, loop);
    changed = withLoop(changed, loop.id, [](Loop& one) {
        one.form = LoopKind::Runtime;
        one.parallel = true;
    });
    changed.options.deviceSchedParallelism = used;
    fitVariant(changed, loop, false);
    const std::string count = std::to_string(used);
    return {loop.id.text + "_parallel_" + count,
            {loop.id.text + ": parallel, " + count + " iterations in flight",
             loop.id.text + "：并行，" + count + " 次迭代在途"},
            std::move(changed)};
}

DesignVariant serialForm(const Design& design, const Loop& loop) {
    Design changed = design;
    keepRooms(changed, loop);
    changed = withLoop(changed, loop.id, [](Loop& one) {
        one.form = LoopKind::Runtime;
        one.parallel = false;
    });
    fitVariant(changed, loop, false);
    return {loop.id.text + "_serial",
            {loop.id.text + ": serial run-time loop", loop.id.text + "：串行运行时循环"},
            std::move(changed)};
}

DesignVariant staticForm(const Design& design, const Loop& loop) {
    Design changed = withLoop(design, loop.id, [](Loop& one) {
        one.form = LoopKind::Static;
        one.parallel = false;
        one.submitBeforeLoop = false;
    });
    fitVariant(changed, loop, true);
    return {loop.id.text + "_static",
            {loop.id.text + ": written out at compile time", loop.id.text + "：编译期展开"},
            std::move(changed)};
}

/// Results of operations that are declared as large as the largest factor shrink with it.
DesignVariant singleStep(const Design& design, const Loop& loop) {
    const std::int64_t largest = loop.unroll.empty() ? 1 : *std::max_element(loop.unroll.begin(), loop.unroll.end());
    Design changed = withLoop(design, loop.id, [&](Loop& one) {
        one.unroll = {1};
        visitTree(one.body, [&](Block& block) {
            auto* stage = std::get_if<VectorStage>(&block.content);
            if (stage == nullptr) return;
            for (VectorOp& op : stage->ops)
                if (!op.shape.empty() && op.shape.front() == largest) op.shape.front() = 1;
        });
    });
    return {loop.id.text + "_unroll_1",
            {loop.id.text + ": one element in a step", loop.id.text + "：每步一个元素"},
            std::move(changed)};
}

/// "128, 64, 32", "4, 2": the factors without the 1 that there always is.
std::string factorList(const std::vector<std::int64_t>& factors, std::string_view separator) {
    std::string text;
    for (const std::int64_t factor : factors)
        if (factor != 1) text += (text.empty() ? "" : std::string(separator)) + std::to_string(factor);
    return text;
}

void addUnrolled(const Design& design, std::vector<DesignVariant>& variants) {
    for (UnrolledLoop& loop : unrolledForms(design))
        for (UnrolledForm& form : loop.forms) {
            const std::string& id = loop.loop.text;
            const std::string list = factorList(form.factors, ", ");
            if (form.rows)
                variants.push_back({id + "_by_" + factorList(form.factors, "_"),
                                    {id + ": loop_unroll over rows, " + list + " or 1 in a step",
                                     id + "：按行 loop_unroll，每步 " + list + " 或 1 行"},
                                    std::move(form.design)});
            else
                variants.push_back({id + "_unroll_" + factorList(form.factors, "_"),
                                    {id + ": loop_unroll, " + list + " or 1 iterations in a step",
                                     id + "：loop_unroll，每步 " + list + " 或 1 次迭代"},
                                    std::move(form.design)});
        }
}

/// How often a block stands in the compiled program: static iterations, and the factors of unrolled loops. A static
/// loop over the factor has as many iterations as the factor of its copy.
std::int64_t copies(const ResolvedDesign& design, const ResolvedBlock& block) {
    std::int64_t count = 1;
    std::string factor;                 // of the unrolled loop around
    std::vector<std::int64_t> factors;  // that have not been counted yet
    const auto countFactors = [&](bool each) {
        std::int64_t sum = 0;
        for (const std::int64_t one : factors) sum = saturatingAdd(sum, each ? one : 1);
        if (!factors.empty()) count = saturatingMul(count, sum);
        factors.clear();
    };
    for (const std::size_t index : block.loops) {
        const ResolvedLoop& loop = design.loops[index];
        if (loop.loop->form == LoopKind::Static) {
            if (!factors.empty() && loop.loop->axis.text() == factor && loop.tile == 1)
                countFactors(true);
            else
                count = saturatingMul(count, loop.iterations);
        }
        if (loop.loop->form == LoopKind::Unroll) {
            countFactors(false);
            factor = loop.loop->factor;
            factors = loop.factors;
        }
    }
    countFactors(false);
    return count;
}

void countExpressions(const ResolvedDesign& design, VariantFigures& figures) {
    for (const ResolvedBlock& block : design.blocks) {
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        if (stage == nullptr && !std::holds_alternative<CubeStage>(block.block->content)) continue;
        const std::int64_t times = copies(design, block);
        figures.compiledStages = saturatingAdd(figures.compiledStages, times);
        if (stage == nullptr) continue;
        for (const VectorOp& op : stage->ops) {
            const ResolvedValue* value = design.value(op.out);
            if (value == nullptr || value->shape.size() > stage->tile.size()) continue;
            std::int64_t size = 1;
            for (const Operand& operand : op.in) size += operand.value() != nullptr ? 1 : 0;
            for (std::size_t axis = 0; axis < value->shape.size(); ++axis)
                if (stage->tile[axis] > 0) size = saturatingMul(size, ceilDiv(value->shape[axis], stage->tile[axis]));
            figures.largestExpression = std::max(figures.largestExpression, size);
            figures.expressions = saturatingAdd(figures.expressions, saturatingMul(size, times));
        }
    }
}

/// Iterations that run side by side.
std::int64_t inFlight(const Design& design) {
    bool parallel = false;
    forEachLoop(design.blocks,
                [&](const Loop& loop, bool) { parallel |= loop.parallel && loop.form == LoopKind::Runtime; });
    return parallel ? std::max(design.options.deviceSchedParallelism, std::int64_t{1}) : 1;
}

void countProgram(const Design& design, const Program& program, VariantFigures& figures) {
    figures.leaves = static_cast<std::int64_t>(program.leaves.size());
    for (const Leaf& leaf : program.leaves) {
        figures.leafInstructions += static_cast<std::int64_t>(leaf.instructions.size());
        for (const Allocation& allocation : leaf.allocations) {
            std::int64_t& most = figures.bufferBytes[static_cast<std::size_t>(allocation.buffer)];
            most = std::max(most, std::int64_t{allocation.offset} + allocation.bytes);
        }
    }
    figures.roots = static_cast<std::int64_t>(program.roots.size());
    figures.tasks = static_cast<std::int64_t>(program.tasks.size());
    figures.instructions = program.instructionCount();
    const std::int64_t times = inFlight(design);
    for (const GmTensor& tensor : program.tensors) {
        if (tensor.role != GmRole::Workspace) continue;
        ++figures.workspaces;
        // What the design declares is one tensor; intermediates exist once for each iteration in flight.
        const bool declared = std::any_of(design.tensors.begin(), design.tensors.end(),
                                          [&](const Tensor& one) { return one.id.text == tensor.name; });
        figures.workspaceBytes =
            saturatingAdd(figures.workspaceBytes, saturatingMul(tensor.bytes(), declared ? 1 : times));
    }
}

Result<VariantFigures> figuresOf(const RunRequest& request, const DesignVariant& variant, const RunContext& context) {
    VariantFigures figures;
    figures.id = variant.id;
    figures.title = variant.title;
    RunRequest trial = request;
    trial.design = std::make_shared<const Design>(variant.design);
    trial.whatIf = false;
    const Result<Binding> binding = bindRequest(trial);
    const Result<ResolvedDesign> resolved =
        binding ? resolve(*trial.design, *binding) : Result<ResolvedDesign>(unexpected(binding.error()));
    if (!resolved) {
        figures.error = resolved.error();
        return figures;
    }
    countExpressions(*resolved, figures);
    const Result<RunReport> report = predictOnly(trial, context);
    if (!report) {
        if (report.error().code == ErrorCode::Cancelled) return unexpected(report.error());
        figures.error = report.error();
        return figures;
    }
    for (const Finding& finding : report->findings) {
        if (finding.severity == Severity::Hint) continue;
        ++(finding.severity == Severity::Error ? figures.errors : figures.warnings);
        if (!figures.firstFinding.empty()) continue;
        figures.firstFinding = finding.ruleId + " " + finding.message;
        figures.firstFindingZh = finding.ruleId + " " + finding.messageZh;
    }
    if (report->program == nullptr) return figures;
    countProgram(*trial.design, *report->program, figures);
    if (report->trace) {
        figures.kernelUs = report->trace->microseconds(report->trace->kernel);
        figures.endToEndUs = report->trace->microseconds(report->trace->endToEnd);
        figures.usedAic = report->trace->usedAic;
        figures.usedAiv = report->trace->usedAiv;
    }
    return figures;
}

}  // namespace

std::vector<DesignVariant> designVariants(const Design& design) {
    std::vector<DesignVariant> variants{{"as_is", {"as it is", "当前设计"}, design}};
    forEachLoop(design.blocks, [&](const Loop& loop, bool outermost) {
        if (!holdsMatmul(loop.body)) return;
        switch (loop.form) {
            case LoopKind::Runtime:
                if (!outermost) return;
                if (loop.parallel) variants.push_back(serialForm(design, loop));
                // Marked parallel with one iteration in flight is serial: what it could be is shown too.
                if (!loop.parallel || design.options.deviceSchedParallelism < 2)
                    variants.push_back(parallelForm(design, loop));
                variants.push_back(staticForm(design, loop));
                return;
            case LoopKind::Static:
                if (!outermost) return;
                variants.push_back(serialForm(design, loop));
                variants.push_back(parallelForm(design, loop));
                return;
            case LoopKind::Unroll: variants.push_back(singleStep(design, loop)); return;
        }
    });
    addUnrolled(design, variants);
    return variants;
}

Result<std::vector<VariantFigures>> compareVariants(const RunRequest& request,
                                                    const std::vector<DesignVariant>& variants,
                                                    const RunContext& context) {
    CUBIST_CHECK_OK(bindRequest(request));
    std::vector<VariantFigures> all;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const auto part = [&](std::size_t index) {
            return static_cast<double>(index) / static_cast<double>(variants.size());
        };
        CUBIST_TRY(VariantFigures figures, figuresOf(request, variants[i], partOf(context, part(i), part(i + 1))));
        all.push_back(std::move(figures));
    }
    return all;
}

}  // namespace cubist
