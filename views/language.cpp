// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/language.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLayout>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <QWidget>

#include <utility>

#include "core/rules/finding.h"

namespace cubist {
namespace {

const char* const kProperty = "cubistChinese";
const QString kTranslator = QStringLiteral("cubistTranslator");
const QString kQtTranslator = QStringLiteral("qtTranslator");

/// Builds a dialog anew when its texts are those of another language.
class Builder : public QObject {
public:
    Builder(QWidget& dialog, std::function<void()> build)
        : QObject(&dialog), m_dialog(dialog), m_build(std::move(build)) {
        dialog.installEventFilter(this);
        m_build();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == &m_dialog && event->type() == QEvent::LanguageChange && !std::exchange(m_pending, true))
            // Queued: the event may come from one of the widgets that go.
            QMetaObject::invokeMethod(
                this, [this] { rebuild(); }, Qt::QueuedConnection);
        return QObject::eventFilter(watched, event);
    }

private:
    void rebuild() {
        m_pending = false;
        delete m_dialog.layout();
        for (QWidget* child : m_dialog.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            if (!child->isWindow()) delete child;
        m_build();
    }

    QWidget& m_dialog;
    std::function<void()> m_build;
    bool m_pending = false;
};

void remove(QObject* application, const QString& name) {
    if (auto* old = application->findChild<QTranslator*>(name)) {
        QCoreApplication::removeTranslator(old);
        delete old;
    }
}

}  // namespace

void applyLanguage(Language language) {
    QCoreApplication* application = QCoreApplication::instance();
    const bool chinese = language == Language::Chinese ||
                         (language == Language::System && QLocale::system().language() == QLocale::Chinese);
    if (inChinese() == chinese) return;
    application->setProperty(kProperty, chinese);
    remove(application, kTranslator);
    remove(application, kQtTranslator);
    if (!chinese) return;
    // Texts of Qt's own dialogs, where they are installed; ours go before them.
    auto* ofQt = new QTranslator(application);
    ofQt->setObjectName(kQtTranslator);
    if (ofQt->load(QStringLiteral("qtbase_zh_CN"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(ofQt);
    auto* translator = new QTranslator(application);
    translator->setObjectName(kTranslator);
    if (translator->load(QStringLiteral(":/i18n/cubist_zh_CN.qm"))) QCoreApplication::installTranslator(translator);
}

void buildInLanguage(QWidget& dialog, const std::function<void()>& build) {
    new Builder(dialog, build);
}

bool inChinese() {
    return QCoreApplication::instance()->property(kProperty).toBool();
}

QString inLanguage(std::string_view english, std::string_view chinese) {
    const std::string_view text = inChinese() && !chinese.empty() ? chinese : english;
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString messageOf(const Finding& finding) {
    return inLanguage(finding.message, finding.messageZh);
}

QString titleOf(const Fix& fix) {
    return inLanguage(fix.title, fix.titleZh);
}

}  // namespace cubist
