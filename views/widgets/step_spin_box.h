// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rules/finding.h"
#include "views/theme.h"

namespace cubist {

/// An integer field that steps through the values that make sense (arrow keys, wheel, the arrows at its right end) and
/// takes any other by typing: judging it is the rules' business, and `setSeverity` shows what they found.
class StepSpinBox : public QAbstractSpinBox {
    Q_OBJECT
    Q_PROPERTY(qlonglong value READ valueOrZero NOTIFY edited USER true)

public:
    /// `caption`: small text inside the field, at its right end ("L0", "L1 A").
    StepSpinBox(const Theme& theme, const QString& caption, QWidget* parent = nullptr);

    /// Empty fields are possible when `setEmptyText` was called.
    [[nodiscard]] std::optional<std::int64_t> value() const { return m_value; }
    [[nodiscard]] qlonglong valueOrZero() const { return m_value.value_or(0); }
    /// Shows a value without a signal. A text that already means it is left alone, so that typing is not disturbed.
    void setValue(std::optional<std::int64_t> value);
    /// Lets the field be empty and shows `text` then.
    void setEmptyText(const QString& text);
    /// The field stands for several values that differ: it is empty and says so until one is given to all.
    void setMixed(bool mixed);
    /// Ascending. Without any, steps are of one.
    void setSteps(std::vector<std::int64_t> steps) { m_steps = std::move(steps); }
    /// Outline for what the rules found about the value; empty for nothing.
    void setSeverity(std::optional<Severity> severity);
    [[nodiscard]] std::optional<Severity> severity() const { return m_severity; }

    void stepBy(int count) override;

    /// Dragging: the value goes through the steps as they were when it began, and back.
    void beginScrub();
    void scrubTo(int steps);
    /// `keep` false goes back to the value before.
    void endScrub(bool keep);
    [[nodiscard]] bool isScrubbing() const { return m_scrubbing; }
    /// Pixels of a drag for one step.
    static constexpr int kScrubPixels = 8;
    /// Lets a label be dragged sideways for this field.
    void addScrubHandle(QWidget* label);
    [[nodiscard]] QValidator::State validate(QString& text, int& position) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    /// The user typed or stepped to another value; `stepped` tells which.
    void edited(std::optional<std::int64_t> value, bool stepped);
    void scrubBegun();
    void scrubEnded();

protected:
    [[nodiscard]] StepEnabled stepEnabled() const override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void textTyped(const QString& text);
    void setStepped(std::int64_t value);
    [[nodiscard]] static std::int64_t stepped(std::int64_t value, int count, const std::vector<std::int64_t>& steps);
    void dragTo(int globalX);
    [[nodiscard]] bool filterNumber(QEvent& event);
    void placeEditor();
    [[nodiscard]] int captionWidth() const;
    [[nodiscard]] QRect arrowsRect() const;

    const Theme& m_theme;
    QString m_caption;
    std::vector<std::int64_t> m_steps;
    std::optional<std::int64_t> m_value = 0;
    std::optional<Severity> m_severity;
    QString m_emptyText;
    bool m_mayBeEmpty = false;
    bool m_mixed = false;
    bool m_pressed = false;         ///< a drag may begin
    bool m_focusedByPress = false;  ///< the press that is under way gave the focus
    bool m_scrubbing = false;
    int m_pressedAt = 0;  ///< global x
    std::int64_t m_scrubFrom = 0;
    std::optional<std::int64_t> m_valueBefore;
    std::vector<std::int64_t> m_scrubSteps;
};

}  // namespace cubist
