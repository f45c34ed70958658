// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTextStream>

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "app/main_window.h"
#include "core/design/edit_ops.h"
#include "views/canvas/canvas_view.h"
#include "views/language.h"

namespace cubist {
namespace {

constexpr int kPatienceMs = 60'000;

constexpr std::array<std::pair<ThemeMode, const char*>, 3> kModes{
    {{ThemeMode::Light, "light"}, {ThemeMode::Dark, "dark"}, {ThemeMode::HighContrast, "contrast"}}};
/// The small one is what a screen of 1920 x 1080 has at 200 %.
constexpr std::array<std::pair<QSize, const char*>, 2> kSizes{{{QSize(1600, 1000), ""}, {QSize(960, 540), "-small"}}};

/// Lets the window work until `done`; false when that takes too long.
bool waitFor(const std::function<bool()>& done) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > kPatienceMs) return false;
        QApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    // Layout and painting that the last event asked for.
    for (int i = 0; i < 5; ++i) {
        QApplication::processEvents(QEventLoop::AllEvents, 20);
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    return true;
}

/// The first matmul of a design.
Element firstCubeStage(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
        if (block.kind() == BlockKind::Cube) return Element(block.id());
        if (const Loop* loop = std::get_if<Loop>(&block.content))
            if (const Element inside = firstCubeStage(loop->body); !inside.isNone()) return inside;
    }
    return {};
}

/// The sample with its prediction and the values of a run.
std::optional<QString> openAndRun(MainWindow& window) {
    if (!window.documents().openSample(QStringLiteral("glm_gate"))) return QStringLiteral("no sample glm_gate");
    Session& session = window.session();
    if (!waitFor([&] { return session.runs().prediction() && !session.runs().busy(); }))
        return QStringLiteral("no prediction");
    session.run();
    if (!waitFor([&] { return !session.runs().busy(); })) return QStringLiteral("the run did not end");
    session.selection().select(firstCubeStage(session.document().design()->blocks));
    return std::nullopt;
}

int fail(const QString& text) {
    QTextStream(stderr) << "cubist: " << text << '\n';
    return 4;
}

}  // namespace

int takeScreenshots(MainWindow& window, Theme& theme, const QString& folder) {
    if (!QDir().mkpath(folder)) return fail(QStringLiteral("cannot make the folder %1").arg(folder));
    window.resize(1600, 1000);
    window.docks().reset();
    theme.setMode(ThemeMode::Light);
    if (!window.documents().openSample(QStringLiteral("glm_gate"))) return fail(QStringLiteral("no sample glm_gate"));
    Session& session = window.session();
    if (!waitFor([&] { return session.runs().prediction() && !session.runs().busy(); }))
        return fail(QStringLiteral("no prediction"));
    session.selection().select(firstCubeStage(session.document().design()->blocks));
    window.canvas().fitAll();

    bool written = true;
    const auto grab = [&](const char* name) {
        waitFor([] { return true; });
        written = window.grab().save(QDir(folder).filePath(QString::fromLatin1(name))) && written;
    };
    window.docks().show(DockId::Timing);
    grab("main-light.png");
    theme.setMode(ThemeMode::Dark);
    grab("main-dark.png");
    theme.setMode(ThemeMode::Light);
    session.run();
    if (!waitFor([&] { return !session.runs().busy(); })) return fail(QStringLiteral("the run did not end"));
    window.resizeDocks({window.docks().dock(DockId::Accuracy)}, {520}, Qt::Vertical);
    waitFor([] { return true; });
    window.canvas().fitAll();
    grab("accuracy-light.png");
    theme.setMode(ThemeMode::Dark);
    grab("accuracy-dark.png");
    theme.setMode(ThemeMode::Light);
    window.docks().show(DockId::Timing);
    grab("timing-light.png");
    // A tile that does not fit: findings, red fields and bars.
    const Element stage = session.selection().current();
    if (const Block* block = findBlock(*session.document().design(), stage.block())) {
        CubeTile tile = std::get<CubeStage>(block->content).tile;
        tile.m = {256, 256};
        session.document().apply(QStringLiteral("Change tile"),
                                 setCubeTile(*session.document().design(), stage.block(), tile));
    }
    window.docks().reset();
    window.docks().show(DockId::Problems);
    grab("problems-light.png");
    session.document().undoStack().setClean();
    return written ? 0 : fail(QStringLiteral("cannot write to %1").arg(folder));
}

int takeScreenshotSet(MainWindow& window, Theme& theme, const QString& folder) {
    if (!QDir().mkpath(folder)) return fail(QStringLiteral("cannot make the folder %1").arg(folder));
    if (const std::optional<QString> problem = openAndRun(window)) return fail(*problem);
    const double ratio = window.devicePixelRatioF();
    const QString suffix = ratio > 1.0 ? QStringLiteral("@%1x").arg(ratio) : QString();
    bool written = true;
    for (const Language language : {Language::English, Language::Chinese}) {
        applyLanguage(language);
        for (const auto& [mode, modeName] : kModes) {
            theme.setMode(mode);
            for (const LayoutId layout : {LayoutId::Design, LayoutId::Accuracy, LayoutId::Timing}) {
                for (const auto& [size, sizeName] : kSizes) {
                    waitFor([] { return true; });
                    window.resize(size);
                    waitFor([] { return true; });
                    window.useLayout(layout);
                    window.docks().reset();
                    waitFor([] { return true; });
                    window.canvas().fitAll();
                    waitFor([] { return true; });
                    const QString name = QStringLiteral("%1%2-%3-%4%5.png")
                                             .arg(layoutName(layout), QLatin1String(sizeName), QLatin1String(modeName),
                                                  inChinese() ? QStringLiteral("zh") : QStringLiteral("en"), suffix);
                    written = window.grab().save(QDir(folder).filePath(name)) && written;
                }
            }
        }
    }
    window.session().document().undoStack().setClean();
    return written ? 0 : fail(QStringLiteral("cannot write to %1").arg(folder));
}

}  // namespace cubist
