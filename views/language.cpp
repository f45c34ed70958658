// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/language.h"

#include <QCoreApplication>
#include <QLocale>
#include <QTranslator>

#include "core/rules/finding.h"

namespace cubist {
namespace {

const char* const kProperty = "cubistChinese";
const QString kTranslator = QStringLiteral("cubistTranslator");

}  // namespace

void applyLanguage(Language language) {
    QCoreApplication* application = QCoreApplication::instance();
    const bool chinese = language == Language::Chinese ||
                         (language == Language::System && QLocale::system().language() == QLocale::Chinese);
    if (inChinese() == chinese) return;
    application->setProperty(kProperty, chinese);
    if (auto* old = application->findChild<QTranslator*>(kTranslator)) {
        QCoreApplication::removeTranslator(old);
        delete old;
    }
    if (!chinese) return;
    auto* translator = new QTranslator(application);
    translator->setObjectName(kTranslator);
    if (translator->load(QStringLiteral(":/i18n/cubist_zh_CN.qm"))) QCoreApplication::installTranslator(translator);
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
