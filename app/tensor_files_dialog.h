// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <optional>
#include <vector>

#include "core/run/run.h"

class QGridLayout;
class QLineEdit;

namespace cubist {

class ChoiceBox;
class Session;
class TextLabel;

/// Files with the values of inputs and with goldens of outputs, for the runs of one window: which file, what its
/// elements are and in which order they lie. Says at once whether a file can be read so, and what else it may be.
class TensorFilesDialog : public QDialog {
    Q_OBJECT

public:
    explicit TensorFilesDialog(Session& session, QWidget* parent = nullptr);

    /// A line of the dialog: a tensor of the design, what it is read from, and what is said about that.
    struct Row {
        TensorTarget target;
        bool golden = false;
        QLineEdit* file = nullptr;
        ChoiceBox* type = nullptr;   ///< first entry: the file's own, or the tensor's
        ChoiceBox* order = nullptr;  ///< ND, NZ
        TextLabel* state = nullptr;  ///< how the file can be read, or why not and what it may be
    };
    /// Inputs first, then goldens, in declared order. Empty while the shapes of the tensors are not known.
    [[nodiscard]] const std::vector<std::shared_ptr<Row>>& rows() const { return m_rows; }
    /// The file as it is typed and chosen, with its whole path where the design has a folder; nothing without a name.
    [[nodiscard]] std::optional<TensorFile> fileOf(const Row& row) const;

    /// Runs of the window take the files from now on, whether they can be read or not: one may be written later, and a
    /// run says why it could not read it.
    void accept() override;

private:
    [[nodiscard]] QWidget* makeRows();
    void addRow(QGridLayout& grid, const TensorTarget& target, bool golden, const TensorFile* file);
    void choose(Row& row);
    void check(const Row& row) const;

    Session& m_session;
    std::vector<std::shared_ptr<Row>> m_rows;
};

}  // namespace cubist
