// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/run/variant_compare.h"
#include "views/models/rows_model.h"

namespace cubist {

/// Columns of the forms of a design, side by side.
enum class FormColumn : std::uint8_t {
    Form,
    Kernel,        ///< predicted, in us
    EndToEnd,      ///< predicted, in us
    Change,        ///< of the time end to end against the form that the design has, in per cent
    Findings,      ///< errors and warnings
    Tasks,         ///< of one run
    Stages,        ///< written out in all root functions
    Leaves,        ///< leaf functions
    Instructions,  ///< of all leaf functions
    Buffer,        ///< the fullest one, in per cent of its room
    Workspace,     ///< bytes
    Count          ///< no column: how many there are
};
/// Titles of the columns, in the language of the window.
[[nodiscard]] QStringList formHeaders();

/// What is told of one form. `figures`: null until they are known; `current`: those of the form that the design has
/// now, null when it has none of them or they are not known; `name`: what the form is called.
struct FormLine {
    QString name;
    const VariantFigures* figures = nullptr;
    const VariantFigures* current = nullptr;
    bool isCurrent = false;
};
/// One cell for each `FormColumn`: an ellipsis until the figures are known, "-" where a form has no numbers.
[[nodiscard]] std::vector<Cell> formCells(const FormLine& line, const ChipSpec& chip);

/// Whether a form has numbers: it could be lowered, and no rule calls it an error.
[[nodiscard]] bool hasNumbers(const VariantFigures* figures);
/// Why it has none, or what else the rules have to say; empty when there is nothing.
[[nodiscard]] QString formRemark(const VariantFigures* figures);

/// All figures of a form beside those of the form that the design has now: figure, now, this form, change. Buffers
/// that neither fills are left out; null figures, and those of a form without numbers, are "-".
[[nodiscard]] QStringList figureHeaders();
[[nodiscard]] std::vector<std::vector<Cell>> figureRows(const VariantFigures* current, const VariantFigures* shown,
                                                        const ChipSpec& chip);

/// What `after` is more or less than `before`: "+3.2 %", "0 %"; "-" where one of them is not positive.
[[nodiscard]] QString changeText(double before, double after);

}  // namespace cubist
