// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/selection_model.h"

namespace cubist {

SelectionModel::SelectionModel(QObject* parent) : QObject(parent) {}

void SelectionModel::select(const Element& element) {
    if (element == m_current) return;
    m_current = element;
    emit selectionChanged(m_current);
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
