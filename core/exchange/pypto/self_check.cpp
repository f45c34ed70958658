// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/self_check.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/chip/slots.h"
#include "core/exchange/pypto/document_parts.h"
#include "core/rules/buffer_use.h"

namespace cubist::pypto {
namespace {

constexpr std::int64_t kMostExpanded = 18000;

class SelfCheck {
public:
    SelfCheck(const KernelPlan& plan, const ChipSpec& chip, const std::string& kernel)
        : m_plan(plan), m_chip(chip), m_kernel(kernel) {}

    std::vector<CheckBox> run() const {
        return {fp32Sums(),        equalTypes(),   tileRanks(),   baseline(),     tailAlignment(),
                buffersFit(),      expansion(),    writtenBack(), noCycle(),      dynamicAxes(),
                innermostUnroll(), singleFactor(), submits(),     validOfViews(), noMisuse()};
    }

private:
    template <class Stage, class Visit>
    void forEach(const Visit& visit) const {
        for (const ResolvedBlock& block : m_plan.resolved().blocks)
            if (const auto* stage = std::get_if<Stage>(&block.block->content)) visit(block, *stage);
    }
    [[nodiscard]] DType typeOf(const ValueId& id) const {
        const ResolvedValue* value = m_plan.resolved().value(id);
        return value == nullptr ? DType::FP32 : value->dtype;
    }
    static CheckBox box(const char* text, const std::string& names) { return {names.empty(), text, names}; }
    static void add(std::string& names, const std::string& name) {
        if (names.find("`" + name + "`") == std::string::npos) names += (names.empty() ? "`" : ", `") + name + "`";
    }

    [[nodiscard]] CheckBox fp32Sums() const {
        std::string names;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops) {
                const bool sums = op.op == VectorOpCode::Sum || op.op == VectorOpCode::Prod;
                if (sums && !op.in.empty() && op.in[0].value() && isFloat(typeOf(*op.in[0].value())) &&
                    typeOf(*op.in[0].value()) != DType::FP32)
                    add(names, op.out.text);
            }
        });
        return box("sums are accumulated in FP32 or INT32", names);
    }
    [[nodiscard]] CheckBox equalTypes() const {
        std::string names;
        forEach<CubeStage>([&](const ResolvedBlock&, const CubeStage& stage) {
            if (typeOf(stage.a) != typeOf(stage.b)) add(names, stage.id.text);
        });
        return box("the operands of each matmul have equal types", names);
    }
    [[nodiscard]] CheckBox tileRanks() const {
        std::string names;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops)
                if (m_plan.axes(op.out).size() > stage.tile.size()) add(names, stage.id.text);
        });
        return box("the rank of each vector tile covers its values", names);
    }
    [[nodiscard]] CheckBox baseline() const {
        std::string names;
        const auto is128 = [](const std::vector<std::int64_t>& tile) {
            return std::all_of(tile.begin(), tile.end(), [](std::int64_t each) { return each == 128; });
        };
        forEach<CubeStage>([&](const ResolvedBlock&, const CubeStage& stage) {
            if (!is128(stage.tile.m) || !is128(stage.tile.k) || !is128(stage.tile.n)) add(names, stage.id.text);
        });
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            for (const std::int64_t each : stage.tile)
                if (each < 16 || each > 64) add(names, stage.id.text);
        });
        return box("baseline tiles: 128 on each cube axis, 16 to 64 on each vector axis", names);
    }
    [[nodiscard]] CheckBox tailAlignment() const {
        std::string names;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            if (stage.tile.empty() || stage.ops.empty()) return;
            const ResolvedValue* value = m_plan.resolved().value(stage.ops.front().out);
            if (value == nullptr || value->shape.empty() || value->shape.size() < stage.tile.size()) return;
            const bool cut = stage.tile.back() < value->shape.back();
            if (cut && saturatingMul(stage.tile.back(), hostBytesPerElement(value->dtype)) % 32 != 0)
                add(names, stage.id.text);
        });
        return box("the last axis of a vector tile is a multiple of 32 bytes where it is cut", names);
    }
    [[nodiscard]] CheckBox buffersFit() const {
        std::string names;
        BufferFacts facts(m_plan.resolved());
        for (const ResolvedBlock& block : m_plan.resolved().blocks)
            for (const BufferUse& use : bufferUse(facts, block, m_chip))
                if (saturatingMul(use.bytesPerSlot, use.slotCount) > use.capacity) add(names, block.block->id().text);
        return box("what is alive fits in UB, L1 and L0", names);
    }
    [[nodiscard]] CheckBox expansion() const {
        std::string names;
        forEach<VectorStage>([&](const ResolvedBlock&, const VectorStage& stage) {
            if (mostPieces(m_plan, stage) >= kMostExpanded) add(names, stage.id.text);
        });
        return box("tiles times operands of every operation stay below 18000", names);
    }
    [[nodiscard]] CheckBox writtenBack() const {
        std::string names;
        for (const Tensor& tensor : m_plan.design().tensors) {
            if (tensor.role != TensorRole::Output) continue;
            bool written = false;
            forEach<Store>([&](const ResolvedBlock&, const Store& store) { written |= store.to == tensor.id; });
            if (!written) add(names, tensor.id.text);
        }
        return box("outputs are written explicitly, in place", names);
    }
    /// Does a block look at a tensor, through a view or as it is?
    [[nodiscard]] bool readsTensor(const ResolvedBlock& block, const TensorId& tensor) const {
        const auto is = [&](const ValueId& id) {
            const ResolvedValue* value = m_plan.resolved().value(id);
            return value != nullptr && value->tensor != nullptr && value->tensor->id == tensor;
        };
        if (const auto* view = std::get_if<View>(&block.block->content)) return is(view->of);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            const auto operands = operandsOf(*cube);
            return std::any_of(operands.begin(), operands.end(), is);
        }
        const auto* vector = std::get_if<VectorStage>(&block.block->content);
        if (vector == nullptr) return false;
        return std::any_of(vector->ops.begin(), vector->ops.end(), [&](const VectorOp& op) {
            return std::any_of(op.in.begin(), op.in.end(),
                               [&](const Operand& each) { return each.value() != nullptr && is(*each.value()); });
        });
    }
    /// A tensor that a function reads and writes.
    [[nodiscard]] CheckBox noCycle() const {
        std::string names;
        const ResolvedDesign& design = m_plan.resolved();
        const auto functionOf = [&](const ResolvedBlock& block) {
            std::vector<std::size_t> loops;
            for (const std::size_t loop : block.loops)
                if (design.loops[loop].loop->form != LoopKind::Static) loops.push_back(loop);
            return loops;
        };
        forEach<Store>([&](const ResolvedBlock& writer, const Store& store) {
            for (const ResolvedBlock& reader : design.blocks) {
                if (functionOf(reader) == functionOf(writer) && readsTensor(reader, store.to))
                    add(names, store.to.text);
            }
        });
        return box("no tensor is read and written in one function", names);
    }
    [[nodiscard]] CheckBox dynamicAxes() const {
        const bool dynamic = !m_plan.runtimeSymbols().empty();
        return {true, dynamic ? "axes that are read at run time are declared pypto.DYNAMIC"
                              : "every axis is a constant of the compilation"};
    }
    [[nodiscard]] CheckBox innermostUnroll() const {
        std::string names;
        for (const ResolvedLoop& loop : m_plan.resolved().loops) {
            if (loop.loop->form != LoopKind::Unroll) continue;
            if (containsLoop(loop.loop->body)) add(names, loop.loop->id.text);
        }
        return box("unroll_list stands on the innermost loop only", names);
    }
    static bool containsLoop(const std::vector<Block>& blocks) {
        return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
            const auto* loop = std::get_if<Loop>(&block.content);
            return loop != nullptr && (loop->form != LoopKind::Static || containsLoop(loop->body));
        });
    }
    [[nodiscard]] CheckBox singleFactor() const {
        std::string names;
        for (const ResolvedLoop& loop : m_plan.resolved().loops)
            if (loop.loop->unroll.size() > 1) add(names, loop.loop->id.text);
        return box("unroll_list has a single value", names);
    }
    /// A loop that reads what it writes hands a state from one iteration to the next.
    [[nodiscard]] CheckBox submits() const {
        std::string names;
        const ResolvedDesign& design = m_plan.resolved();
        for (const ResolvedLoop& loop : design.loops) {
            if (loop.loop->form == LoopKind::Static || loop.loop->submitBeforeLoop) continue;
            const auto inside = [&](const ResolvedBlock& block) {
                return std::any_of(block.loops.begin(), block.loops.end(),
                                   [&](std::size_t each) { return &design.loops[each] == &loop; });
            };
            forEach<Store>([&](const ResolvedBlock& writer, const Store& store) {
                for (const ResolvedBlock& reader : design.blocks)
                    if (inside(writer) && inside(reader) && readsTensor(reader, store.to))
                        add(names, loop.loop->id.text);
            });
        }
        return box("a state that one iteration hands to the next has submit_before_loop", names);
    }
    /// Calls of the kernel that are handed a valid_shape.
    [[nodiscard]] CheckBox validOfViews() const {
        std::string names;
        const std::set<std::string> takers{"pypto.view", "pypto.reshape", "pypto.full", "pypto.expand_clone"};
        for (std::size_t at = m_kernel.find("valid_shape="); at != std::string::npos;
             at = m_kernel.find("valid_shape=", at + 1)) {
            std::size_t open = at;
            for (int depth = 1; depth > 0 && open > 0;) {
                --open;
                if (m_kernel[open] == ')') ++depth;
                if (m_kernel[open] == '(') --depth;
            }
            const std::size_t first = m_kernel.rfind("pypto.", open);
            if (first == std::string::npos) continue;
            const std::string function = m_kernel.substr(first, open - first);
            if (takers.count(function) == 0) add(names, function);
        }
        return box("tails carry valid_shape on view and reshape, never on assemble", names);
    }
    [[nodiscard]] CheckBox noMisuse() const {
        std::string names;
        for (const char* word : {" min(", " max(", "(min(", "(max(", " int(", "(int("})
            if (m_kernel.find(word) != std::string::npos) add(names, word);
        return box("no symbolic value in Python's min, max, int, as a list index or in range", names);
    }

    const KernelPlan& m_plan;
    const ChipSpec& m_chip;
    const std::string& m_kernel;
};

}  // namespace

std::vector<CheckBox> selfCheck(const KernelPlan& plan, const ChipSpec& chip, const std::string& kernel) {
    return SelfCheck(plan, chip, kernel).run();
}

}  // namespace cubist::pypto
