// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/design/design.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"
#include "views/models/tile_steps.h"

namespace cubist {

struct ChipSpec;
class StepSpinBox;
class Theme;

/// Editor of a cube tile: M, K and N, each with its L0 and L1 extent, K with a third one for B's L1 extent.
class TileEditor : public QWidget {
    Q_OBJECT

public:
    explicit TileEditor(const Theme& theme, QWidget* parent = nullptr);

    /// `size`: of the matmul, which bounds the steps; zeros if unknown. `chip`: its buffers bound them, too; may be
    /// null.
    void setTile(const CubeTile& tile, DType operand, const MatmulSize& size, const ChipSpec* chip);
    /// These fields stand for stages that differ in them: they say so in place of a value. After `setTile`.
    void setMixed(const std::set<TileField>& fields);
    /// Outlines the fields that findings point into: `where` below `tilePointer`.
    void showFindings(const std::vector<Finding>& findings, const std::string& tilePointer);
    [[nodiscard]] StepSpinBox* field(TileField field) const { return m_fields[static_cast<std::size_t>(field)]; }

signals:
    /// `field` names what was changed, for merging a run of typing: "tile/k/0".
    void edited(const cubist::CubeTile& tile, const QString& field);
    /// The same as it was entered: the field's value, by a step or by typing; nothing: the field is empty.
    void fieldChanged(cubist::TileField field, std::optional<std::int64_t> value, bool stepped);
    void scrubBegun();
    void scrubEnded();
    void editingFinished();

private:
    void fieldEdited(TileField field, std::optional<std::int64_t> value, bool stepped);

    CubeTile m_tile;
    std::optional<CubeTile> m_scrubbed;  ///< as it was when a drag began: dragging back undoes what it took along
    std::array<StepSpinBox*, 7> m_fields{};
};

}  // namespace cubist
