// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/design/vector_op_info.h"

class QCheckBox;
class QLineEdit;

namespace cubist {

/// The fields that only some vector operations have: axis, axes, shape, offset, epsilon. Shows those of its operation.
class OpAttributes : public QWidget {
    Q_OBJECT

public:
    explicit OpAttributes(QWidget* parent = nullptr);

    void setOp(const VectorOp& op);

signals:
    /// `label` names the step for the undo history.
    void edited(const cubist::VectorOp& op, const QString& label);

private:
    QLineEdit* addLine(const QString& name, const QString& hint);
    void commit(VectorOp op, const QString& label);

    VectorOp m_op;
    QLineEdit* m_dim;
    QLineEdit* m_dims;
    QLineEdit* m_shape;
    QLineEdit* m_offset;
    QLineEdit* m_epsilon;
    QCheckBox* m_keepDim;
};

/// Sets what the operation does not have to its default, and axes that it cannot do without to the last ones.
void dropForeignFields(VectorOp& op);

/// "16, 64" and back; nothing when a part is no integer.
[[nodiscard]] QString integersText(const std::vector<std::int64_t>& values);
[[nodiscard]] std::optional<std::vector<std::int64_t>> parseIntegers(const QString& text);

}  // namespace cubist
