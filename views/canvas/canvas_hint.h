// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

#include <cstdint>

namespace cubist {

/// A line of text that follows the pointer while something is dragged: what would happen, or why it would not.
class CanvasHint : public QLabel {
    Q_OBJECT

public:
    enum class Mood : std::uint8_t { Plain, Good, Bad };

    explicit CanvasHint(QWidget* parent);

    /// Shows a text beside a point of the parent; an empty text hides it.
    void showAt(const QPoint& at, const QString& text, Mood mood);
};

}  // namespace cubist
