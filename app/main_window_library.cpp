// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's library offers: skeletons, samples and recent files.
#include <QFileInfo>
#include <QMenu>
#include <QRegularExpression>

#include <array>

#include "app/main_window.h"
#include "views/language.h"
#include "views/panels/library_panel.h"
#include "views/qt_text.h"

namespace cubist {
namespace {

struct VariantText {
    Variant variant;
    const char* title;
    const char* subtitle;
};

constexpr std::array<VariantText, 5> kVariants{{
    {Variant::A, QT_TRANSLATE_NOOP("cubist::MainWindow", "No loop"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "whole tensors at once")},
    {Variant::B, QT_TRANSLATE_NOOP("cubist::MainWindow", "Parallel groups"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "a loop over groups")},
    {Variant::BStatic, QT_TRANSLATE_NOOP("cubist::MainWindow", "Unrolled groups"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "groups known beforehand")},
    {Variant::C, QT_TRANSLATE_NOOP("cubist::MainWindow", "Serial tiles"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "one matmul a row tile")},
    {Variant::D, QT_TRANSLATE_NOOP("cubist::MainWindow", "Serial, multi-matmul"),
     QT_TRANSLATE_NOOP("cubist::MainWindow", "a chain of stages a tile")},
}};

}  // namespace

void MainWindow::updateLibrary() {
    std::vector<LibraryPanel::Entry> skeletons;
    for (const VariantText& text : kVariants) {
        const QString key = qText(toText(text.variant));
        bool usable = false;
        for (const SkeletonTemplate& entry : m_documents->skeletons().index().templates)
            usable = usable || entry.variant == text.variant;
        skeletons.push_back(
            {key,
             {key, tr(text.title), tr(text.subtitle),
              usable ? tr("New design of variant %1").arg(key) : tr("No template of variant %1 is installed.").arg(key),
              usable}});
    }
    m_library->setSkeletons(skeletons);
    std::vector<LibraryPanel::Entry> samples;
    for (const Catalogue::Entry& entry : m_documents->samples()) {
        const QString id = QString::fromStdString(entry.id);
        // "GLMGate: router logits of ..." takes two lines.
        const QString whole = inLanguage(entry.design.title, entry.titleZh);
        static const QRegularExpression colon(QStringLiteral(": |\uff1a"));
        const QString title = whole.section(colon, 0, 0);
        const QString rest = whole.section(colon, 1);
        samples.push_back({id,
                           {{},
                            title.isEmpty() ? id : title,
                            rest.isEmpty() ? id : rest,
                            tr("Open a copy of the sample %1\n%2").arg(id, whole),
                            true}});
    }
    m_library->setSamples(samples);
    std::vector<LibraryPanel::Entry> recent;
    for (const QString& path : m_settings.recentFiles()) {
        const QFileInfo info(path);
        const bool there = info.exists();
        recent.push_back({path, {{}, info.fileName(), there ? info.path() : tr("file is gone"), path, there}});
    }
    m_library->setRecent(recent);
    const DocumentModel& document = m_session.document();
    m_library->setCurrent(document.hasDesign() ? qText(toText(document.design()->skeleton.variant)) : QString(),
                          m_documents->currentSample(), document.path());
    updateRecentMenu();
    setTabOrders();  // entries that are new come last otherwise
}

void MainWindow::updateRecentMenu() {
    m_recent->clear();
    for (const QString& path : m_settings.recentFiles()) {
        QAction* action = m_recent->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setStatusTip(path);
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { m_documents->open(path); });
    }
    m_recent->setEnabled(!m_recent->isEmpty());
    if (m_recent->isEmpty()) return;
    m_recent->addSeparator();
    connect(m_recent->addAction(tr("&Clear this list")), &QAction::triggered, this, [this] {
        m_settings.clearRecent();
        updateLibrary();
    });
}

}  // namespace cubist
