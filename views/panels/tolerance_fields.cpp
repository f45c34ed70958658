// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/tolerance_fields.h"

#include <algorithm>
#include <initializer_list>

#include "views/models/report_text.h"

namespace cubist {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::ToleranceFields)
};

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
    const auto limits =
        is({Criterion::AllClose, Criterion::AllCloseActual, Criterion::TwoThreshold, Criterion::ErrorRatio});
    fields
        .choice<Criterion>(
            "criterion", [] { return Texts::tr("criterion"); }, &Tolerance::criterion)
        .tip(meanings);
    fields
        .flag(
            "dtype_defaults", [] { return Texts::tr("limits by the output's type"); }, &Tolerance::dtypeDefaults)
        .tip(Texts::tr("rtol and atol follow from the output's type"))
        .onlyIf(limits);
    const QString byType = Texts::tr("limits by the output's type");
    const auto ownLimits = [&fields, limits] { return limits() && !fields.content()->dtypeDefaults; };
    fields.optionalNumber("rtol", QStringLiteral("rtol"), &Tolerance::rtol, byType)
        .tip(Texts::tr("Relative tolerance"))
        .onlyIf(ownLimits);
    fields.optionalNumber("atol", QStringLiteral("atol"), &Tolerance::atol, byType)
        .tip(Texts::tr("Absolute tolerance"))
        .onlyIf(ownLimits);
    fields
        .number(
            "max_error_ratio", [] { return Texts::tr("share outside"); }, &Tolerance::maxErrorRatio)
        .tip(Texts::tr("Share of the elements that may be outside, 0 to 1"))
        .onlyIf(is({Criterion::ErrorRatio}));
    fields
        .choice<PrecisionLevel>(
            "level", [] { return Texts::tr("level"); }, &Tolerance::level)
        .tip(Texts::tr("Strictness of the three-way comparison"))
        .onlyIf(is({Criterion::ThreeWay}));
    FieldList::Added golden = fields.choice<GoldenKind>(
        "golden", [] { return Texts::tr("golden"); }, &Tolerance::golden);
    golden.tip(
        Texts::tr("ideal: exact arithmetic, casts ignored but for those to 8 bits and fewer; framework: FP32 with "
                  "every declared cast"));
    golden.widget()->setAccessibleName(Texts::tr("Golden"));
}

}  // namespace cubist
