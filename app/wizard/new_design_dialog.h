// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>

#include "core/exchange/skeleton_library.h"
#include "views/document_model.h"
#include "views/selection_model.h"

class QPushButton;
class QStackedWidget;
class QTabBar;

namespace cubist {

class CanvasScene;
class FitPage;
class SizesPage;
class TemplatePage;
class Theme;

/// A new design from a skeleton in three steps: is SK-14 the skeleton for it, which template, and which sizes. Every
/// step has a usable choice from the start, so Create is always there. Ends in a design that runs.
class NewDesignDialog : public QDialog {
    Q_OBJECT

public:
    NewDesignDialog(const SkeletonLibrary& library, const ChipLibrary& chips, const Theme& theme, QWidget* parent);
    ~NewDesignDialog() override;

    enum Step { Fit, Structure, Sizes };
    void showStep(int step);
    [[nodiscard]] int step() const;
    /// Chooses a variant; nothing when no template has it.
    void choose(Variant variant);
    /// What would be created now; null when no template fits.
    [[nodiscard]] std::shared_ptr<const Design> design() const { return m_document.design(); }
    [[nodiscard]] FitPage& fitPage() { return *m_fit; }
    [[nodiscard]] TemplatePage& templatePage() { return *m_templates; }
    [[nodiscard]] SizesPage& sizesPage() { return *m_sizes; }
    [[nodiscard]] QPushButton* createButton() const { return m_create; }

signals:
    void created(const cubist::Design& design);
    /// Rather no skeleton at all.
    void emptyWanted();

private:
    [[nodiscard]] QWidget* makeButtons();
    void useTemplate();
    void updateButtons();
    void create();

    DocumentModel m_document;
    SelectionModel m_selection;
    std::unique_ptr<CanvasScene> m_scene;
    QTabBar* m_steps;
    QStackedWidget* m_pages;
    FitPage* m_fit;
    TemplatePage* m_templates;
    SizesPage* m_sizes;
    QPushButton* m_back = nullptr;
    QPushButton* m_next = nullptr;
    QPushButton* m_create = nullptr;
    std::string m_shown;  ///< template that the sizes are of
};

}  // namespace cubist
