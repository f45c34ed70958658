// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/selection_model.h"

#include <utility>

namespace cubist {

SelectionModel::SelectionModel(QObject* parent) : QObject(parent) {}

void SelectionModel::select(const Element& element) {
    selectAll(element.isNone() ? std::vector<Element>() : std::vector{element});
}

void SelectionModel::selectAll(std::vector<Element> elements) {
    if (elements == m_elements) return;
    m_elements = std::move(elements);
    const Element current = m_elements.empty() ? Element() : m_elements.front();
    if (current != m_current) {
        m_current = current;
        emit selectionChanged(m_current);
    }
    emit elementsChanged();
}

void SelectionModel::reveal(const Element& element) {
    select(element);
    emit revealRequested(element);
}

void SelectionModel::showProblems(const Element& element) {
    select(element);
    emit problemsRequested(element);
}

}  // namespace cubist
