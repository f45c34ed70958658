// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/variant_rows.h"

#include <QCoreApplication>

#include <cmath>
#include <optional>
#include <utility>

#include "core/lowering/buffer_capacity.h"
#include "views/language.h"
#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::VariantRows)
};

constexpr double kSeen = 0.05;  ///< per cent: a smaller change shows as none

QString none() {
    return QStringLiteral("-");
}

/// Room of a buffer in bytes; empty where the chip has no number for it.
std::optional<double> capacityOf(const ChipSpec& chip, Buffer buffer) {
    const std::int64_t bytes = bufferCapacity(chip, buffer);
    return bytes > 0 ? std::optional(static_cast<double>(bytes)) : std::nullopt;
}

Cell number(const QString& text, const QVariant& key) {
    Cell cell{text, true};
    cell.sortKey = key;
    return cell;
}

Cell changeCell(double before, double after) {
    Cell cell = number(changeText(before, after), before > 0 && after > 0 ? after / before : 0.0);
    const double percent = before > 0 && after > 0 ? 100.0 * (after / before - 1.0) : 0.0;
    if (percent <= -kSeen) cell.color = Token::Ok;
    if (percent >= kSeen) cell.color = Token::Warn;
    return cell;
}

/// The buffer of which most is taken.
Cell fullestBuffer(const VariantFigures& figures, const ChipSpec& chip) {
    double most = 0.0;
    QString text = none();
    for (std::size_t i = 0; i < kBufferCount; ++i) {
        const auto buffer = static_cast<Buffer>(i);
        const std::optional<double> capacity = capacityOf(chip, buffer);
        if (!capacity || static_cast<double>(figures.bufferBytes[i]) <= most * *capacity) continue;
        most = static_cast<double>(figures.bufferBytes[i]) / *capacity;
        text = QStringLiteral("%1 %2 %").arg(qText(bufferName(buffer))).arg(std::lround(100.0 * most));
    }
    return number(text, most);
}

QString findingsText(const VariantFigures& figures) {
    QStringList parts;
    if (figures.error) parts << Texts::tr("not possible");
    if (figures.errors > 0) parts << counted(figures.errors, Texts::tr("1 error"), Texts::tr("%1 errors"));
    if (figures.warnings > 0) parts << counted(figures.warnings, Texts::tr("1 warning"), Texts::tr("%1 warnings"));
    return parts.isEmpty() ? none() : parts.join(QLatin1String(", "));
}

QString countText(double value) {
    // Sums that do not fit their type end at its largest number.
    constexpr double kExact = 9e15;
    return value < kExact ? grouped(std::llround(value)) : shortNumber(value);
}

QString bytesText(double value) {
    constexpr double kMegabyte = 1024.0 * 1024.0;
    if (value < 10.0 * kMegabyte) return kilobytes(std::llround(value));
    return QStringLiteral("%1 MB").arg(countText(std::round(value / kMegabyte)));
}

template <auto Member>
double valueOf(const VariantFigures& figures) {
    return static_cast<double>(figures.*Member);
}

Cell count(std::int64_t value) {
    return number(countText(static_cast<double>(value)), QVariant::fromValue<qlonglong>(value));
}

std::vector<Cell> figureLine(const QString& name, std::optional<double> before, std::optional<double> after,
                             QString (*text)(double)) {
    const auto cell = [&](const std::optional<double>& value) {
        return value ? number(text(*value), *value) : number(none(), -1.0);
    };
    return {Cell{name}, cell(before), cell(after), changeCell(before.value_or(0.0), after.value_or(0.0))};
}

}  // namespace

QString changeText(double before, double after) {
    if (before <= 0 || after <= 0) return none();
    const double percent = 100.0 * (after / before - 1.0);
    if (std::abs(percent) < kSeen) return QStringLiteral("0 %");
    const QString size = QString::number(std::abs(percent), 'f', std::abs(percent) < 100.0 ? 1 : 0);
    return (percent > 0 ? QStringLiteral("+") : QString(QChar(0x2212))) + size + QStringLiteral(" %");
}

bool hasNumbers(const VariantFigures* figures) {
    return figures != nullptr && !figures->error && figures->errors == 0;
}

QString formRemark(const VariantFigures* figures) {
    if (figures == nullptr) return {};
    if (figures->error) return QString::fromStdString(figures->error->message);
    if (figures->firstFinding.empty()) return {};
    return findingsText(*figures) + QStringLiteral(": ") + inLanguage(figures->firstFinding, figures->firstFindingZh);
}

QStringList formHeaders() {
    return {Texts::tr("Form"),         Texts::tr("Kernel"), Texts::tr("End to end"), Texts::tr("Change"),
            Texts::tr("Findings"),     Texts::tr("Tasks"),  Texts::tr("Stages"),     Texts::tr("Leaves"),
            Texts::tr("Instructions"), Texts::tr("Buffer"), Texts::tr("Workspaces")};
}

std::vector<Cell> formCells(const FormLine& line, const ChipSpec& chip) {
    using enum FormColumn;
    const VariantFigures* figures = line.figures;
    std::vector<Cell> cells(static_cast<std::size_t>(Count), number(figures ? none() : QStringLiteral("\u2026"), -1.0));
    const auto at = [&cells](FormColumn column) -> Cell& { return cells[static_cast<std::size_t>(column)]; };
    at(Form) = Cell{line.isCurrent ? Texts::tr("%1 (current)").arg(line.name) : line.name};
    if (hasNumbers(figures)) {
        at(Kernel) = number(microsecondsText(figures->kernelUs), figures->kernelUs);
        at(EndToEnd) = number(microsecondsText(figures->endToEndUs), figures->endToEndUs);
        at(Change) = line.isCurrent || !hasNumbers(line.current)
                         ? number(none(), 1.0)
                         : changeCell(line.current->endToEndUs, figures->endToEndUs);
        at(Tasks) = count(figures->tasks);
        at(Stages) = count(figures->compiledStages);
        at(Leaves) = count(figures->leaves);
        at(Instructions) = count(figures->leafInstructions);
        at(Buffer) = fullestBuffer(*figures, chip);
        at(Workspace) = number(bytesText(static_cast<double>(figures->workspaceBytes)),
                               QVariant::fromValue<qlonglong>(figures->workspaceBytes));
    }
    Cell& findings = at(Findings) = Cell{figures ? findingsText(*figures) : QString()};
    if (figures && (figures->error || figures->errors > 0))
        findings.color = Token::Error;
    else if (figures && figures->warnings > 0)
        findings.color = Token::Warn;
    findings.toolTip = formRemark(figures);
    for (Cell& cell : cells) cell.strong = line.isCurrent;
    return cells;
}

QStringList figureHeaders() {
    return {Texts::tr("Figure"), Texts::tr("Now"), Texts::tr("This form"), Texts::tr("Change")};
}

std::vector<std::vector<Cell>> figureRows(const VariantFigures* current, const VariantFigures* shown,
                                          const ChipSpec& chip) {
    using F = VariantFigures;
    const VariantFigures* before = hasNumbers(current) ? current : nullptr;
    const VariantFigures* after = hasNumbers(shown) ? shown : nullptr;
    std::vector<std::vector<Cell>> rows;
    const auto add = [&](const QString& name, const auto& value, QString (*text)(double)) {
        rows.push_back(figureLine(name, before ? std::optional<double>(value(*before)) : std::nullopt,
                                  after ? std::optional<double>(value(*after)) : std::nullopt, text));
    };
    add(Texts::tr("compiled stages"), valueOf<&F::compiledStages>, countText);
    add(Texts::tr("leaf functions"), valueOf<&F::leaves>, countText);
    add(Texts::tr("instructions of leaf functions"), valueOf<&F::leafInstructions>, countText);
    add(Texts::tr("expressions"), valueOf<&F::expressions>, countText);
    add(Texts::tr("largest expression (limit 18000)"), valueOf<&F::largestExpression>, countText);
    add(Texts::tr("root functions run"), valueOf<&F::roots>, countText);
    add(Texts::tr("tasks"), valueOf<&F::tasks>, countText);
    add(Texts::tr("instructions run"), valueOf<&F::instructions>, countText);
    for (std::size_t i = 0; i < kBufferCount; ++i) {
        const auto bytes = [i](const F& figures) { return static_cast<double>(figures.bufferBytes[i]); };
        if ((!before || bytes(*before) <= 0) && (!after || bytes(*after) <= 0)) continue;
        const auto buffer = static_cast<Buffer>(i);
        const QString name = qText(bufferName(buffer));
        const std::optional<double> capacity = capacityOf(chip, buffer);
        add(capacity ? Texts::tr("%1, of %2").arg(name, bytesText(*capacity)) : name, bytes, bytesText);
    }
    add(Texts::tr("workspaces"), valueOf<&F::workspaces>, countText);
    add(Texts::tr("bytes of workspaces"), valueOf<&F::workspaceBytes>, bytesText);
    add(Texts::tr("cube cores used"), valueOf<&F::usedAic>, countText);
    add(Texts::tr("vector cores used"), valueOf<&F::usedAiv>, countText);
    add(Texts::tr("kernel time"), valueOf<&F::kernelUs>, microsecondsText);
    add(Texts::tr("end to end"), valueOf<&F::endToEndUs>, microsecondsText);
    return rows;
}

}  // namespace cubist
