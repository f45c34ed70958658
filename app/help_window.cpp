// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help_window.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPointer>
#include <QPushButton>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextList>
#include <QUrl>
#include <QVBoxLayout>

#include "app/window_place.h"
#include "core/rules/registry.h"
#include "views/icons.h"
#include "views/language.h"
#include "views/models/findings_model.h"
#include "views/theme.h"

namespace cubist {
namespace {

const QString kRulePrefix = QStringLiteral("rule/");

QString fileOf(const QString& page) {
    const QString language = inChinese() ? QStringLiteral("zh") : QStringLiteral("en");
    const QString file = QStringLiteral(":/help/%1/%2.md").arg(language, page);
    return QFile::exists(file) ? file : QStringLiteral(":/help/en/%1.md").arg(page);
}

QString ruleText(const Rule& rule) {
    const auto plain = [](std::string_view text) { return inLanguage(text, {}); };
    QString text = QStringLiteral("# %1\n\n").arg(plain(rule.id));
    text += QStringLiteral("**%1**\n\n%2\n\n")
                .arg(inLanguage(rule.title, rule.titleZh), inLanguage(rule.explanation, rule.explanationZh));
    const auto line = [&](const QString& name, const QString& value) {
        if (!value.isEmpty()) text += QStringLiteral("- %1: %2\n").arg(name, value);
    };
    const auto severity = [](const std::optional<Severity>& level) {
        return level ? severityText(*level).toLower() : HelpWindow::tr("silent");
    };
    if (!rule.formula.empty()) line(HelpWindow::tr("Formula"), QStringLiteral("`%1`").arg(plain(rule.formula)));
    line(HelpWindow::tr("Row of docs/formulas.md"), plain(rule.formulaId));
    line(HelpWindow::tr("Profile of what the compiler checks"), severity(rule.enforced));
    line(HelpWindow::tr("Profile of all that is documented"), severity(rule.documented));
    line(HelpWindow::tr("PyPTO's own error"), plain(rule.pyptoCode));
    if (rule.compilerSilent) line(HelpWindow::tr("Note"), HelpWindow::tr("the compiler stays silent about it"));
    line(HelpWindow::tr("Source"), plain(rule.source));
    return text;
}

QString rulesIndex() {
    QString text = QStringLiteral("\n\n");
    for (const Rule& rule : allRules())
        text +=
            QStringLiteral("- [%1](rule/%1) %2\n").arg(inLanguage(rule.id, {}), inLanguage(rule.title, rule.titleZh));
    return text;
}

/// The reader of Markdown sets paragraphs without any space between them.
void spaceParagraphs(QTextDocument& document) {
    constexpr double kBetweenItems = 3.0;
    constexpr double kBetweenParagraphs = 8.0;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        format.setBottomMargin(block.textList() ? kBetweenItems : kBetweenParagraphs);
        QTextCursor(block).setBlockFormat(format);
    }
}

}  // namespace

QStringList helpPages() {
    QStringList pages{QStringLiteral("index")};
    for (const QString& file :
         QDir(QStringLiteral(":/help/en")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
        if (const QString page = file.chopped(3); page != pages.front()) pages << page;
    return pages;
}

QString helpTitle(const QString& page) {
    const QString text = helpText(page);
    return text.section(QLatin1Char('\n'), 0, 0).remove(QLatin1Char('#')).trimmed();
}

QString helpText(const QString& page) {
    if (page.startsWith(kRulePrefix)) {
        const Rule* rule = findRule(page.mid(kRulePrefix.size()).toStdString());
        return rule ? ruleText(*rule) : QString();
    }
    QFile file(fileOf(page));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString text = QString::fromUtf8(file.readAll());
    if (page == QLatin1String("rules")) text += rulesIndex();
    return text;
}

QString helpPageOf(const QWidget* view) {
    for (; view; view = view->parentWidget())
        if (const QString page = view->property(kHelpPage).toString(); !page.isEmpty()) return page;
    return helpPages().front();
}

HelpWindow* HelpWindow::open(QWidget* parent, const Theme& theme, const QString& page) {
    static QPointer<HelpWindow> shown;
    if (shown && shown->parent() != parent) delete shown;
    if (!shown) shown = new HelpWindow(theme, parent);
    shown->showPage(page);
    shown->show();
    shown->raise();
    shown->activateWindow();
    return shown;
}

HelpWindow::HelpWindow(const Theme& theme, QWidget* parent) : QDialog(parent), m_theme(theme) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("helpWindow"));
    resizeOnScreen(*this, QSize(560, 620));
    buildInLanguage(*this, [this] { build(); });
    connect(&theme, &Theme::changed, this, [this] { showPage(m_page); });
}

void HelpWindow::build() {
    m_browser = new QTextBrowser;
    m_browser->setOpenLinks(false);
    m_browser->setFrameShape(QFrame::NoFrame);
    m_browser->setAccessibleName(tr("Help"));
    m_browser->document()->setDocumentMargin(16);
    auto* back = new QPushButton(themedIcon(m_theme, Icon::ChevronLeft), tr("Back"));
    auto* index = new QPushButton(tr("All pages"));
    auto* close = new QPushButton(tr("Close"));
    for (QPushButton* button : {back, index, close}) button->setAutoDefault(false);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 8, 12, 12);
    bar->addWidget(back);
    bar->addWidget(index);
    bar->addStretch(1);
    bar->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_browser, 1);
    column->addLayout(bar);
    connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        m_back << m_page;
        showPage(link.path());
    });
    connect(back, &QPushButton::clicked, this, [this] {
        if (!m_back.isEmpty()) showPage(m_back.takeLast());
    });
    connect(index, &QPushButton::clicked, this, [this] {
        m_back << m_page;
        showPage(QStringLiteral("index"));
    });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    if (!m_page.isEmpty()) showPage(m_page);
}

void HelpWindow::showPage(const QString& page) {
    QString text = helpText(page);
    m_page = text.isEmpty() ? QStringLiteral("index") : page;
    if (text.isEmpty()) text = helpText(m_page);
    m_browser->setFont(Theme::font(FontRole::Ui));
    m_browser->setMarkdown(text);
    spaceParagraphs(*m_browser->document());
    setWindowTitle(tr("%1 - Help - Cubist").arg(helpTitle(m_page)));
}

DialogHelp::DialogHelp(const Theme& theme, QObject* parent) : QObject(parent), m_theme(theme) {}

bool DialogHelp::eventFilter(QObject* watched, QEvent* event) {
    QWidget* dialog = QApplication::activeModalWidget();
    if (event->type() != QEvent::KeyPress || !dialog ||
        !static_cast<QKeyEvent*>(event)->matches(QKeySequence::HelpContents))
        return QObject::eventFilter(watched, event);
    const QWidget* view = QApplication::focusWidget();
    HelpWindow::open(dialog, m_theme, helpPageOf(view && view->window() == dialog ? view : dialog));
    return true;
}

}  // namespace cubist
