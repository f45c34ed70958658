// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <array>

#include "app/wizard/skeleton_answers.h"

namespace cubist {

class SoftBox;
class TextLabel;
class Theme;
class WrapCheckBox;

/// The first page: the checklist of SK-14, answered by the user, and the skeleton that the answers speak for.
class FitPage : public QWidget {
    Q_OBJECT

public:
    FitPage(const SkeletonIndex& index, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] WrapCheckBox* box(SkeletonQuestion question) const {
        return m_boxes[static_cast<std::size_t>(question)];
    }
    [[nodiscard]] SkeletonAdvice advice() const { return adviceFor(m_answers); }
    /// The advice as it is shown.
    [[nodiscard]] QString verdict() const;

private:
    [[nodiscard]] QWidget* makeQuestions();
    [[nodiscard]] QWidget* makeVerdict();
    void showAdvice();

    const SkeletonIndex& m_index;
    const Theme& m_theme;
    SkeletonAnswers m_answers;
    std::array<WrapCheckBox*, kSkeletonQuestions> m_boxes{};
    SoftBox* m_verdict = nullptr;
    TextLabel* m_title = nullptr;
    TextLabel* m_reason = nullptr;
    TextLabel* m_name = nullptr;
    TextLabel* m_choose = nullptr;
    TextLabel* m_flow = nullptr;
    TextLabel* m_start = nullptr;
    TextLabel* m_note = nullptr;
};

}  // namespace cubist
