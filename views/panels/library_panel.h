// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <QString>

#include <vector>

#include "views/widgets/library_item.h"

class QVBoxLayout;

namespace cubist {

class StagePalette;
class Theme;

/// What a design can start from and is made of: skeleton variants, stages, samples, recent files.
class LibraryPanel : public QScrollArea {
    Q_OBJECT

public:
    struct Entry {
        QString key;  ///< what the signal says: variant, sample id or file path
        LibraryItem::Content content;
        bool operator==(const Entry&) const = default;
    };

    explicit LibraryPanel(const Theme& theme, QWidget* parent = nullptr);

    void setSkeletons(const std::vector<Entry>& entries) { fill(Skeletons, entries); }
    void setSamples(const std::vector<Entry>& entries) { fill(Samples, entries); }
    void setRecent(const std::vector<Entry>& entries) { fill(Recent, entries); }
    /// Marks the variant and the sample or file that are open; empty texts for none.
    void setCurrent(const QString& variant, const QString& sample, const QString& file);
    /// The entry of a key in any section; null when there is none.
    [[nodiscard]] LibraryItem* item(const QString& key) const;
    /// Stages, tensors and loops to be dragged onto the canvas.
    [[nodiscard]] StagePalette& stages() const { return *m_stages; }

signals:
    void skeletonChosen(const QString& variant);
    void sampleChosen(const QString& id);
    void recentChosen(const QString& path);

private:
    enum SectionIndex { Skeletons, Samples, Recent, SectionCount };
    struct Row {
        QString key;
        LibraryItem* item;
    };
    struct Section {
        QWidget* holder = nullptr;
        QVBoxLayout* layout = nullptr;
        std::vector<Entry> entries;
        std::vector<Row> rows;
    };

    void fill(SectionIndex index, const std::vector<Entry>& entries);
    void choose(SectionIndex index, const QString& key);

    const Theme& m_theme;
    std::vector<Section> m_sections;
    StagePalette* m_stages;
};

}  // namespace cubist
