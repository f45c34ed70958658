// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/design_compare.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace cubist {
namespace {

/// Visits a design twice: first to remember where the fields of one are, then to compare those of the other with them.
class FieldsBesidesPlaces {
public:
    template <class T>
    void required(std::string_view key, const T& field) {
        visit(key, field);
    }
    template <class T>
    void optional(std::string_view key, const T& field) {
        visit(key, field);
    }
    template <class T>
    void optional(std::string_view key, const T& field, const T&) {
        visit(key, field);
    }
    void unknown(const UnknownFields& fields) { visit("", fields); }

    void second() {
        m_second = true;
        m_next = 0;
    }
    [[nodiscard]] bool same() const { return m_same; }

private:
    template <class T>
    void visit(std::string_view key, const T& field) {
        if (key == "layout" || key == "canvas_notes") return;
        if (m_second)
            m_same = m_same && *static_cast<const T*>(m_fields[m_next++]) == field;
        else
            m_fields.push_back(&field);
    }

    std::vector<const void*> m_fields;
    std::size_t m_next = 0;
    bool m_second = false;
    bool m_same = true;
};

}  // namespace

bool sameButPlaces(const Design& a, const Design& b) {
    if (&a == &b) return true;
    FieldsBesidesPlaces fields;
    Design::visitFields(a, fields);
    fields.second();
    Design::visitFields(b, fields);
    return fields.same();
}

}  // namespace cubist
