// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "views/panels/inspector_form.h"
#include "views/theme.h"

class QCheckBox;

namespace cubist {

class BufferBar;
class StepSpinBox;
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
    /// Slots, label and notes at the end of a form section.
    void addStageOptions(QFormLayout* form);
    virtual void showStage() = 0;
    [[nodiscard]] virtual std::optional<std::int64_t> slotsOfStage() const = 0;
    [[nodiscard]] virtual QString labelOfStage() const = 0;

private:
    void showTime();
    void showBuffers();

    Token m_color;
    TextLabel* m_name;
    TextLabel* m_time;
    TextLabel* m_delta;
    std::vector<BufferBar*> m_bars;
    StepSpinBox* m_slots = nullptr;
    QLineEdit* m_label = nullptr;
};

/// A matmul: tile, buffers, transposes, result type.
class CubeForm : public StageForm {
    Q_OBJECT

public:
    explicit CubeForm(Session& session, QWidget* parent = nullptr);
    void showFindings(const std::vector<Finding>& findings) override;
    [[nodiscard]] TileEditor* tileEditor() const { return m_tile; }

protected:
    void showStage() override;
    [[nodiscard]] std::optional<std::int64_t> slotsOfStage() const override;
    [[nodiscard]] QString labelOfStage() const override;

private:
    TileEditor* m_tile;
    TextLabel* m_size;
    TextLabel* m_operands;
    QCheckBox* m_splitK;
    QCheckBox* m_aTrans;
    QCheckBox* m_bTrans;
    QComboBox* m_outDType;
};

}  // namespace cubist
