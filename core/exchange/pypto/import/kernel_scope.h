// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/design/design.h"
#include "core/exchange/pypto/import/ast_node.h"
#include "core/exchange/pypto/symbolic.h"

namespace cubist::pypto {

/// What the names of a kernel stand for while it is read.
class KernelScope {
public:
    struct Variable {
        enum class Kind : std::uint8_t { Tensor, Value, Scalar } kind = Kind::Value;
        std::string id;                     ///< Tensor, Value: name in the design
        SymbolicPtr tree;                   ///< Scalar
        std::vector<std::int64_t> extents;  ///< Tensor, Value: declared shape, 0 where it is not a number
    };

    void define(const std::string& name, Variable variable) {
        forget(name);
        m_names[name] = std::move(variable);
    }
    /// A number of Python that is no integer, such as 1.0 / x.shape[1].
    void defineNumber(const std::string& name, double value) {
        forget(name);
        m_numbers[name] = value;
    }
    [[nodiscard]] const Variable* find(const std::string& name) const;
    /// From now on nobody knows what the name stands for.
    void forget(const std::string& name) {
        m_names.erase(name);
        m_numbers.erase(name);
        m_tuples.erase(name);
    }
    /// What the design calls a tuple of the module that is read at run time: its name in small letters, and another one
    /// where a variable of the kernel has that.
    [[nodiscard]] std::string listName(const std::string& tuple) const;
    /// The same of a tensor of integers that the host reads.
    [[nodiscard]] std::string hostList(const std::string& tensor) const { return freeName(tensor + "_list"); }
    /// Names of variables, which no list may have.
    void reserve(std::set<std::string> names) { m_reserved = std::move(names); }
    void defineTuple(const std::string& name, std::vector<std::int64_t> values);
    [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>>& tuples() const { return m_tuples; }
    /// Lists of the module that the kernel reads, by name.
    [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>>& usedLists() const { return m_used; }
    /// Those whose entries are the rows of groups.
    [[nodiscard]] const std::set<std::string>& countLists() const { return m_counts; }
    /// Tensors of integers that the kernel reads on the host.
    [[nodiscard]] const std::vector<std::string>& hostTensors() const { return m_hostTensors; }

    /// The declared shape of a value of the design; nothing when it is not known.
    void setExtents(const std::string& id, std::vector<std::int64_t> extents) { m_extents[id] = std::move(extents); }
    [[nodiscard]] const std::vector<std::int64_t>* extentsOf(const std::string& id) const;

    /// The valid part of a window along one axis; values that are computed from it have the same one.
    void addValidPart(const SymbolicPtr& part) { m_validParts.insert(expressionOfPart(part)); }
    [[nodiscard]] bool isValidPart(const SymbolicPtr& part) const {
        return m_validParts.count(expressionOfPart(part)) != 0;
    }

    void setType(const std::string& id, DType type) { m_types[id] = type; }
    /// A type that is named, or that of a tensor or value: `x.dtype`.
    [[nodiscard]] std::optional<DType> typeOf(const AstNode& node) const;
    [[nodiscard]] std::optional<DType> typeOf(const std::string& id) const;

    /// Where group `group` of a list of counts starts.
    [[nodiscard]] SymbolicPtr startOf(const std::string& tuple, const SymbolicPtr& group);

    /// The factor of an unrolled loop, and the largest it takes.
    void defineFactor(const std::string& name, std::int64_t largest) { m_factors[name] = largest; }
    [[nodiscard]] bool isFactor(const SymbolicPtr& tree) const {
        return tree->kind == Symbolic::Kind::Name && m_factors.count(tree->name) != 0;
    }
    /// A size that is computed from factors and static symbols alone, such as `32 * u`.
    [[nodiscard]] bool followsFactor(const SymbolicPtr& tree) const;
    /// A length that is known when the kernel is compiled, though not from its text: taken as `value`.
    void defineStatic(const std::string& name, std::int64_t value) { m_statics[name] = value; }
    [[nodiscard]] const std::map<std::string, std::int64_t>& statics() const { return m_statics; }
    /// The number that a design declares for a size: itself, the largest factor, the largest entry of a list.
    [[nodiscard]] std::optional<std::int64_t> declaredExtent(const SymbolicPtr& tree) const;
    /// A list of sizes as a design declares them.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> declaredExtents(const AstNode& list);

    /// An integer expression; nothing when it is none that a design can hold.
    [[nodiscard]] std::optional<SymbolicPtr> scalar(const AstNode& node);
    /// A number that is known when the kernel is compiled: constants, shapes, and what Python computes of them.
    [[nodiscard]] std::optional<double> real(const AstNode& node);
    /// An expression for `tensor.shape[axis]`; a name is made when the kernel first reads it.
    [[nodiscard]] std::string symbolOf(const std::string& tensor, std::size_t axis, const std::string& wanted = {});
    [[nodiscard]] const std::map<std::pair<std::string, std::size_t>, std::string>& symbols() const {
        return m_symbols;
    }

private:
    [[nodiscard]] static std::string expressionOfPart(const SymbolicPtr& part);
    [[nodiscard]] std::string freeName(std::string name) const;
    /// The largest value over all groups of the lists that are read.
    [[nodiscard]] std::optional<std::int64_t> largestOverGroups(const SymbolicPtr& tree) const;
    [[nodiscard]] std::optional<SymbolicPtr> scalarTree(const AstNode& node);
    [[nodiscard]] std::optional<SymbolicPtr> call(const AstNode& node);
    [[nodiscard]] std::optional<SymbolicPtr> subscript(const AstNode& node);
    /// (32, 32, 4)[j] and ((9,), (16, 4))[g][r]: an entry of a list without a name
    [[nodiscard]] std::optional<SymbolicPtr> writtenEntry(const AstNode& node);

    std::map<std::string, Variable> m_names;
    std::map<std::string, std::vector<std::int64_t>> m_tuples, m_used, m_extents;
    std::set<std::string> m_counts, m_reserved, m_validParts;
    std::map<std::pair<std::string, std::size_t>, std::string> m_symbols;
    std::map<std::string, DType> m_types;
    std::map<std::string, std::int64_t> m_factors, m_statics;
    std::map<std::string, double> m_numbers;
    std::vector<std::string> m_hostTensors;
};

/// As the design spells it.
[[nodiscard]] Expression expressionOf(const SymbolicPtr& tree);
/// a - b where the difference is a number.
[[nodiscard]] std::optional<std::int64_t> difference(const SymbolicPtr& a, const SymbolicPtr& b);
/// How often a name is taken in a sum (`i * 32 + start`: 32 of i); nothing when it stands in something else too.
[[nodiscard]] std::optional<std::int64_t> coefficientOf(const SymbolicPtr& tree, const std::string& name);
/// Numbers put together; names stay.
[[nodiscard]] SymbolicPtr tidied(const SymbolicPtr& tree);

}  // namespace cubist::pypto
