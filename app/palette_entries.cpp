// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_entries.h"

#include <QCoreApplication>
#include <QFileInfo>

#include "app/help_window.h"
#include "app/main_window.h"
#include "core/design/edit_ops.h"
#include "core/rules/registry.h"
#include "views/canvas/canvas_view.h"
#include "views/language.h"
#include "views/qt_text.h"

namespace cubist {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::PaletteEntries)
};

void addCommands(std::vector<PaletteEntry>& entries, MainWindow& window) {
    for (const Command& command : commandTable()) {
        if (command.id == CommandId::Palette) continue;
        QAction* action = window.commands().action(command.id);
        entries.push_back({plainText(command), action->shortcut().toString(QKeySequence::NativeText),
                           [action] { action->trigger(); }, command.icon.value_or(Icon::ChevronRight),
                           action->isEnabled(), QString::fromLatin1(command.name)});
    }
}

void addBlocks(std::vector<PaletteEntry>& entries, MainWindow& window, const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
        const Element element(block.id());
        QString kind;
        Icon icon = Icon::Slice;
        switch (block.kind()) {
            case BlockKind::Cube:
                kind = Texts::tr("C stage");
                icon = Icon::Cube;
                break;
            case BlockKind::Vector:
                kind = Texts::tr("V stage");
                icon = Icon::Vector;
                break;
            case BlockKind::Loop:
                kind = Texts::tr("loop");
                icon = Icon::Loop;
                break;
            case BlockKind::View: kind = Texts::tr("view"); break;
            case BlockKind::Store:
                kind = Texts::tr("store");
                icon = Icon::Store;
                break;
        }
        entries.push_back({QString::fromStdString(element.id), kind,
                           [&window, element] { window.session().selection().reveal(element); }, icon});
        if (const Loop* loop = std::get_if<Loop>(&block.content)) addBlocks(entries, window, loop->body);
    }
}

void addDesign(std::vector<PaletteEntry>& entries, MainWindow& window) {
    DocumentModel& document = window.session().document();
    if (!document.hasDesign()) return;
    const Design& design = *document.design();
    addBlocks(entries, window, design.blocks);
    for (const Tensor& tensor : design.tensors) {
        const Element element(tensor.id);
        entries.push_back({QString::fromStdString(tensor.id.text), Texts::tr("tensor"),
                           [&window, element] { window.session().selection().reveal(element); }, Icon::Tensor});
    }
    for (const Case& entry : design.cases) {
        const QString id = QString::fromStdString(entry.id.text);
        entries.push_back(
            {Texts::tr("Case %1").arg(id), Texts::tr("case"), [&document, id] { document.setCase(id); }, Icon::Case});
    }
    for (const ChipSpec& chip : document.chips().chips()) {
        const ChipId id = chip.id;
        entries.push_back({Texts::tr("Chip %1").arg(QString::fromStdString(id.text)), Texts::tr("chip"),
                           [&document, id] {
                               if (document.hasDesign())
                                   document.apply([] { return Texts::tr("Change chip"); },
                                                  setChip(*document.design(), id));
                           },
                           Icon::Chip});
    }
}

void addFiles(std::vector<PaletteEntry>& entries, MainWindow& window) {
    for (const Catalogue::Entry& sample : window.documents().samples()) {
        const QString id = QString::fromStdString(sample.id);
        entries.push_back({Texts::tr("Open sample %1").arg(id), Texts::tr("sample"),
                           [&window, id] { window.documents().openSample(id); }, Icon::Open, true,
                           inLanguage(sample.design.title, sample.titleZh)});
    }
    for (const QString& path : window.settings().recentFiles())
        entries.push_back({Texts::tr("Open recent %1").arg(QFileInfo(path).fileName()), Texts::tr("recent"),
                           [&window, path] { window.documents().open(path); }, Icon::Recent, QFileInfo::exists(path),
                           path});
}

}  // namespace

std::vector<PaletteEntry> paletteEntries(MainWindow& window) {
    std::vector<PaletteEntry> entries;
    addCommands(entries, window);
    addDesign(entries, window);
    addFiles(entries, window);
    const auto help = [&window](const QString& page) {
        return [&window, page] { HelpWindow::open(&window, window.session().theme(), page); };
    };
    for (const QString& page : helpPages())
        entries.push_back({Texts::tr("Help: %1").arg(helpTitle(page)), Texts::tr("help"), help(page), Icon::Help});
    for (const Rule& rule : allRules()) {
        const QString id = qText(rule.id);
        entries.push_back({id + QLatin1String("  ") + inLanguage(rule.title, rule.titleZh), Texts::tr("rule"),
                           help(QStringLiteral("rule/") + id), Icon::Help});
    }
    return entries;
}

}  // namespace cubist
