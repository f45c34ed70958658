// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QScrollArea;
class QStackedWidget;

namespace cubist {

class CubeForm;
class DesignForm;
class EmptyState;
class InspectorForm;
class PredictionBox;
class Session;
struct Element;

/// Shows and edits the selected element, or the design when nothing is selected; the live prediction stands below.
class InspectorPanel : public QWidget {
    Q_OBJECT

public:
    explicit InspectorPanel(Session& session, QWidget* parent = nullptr);

    /// The form that is shown; null when no design is open.
    [[nodiscard]] InspectorForm* form() const { return m_form; }
    [[nodiscard]] CubeForm* cubeForm() const { return m_cube; }
    [[nodiscard]] DesignForm* designForm() const { return m_design; }
    [[nodiscard]] PredictionBox* prediction() const { return m_prediction; }

signals:
    void problemsRequested();

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
    InspectorForm* m_tensor;
    InspectorForm* m_loop;
    InspectorForm* m_slice;
    InspectorForm* m_form = nullptr;
    PredictionBox* m_prediction;
};

}  // namespace cubist
