// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

#include "views/theme.h"

namespace cubist {

/// The rows of each group as bars with the mean as a line; empty groups are hatched. A bar is dragged to another size;
/// with the keyboard, left and right choose a group and up and down change it.
class GroupBars : public QWidget {
    Q_OBJECT

public:
    explicit GroupBars(const Theme& theme, QWidget* parent = nullptr);

    void setCounts(const std::vector<std::int64_t>& counts);
    [[nodiscard]] std::size_t current() const { return m_current; }
    void setCurrent(std::size_t group);
    /// Where a group's bar is; the bar of an empty group has the height of its hatch.
    [[nodiscard]] QRectF barRect(std::size_t group) const;

    [[nodiscard]] QSize sizeHint() const override { return {420, 168}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 120}; }

signals:
    void currentChanged(std::size_t group);
    void edited(std::size_t group, std::int64_t count);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] std::int64_t top() const;
    [[nodiscard]] std::size_t groupAt(double x) const;
    void dragTo(double y);

    const Theme& m_theme;
    std::vector<std::int64_t> m_counts;
    std::size_t m_current = 0;
    std::int64_t m_top = 0;  ///< of the scale while a bar is dragged; 0: of the counts
};

}  // namespace cubist
