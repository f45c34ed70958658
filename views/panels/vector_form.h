// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "views/panels/stage_form.h"

class QHBoxLayout;

namespace cubist {

class OpsEditor;

/// A list of vector operations with one tile.
class VectorForm : public StageForm {
    Q_OBJECT

public:
    explicit VectorForm(Session& session, QWidget* parent = nullptr);
    void showFindings(const std::vector<Finding>& findings) override;

protected:
    void showStage() override;
    [[nodiscard]] std::optional<std::int64_t> slotsOfStage() const override;
    [[nodiscard]] QString labelOfStage() const override;

private:
    void makeFields(std::size_t count);

    QHBoxLayout* m_tileRow;
    std::vector<StepSpinBox*> m_tile;
    TextLabel* m_shape;
    OpsEditor* m_ops;
};

}  // namespace cubist
