// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <string>
#include <vector>

#include "views/theme.h"

namespace cubist {

/// Stage times as bars on one scale. A click or Enter selects a stage.
class StageBars : public QWidget {
    Q_OBJECT

public:
    struct Row {
        std::string id;
        QString name;
        Token color = Token::Cube;
        double value = 0.0;  ///< length of the bar
        QString text;        ///< "9.8 us"
        QString toolTip;
        bool operator==(const Row&) const = default;
    };

    explicit StageBars(const Theme& theme, QWidget* parent = nullptr);

    void setRows(std::vector<Row> rows);
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }
    void setSelected(const std::string& id);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void clicked(const std::string& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int rowAt(int y) const;

    const Theme& m_theme;
    std::vector<Row> m_rows;
    std::string m_selected;
};

/// One bar made of parts, with a legend below: where the time goes.
class ShareBar : public QWidget {
    Q_OBJECT

public:
    struct Part {
        QString name;
        double value = 0.0;
        Token color = Token::Wait;
        bool hatched = false;
        QString toolTip;
        bool operator==(const Part&) const = default;
    };

    explicit ShareBar(const Theme& theme, QWidget* parent = nullptr);

    /// Parts of no size are left out.
    void setParts(std::vector<Part> parts);
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override { return {300, heightForWidth(300)}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, heightForWidth(300)}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct LegendEntry {
        QRect rect;
        QString text;
    };
    [[nodiscard]] std::vector<LegendEntry> legend(int width) const;
    [[nodiscard]] double total() const;

    const Theme& m_theme;
    std::vector<Part> m_parts;
};

}  // namespace cubist
