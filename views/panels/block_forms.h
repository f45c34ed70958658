// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/panels/inspector_form.h"

class QCheckBox;

namespace cubist {

class TextLabel;

/// A loop: which axis it cuts, by how much, and what that comes to.
class LoopForm : public InspectorForm {
    Q_OBJECT

public:
    explicit LoopForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

private:
    TextLabel* m_name;
    TextLabel* m_summary;
    QLineEdit* m_axis;
    QLineEdit* m_tile;
    QLineEdit* m_index;
    QCheckBox* m_parallel;
    QLineEdit* m_notes;
};

/// A view (window of a tensor) or a store (write into an output): names and expressions.
class SliceForm : public InspectorForm {
    Q_OBJECT

public:
    explicit SliceForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

private:
    bool setExpressions(const QString& label, const QString& text, std::vector<Expression> View::*ofView,
                        std::vector<Expression> Store::*ofStore);

    TextLabel* m_name;
    TextLabel* m_summary;
    QFormLayout* m_form;
    QLineEdit* m_shape;
    QLineEdit* m_offset;
    QLineEdit* m_valid;
};

}  // namespace cubist
