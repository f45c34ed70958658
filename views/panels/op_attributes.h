// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>

#include "core/design/vector_op_info.h"
#include "views/panels/field_list.h"

namespace cubist {

/// The fields that only some vector operations have: axis, rounding, shape, second result ... Shows those of its
/// operation.
class OpAttributes : public QWidget {
    Q_OBJECT

public:
    explicit OpAttributes(const Theme& theme, QWidget* parent = nullptr);

    void setOp(const VectorOp& op);

signals:
    /// `label` names the step for the undo history.
    void edited(const cubist::VectorOp& op, const cubist::LocalText& label);

private:
    void addFields();

    VectorOp m_op;
    FieldsOf<VectorOp> m_fields;
};

/// Sets what the operation does not have to its default, and axes that it cannot do without to the last ones.
void dropForeignFields(VectorOp& op);

}  // namespace cubist
