// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "views/panels/inspector_form.h"

class QFormLayout;
class QPlainTextEdit;

namespace cubist {

class CaseValues;
class StepSpinBox;
class TextLabel;

/// The design as a whole: shown while nothing is selected.
class DesignForm : public InspectorForm {
    Q_OBJECT

public:
    explicit DesignForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

    [[nodiscard]] StepSpinBox* symbolField(const std::string& symbol) const;

signals:
    void groupsRequested(const cubist::ListId& list);

private:
    void addIdentity();
    void addTarget();
    void addChecks();
    void addOptions();
    void addByHand();
    void fillBoxes();
    bool changeDesign(const LocalText& label, const std::function<void(Design&)>& edit, const QString& mergeKey);

    TextLabel* m_title;
    QPlainTextEdit* m_notes = nullptr;
    QComboBox* m_chip = nullptr;
    QComboBox* m_case = nullptr;
    QComboBox* m_defaultCase = nullptr;
    CaseValues* m_values;
    std::unique_ptr<FieldsOf<Design>> m_fields;
    std::unique_ptr<FieldsOf<Tolerance>> m_tolerance;
    std::unique_ptr<FieldsOf<Options>> m_options;
};

}  // namespace cubist
