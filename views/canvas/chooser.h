// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>

#include <vector>

#include "views/theme.h"

class QLabel;
class QLineEdit;
class QListWidget;

namespace cubist {

/// A small list over the canvas: type to filter, arrows and Enter or a click choose, Esc and a click elsewhere close
/// it. Serves quick-add, wiring by keyboard, swapping and searching.
class Chooser : public QFrame {
    Q_OBJECT

public:
    struct Entry {
        QString key;  ///< what `chosen` says
        QString title;
        QString subtitle;
        QString keywords;  ///< found by these too
        QString letter;    ///< of the badge; empty: none
        Token token = Token::Muted;
        bool enabled = true;  ///< others are listed last and cannot be chosen; their subtitle says why
    };

    Chooser(const Theme& theme, QWidget* parent);

    /// Shows the list with its upper left corner near a place of the parent, inside of the parent.
    void open(const QPoint& at, const QString& prompt, std::vector<Entry> entries);
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QListWidget* list() const { return m_list; }
    /// Key of the entry that Enter would choose; empty when none fits.
    [[nodiscard]] QString currentKey() const;

signals:
    void chosen(const QString& key);
    /// Closed without a choice.
    void dismissed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refill();
    void accept();
    void close(bool accepted);

    const Theme& m_theme;
    QLineEdit* m_field;
    QListWidget* m_list;
    QLabel* m_empty;
    std::vector<Entry> m_entries;
};

}  // namespace cubist
