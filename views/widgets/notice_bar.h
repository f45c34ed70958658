// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>

#include <functional>
#include <vector>

class QHBoxLayout;
class QPushButton;

namespace cubist {

class IconLabel;
class TextLabel;
class Theme;

/// A line above a view that says something and offers answers, without stopping the work. Hidden until it has something
/// to say; an answer hides it.
class NoticeBar : public QFrame {
    Q_OBJECT

public:
    explicit NoticeBar(const Theme& theme, QWidget* parent = nullptr);

    struct Answer {
        QString text;
        std::function<void()> perform;
    };
    /// Replaces what is shown. A way to close it without an answer is always there.
    void ask(const QString& text, std::vector<Answer> answers);
    [[nodiscard]] QString text() const;
    /// The button of an answer; null when there is none.
    [[nodiscard]] QPushButton* button(int answer) const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    TextLabel* m_text;
    QHBoxLayout* m_layout;
    std::vector<QPushButton*> m_buttons;
};

}  // namespace cubist
