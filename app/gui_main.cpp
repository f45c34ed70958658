// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QTemporaryDir>

#include <utility>

#include "app/main_window.h"
#include "app/screenshots.h"
#include "app/version.h"
#include "app/workbench.h"
#include "views/theme.h"

int main(int argc, char** argv) {
    using namespace cubist;
    // Read before there is an application: Qt takes the size of everything at its start.
    if (const int percent = Settings().scalePercent(); percent != 100 && !qEnvironmentVariableIsSet("QT_SCALE_FACTOR"))
        qputenv("QT_SCALE_FACTOR", QByteArray::number(percent / 100.0));
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("cubist"));
    QApplication::setApplicationVersion(QString::fromStdString(versionText()));
    QApplication::setDesktopFileName(QStringLiteral("cubist"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/cubist.svg")));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QApplication::translate("main", "Workbench for PyPTO kernels of the General Multi-MatMul family"));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(
        QStringLiteral("DESIGN"),
        QApplication::translate("main", "design files, or samples by their names; one window for each"),
        QStringLiteral("[DESIGN...]"));
    const QCommandLineOption screenshots(
        QStringLiteral("screenshot"),
        QApplication::translate("main", "write the pictures of the documentation to a folder and exit"),
        QStringLiteral("DIR"));
    parser.addOption(screenshots);
    const QCommandLineOption screenshotSet(
        QStringLiteral("screenshot-set"),
        QApplication::translate("main", "write a picture of every layout, theme and language to a folder and exit"),
        QStringLiteral("DIR"));
    parser.addOption(screenshotSet);
    parser.process(application);
    const QStringList designs = parser.positionalArguments();

    Theme theme;
    theme.install(application);
    WindowSetup setup;
    setup.paths = DataPaths::standard();
    if (parser.isSet(screenshots) || parser.isSet(screenshotSet)) {
        QTemporaryDir scratch;  // pictures must not depend on the user's settings, nor change them
        setup.settingsFile = scratch.filePath(QStringLiteral("cubist.ini"));
        MainWindow window(theme, std::move(setup));
        window.show();
        return parser.isSet(screenshots) ? takeScreenshots(window, theme, parser.value(screenshots))
                                         : takeScreenshotSet(window, theme, parser.value(screenshotSet));
    }
    Workbench workbench(theme, std::move(setup));
    workbench.start(designs);
    return QApplication::exec();
}
