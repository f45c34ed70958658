// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "views/icons.h"
#include "views/theme.h"

class QVBoxLayout;

namespace cubist {

/// Text in one of the theme's fonts and colours that follows theme changes. Where it wraps, a name that is longer than
/// a line goes on in the next one.
class TextLabel : public QLabel {
    Q_OBJECT

public:
    TextLabel(const Theme& theme, FontRole role, Token token, const QString& text = {}, QWidget* parent = nullptr);
    void setToken(Token token);
    void setText(const QString& text);
    [[nodiscard]] QString text() const;

private:
    void applyColor();

    const Theme& m_theme;
    Token m_token;
};

/// A line that ends in an ellipsis where the room ends; the whole text is its tool tip.
class ElidedLabel : public TextLabel {
    Q_OBJECT

public:
    ElidedLabel(const Theme& theme, FontRole role, Token token, QWidget* parent = nullptr);
    void setWholeText(const QString& text);
    [[nodiscard]] const QString& wholeText() const { return m_whole; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void elide();
    [[nodiscard]] int besideText() const;

    QString m_whole;
};

/// An icon in one of the theme's colours that follows theme changes.
class IconLabel : public QWidget {
    Q_OBJECT

public:
    IconLabel(const Theme& theme, Icon icon, Token token, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    Icon m_icon;
    Token m_token;
};

/// Small capitals above a group of controls.
class SectionLabel : public TextLabel {
    Q_OBJECT

public:
    SectionLabel(const Theme& theme, const QString& text, QWidget* parent = nullptr);
};

/// A rounded box with a soft fill of one colour: prediction, verdict, finding.
class SoftBox : public QFrame {
    Q_OBJECT

public:
    SoftBox(const Theme& theme, Token token, QWidget* parent = nullptr);
    void setToken(Token token);
    /// Draws an outline of the strong colour as well.
    void setOutlined(bool outlined);
    [[nodiscard]] QVBoxLayout* box() const { return m_layout; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    Token m_token;
    bool m_outlined = false;
    QVBoxLayout* m_layout;
};

/// A button that looks like a link: an action inside a text. Where the room ends it ends in an ellipsis, and its tool
/// tip begins with the whole text.
class LinkButton : public QPushButton {
    Q_OBJECT

public:
    LinkButton(const Theme& theme, const QString& text, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
};

/// What a panel without data shows: what belongs here and how to get it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const Theme& theme, const QString& title, const QString& text, QWidget* parent = nullptr);
    void setTexts(const QString& title, const QString& text);
    /// Adds a button below the text.
    QPushButton* addButton(const QString& text);

private:
    TextLabel* m_title;
    TextLabel* m_text;
    QVBoxLayout* m_layout;
};

}  // namespace cubist
