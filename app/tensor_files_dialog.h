// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <optional>
#include <vector>

#include "core/run/run.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;

namespace cubist {

class Session;

/// Files with the values of inputs and with goldens of outputs, for the runs of one window: which file, what its
/// elements are and in which order they lie. Says at once whether a file can be read so, and what else it may be.
class TensorFilesDialog : public QDialog {
    Q_OBJECT

public:
    explicit TensorFilesDialog(Session& session, QWidget* parent = nullptr);

    struct Row {
        TensorTarget target;
        bool golden = false;
        QLineEdit* file = nullptr;
        QComboBox* type = nullptr;   ///< first entry: the file's own, or the tensor's
        QComboBox* order = nullptr;  ///< ND, NZ
        QLabel* state = nullptr;
    };
    [[nodiscard]] const std::vector<std::shared_ptr<Row>>& rows() const { return m_rows; }
    /// The file as it is typed and chosen; nothing without a name.
    [[nodiscard]] static std::optional<TensorFile> fileOf(const Row& row);

    void accept() override;

private:
    void addRow(QGridLayout& grid, const TensorTarget& target, bool golden, const TensorFile* file);
    void choose(Row& row);
    void check(const Row& row) const;

    Session& m_session;
    std::vector<std::shared_ptr<Row>> m_rows;
};

}  // namespace cubist
