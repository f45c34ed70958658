// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace cubist {

/// What a view can select: a block (view, stage, store, loop) or a tensor of the design.
struct Element {
    enum class Kind : std::uint8_t { None, Block, Tensor } kind = Kind::None;
    std::string id;

    Element() = default;
    Element(const BlockId& block) : kind(block.empty() ? Kind::None : Kind::Block), id(block.text) {}
    Element(const TensorId& tensor) : kind(tensor.empty() ? Kind::None : Kind::Tensor), id(tensor.text) {}

    bool operator==(const Element&) const = default;
    [[nodiscard]] bool isNone() const { return kind == Kind::None; }
    [[nodiscard]] bool isBlock() const { return kind == Kind::Block; }
    [[nodiscard]] bool isTensor() const { return kind == Kind::Tensor; }
    /// The id as a block's or tensor's; empty when the element is something else.
    [[nodiscard]] BlockId block() const { return isBlock() ? BlockId{id} : BlockId{}; }
    [[nodiscard]] TensorId tensor() const { return isTensor() ? TensorId{id} : TensorId{}; }
};

/// What is selected, shared by every view: what is selected anywhere is selected everywhere. Views that show one
/// element show the current one; the canvas and the inspector take all of them.
class SelectionModel : public QObject {
    Q_OBJECT

public:
    explicit SelectionModel(QObject* parent = nullptr);

    [[nodiscard]] const Element& current() const { return m_current; }

    /// All that is selected, each once, the current one first.
    [[nodiscard]] const std::vector<Element>& elements() const { return m_elements; }

    /// This one alone.
    void select(const Element& element);
    /// Several: the first of them is the current one from then on. None of them is Kind::None.
    void selectAll(std::vector<Element> elements);
    void clear() { select({}); }
    /// Selects and asks the views to bring the element into sight.
    void reveal(const Element& element);
    /// Selects and asks for the list of problems at this element's entries.
    void showProblems(const Element& element);

signals:
    /// The current element is another one.
    void selectionChanged(const cubist::Element& element);
    /// The selected elements are others; after selectionChanged where both are due.
    void elementsChanged();
    void revealRequested(const cubist::Element& element);
    void problemsRequested(const cubist::Element& element);

private:
    Element m_current;
    std::vector<Element> m_elements;
};

}  // namespace cubist
