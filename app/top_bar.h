// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QToolBar>

class QPushButton;
class QToolButton;

namespace cubist {

class CaptionBox;
class Commands;
class Session;
class ElidedLabel;
class TextLabel;

/// The bar below the menus: file and undo buttons, what the design runs on, Run and Stop, export, theme.
class TopBar : public QToolBar {
    Q_OBJECT

public:
    TopBar(Session& session, Commands& commands, QWidget* parent = nullptr);

    [[nodiscard]] CaptionBox* chipBox() const { return m_chip; }
    [[nodiscard]] CaptionBox* caseBox() const { return m_case; }
    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QPushButton* paletteButton() const { return m_palette; }

signals:
    void themeToggled();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Leaves out what the menus have as well while the window is narrow.
    void fitWidth();
    void refresh();
    void fillCases();
    void showRunState();
    QToolButton* addButton(QWidget* target, int command);

    Session& m_session;
    Commands& m_commands;
    ElidedLabel* m_name;
    QWidget* m_dot;
    CaptionBox* m_chip;
    CaptionBox* m_case;
    QList<QToolButton*> m_buttons;  ///< of commands that the menus have too
    TextLabel* m_variantCaption;
    TextLabel* m_variant;
    QPushButton* m_run;
    QPushButton* m_stop;
    QPushButton* m_palette;
    QToolButton* m_theme;
};

}  // namespace cubist
