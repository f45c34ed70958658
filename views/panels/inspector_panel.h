// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/base/ids.h"

class QScrollArea;
class QStackedWidget;

namespace cubist {

class CubeForm;
class DesignForm;
class EmptyState;
class InspectorForm;
class LoopForm;
class ManyForm;
class PredictionBox;
class Session;
class TensorForm;
struct Element;

/// Shows and edits the selected element, several stages together, or the design when nothing is selected; the live
/// prediction stands below.
class InspectorPanel : public QWidget {
    Q_OBJECT

public:
    explicit InspectorPanel(Session& session, QWidget* parent = nullptr);

    /// The form that is shown; null when no design is open.
    [[nodiscard]] InspectorForm* form() const { return m_form; }
    [[nodiscard]] CubeForm* cubeForm() const { return m_cube; }
    [[nodiscard]] DesignForm* designForm() const { return m_design; }
    [[nodiscard]] PredictionBox* prediction() const { return m_prediction; }

    /// Gives the focus to the first field of the form.
    void focusForm();

signals:
    void problemsRequested();
    /// Escape in a field that has nothing to take back.
    void left();
    void groupsRequested(const cubist::ListId& list);
    /// The forms of the design's loops are to be compared.
    void variantsRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void showElement();
    void refreshForm();
    void refreshFindings();
    [[nodiscard]] InspectorForm* formFor(const Element& element) const;

    Session& m_session;
    QStackedWidget* m_stack;
    QScrollArea* m_scroll;
    EmptyState* m_empty;
    QWidget* m_holder;
    DesignForm* m_design;
    CubeForm* m_cube;
    InspectorForm* m_vector;
    TensorForm* m_tensor;
    LoopForm* m_loop;
    InspectorForm* m_slice;
    ManyForm* m_many;
    InspectorForm* m_form = nullptr;
    PredictionBox* m_prediction;
};

}  // namespace cubist
