// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace cubist {

/// A key that this version does not know, kept so that saving loses nothing. `json` is the value's exact text.
struct UnknownField {
    std::string key;
    std::string json;
    bool operator==(const UnknownField&) const = default;
};

/// Unknown keys of one object, in file order; written after the known ones.
using UnknownFields = std::vector<UnknownField>;

/// Any JSON value, as its text on one line; what it means depends on the place it is written to.
struct JsonText {
    std::string text = "null";
    bool operator==(const JsonText&) const = default;
};

/// Every stored struct lists its fields exactly once, in file order:
///
///     template <class Self, class Visitor>
///     static void visitFields(Self& self, Visitor& v) {
///         v.required("id", self.id);
///         v.optional("notes", self.notes);                  // default: a value-initialised member
///         v.optional("index", self.index, std::string("i"));  // default given; written only when different
///         v.unknown(self.unknown);
///     }
///
/// The JSON reader, the JSON writer, the schema generator, the diff and the inspector are visitors. Member types they
/// all support: bool, std::int64_t, double, std::string, JsonText, Name<>, enums with an EnumTable, Expression, structs
/// with visitFields, std::optional<T> (null in JSON), std::vector<T>, std::array<T, N>, Dictionary<T> (below), and
/// Block.

/// An object with free keys ({"T": 64}); order is kept.
template <class T>
struct Dictionary {
    struct Entry {
        std::string key;
        T value;
        bool operator==(const Entry&) const = default;
    };
    std::vector<Entry> entries;

    bool operator==(const Dictionary&) const = default;
    [[nodiscard]] bool empty() const { return entries.empty(); }
    [[nodiscard]] const T* find(const std::string& key) const {
        for (const Entry& entry : entries)
            if (entry.key == key) return &entry.value;
        return nullptr;
    }
    /// Replaces the value of `key`, or appends it.
    void set(const std::string& key, T value) {
        for (Entry& entry : entries)
            if (entry.key == key) {
                entry.value = std::move(value);
                return;
            }
        entries.push_back({key, std::move(value)});
    }
};

}  // namespace cubist
