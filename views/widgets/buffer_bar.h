// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <cstdint>
#include <vector>

#include "views/theme.h"

class QPainter;

namespace cubist {

/// How a stage fills one on-chip buffer.
struct BufferFill {
    QString name;                ///< "L0A"
    std::int64_t capacity = 0;   ///< bytes
    std::int64_t perSlot = 0;    ///< bytes of the tiles that are in use together; 0: unused
    std::int64_t slotCount = 1;  ///< sets of tiles kept at a time
    QString detail;              ///< tool tip: the arithmetic
    struct Share {
        QString what;  ///< "A 32 x 1024 FP32: 32 x 1024 x 4 B = 131 072 B"
        std::int64_t bytes = 0;
        bool operator==(const Share&) const = default;
    };
    std::vector<Share> shares = {};  ///< what occupies one slot, in order

    bool operator==(const BufferFill&) const = default;
};

/// One line of the buffer map: name, a bar to scale (first slot filled and divided among the tiles in it, further slots
/// outlined, red beyond the capacity), and the sum in words. Point at a part for its arithmetic.
class BufferBar : public QWidget {
    Q_OBJECT

public:
    BufferBar(const Theme& theme, Token color, QWidget* parent = nullptr);

    void setFill(const BufferFill& fill);
    [[nodiscard]] const BufferFill& fill() const { return m_fill; }
    [[nodiscard]] bool isOver() const { return m_fill.perSlot > m_fill.capacity; }
    /// "32 of 64 KB", "unused".
    [[nodiscard]] QString summary() const;

    [[nodiscard]] QSize sizeHint() const override { return {200, 24}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 24}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF track() const;
    void paintSlot(QPainter& painter, const QRectF& slot, bool first) const;

    const Theme& m_theme;
    Token m_color;
    BufferFill m_fill;
};

}  // namespace cubist
