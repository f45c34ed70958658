// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>

class QTextBrowser;

namespace cubist {

class Theme;

/// Property of a view that names the page F1 opens for it.
inline constexpr const char* kHelpPage = "helpPage";

/// Names of the pages that are compiled in, the index first.
[[nodiscard]] QStringList helpPages();
/// First heading of a page in the language of the application.
[[nodiscard]] QString helpTitle(const QString& page);
/// The page of a view: its own, or that of the view around it; the index where none has one.
[[nodiscard]] QString helpPageOf(const QWidget* view);
/// Markdown of a page: one of `helpPages`, or "rule/CAP-01", which is made from the registry of rules. Empty for
/// others.
[[nodiscard]] QString helpText(const QString& page);

/// Short pages about the views and the rules, with links between them. One window for the whole program.
class HelpWindow : public QDialog {
    Q_OBJECT

public:
    /// Shows a page, in the window that is open already or in a new one.
    static HelpWindow* open(QWidget* parent, const Theme& theme, const QString& page);

    [[nodiscard]] const QString& page() const { return m_page; }
    [[nodiscard]] QTextBrowser* browser() const { return m_browser; }

private:
    void build();
    HelpWindow(const Theme& theme, QWidget* parent);
    void showPage(const QString& page);

    const Theme& m_theme;
    QTextBrowser* m_browser = nullptr;
    QString m_page;
    QStringList m_back;
};

/// Opens the page of a modal dialog for F1: the commands of the window behind it do not work there. Installed on the
/// application.
class DialogHelp : public QObject {
    Q_OBJECT

public:
    DialogHelp(const Theme& theme, QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const Theme& m_theme;
};

}  // namespace cubist
