// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/design/design.h"

namespace cubist {

namespace detail {

template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

template <class Leaf, class... Types>
class FieldWalk {
public:
    explicit FieldWalk(Leaf& leaf) : m_leaf(leaf) {}

    template <class Member>
    void required(std::string_view, Member& member) {
        walk(member);
    }
    template <class Member>
    void optional(std::string_view, Member& member) {
        walk(member);
    }
    template <class Member, class Default>
    void optional(std::string_view, Member& member, const Default&) {
        walk(member);
    }
    template <class Member>
    void numberOrList(std::string_view, Member&) {}
    template <class Fields>
    void unknown(Fields&) {}

    template <class Member>
    void walk(Member& member) {
        using T = std::remove_const_t<Member>;
        if constexpr (OneOf<T, Types...>)
            m_leaf(member);
        else if constexpr (std::same_as<T, Block>)
            walk(member.content);
        else if constexpr (std::same_as<T, Operand>)
            walk(member.source);
        else if constexpr (requires { T::visitFields(member, *this); })
            T::visitFields(member, *this);
        else
            walkParts(member);
    }

private:
    template <class Member>
    void walkParts(Member& member) {
        if constexpr (requires { std::variant_size<std::remove_const_t<Member>>::value; })
            std::visit([this](auto& content) { walk(content); }, member);
        else if constexpr (requires { member.has_value(); })
            walkHeld(member);
        else if constexpr (requires {
                               typename Member::value_type;
                               member.begin();
                           })
            walkEntries(member);
    }
    template <class Member>
    void walkHeld(Member& member) {
        if (member.has_value()) walk(*member);
    }
    template <class Member>
    void walkEntries(Member& member) {
        if constexpr (!std::is_arithmetic_v<typename Member::value_type>)
            for (auto& entry : member) walk(entry);
    }

    Leaf& m_leaf;
};

}  // namespace detail

/// Calls `leaf` for every field of one of the `Types` in a part of a design (a design, tensors, blocks with what their
/// loops hold ...), in file order; fields of a part that may be changed may be changed.
///
///     walkFields<Expression>(design.blocks, [&](const Expression& expression) { ... });
template <class... Types, class Part, class Leaf>
void walkFields(Part& part, Leaf&& leaf) {
    detail::FieldWalk<std::remove_reference_t<Leaf>, Types...>(leaf).walk(part);
}

}  // namespace cubist
