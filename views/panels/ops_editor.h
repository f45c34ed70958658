// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>
#include <vector>

#include "core/design/design.h"
#include "views/local_text.h"

class QComboBox;
class QLineEdit;
class QVBoxLayout;

namespace cubist {

class OpAttributes;
class Theme;

/// The operations of a vector stage as a list: operation, result, operands, type, and the operation's own fields.
class OpsEditor : public QWidget {
    Q_OBJECT

public:
    explicit OpsEditor(const Theme& theme, QWidget* parent = nullptr);

    void setOps(const std::vector<VectorOp>& ops);

signals:
    /// `label` names the step for the undo history.
    void edited(const std::vector<cubist::VectorOp>& ops, const cubist::LocalText& label);

private:
    struct Row {
        QWidget* widget;
        QComboBox* op;
        QLineEdit* out;
        QLineEdit* operands;
        QComboBox* dtype;
        OpAttributes* attributes;
    };

    Row makeRow(std::size_t index);
    void show(const Row& row, const VectorOp& op) const;
    void change(std::size_t index, const LocalText& label, const std::function<void(VectorOp&)>& edit);
    void add();
    void remove(std::size_t index);

    const Theme& m_theme;
    QVBoxLayout* m_list;
    std::vector<Row> m_rows;
    std::vector<VectorOp> m_ops;
};

/// "y, 0.5": names and numbers of an operation's operands, and back.
[[nodiscard]] QString operandsText(const std::vector<Operand>& operands);
[[nodiscard]] std::vector<Operand> parseOperands(const QString& text);

}  // namespace cubist
