// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>

#include "app/wizard/skeleton_answers.h"

class QPushButton;

namespace cubist {

class DocumentModel;
struct SkeletonIndex;
class SoftBox;
class TextLabel;
class Theme;

/// What the rules say about a design that is being made, with a button for the fixes that are safe, and whether SK-14
/// is the skeleton for it.
class DesignCheckPanel : public QWidget {
    Q_OBJECT

public:
    DesignCheckPanel(const SkeletonIndex& index, DocumentModel& document, const Theme& theme,
                     QWidget* parent = nullptr);

    /// What the answers about the operator say: told here as well where it is another skeleton.
    void setAdvice(const SkeletonAdvice& advice);
    /// There is a design, and no rule calls anything in it an error.
    [[nodiscard]] bool isRunnable() const { return m_runnable; }
    [[nodiscard]] QString text() const;
    [[nodiscard]] QPushButton* fixButton() const { return m_fix; }
    void refresh();

signals:
    void runnableChanged();

private:
    void showRules();
    void showSkeleton();
    void fix();

    const SkeletonIndex& m_index;
    DocumentModel& m_document;
    bool m_runnable = false;
    std::optional<SkeletonAdvice> m_advice;
    SoftBox* m_box;
    TextLabel* m_title;
    TextLabel* m_text;
    TextLabel* m_skeleton;
    QPushButton* m_fix;
};

}  // namespace cubist
