// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/design/resolve.h"
#include "core/exchange/pypto/symbolic.h"

/// How a design becomes a PyPTO kernel: which names it has in Python, which of its sizes the kernel reads from its
/// arguments and which are constants of the compilation, and the shape that every value is declared with.
namespace cubist::pypto {

/// One axis of a value in the kernel. The extent is a number, or a Python integer (a list's entry in a loop that is
/// expanded, the factor of an unrolled loop). `valid` is null where all of it is valid.
struct Axis {
    SymbolicPtr extent;
    SymbolicPtr valid;
};

/// Where a symbol comes from at run time: `tensor.shape[axis]`, then solved for the symbol.
struct SymbolSource {
    std::string symbol;
    std::string tensor;
    std::size_t axis = 0;
    enum class Inverse : std::uint8_t { None, Divide, Subtract, Add } inverse = Inverse::None;
    std::int64_t by = 0;
};

/// A list of the design in the kernel.
struct PlannedList {
    enum class Source : std::uint8_t {
        Unused,
        Constant,   ///< tuples of the module: NAME and NAME_STARTS
        Tensor,     ///< a tensor of the design holds it
        Parameter,  ///< a tensor of its own: starts of groups, or the values of a plain list
    } source = Source::Unused;
    const List* list = nullptr;
    std::string python;       ///< Constant: "GROUP_LIST"; else the tensor's name
    std::string parameter;    ///< Constant, Parameter: what the functions of the host call it
    std::string startsOf;     ///< Parameter: the host's function that makes starts of it
    bool valuesUsed = false;  ///< Constant: NAME is read
    bool startsUsed = false;  ///< Constant: NAME_STARTS is read
    IntegerList values;
};

/// What the design has and a kernel cannot say; a finding of the rule `rule`.
struct ExportProblem {
    std::string rule;  ///< "EXP-01"
    std::string where;
    BlockId block;
    std::string message, messageZh;
};

class KernelPlan {
public:
    /// Errors: as `resolve`.
    [[nodiscard]] static Result<KernelPlan> make(std::shared_ptr<const Design> design, const Binding& binding);

    /// With the tiles that the case picks.
    [[nodiscard]] const Design& design() const { return *m_resolved.design; }
    [[nodiscard]] const ResolvedDesign& resolved() const { return m_resolved; }
    /// The stage as the design has it, before a table picked its tile; null when there is none of this kind.
    template <class Stage>
    [[nodiscard]] const Stage* givenStage(const BlockId& id) const {
        return stageIn<Stage>(m_design->blocks, id);
    }
    [[nodiscard]] const std::vector<ExportProblem>& problems() const { return m_problems; }
    void problem(ExportProblem found) { m_problems.push_back(std::move(found)); }

    [[nodiscard]] const std::string& moduleName() const { return m_module; }
    /// Of a tensor, view or result.
    [[nodiscard]] const std::string& python(const ValueId& value) const;
    [[nodiscard]] const std::string& python(const TensorId& tensor) const { return python(ValueId(tensor.text)); }
    /// Of a symbol, index, factor or list in the kernel's expressions.
    [[nodiscard]] std::string scalar(const std::string& name) const;
    /// The Python name of the innermost index among `loops`, outermost first, that an expression uses; "axis" where it
    /// uses none. It names the variables that hold the expression.
    [[nodiscard]] std::string innermostIndex(const SymbolicPtr& tree, const std::vector<const Loop*>& loops) const;

    [[nodiscard]] const std::vector<SymbolSource>& runtimeSymbols() const { return m_runtime; }
    [[nodiscard]] bool isRuntime(const std::string& symbol) const;
    [[nodiscard]] const std::map<std::string, PlannedList>& lists() const { return m_lists; }
    /// Of a list's name in an expression: a tuple of the module, or one that is written out.
    [[nodiscard]] bool isConstantList(const std::string& name) const;

    /// The expression with constants and lists put in.
    [[nodiscard]] SymbolicPtr fold(const Expression& expression) const;
    /// Is it a Python integer when the kernel is compiled?
    [[nodiscard]] bool isCompileTime(const SymbolicPtr& tree) const;
    /// The tree in one step of loops that are expanded (index -> step), with entries of constant lists put in.
    using Steps = std::map<std::string, std::int64_t>;
    [[nodiscard]] SymbolicPtr atSteps(const SymbolicPtr& tree, const Steps& at) const;
    /// As the kernel writes it, with variables where the kernel has bound some.
    [[nodiscard]] std::string text(const SymbolicPtr& tree) const;
    /// From now on `variable` stands for the expression, until it is forgotten.
    void bindVariable(const SymbolicPtr& tree, const std::string& variable);
    void forgetVariable(const SymbolicPtr& tree);
    /// The expression without variables: equal expressions have equal keys.
    [[nodiscard]] std::string key(const SymbolicPtr& tree) const;
    /// A name that nothing has yet; it is then taken.
    std::string unique(const std::string& wanted);

    [[nodiscard]] const std::vector<Axis>& axes(const ValueId& value) const;
    /// Axes of a tensor: runtime ones have a tree that is no number.
    [[nodiscard]] std::vector<SymbolicPtr> tensorShape(const Tensor& tensor) const;
    /// The dtype that a tensor has as an argument: index tensors are INT64, and so are scales of columns.
    [[nodiscard]] DType argumentType(const Tensor& tensor) const;
    /// A float tensor that a matmul takes as `scale_tensor`: the host makes words of it, an FP32 in each low half.
    [[nodiscard]] bool isPackedScale(const Tensor& tensor) const { return m_scaleTensors.count(tensor.id.text) != 0; }

private:
    template <class Stage>
    static const Stage* stageIn(const std::vector<Block>& blocks, const BlockId& id) {
        for (const Block& block : blocks) {
            if (const auto* stage = std::get_if<Stage>(&block.content); stage != nullptr && stage->id == id)
                return stage;
            if (const auto* loop = std::get_if<Loop>(&block.content))
                if (const Stage* found = stageIn<Stage>(loop->body, id)) return found;
        }
        return nullptr;
    }
    void classifyScales();
    void findSingleSteps(const std::vector<const Loop*>& loops);
    void classifyLists();
    void classifySymbols();
    void nameEverything();
    struct StepTable;
    [[nodiscard]] std::optional<std::int64_t> stepsOf(const std::string& index, const Steps& at) const;
    bool tabulate(const SymbolicPtr& tree, const std::vector<std::string>& indices, std::size_t depth, Steps& at,
                  StepTable& table) const;
    [[nodiscard]] SymbolicPtr byStep(const SymbolicPtr& tree) const;
    [[nodiscard]] SymbolicPtr listTree(const Symbolic& use, const SymbolicPtr& argument) const;
    [[nodiscard]] SymbolicPtr withVariables(const SymbolicPtr& tree) const;

    std::shared_ptr<const Design> m_design;
    ResolvedDesign m_resolved;
    std::vector<ExportProblem> m_problems;
    std::string m_module;
    std::map<std::string, std::string> m_values, m_scalars;
    std::set<std::string> m_taken;
    std::set<std::string> m_runtimeIndices, m_compileTime;  ///< names of loops' indices and factors
    std::vector<SymbolSource> m_runtime;
    std::map<std::string, PlannedList> m_lists;
    std::map<std::string, std::vector<Axis>> m_axes;
    std::set<std::string> m_indexTensors, m_scaleTensors;
    std::set<std::string> m_zeroIndices;             ///< of loops that run once
    std::vector<const Loop*> m_expanded;             ///< static loops, outer ones first
    std::map<std::string, std::string> m_variables;  ///< by key
};

/// Types of which torch holds two in a byte, the first in the low half.
[[nodiscard]] bool isPaired(DType type);
/// A Python identifier made of a name of the design.
[[nodiscard]] std::string identifier(const std::string& name);

/// Every expression of the design's blocks with the kind of place it stands in.
enum class ExpressionPlace : std::uint8_t { LoopAxis, LoopTile, ViewShape, ViewOffset, ViewValid, StoreOffset, Other };
void forEachExpression(const std::vector<Block>& blocks,
                       const std::function<void(const Expression&, ExpressionPlace, const Loop*)>& visit);

}  // namespace cubist::pypto
