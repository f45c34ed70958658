// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/tolerance_fields.h"

#include <algorithm>
#include <initializer_list>

#include "views/models/report_text.h"

namespace cubist {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("cubist::ToleranceFields", source);
}

}  // namespace

void addToleranceFields(FieldsOf<Tolerance>& fields) {
    const auto is = [&fields](std::initializer_list<Criterion> criteria) {
        return [&fields, wanted = std::vector<Criterion>(criteria)] {
            const Tolerance* tolerance = fields.content();
            return tolerance && std::find(wanted.begin(), wanted.end(), tolerance->criterion) != wanted.end();
        };
    };
    QString meanings;
    for (const auto& [criterion, name] : EnumTable<Criterion>::entries)
        meanings += (meanings.isEmpty() ? QString() : QStringLiteral("\n")) +
                    QStringLiteral("%1: %2").arg(qText(name), criterionMeaning(criterion));
    const auto limits = is({Criterion::AllClose, Criterion::AllCloseActual, Criterion::TwoThreshold, Criterion::ErrorRatio});
    fields.choice<Criterion>("criterion", text("criterion"), &Tolerance::criterion).tip(meanings);
    fields.flag("dtype_defaults", text("limits by the output's type"), &Tolerance::dtypeDefaults)
        .tip(text("rtol and atol follow from the output's type"))
        .onlyIf(limits);
    const auto ownLimits = [&fields, limits] { return limits() && !fields.content()->dtypeDefaults; };
    fields.number("rtol", QStringLiteral("rtol"), &Tolerance::rtol).tip(text("Relative tolerance")).onlyIf(ownLimits);
    fields.number("atol", QStringLiteral("atol"), &Tolerance::atol).tip(text("Absolute tolerance")).onlyIf(ownLimits);
    fields.number("max_error_ratio", text("share outside"), &Tolerance::maxErrorRatio)
        .tip(text("Share of the elements that may be outside, 0 to 1"))
        .onlyIf(is({Criterion::ErrorRatio}));
    fields.choice<PrecisionLevel>("level", text("level"), &Tolerance::level)
        .tip(text("Strictness of the three-way comparison"))
        .onlyIf(is({Criterion::ThreeWay}));
    FieldList::Added golden = fields.choice<GoldenKind>("golden", text("golden"), &Tolerance::golden);
    golden.tip(text("ideal: exact arithmetic, casts ignored; framework: FP32 with every declared cast"));
    golden.widget()->setAccessibleName(text("Golden"));
}

}  // namespace cubist
