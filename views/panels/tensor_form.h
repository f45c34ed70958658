// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/panels/inspector_form.h"

class QCheckBox;
class QFormLayout;
class QLabel;
class QPushButton;

namespace cubist {

class ElidedLabel;
class TextLabel;

/// A tensor in global memory: type, shape, format, where its elements come from, and how an output is judged.
class TensorForm : public InspectorForm {
    Q_OBJECT

public:
    explicit TensorForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

signals:
    /// The user wants to edit the groups of a list.
    void groupsRequested(const cubist::ListId& list);

private:
    void addFields();
    void addData();
    void addTolerance();
    void chooseFile();
    void showData(const Tensor& tensor);
    [[nodiscard]] const Tensor* tensor() const { return findTensor(design(), element().tensor()); }
    bool changeTensor(const LocalText& label, const std::function<void(Tensor&)>& edit, const QString& mergeKey = {});

    ElidedLabel* m_name;
    TextLabel* m_role;
    TextLabel* m_size;
    QLineEdit* m_id = nullptr;
    QWidget* m_data;
    QLineEdit* m_low = nullptr;
    QLineEdit* m_high = nullptr;
    QLabel* m_lowLabel = nullptr;
    QLabel* m_highLabel = nullptr;
    QWidget* m_fileRow = nullptr;
    QLineEdit* m_file = nullptr;
    QPushButton* m_clearFile = nullptr;
    QPushButton* m_groups = nullptr;
    QFormLayout* m_dataForm = nullptr;
    QWidget* m_tolerance;
    QCheckBox* m_ownTolerance = nullptr;
    QWidget* m_ownPart = nullptr;
    std::unique_ptr<FieldsOf<Tensor>> m_fields;
    std::unique_ptr<FieldsOf<Tolerance>> m_limits;
};

}  // namespace cubist
