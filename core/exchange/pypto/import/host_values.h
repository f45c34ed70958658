// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// What the code around a kernel makes of the names of a module, as far as it can be told without running it: numbers,
/// lists, objects of its data classes, and tensors of torch with their shape and type. A name that is assigned several
/// times has the first value, a parameter that of the first call. Values are nodes of constants and collections, and
///     {"t": "Object", ".FIELD": NODE, ..., "elts": [NODE, ...]}   elts: of named tuples, in their order
///     {"t": "HostTensor", "shape": [NODE, ...], "dtype": "pypto.DT_BF16", "format": "NZ"}
///     {"t": "Unknown"}   a part of a list that is not known
class HostValues {
public:
    /// The module has to stay.
    explicit HostValues(const std::vector<JsonValue>& module);
    ~HostValues();
    HostValues(const HostValues&) = delete;
    HostValues& operator=(const HostValues&) = delete;

    /// A name as it is seen from inside of a function, which may be nested; parameters and names of the function itself
    /// are left out.
    /// Nothing where the name has several values, or one that is changed in place.
    [[nodiscard]] std::optional<JsonValue> around(const std::string& function, const std::string& name);
    /// Parameters for which `around` had to take one of several calls.
    [[nodiscard]] const std::set<std::string>& chosen() const { return m_chosen; }
    /// What the first call of a function, or of what a function around it makes, gives for a parameter.
    [[nodiscard]] std::optional<JsonValue> given(const std::string& function, const std::string& parameter);
    /// An expression inside of a function; of the module where there is none of that name.
    [[nodiscard]] std::optional<JsonValue> inside(const std::string& function, const JsonValue& expression);
    [[nodiscard]] bool isNested(const std::string& function) const;

private:
    struct Scope {
        struct Binding {
            const JsonValue* target = nullptr;
            const JsonValue* value = nullptr;
            bool turns = false;               ///< of a loop: the first element
            const JsonValue* test = nullptr;  ///< of the `if` around it
            bool wanted = true;               ///< what the test has to be
        };
        const JsonValue* function = nullptr;  ///< nullptr: the module, a class
        const Scope* outer = nullptr;
        std::map<std::string, std::vector<Binding>> names;
        std::set<std::string> changed;      ///< in place, or by `+=`
        const JsonValue* result = nullptr;  ///< what the last return gives
    };
    struct Frame {
        const Scope* scope = nullptr;
        const std::map<std::string, JsonValue>* given = nullptr;
    };
    struct Call {
        const JsonValue* node = nullptr;
        const Scope* scope = nullptr;
    };
    using Value = std::optional<JsonValue>;

    void walk(const std::vector<JsonValue>& body, Scope& scope, const JsonValue* test = nullptr, bool wanted = true);
    void walkCalls(const JsonValue& node, Scope& scope);
    [[nodiscard]] const Scope* scopeOf(const std::string& function) const;
    [[nodiscard]] bool spent(int depth) { return depth > 160 || ++m_steps > 20'000 || ++m_all > 300'000; }
    /// A value that is copied costs as much as it has elements.
    void spend(const JsonValue& value) {
        for (const char* part : {"elts", "values", "shape"})
            if (const JsonValue* list = value.find(part)) {
                m_steps += static_cast<int>(list->items.size());
                m_all += static_cast<int>(list->items.size());
            }
    }

    [[nodiscard]] Value nameIn(const std::string& name, const Frame& frame, int depth);
    [[nodiscard]] Value parameter(const Scope& scope, const std::string& name, int depth);
    [[nodiscard]] Value argument(const Call& call, const Scope& function, const std::string& name, int depth);
    [[nodiscard]] Value evaluate(const JsonValue& node, const Frame& frame, int depth);
    [[nodiscard]] Value attribute(const JsonValue& node, const Frame& frame, int depth);
    [[nodiscard]] Value element(const JsonValue& node, const Frame& frame, int depth);
    [[nodiscard]] Value call(const JsonValue& node, const Frame& frame, int depth);
    [[nodiscard]] Value replaced(const JsonValue& owner, const JsonValue& call, const Frame& frame, int depth);
    [[nodiscard]] Value object(const JsonValue& kind, const JsonValue& call, const Frame& frame, int depth);
    [[nodiscard]] Value namespaceOf(const JsonValue& call, const Frame& frame, int depth);
    [[nodiscard]] Value returned(const Scope& function, const JsonValue& call, const Frame& frame, int depth);
    [[nodiscard]] Value listed(const JsonValue& node, const Frame& frame, int depth);
    [[nodiscard]] Value tensorCall(const JsonValue& node, const Frame& frame, int depth);
    [[nodiscard]] std::vector<JsonValue> elements(const std::vector<JsonValue>& nodes, const Frame& frame, int depth);

    std::vector<std::unique_ptr<Scope>> m_scopes;
    std::map<std::string, std::vector<Call>> m_calls;
    std::map<std::string, const JsonValue*> m_classes;
    std::list<JsonValue> m_made;  ///< classes that namedtuple(..) makes
    std::set<std::string> m_chosen;
    bool m_strict = false;  ///< a name with several values has none
    int m_steps = 0;        ///< of one question
    int m_all = 0;
};

/// A field that is a node; nullptr for anything else.
[[nodiscard]] inline const JsonValue* partOf(const JsonValue& node, std::string_view field) {
    const JsonValue* part = node.isObject() ? node.find(field) : nullptr;
    return part != nullptr && part->isObject() ? part : nullptr;
}

}  // namespace cubist::pypto
