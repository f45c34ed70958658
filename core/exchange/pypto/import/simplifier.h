// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
    explicit Simplifier(KnownValues constants) : m_constants(std::move(constants)) {}

    /// Of an expression: constants put in and computed, methods as functions.
    void expression(JsonValue& node);
    /// Of a kernel; `moduleLists`: names of the module that its readers know as lists of numbers.
    void kernel(JsonValue& function, const std::set<std::string>& moduleLists);
    /// Of a module: what its names are in the end.
    [[nodiscard]] KnownValues module(const std::vector<JsonValue>& statements);
    /// Gives names their value before `module`, as a statement of it is reached; nothing where it is none of that kind.
    using Objects = std::function<void(const JsonValue& statement, KnownValues& constants)>;
    void setObjects(Objects objects) { m_objects = std::move(objects); }
    /// Were there more statements to write out than anybody could want? The rest is left out.
    [[nodiscard]] bool tooLong() const { return m_tooLong; }

private:
    using Statements = std::vector<JsonValue>;
    enum class Stop : unsigned char { No, Continue, Break, Return };
    enum class Around : unsigned char { Nothing, WrittenOut, Kept };  ///< the innermost loop

    [[nodiscard]] const JsonValue* lookup(const std::string& name) const;
    [[nodiscard]] std::optional<bool> tensorIsNone(const JsonValue& node) const;
    bool takeElement(JsonValue& node);
    bool takeShape(JsonValue& node) const;
    void keepList(JsonValue& node);
    void spreadArguments(JsonValue& node) const;
    bool comprehension(JsonValue& node);
    bool generated(const JsonValue& node, std::size_t generator, std::vector<JsonValue>& keys,
                   std::vector<JsonValue>& values);
    bool affordable(const JsonValue& node);

    void statements(Statements& list);
    void statement(JsonValue node, Statements& out);
    void assignment(JsonValue node, Statements& out);
    bool unpackShape(const JsonValue& node, Statements& out);
    bool storeElement(const JsonValue& target, const JsonValue& value, Statements& out);
    bool storeField(const JsonValue& target, const JsonValue& value);
    bool unpackRest(const JsonValue& node, Statements& out);
    bool changeCollection(const JsonValue& call, Statements& out);
    bool changeList(const JsonValue& call, const std::string& name, JsonValue& list, Statements& out);
    bool changeDictionary(const JsonValue& call, JsonValue& dict, Statements& out);
    bool takeOut(JsonValue& value);
    void deletion(const JsonValue& node);
    [[nodiscard]] const JsonValue* tableOf(const JsonValue& node) const;
    [[nodiscard]] const JsonValue* findTable(const JsonValue& node) const;
    bool takeTableEntry(const JsonValue& node);
    bool tilesByKey(const JsonValue& node, Statements& out);
    JsonValue kept(JsonValue value, const std::string& name, Statements& out);
    void loop(JsonValue node, Statements& out);
    bool whileLoop(JsonValue& node, Statements& out);
    void condition(JsonValue node, Statements& out);
    void compound(JsonValue node, Statements& out);
    void block(JsonValue& node, std::string_view part, bool ofLoop);

    [[nodiscard]] std::optional<Statements> turnsOf(const JsonValue& iterator) const;
    [[nodiscard]] std::size_t writtenOut(const Statements& body) const;
    [[nodiscard]] bool mustWriteOut(const JsonValue& loop) const;
    [[nodiscard]] bool handsOn(const Statements& body) const;
    [[nodiscard]] bool carries(const Statements& body, std::set<std::string>& assigned) const;
    [[nodiscard]] bool hasFlags(const Statements& body, const JsonValue& loop,
                                const std::set<std::string>& index) const;
    [[nodiscard]] bool dependsOn(const JsonValue& node, const std::set<std::string>& index) const;
    [[nodiscard]] bool isTensor(const JsonValue& node) const;
    bool bindTo(const JsonValue& target, const JsonValue& value);
    void bindTurn(const JsonValue& target, const JsonValue& value, Statements& out);

    /// A value that is computed once gets a name.
    JsonValue named(const std::string& base, JsonValue value, Statements& out);
    void know(const std::string& name, const JsonValue& value);
    void forget(const std::string& name);
    void forgetList(const std::string& name);
    void forgetChanged(const JsonValue& node);
    void forgetFields(const std::string& name);
    void shareFields(const std::string& object, const std::string& other);
    /// Lists and dictionaries of names that a value may be, or have in it, as the same object.
    void aliasesIn(const JsonValue& value, bool copied, std::set<std::string>& names) const;
    void share(const JsonValue& target, const std::set<std::string>& names);

    void takeParameters(JsonValue& function, const std::map<std::string, int>& assigned);
    void takeLengths(const std::string& name, const JsonValue& annotation);
    bool takeLength(JsonValue& node) const;
    void returnedValues(JsonValue& function);

    KnownValues m_constants;
    std::map<std::string, std::set<std::string>> m_mentions;  ///< names in collections: the names of the collections
    std::set<std::string> m_shared;                           ///< lists with two names
    std::set<std::string> m_tensors, m_assigned, m_moduleLists;
    std::set<std::string> m_notNone;      ///< results of operations
    KnownValues m_lists;                  ///< of numbers that the kernel indexes when it runs
    std::set<std::string> m_objectNames;  ///< of objects with several names
    std::size_t m_written = 0, m_copied = 0, m_looked = 0;
    int m_temporaries = 0;
    bool m_tooLong = false;
    std::map<std::string, std::vector<std::int64_t>>
        m_lengths;  ///< of the axes of parameters; 0: only the caller knows
    Objects m_objects;
    bool m_certain = true;  ///< no condition that stays lies between here and the innermost loop
    int m_keptLoops = 0;    ///< loops around that stay
    Around m_around = Around::Nothing;
    Stop m_stop = Stop::No;
};

[[nodiscard]] bool isConstantNode(const JsonValue& node);
/// A list, tuple or dictionary whose length is known.
[[nodiscard]] bool isCollectionNode(const JsonValue& node);
/// Is it a list or a dictionary, or one with such a part?
[[nodiscard]] bool isMutableNode(const JsonValue& node);
/// Is it a list of integers, which readers of a kernel know under its name?
[[nodiscard]] bool onlyIntegers(const JsonValue& list);
/// The list in a field, to be changed; one that nobody sees for anything else.
[[nodiscard]] std::vector<JsonValue>& listIn(JsonValue& node, std::string_view field);

}  // namespace cubist::pypto
