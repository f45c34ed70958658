// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/style_sheet.h"

#include <QFile>
#include <QRegularExpression>

#include <array>
#include <cassert>
#include <utility>

#include "views/theme.h"

namespace cubist {

namespace {

constexpr std::array<std::pair<const char*, Token>, kTokenCount> kNames{{
    {"bg", Token::Bg},         {"surface", Token::Surface},
    {"raised", Token::Raised}, {"border", Token::Border},
    {"grid", Token::Grid},     {"text", Token::Text},
    {"muted", Token::Muted},   {"accent", Token::Accent},
    {"cube", Token::Cube},     {"cubeSoft", Token::CubeSoft},
    {"vector", Token::Vector}, {"vectorSoft", Token::VectorSoft},
    {"move", Token::Move},     {"moveSoft", Token::MoveSoft},
    {"fix", Token::Fix},       {"wait", Token::Wait},
    {"error", Token::Error},   {"warn", Token::Warn},
    {"ok", Token::Ok},         {"select", Token::Select},
    {"mte1", Token::Mte1},     {"mte3", Token::Mte3},
}};

QString replacement(const QString& name, ColorScheme scheme) {
    const bool dark = scheme != ColorScheme::Light;
    if (name == QLatin1String("onFill")) return Theme::onFill(dark).name();
    if (name == QLatin1String("theme")) return dark ? QStringLiteral("dark") : QStringLiteral("light");
    for (const auto& [known, token] : kNames)
        if (name == QLatin1String(known)) return Theme::color(token, scheme).name();
    assert(false && "unknown @name in style.qss");
    return {};
}

}  // namespace

QString styleSheetText(ColorScheme scheme) {
    QFile file(QStringLiteral(":/style.qss"));
    [[maybe_unused]] const bool opened = file.open(QIODevice::ReadOnly | QIODevice::Text);
    assert(opened && "style.qss is compiled in");
    const QString source = QString::fromUtf8(file.readAll());

    static const QRegularExpression name(QStringLiteral("@([A-Za-z]+)"));
    QString text;
    qsizetype end = 0;
    for (auto it = name.globalMatch(source); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        text += QStringView(source).mid(end, match.capturedStart() - end);
        text += replacement(match.captured(1), scheme);
        end = match.capturedEnd();
    }
    text += QStringView(source).mid(end);
    return text;
}

}  // namespace cubist
