// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/skeleton_library.h"
#include "core/skeleton/checklist.h"
#include "views/document_model.h"
#include "views/selection_model.h"

class QComboBox;
class QFormLayout;
class QGraphicsView;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace cubist {

class CanvasScene;
class StepSpinBox;
class TextLabel;
class Theme;

/// A new design from a template: loop variant, data flow, operand types, shapes and chip on one page, with the picture
/// of the real template, and the checklist of SK-14 answered for what is chosen. Ends in a design that runs.
class NewDesignDialog : public QDialog {
    Q_OBJECT

public:
    NewDesignDialog(const SkeletonLibrary& library, const ChipLibrary& chips, const Theme& theme, QWidget* parent);
    ~NewDesignDialog() override;

    /// Chooses a variant; nothing when no template has it.
    void choose(Variant variant);
    /// What is chosen now; null when no template fits.
    [[nodiscard]] std::shared_ptr<const Design> design() const { return m_document->design(); }
    /// "SK-14", or the skeleton that fits better.
    [[nodiscard]] QString recommended() const { return m_recommended; }
    [[nodiscard]] QListWidget* variants() const { return m_variants; }
    [[nodiscard]] QListWidget* patterns() const { return m_patterns; }

signals:
    void created(const cubist::Design& design);

private:
    [[nodiscard]] QWidget* makeChoices();
    [[nodiscard]] QWidget* makePicture();
    [[nodiscard]] QWidget* makeNumbers();
    void fillVariants();
    void fillPatterns();
    void fillKinds();
    void fillChips(const SkeletonTemplate& chosen);
    void choiceChanged();
    void showSymbols();
    void showChecklist();
    [[nodiscard]] Variant variant() const;
    [[nodiscard]] const SkeletonTemplate* chosen() const;
    [[nodiscard]] QIcon pictureOf(const Design& design) const;

    const SkeletonLibrary& m_library;
    const ChipLibrary& m_chips;
    const Theme& m_theme;
    std::unique_ptr<DocumentModel> m_document;
    SelectionModel m_selection;
    CanvasScene* m_scene;
    QListWidget* m_variants = nullptr;
    QListWidget* m_patterns = nullptr;
    QGraphicsView* m_picture = nullptr;
    TextLabel* m_title = nullptr;
    TextLabel* m_summary = nullptr;
    QLineEdit* m_name = nullptr;
    QComboBox* m_kind = nullptr;
    QComboBox* m_chip = nullptr;
    QFormLayout* m_symbols = nullptr;
    QVBoxLayout* m_checklist = nullptr;
    TextLabel* m_advice = nullptr;
    TextLabel* m_findings = nullptr;
    QPushButton* m_create = nullptr;
    QString m_recommended;
    std::string m_shownTemplate;
};

}  // namespace cubist
