// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QWidget>

#include <vector>

#include "views/canvas/stage_catalog.h"

namespace cubist {

/// One line of the palette: dragged onto the canvas, or pressed to be added beside the selection.
class PaletteItem : public QAbstractButton {
    Q_OBJECT

public:
    PaletteItem(const Theme& theme, const CatalogEntry& entry, QWidget* parent = nullptr);

    [[nodiscard]] const QString& key() const { return m_key; }
    [[nodiscard]] QSize sizeHint() const override { return {208, 30}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 30}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QPixmap picture() const;

    const Theme& m_theme;
    QString m_key;
    CatalogEntry::Kind m_kind;
    QPoint m_pressed;
};

/// What stages, tensors and loops there are. Quick-add on the canvas knows more of them.
class StagePalette : public QWidget {
    Q_OBJECT

public:
    explicit StagePalette(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] PaletteItem* item(const QString& key) const;

signals:
    void chosen(const QString& key);

private:
    std::vector<PaletteItem*> m_items;
};

}  // namespace cubist
