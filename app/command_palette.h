// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

#include "views/icons.h"

class QLineEdit;
class QListWidget;

namespace cubist {

/// Something that can be found and done by typing a part of its name.
struct PaletteEntry {
    QString title;
    QString detail;  ///< right-hand side: shortcut, kind
    std::function<void()> perform;
    Icon icon = Icon::ChevronRight;
    bool enabled = true;
    QString keywords = {};  ///< found by these too, but not shown
};

/// How well `typed` fits a text: its letters must occur in order. Higher is better, letters that begin words and
/// letters that follow each other count most; nothing when it does not fit. Upper and lower case are alike.
[[nodiscard]] std::optional<int> fuzzyScore(const QString& typed, const QString& text);

/// Ctrl+K: one line to type into, and what fits below it. Closes itself.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(const Theme& theme, std::vector<PaletteEntry> entries, QWidget* parent);

    /// Opens at the top of its window; deletes itself afterwards.
    void popUp();
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QListWidget* list() const { return m_list; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& typed);
    void perform();

    const Theme& m_theme;
    std::vector<PaletteEntry> m_entries;
    QLineEdit* m_field;
    QListWidget* m_list;
};

}  // namespace cubist
