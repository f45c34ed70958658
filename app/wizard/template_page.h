// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QWidget>

#include <map>
#include <string>
#include <vector>

#include "core/exchange/chip_json.h"
#include "core/exchange/skeleton_library.h"

class QListWidget;
class QVBoxLayout;

namespace cubist {

class CanvasScene;
class TextLabel;
class Theme;

/// The second page: loop variant and data flow, with pictures of the templates that have them.
class TemplatePage : public QWidget {
    Q_OBJECT

public:
    /// `scene`: of the design that is chosen, for the large picture.
    TemplatePage(const SkeletonLibrary& library, const ChipLibrary& chips, const Theme& theme, CanvasScene& scene,
                 QWidget* parent = nullptr);

    /// Chooses a variant; nothing when no template has it.
    void choose(Variant variant);
    /// The first template of the chosen variant and pattern, whatever it multiplies; null when there is none.
    [[nodiscard]] const SkeletonTemplate* chosen() const;
    [[nodiscard]] QListWidget* variants() const { return m_variants; }
    [[nodiscard]] QListWidget* patterns() const { return m_patterns; }

signals:
    void changed();

private:
    [[nodiscard]] Variant variant() const;
    [[nodiscard]] QListWidget* makeList(const QString& name);
    void fillVariants();
    void fillPatterns();
    void addPattern(const SkeletonTemplate& entry);
    void redraw();
    void showChosen();
    [[nodiscard]] QIcon iconOf(const std::string& templateId);

    const SkeletonLibrary& m_library;
    const ChipLibrary& m_chips;
    const Theme& m_theme;
    QListWidget* m_variants;
    QListWidget* m_patterns;
    TextLabel* m_title;
    TextLabel* m_summary;
    std::map<std::string, QIcon> m_icons;  ///< by template; of the present theme
};

}  // namespace cubist
