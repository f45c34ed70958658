// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/inspector_panel.h"

#include <QKeyEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <initializer_list>

#include "views/element_lookup.h"
#include "views/panels/block_forms.h"
#include "views/panels/design_form.h"
#include "views/panels/many_form.h"
#include "views/panels/prediction_box.h"
#include "views/panels/stage_form.h"
#include "views/panels/tensor_form.h"
#include "views/panels/vector_form.h"
#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {

InspectorPanel::InspectorPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_stack(new QStackedWidget),
      m_scroll(new QScrollArea),
      m_empty(new EmptyState(session.theme(), tr("No design is open"),
                             tr("Its numbers appear here: tiles, buffers, types and the predicted time."))),
      m_holder(new QWidget),
      m_design(new DesignForm(session)),
      m_cube(new CubeForm(session)),
      m_vector(new VectorForm(session)),
      m_tensor(new TensorForm(session)),
      m_loop(new LoopForm(session)),
      m_slice(new SliceForm(session)),
      m_many(new ManyForm(session)),
      m_prediction(new PredictionBox(session)) {
    auto* holderLayout = new QVBoxLayout(m_holder);
    holderLayout->setContentsMargins(0, 8, 0, 0);
    for (InspectorForm* form :
         std::initializer_list<InspectorForm*>{m_design, m_cube, m_vector, m_tensor, m_loop, m_slice, m_many}) {
        holderLayout->addWidget(form);
        form->hide();
    }
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(m_holder);

    auto* page = new QWidget;
    auto* pageLayout = new QVBoxLayout(page);
    pageLayout->setContentsMargins(0, 0, 0, 0);
    pageLayout->setSpacing(0);
    pageLayout->addWidget(m_scroll, 1);
    // The line says that the form scrolls below it.
    auto* line = new QFrame;
    line->setFrameShape(QFrame::HLine);
    pageLayout->addWidget(line);
    auto* predictionHolder = new QVBoxLayout;
    predictionHolder->setContentsMargins(16, 8, 16, 8);
    predictionHolder->addWidget(m_prediction);
    pageLayout->addLayout(predictionHolder);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(&session.selection(), &SelectionModel::elementsChanged, this, &InspectorPanel::showElement);
    connect(&session.document(), &DocumentModel::documentReplaced, this, &InspectorPanel::showElement);
    connect(&session.document(), &DocumentModel::designChanged, this, &InspectorPanel::refreshForm);
    connect(&session.document(), &DocumentModel::caseChanged, this, &InspectorPanel::refreshForm);
    connect(&session, &Session::findingsChanged, this, &InspectorPanel::refreshFindings);
    connect(m_prediction, &PredictionBox::problemsRequested, this, &InspectorPanel::problemsRequested);
    connect(m_design, &DesignForm::groupsRequested, this, &InspectorPanel::groupsRequested);
    connect(m_tensor, &TensorForm::groupsRequested, this, &InspectorPanel::groupsRequested);
    connect(m_loop, &LoopForm::variantsRequested, this, &InspectorPanel::variantsRequested);
    showElement();
}

void InspectorPanel::focusForm() {
    if (!m_form) return;
    // Tile fields first: they are what is changed most.
    for (QWidget* field : m_form->findChildren<StepSpinBox*>())
        if (field->isVisible() && field->objectName().startsWith(QLatin1String("tile"))) {
            field->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    for (QWidget* field : m_form->findChildren<QWidget*>())
        if (field->isVisible() && field->focusPolicy() != Qt::NoFocus && field->isEnabled()) {
            field->setFocus(Qt::ShortcutFocusReason);
            return;
        }
}

void InspectorPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        emit left();
    else
        QWidget::keyPressEvent(event);
}

void InspectorPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    constexpr int kRoomForNotes = 480;
    constexpr int kRoomForPrediction = 200;
    m_prediction->setCompact(height() < kRoomForNotes);
    m_prediction->setVisible(height() >= kRoomForPrediction);
}

InspectorForm* InspectorPanel::formFor(const Element& element) const {
    const Design& design = *m_session.document().design();
    if (ManyForm::stagesOf(design, m_session.selection().elements()).size() > 1) return m_many;
    if (element.isTensor() && findTensor(design, element.tensor())) return m_tensor;
    if (element.isTensor()) return m_design;
    const Block* block = element.isBlock() ? findBlock(design, element.block()) : nullptr;
    if (!block) return m_design;
    switch (block->kind()) {
        case BlockKind::Cube: return m_cube;
        case BlockKind::Vector: return m_vector;
        case BlockKind::Loop: return m_loop;
        case BlockKind::View:
        case BlockKind::Store: return m_slice;
    }
    return m_design;
}

void InspectorPanel::showElement() {
    if (!m_session.document().hasDesign()) {
        if (m_form) m_form->hide();
        m_form = nullptr;
        m_stack->setCurrentIndex(0);
        return;
    }
    const Element& element = m_session.selection().current();
    InspectorForm* next = formFor(element);
    next->setElement(next == m_design ? Element() : element);
    next->refresh();
    if (next != m_form) {
        if (m_form) m_form->hide();
        next->show();
        m_scroll->verticalScrollBar()->setValue(0);
    }
    m_form = next;
    m_stack->setCurrentIndex(1);
    refreshFindings();
}

void InspectorPanel::refreshForm() {
    // The edited element may have become another kind, or be gone.
    if (!m_form || !m_session.document().hasDesign() || formFor(m_session.selection().current()) != m_form) {
        showElement();
        return;
    }
    m_form->refresh();
    refreshFindings();
}

void InspectorPanel::refreshFindings() {
    if (!m_form || !m_session.document().hasDesign() || m_form == m_many) return;
    std::vector<Finding> own;
    for (const Finding& finding : m_session.findings())
        if (elementOf(*m_session.document().design(), finding) == m_form->element()) own.push_back(finding);
    m_form->showFindings(own);
}

}  // namespace cubist
