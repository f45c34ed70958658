// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/panels/inspector_form.h"

namespace cubist {

class ElidedLabel;
class TextLabel;

/// A loop: which axis it cuts, by how much, and what that comes to.
class LoopForm : public InspectorForm {
    Q_OBJECT

public:
    explicit LoopForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

signals:
    /// The forms of the loops are to be compared.
    void variantsRequested();

private:
    void addFields();
    [[nodiscard]] bool isForm(LoopKind form) const;

    ElidedLabel* m_name;
    TextLabel* m_summary;
    QLineEdit* m_id = nullptr;
    QLineEdit* m_axis = nullptr;
    QLineEdit* m_tile = nullptr;
    QLineEdit* m_index = nullptr;
    QLineEdit* m_factor = nullptr;
    QFormLayout* m_form = nullptr;
    std::unique_ptr<FieldsOf<Loop>> m_fields;
};

/// A view (window of a tensor) or a store (write into an output): names and expressions.
class SliceForm : public InspectorForm {
    Q_OBJECT

public:
    explicit SliceForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

private:
    void addViewFields();
    void addStoreFields();

    ElidedLabel* m_name;
    TextLabel* m_summary;
    QLineEdit* m_id = nullptr;
    QWidget* m_viewPart;
    QWidget* m_storePart;
    std::unique_ptr<FieldsOf<View>> m_view;
    std::unique_ptr<FieldsOf<Store>> m_store;
};

}  // namespace cubist
