// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "views/panels/inspector_form.h"
#include "views/panels/json_fields.h"
#include "views/theme.h"

namespace cubist {

class BufferBar;
class ElidedLabel;
class TextLabel;
class TileEditor;

/// What the forms of cube and vector stages have in common: the head with the predicted time, the buffer map, slots,
/// label and notes.
class StageForm : public InspectorForm {
    Q_OBJECT

public:
    StageForm(Session& session, Token color, const QString& letter, QWidget* parent = nullptr);

    void refresh() override;

protected:
    void addBuffers(const std::vector<QString>& names);
    /// Slots, label and notes: what both kinds of stages have.
    template <class Content>
    void addStageOptions(FieldsOf<Content>& fields) {
        fields.optionalInteger("slots", [] { return tr("slots"); }, &Content::slotCount, tr("auto"), {1, 2, 3, 4})
            .tip(tr("Sets of tiles kept in each buffer; empty: two where two fit, else one"));
        fields
            .committed(
                "tile_by", [] { return tr("tile table"); }, &Content::tileBy,
                [](std::optional<TileTable>& table, const QString& text) { return takeFieldText(table, text); },
                [](const std::optional<TileTable>& table) { return fieldText(table); })
            .tip(tr("Other tiles by the value of an expression, as in the file: {\"value\": \"T\", \"rows\": "
                    "[{\"up_to\": 64, \"m\": [16, 16]}]}. Beyond the last row the tile above holds; empty: no table"));
        fields
            .text(
                "label", [] { return tr("label"); }, &Content::label)
            .tip(tr("Semantic label in the exported kernel"));
        fields.text(
            "notes", [] { return tr("notes"); }, &Content::notes);
    }
    virtual void showStage() = 0;

private:
    void showTime();
    void showBuffers();

    Token m_color;
    ElidedLabel* m_name;
    TextLabel* m_time;
    TextLabel* m_delta;
    std::vector<BufferBar*> m_bars;
    QLineEdit* m_id;
};

/// A matmul: tile, buffers, operands, what happens to its sums.
class CubeForm : public StageForm {
    Q_OBJECT

public:
    explicit CubeForm(Session& session, QWidget* parent = nullptr);
    void showFindings(const std::vector<Finding>& findings) override;
    [[nodiscard]] TileEditor* tileEditor() const { return m_tile; }

protected:
    void showStage() override;

private:
    void addFields();

    TileEditor* m_tile;
    TextLabel* m_size;
    TextLabel* m_operands;
    std::unique_ptr<FieldsOf<CubeStage>> m_fields;
};

}  // namespace cubist
