// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/design/edit_many.h"
#include "views/models/tile_steps.h"
#include "views/panels/inspector_form.h"

class QBoxLayout;

namespace cubist {

class ChoiceBox;
class ElidedLabel;
class StepSpinBox;
class TextLabel;
class TileEditor;

/// Several stages at once: the settings that all of them have, each with the value they share or "mixed". What is
/// entered is given to every one of them in one step of the history.
class ManyForm : public InspectorForm {
    Q_OBJECT

public:
    explicit ManyForm(Session& session, QWidget* parent = nullptr);

    /// The selected elements of a design that are stages.
    [[nodiscard]] static std::vector<BlockId> stagesOf(const Design& design, const std::vector<Element>& elements);

    void refresh() override;

private:
    using Shown = std::optional<SettingValue>;  ///< nothing: the stages differ
    struct Row {
        StageSetting setting;
        QFormLayout* form;
        QWidget* field;
        std::function<void(const Shown&)> show;
    };
    struct Section {
        QWidget* part;
        QFormLayout* form;
    };

    QFormLayout* addPart(const QString& title);
    void addRow(StageSetting setting, const QString& name, QWidget* field, std::function<void(const Shown&)> show);
    StepSpinBox* addInteger(StageSetting setting, const LocalText& name, const QString& empty = {},
                            std::vector<std::int64_t> steps = {});
    void addFlag(StageSetting setting, const LocalText& name);
    void addNumber(StageSetting setting, const LocalText& name, const QString& empty);
    void addText(StageSetting setting, const LocalText& name);
    [[nodiscard]] static QString mixedText();
    template <class Enum>
    void addChoice(StageSetting setting, const LocalText& name);

    void addTile();
    void showTile(const std::vector<SharedSetting>& shared);
    void tileChanged(TileField field, std::optional<std::int64_t> value, bool stepped);
    bool give(StageSetting setting, const LocalText& name, const SettingValue& value, const QString& run = {});
    void beginScrub();
    /// Goes back to how it was when the drag began.
    void revertScrub(const LocalText& label, const QString& run);

    std::vector<BlockId> m_stages;
    std::shared_ptr<const Design> m_scrubbed;  ///< as it was when a drag began
    TextLabel* m_title;
    ElidedLabel* m_names;
    QWidget* m_tilePart;
    TileEditor* m_tile;
    std::vector<StepSpinBox*> m_axes;  ///< of vector tiles
    std::vector<Row> m_rows;
    std::vector<Section> m_sections;
    QFormLayout* m_form = nullptr;  ///< where the next rows go
};

}  // namespace cubist
