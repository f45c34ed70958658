// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace cubist {

/// Index into one particular array; a `TaskIndex` cannot be used where a `LeafIndex` is wanted.
template <class Tag>
struct Index {
    std::uint32_t value = 0;

    constexpr Index() = default;
    constexpr explicit Index(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
    constexpr auto operator<=>(const Index&) const = default;
};

/// The name that a design file gives to an element; different kinds of elements have different types.
template <class Tag>
struct Name {
    std::string text;

    Name() = default;
    explicit Name(std::string t) : text(std::move(t)) {}
    auto operator<=>(const Name&) const = default;
    [[nodiscard]] bool empty() const { return text.empty(); }
};

using BlockId = Name<struct BlockTag>;    ///< a loop, view, stage or store of a design
using TensorId = Name<struct TensorTag>;  ///< a tensor in global memory, declared by the design
using ValueId = Name<struct ValueTag>;    ///< what an operand names: a tensor, a view or a stage's result
using SymbolId = Name<struct SymbolTag>;  ///< a free dimension such as T
using CaseId = Name<struct CaseTag>;      ///< a named set of symbol values
using ChipId = Name<struct ChipTag>;      ///< an id of resources/chips
using ListId = Name<struct ListTag>;      ///< integers known on the host, such as a group list

}  // namespace cubist

template <class Tag>
struct std::hash<cubist::Name<Tag>> {
    std::size_t operator()(const cubist::Name<Tag>& name) const noexcept { return std::hash<std::string>{}(name.text); }
};

template <class Tag>
struct std::hash<cubist::Index<Tag>> {
    std::size_t operator()(cubist::Index<Tag> index) const noexcept { return std::hash<std::uint32_t>{}(index.value); }
};
