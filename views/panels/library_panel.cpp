// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/library_panel.h"

#include <QToolTip>
#include <QVBoxLayout>

#include <array>

#include "views/panels/stage_palette.h"
#include "views/widgets/labels.h"

namespace cubist {

LibraryPanel::LibraryPanel(const Theme& theme, QWidget* parent)
    : QScrollArea(parent), m_theme(theme), m_sections(SectionCount), m_stages(new StagePalette(theme)) {
    setWidgetResizable(true);
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    const std::array titles{tr("Skeletons"), tr("Samples"), tr("Recent")};
    for (std::size_t i = 0; i < m_sections.size(); ++i) {
        Section& section = m_sections[i];
        section.holder = new QWidget;
        section.layout = new QVBoxLayout(section.holder);
        section.layout->setContentsMargins(0, 0, 0, 0);
        section.layout->setSpacing(2);
        auto* title = new SectionLabel(theme, titles[i]);
        title->setContentsMargins(8, 2, 0, 4);
        section.layout->addWidget(title);
        section.holder->hide();
        layout->addWidget(section.holder);
        if (i == Skeletons) layout->addWidget(m_stages);
    }
    layout->addStretch(1);
    setWidget(content);
}

void LibraryPanel::fill(SectionIndex index, const std::vector<Entry>& entries) {
    Section& section = m_sections[static_cast<std::size_t>(index)];
    // An unchanged list keeps its items, and with them the focus.
    if (entries == section.entries) return;
    section.entries = entries;
    for (const Row& row : section.rows) {
        section.layout->removeWidget(row.item);
        row.item->hide();
        row.item->deleteLater();
    }
    section.rows.clear();
    for (const Entry& entry : entries) {
        auto* item = new LibraryItem(m_theme, entry.content);
        section.layout->addWidget(item);
        section.rows.push_back({entry.key, item});
        connect(item, &QAbstractButton::clicked, this, [this, index, key = entry.key, item] {
            if (item->isUsable())
                choose(index, key);
            else
                QToolTip::showText(item->mapToGlobal(QPoint(item->width() / 2, item->height())), item->toolTip(), item);
        });
    }
    section.holder->setVisible(!entries.empty());
}

void LibraryPanel::choose(SectionIndex index, const QString& key) {
    switch (index) {
        case Skeletons: emit skeletonChosen(key); break;
        case Samples: emit sampleChosen(key); break;
        case Recent: emit recentChosen(key); break;
        case SectionCount: break;
    }
}

void LibraryPanel::setCurrent(const QString& variant, const QString& sample, const QString& file) {
    const std::array<QString, SectionCount> keys{variant, sample, file};
    for (std::size_t i = 0; i < m_sections.size(); ++i)
        for (const Row& row : m_sections[i].rows) row.item->setCurrent(!keys[i].isEmpty() && row.key == keys[i]);
}

LibraryItem* LibraryPanel::item(const QString& key) const {
    for (const Section& section : m_sections)
        for (const Row& row : section.rows)
            if (row.key == key) return row.item;
    return nullptr;
}

}  // namespace cubist
