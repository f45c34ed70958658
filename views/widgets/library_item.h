// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QString>

#include "views/theme.h"

namespace cubist {

/// A line of the library: badge, title and a short description. One that cannot be used is muted and its tool tip says
/// why.
class LibraryItem : public QAbstractButton {
    Q_OBJECT

public:
    struct Content {
        QString badge;  ///< one or two letters; empty: none
        QString title;
        QString subtitle;
        QString toolTip;
        bool usable = true;
        bool operator==(const Content&) const = default;
    };

    LibraryItem(const Theme& theme, const Content& content, QWidget* parent = nullptr);

    /// Marks the entry that is open.
    void setCurrent(bool current);
    [[nodiscard]] bool isCurrent() const { return m_current; }
    [[nodiscard]] bool isUsable() const { return m_content.usable; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 30}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    /// Long titles take further lines.
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int textLeft() const;

    const Theme& m_theme;
    Content m_content;
    bool m_current = false;
};

}  // namespace cubist
