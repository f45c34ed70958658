// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>
#include <utility>

#include "core/base/dtype.h"
#include "core/design/design.h"
#include "core/exchange/skeleton_library.h"

class QComboBox;
class QFormLayout;
class QLineEdit;
class QTreeWidget;

namespace cubist {

class CanvasScene;
class DesignCheckPanel;
class DocumentModel;
class Theme;

/// The third page: name, chip, types and shapes of the design that is being made, its tensors and picture, and what the
/// rules and the checklist say about it, all live.
class SizesPage : public QWidget {
    Q_OBJECT

public:
    SizesPage(const SkeletonLibrary& library, DocumentModel& document, const Theme& theme, CanvasScene& scene,
              QWidget* parent = nullptr);

    /// Starts from a template; null closes the document.
    void setTemplate(const SkeletonTemplate* entry);
    [[nodiscard]] DesignCheckPanel& check() { return *m_check; }
    [[nodiscard]] QComboBox* types() const { return m_types; }
    [[nodiscard]] QComboBox* chip() const { return m_chip; }
    [[nodiscard]] QLineEdit* name() const { return m_name; }

private:
    /// An entry of the types: a template, and one type of it replaced.
    struct Types {
        std::string templateId;
        std::optional<std::pair<DType, DType>> replaced;
    };

    [[nodiscard]] QWidget* makeFields();
    [[nodiscard]] QWidget* makeOverview(CanvasScene& scene);
    void addTypes(const SkeletonTemplate& entry);
    [[nodiscard]] bool isClean(Design design) const;
    void useTypes();
    void fillChips();
    void fillShapes();
    void addSymbols();
    void setSymbol(const SymbolId& symbol, std::int64_t value);
    void addExtents();
    void addLists();
    void showTensors();

    const SkeletonLibrary& m_library;
    DocumentModel& m_document;
    const Theme& m_theme;
    Design m_base;       ///< whose groups are stretched: what is typed in between must not spoil their proportions
    Design m_stretched;  ///< what became of it
    std::vector<Types> m_choices;
    std::string m_arch;  ///< that the template is for; empty: all
    QString m_ownName;   ///< as the user typed it
    QLineEdit* m_name = nullptr;
    QComboBox* m_types = nullptr;
    QComboBox* m_chip = nullptr;
    QFormLayout* m_shapes = nullptr;
    QTreeWidget* m_tensors = nullptr;
    DesignCheckPanel* m_check = nullptr;
};

}  // namespace cubist
