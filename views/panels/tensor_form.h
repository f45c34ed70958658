// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/panels/inspector_form.h"

class QFormLayout;
class QPushButton;

namespace cubist {

class SectionLabel;
class TextLabel;

/// A tensor in global memory: type, shape, format, and where its elements come from.
class TensorForm : public InspectorForm {
    Q_OBJECT

public:
    explicit TensorForm(Session& session, QWidget* parent = nullptr);
    void refresh() override;

private:
    void chooseFile();
    void showData(const Tensor& tensor);
    [[nodiscard]] const Tensor* tensor() const { return findTensor(design(), element().tensor()); }
    bool changeData(const QString& label, const std::function<void(DataSource&)>& edit);

    TextLabel* m_name;
    TextLabel* m_role;
    TextLabel* m_size;
    QComboBox* m_dtype;
    QLineEdit* m_shape;
    QComboBox* m_format;
    QWidget* m_data;
    QComboBox* m_generator;
    QLineEdit* m_low;
    QLineEdit* m_high;
    TextLabel* m_lowLabel;
    TextLabel* m_highLabel;
    QLineEdit* m_file;
    QPushButton* m_clearFile;
    QLineEdit* m_notes;
};

}  // namespace cubist
