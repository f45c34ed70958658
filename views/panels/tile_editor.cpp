// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/tile_editor.h"

#include <QGridLayout>

#include <algorithm>
#include <utility>

#include "views/language.h"
#include "views/widgets/labels.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {
namespace {

struct FieldPlace {
    TileField field;
    int row, column;
    const char* caption;
    const char* pointer;  ///< below the tile
};

constexpr std::array<FieldPlace, 7> kPlaces{{
    {TileField::ML0, 0, 0, "L0", "/m/0"},
    {TileField::ML1, 0, 1, "L1", "/m/1"},
    {TileField::KL0, 1, 0, "L0", "/k/0"},
    {TileField::KAL1, 1, 1, "L1 A", "/k/1"},
    {TileField::KBL1, 1, 2, "L1 B", "/k/2"},
    {TileField::NL0, 2, 0, "L0", "/n/0"},
    {TileField::NL1, 2, 1, "L1", "/n/1"},
}};

const FieldPlace& placeOf(TileField field) {
    return *std::find_if(kPlaces.begin(), kPlaces.end(), [&](const FieldPlace& place) { return place.field == field; });
}

/// Whether a finding at `where` concerns the value at `field`: the value itself, or the list or tile that holds it.
bool isAt(const std::string& where, const std::string& field) {
    return where == field || (field.starts_with(where) && field[where.size()] == '/');
}

/// A finding about the whole tile is narrowed down to the values that its fixes change.
bool concerns(const Finding& finding, const std::string& field, const std::string& tile) {
    if (finding.where != tile || finding.fixes.empty()) return isAt(finding.where, field);
    for (const Fix& fix : finding.fixes)
        for (const Fix::Step& step : fix.steps)
            if (isAt(step.where, field)) return true;
    return false;
}

}  // namespace

TileEditor::TileEditor(const Theme& theme, QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(6);
    const std::array axes{QStringLiteral("M"), QStringLiteral("K"), QStringLiteral("N")};
    for (int row = 0; row < 3; ++row) {
        auto* label = new TextLabel(theme, FontRole::UiStrong, Token::Muted, axes[static_cast<std::size_t>(row)]);
        label->setFixedWidth(16);
        grid->addWidget(label, row, 0);
    }
    for (const FieldPlace& place : kPlaces) {
        auto* field = new StepSpinBox(theme, QString::fromLatin1(place.caption));
        field->setObjectName(QStringLiteral("tile") +
                             QString::fromLatin1(place.pointer).replace(QLatin1Char('/'), QLatin1Char('_')));
        field->setAccessibleName(
            tr("Tile %1 %2").arg(axes[static_cast<std::size_t>(place.row)], QString::fromLatin1(place.caption)));
        m_fields[static_cast<std::size_t>(place.field)] = field;
        grid->addWidget(field, place.row, place.column + 1);
        connect(field, &StepSpinBox::edited, this,
                [this, id = place.field](std::optional<std::int64_t> value, bool stepped) {
                    fieldEdited(id, value, stepped);
                });
        connect(field, &StepSpinBox::scrubBegun, this, [this] {
            m_scrubbed = m_tile;
            emit scrubBegun();
        });
        connect(field, &StepSpinBox::scrubEnded, this, [this] {
            m_scrubbed.reset();
            emit scrubEnded();
        });
        connect(field, &QAbstractSpinBox::editingFinished, this, &TileEditor::editingFinished);
        field->setProperty("key", QString::fromLatin1(place.pointer).mid(1, 1));
    }
    field(TileField::KBL1)->setEmptyText(tr("as A"));
    field(TileField::KBL1)->setToolTip(tr("K extent of B in L1; empty: the same as A's"));
    for (int column = 1; column <= 3; ++column) grid->setColumnStretch(column, 1);
}

void TileEditor::setTile(const CubeTile& tile, DType operand, const MatmulSize& size, const ChipSpec* chip) {
    m_tile = tile;
    for (const FieldPlace& place : kPlaces) {
        StepSpinBox* box = field(place.field);
        const bool absent = place.field == TileField::KBL1 && tile.k.size() < 3;
        box->setValue(absent ? std::nullopt : std::optional(tileValue(tile, place.field)));
        const std::int64_t extent = place.row == 0 ? size.m : place.row == 1 ? size.k : size.n;
        std::vector<std::int64_t> steps = tileSteps(tile, place.field, operand, extent);
        // Steps end where the buffers are full; from beyond there is a way back.
        const std::int64_t now = tileValue(tile, place.field);
        if (chip)
            std::erase_if(steps, [&](std::int64_t step) {
                return step > now && !fitsBuffers(stepTile(tile, place.field, step), operand, *chip);
            });
        box->setSteps(std::move(steps));
    }
}

void TileEditor::setMixed(const std::set<TileField>& fields) {
    for (const FieldPlace& place : kPlaces) {
        const bool mixed = fields.contains(place.field);
        field(place.field)->setMixed(mixed);
        if (mixed) field(place.field)->setValue(std::nullopt);
    }
}

void TileEditor::showFindings(const std::vector<Finding>& findings, const std::string& tilePointer) {
    for (const FieldPlace& place : kPlaces) {
        const std::string pointer = tilePointer + place.pointer;
        std::optional<Severity> worst;
        QStringList messages;
        for (const Finding& finding : findings) {
            if (!finding.where.starts_with(tilePointer) || !concerns(finding, pointer, tilePointer)) continue;
            // A hint is worth reading, not a mark.
            if (finding.severity == Severity::Hint) continue;
            if (!worst || finding.severity < *worst) worst = finding.severity;
            messages << messageOf(finding);
        }
        StepSpinBox* box = field(place.field);
        box->setSeverity(worst);
        if (place.field != TileField::KBL1 || worst) box->setToolTip(messages.join(QLatin1Char('\n')));
    }
}

void TileEditor::fieldEdited(TileField field, std::optional<std::int64_t> value, bool stepped) {
    emit fieldChanged(field, value, stepped);
    const std::int64_t number = value.value_or(0);
    const CubeTile& base = m_scrubbed ? *m_scrubbed : m_tile;
    const bool back = m_scrubbed && tileValue(base, field) == number;
    CubeTile next = stepped ? stepTile(base, field, number) : withTileValue(base, field, number);
    m_tile = back ? base : std::move(next);
    emit edited(m_tile, QStringLiteral("tile") + QString::fromLatin1(placeOf(field).pointer));
}

}  // namespace cubist
