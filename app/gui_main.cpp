// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QTemporaryDir>
#include <QTextStream>
#include <QTimer>

#include <utility>

#include "app/main_window.h"
#include "app/screenshots.h"
#include "app/version.h"
#include "views/theme.h"

int main(int argc, char** argv) {
    using namespace cubist;
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
    parser.addPositionalArgument(QStringLiteral("DESIGN"),
                                 QApplication::translate("main", "a design file, or a sample by its name"),
                                 QStringLiteral("[DESIGN]"));
    const QCommandLineOption screenshots(
        QStringLiteral("screenshot"),
        QApplication::translate("main", "write the pictures of the documentation to a folder and exit"),
        QStringLiteral("DIR"));
    parser.addOption(screenshots);
    parser.process(application);
    const QStringList designs = parser.positionalArguments();
    if (designs.size() > 1) {
        QTextStream(stderr) << "cubist: one design at a time, please; see cubist --help\n";
        return 2;
    }

    Theme theme;
    theme.install(application);
    WindowSetup setup;
    setup.paths = DataPaths::standard();
    QTemporaryDir scratch;  // pictures must not depend on the user's settings, nor change them
    if (parser.isSet(screenshots)) setup.settingsFile = scratch.filePath(QStringLiteral("cubist.ini"));
    MainWindow window(theme, std::move(setup));
    window.show();
    if (parser.isSet(screenshots)) return takeScreenshots(window, theme, parser.value(screenshots));
    // The window appears first, whatever the design needs to load.
    QTimer::singleShot(0, &window, [&] { window.documents().openFirst(designs.value(0)); });
    return QApplication::exec();
}
