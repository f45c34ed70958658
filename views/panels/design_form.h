// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "views/panels/inspector_form.h"

class QFormLayout;
class QPlainTextEdit;

namespace cubist {

class LinkButton;
class StepSpinBox;
class TextLabel;

/// The design as a whole: shown while nothing is selected.
class DesignForm : public InspectorForm {
    Q_OBJECT

public:
    explicit DesignForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

    [[nodiscard]] StepSpinBox* symbolField(const std::string& symbol) const;

private:
    struct SymbolField {
        std::string id;
        StepSpinBox* field;
    };

    void addIdentity();
    void addTarget();
    void addChecks();
    void addOptions();
    void rebuildSymbols();
    void fillBoxes();
    void setSymbol(const std::string& symbol, std::int64_t value);
    bool setTolerance(const std::function<void(Tolerance&)>& edit);
    bool setOption(std::int64_t Options::*member, std::int64_t value, const QString& key);
    QLineEdit* makeNumber(const QString& name, const std::function<bool(double)>& commit);
    StepSpinBox* makeInteger(const QString& name, const std::function<void(std::int64_t)>& edited);

    TextLabel* m_title;
    QLineEdit* m_name = nullptr;
    QLineEdit* m_titleLine = nullptr;
    QPlainTextEdit* m_notes = nullptr;
    QComboBox* m_chip = nullptr;
    QComboBox* m_case = nullptr;
    QFormLayout* m_target = nullptr;
    QFormLayout* m_symbolForm = nullptr;
    std::vector<SymbolField> m_symbols;
    StepSpinBox* m_seed = nullptr;
    QComboBox* m_profile = nullptr;
    QLineEdit* m_rtol = nullptr;
    QLineEdit* m_atol = nullptr;
    QComboBox* m_criterion = nullptr;
    QComboBox* m_golden = nullptr;
    StepSpinBox* m_schedMode = nullptr;
    StepSpinBox* m_parallelism = nullptr;
    StepSpinBox* m_stitch = nullptr;
};

}  // namespace cubist
