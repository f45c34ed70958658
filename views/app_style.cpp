// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/app_style.h"

#include <QStyleFactory>

#include "views/icons.h"

namespace cubist {
namespace {

constexpr int kMessageIconSize = 32;

struct Ours {
    QStyle::StandardPixmap stock;
    Icon icon;
    Token token = Token::Text;
};

constexpr Ours kOurs[] = {
    {QStyle::SP_MessageBoxQuestion, Icon::Help, Token::Accent},
    {QStyle::SP_MessageBoxInformation, Icon::Hint, Token::Accent},
    {QStyle::SP_MessageBoxWarning, Icon::Warning, Token::Warn},
    {QStyle::SP_MessageBoxCritical, Icon::Error, Token::Error},
    {QStyle::SP_FileDialogBack, Icon::ChevronLeft},
    {QStyle::SP_ArrowBack, Icon::ChevronLeft},
    {QStyle::SP_ArrowForward, Icon::ChevronRight},
    {QStyle::SP_FileDialogToParent, Icon::ChevronUp},
    {QStyle::SP_FileDialogNewFolder, Icon::Add},
    {QStyle::SP_FileDialogListView, Icon::Tidy},
    {QStyle::SP_FileDialogDetailedView, Icon::Layout},
    {QStyle::SP_DirIcon, Icon::Folder, Token::Muted},
    {QStyle::SP_DirLinkIcon, Icon::Folder, Token::Muted},
    {QStyle::SP_DirOpenIcon, Icon::Open, Token::Muted},
    {QStyle::SP_DirClosedIcon, Icon::Folder, Token::Muted},
    {QStyle::SP_DirHomeIcon, Icon::Folder, Token::Muted},
    {QStyle::SP_DesktopIcon, Icon::Layout, Token::Muted},
    {QStyle::SP_ComputerIcon, Icon::Chip, Token::Muted},
    {QStyle::SP_DriveHDIcon, Icon::Store, Token::Muted},
    {QStyle::SP_FileIcon, Icon::New, Token::Muted},
    {QStyle::SP_FileLinkIcon, Icon::New, Token::Muted},
    {QStyle::SP_LineEditClearButton, Icon::Close, Token::Muted},
};

}  // namespace

AppStyle::AppStyle(const Theme& theme)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))), m_theme(&theme) {}

QIcon AppStyle::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
    if (m_theme)
        for (const Ours& ours : kOurs)
            if (ours.stock == which) return themedIcon(*m_theme, ours.icon, ours.token);
    return QProxyStyle::standardIcon(which, option, widget);
}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    return metric == PM_MessageBoxIconSize ? kMessageIconSize : QProxyStyle::pixelMetric(metric, option, widget);
}

int AppStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                        QStyleHintReturn* data) const {
    if (hint == SH_Widget_Animation_Duration && m_theme && m_theme->reducedMotion()) return 0;
    return QProxyStyle::styleHint(hint, option, widget, data);
}

}  // namespace cubist
