// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "views/panels/inspector_form.h"

class QCheckBox;
class QPushButton;

namespace cubist {

class StepSpinBox;

/// The free dimensions and the lists of a design with their values in the shown case, and the case itself. A value goes
/// to the case when the case names the symbol or list, else to the symbol or list itself.
class CaseValues : public InspectorForm {
    Q_OBJECT

public:
    explicit CaseValues(Session& session, QWidget* parent = nullptr);
    void refresh() override;

    [[nodiscard]] StepSpinBox* symbolField(const std::string& symbol) const;

signals:
    void groupsRequested(const cubist::ListId& list);

private:
    struct SymbolLines {
        std::string id;
        StepSpinBox* value;
        QLineEdit* name;
        QLineEdit* notes;
        QLineEdit* otherwise;
        QCheckBox* isStatic;
    };
    struct ListLines {
        std::string id;
        QLineEdit* name;
        QComboBox* form;
        QLineEdit* values;
        QLineEdit* total;
        QLineEdit* notes;
        QPushButton* groups;
    };

    void addCase();
    void rebuild();
    void addSymbol(const std::string& id);
    void addList(const std::string& id);
    void setSymbol(const std::string& symbol, std::int64_t value);
    bool setList(const std::string& list, const QString& text);
    [[nodiscard]] const Case* shownCase() const;
    bool changeDesign(const LocalText& label, const std::function<void(Design&)>& edit, const QString& mergeKey = {});

    QWidget* m_valuePart;
    QFormLayout* m_values;
    QFormLayout* m_lists;
    QFormLayout* m_details;
    QWidget* m_listPart;
    QWidget* m_detailPart;
    QWidget* m_casePart;
    std::vector<SymbolLines> m_symbolLines;
    std::vector<ListLines> m_listLines;
    std::unique_ptr<FieldsOf<Case>> m_case;
};

}  // namespace cubist
