// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// Values of names, "ROWS" or "config.rows": constants and collections of Python, as nodes.
using KnownValues = std::map<std::string, JsonValue>;

/// Puts in and computes what is known when a kernel is compiled. Names hold their value until they are assigned again;
/// conditions on known values are decided; loops of Python are written out where a design could not hold them: over
/// lists, with conditions on the index, with lists that grow or values that one turn hands to the next.
class Simplifier {
public:
    explicit Simplifier(const KnownValues& constants) : m_constants(constants) {}

    /// Of an expression: constants put in and computed, methods as functions.
    void expression(JsonValue& node);
    /// Of a kernel; `moduleLists`: names of the module that its readers know as lists of numbers.
    void kernel(JsonValue& function, const std::set<std::string>& moduleLists);
    /// Were there more statements to write out than anybody could want? The rest is left out.
    [[nodiscard]] bool tooLong() const { return m_tooLong; }

private:
    using Statements = std::vector<JsonValue>;
    enum class Stop : unsigned char { No, Continue, Break };

    [[nodiscard]] const JsonValue* lookup(const std::string& name) const;
    [[nodiscard]] std::optional<bool> tensorIsNone(const JsonValue& node) const;
    bool takeElement(JsonValue& node);
    bool takeShape(JsonValue& node) const;
    void keepList(JsonValue& node);
    void spreadArguments(JsonValue& node) const;
    bool comprehension(JsonValue& node);
    bool affordable(const JsonValue& node);

    void statements(Statements& list);
    void statement(JsonValue node, Statements& out);
    void assignment(JsonValue node, Statements& out);
    bool unpackShape(const JsonValue& node, Statements& out);
    bool storeElement(const JsonValue& target, const JsonValue& value, Statements& out);
    bool append(const JsonValue& call, Statements& out);
    void loop(JsonValue node, Statements& out);
    void condition(JsonValue node, Statements& out);

    [[nodiscard]] std::optional<Statements> turnsOf(const JsonValue& iterator) const;
    [[nodiscard]] std::size_t writtenOut(const Statements& body) const;
    [[nodiscard]] bool mustWriteOut(const JsonValue& loop) const;
    [[nodiscard]] bool carries(const Statements& body, std::set<std::string>& assigned) const;
    [[nodiscard]] bool hasFlags(const Statements& body, const JsonValue& loop,
                                const std::set<std::string>& index) const;
    [[nodiscard]] bool dependsOn(const JsonValue& node, const std::set<std::string>& index) const;
    [[nodiscard]] bool isTensor(const JsonValue& node) const;
    void bindTo(const JsonValue& target, const JsonValue& value);
    void bindTurn(const JsonValue& target, const JsonValue& value, Statements& out);

    /// A value that is computed once gets a name.
    JsonValue named(const std::string& base, JsonValue value, Statements& out);
    void know(const std::string& name, const JsonValue& value);
    void forget(const std::string& name);
    void forgetList(const std::string& name);
    void forgetAssigned(const JsonValue& node);

    void takeParameters(JsonValue& function, const std::map<std::string, int>& assigned);
    void returnedValues(JsonValue& function);

    KnownValues m_constants;
    std::map<std::string, std::set<std::string>> m_mentions;  ///< names in collections: the names of the collections
    std::set<std::string> m_shared;                           ///< lists with two names
    std::set<std::string> m_tensors, m_assigned, m_moduleLists;
    std::set<std::string> m_notNone;  ///< results of operations
    KnownValues m_lists;              ///< of numbers that the kernel indexes when it runs
    std::size_t m_written = 0, m_copied = 0;
    int m_temporaries = 0;
    bool m_tooLong = false;
    bool m_straight = true;  ///< no loop and no condition that stays lies around
    Stop m_stop = Stop::No;
};

[[nodiscard]] bool isConstantNode(const JsonValue& node);
[[nodiscard]] bool isCollectionNode(const JsonValue& node);
/// The list in a field, to be changed; one that nobody sees for anything else.
[[nodiscard]] std::vector<JsonValue>& listIn(JsonValue& node, std::string_view field);

}  // namespace cubist::pypto
