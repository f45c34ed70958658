// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "views/panels/stage_form.h"

class QHBoxLayout;

namespace cubist {

class FormulaEditor;
class OpsEditor;

/// A list of vector operations with one tile.
class VectorForm : public StageForm {
    Q_OBJECT

public:
    explicit VectorForm(Session& session, QWidget* parent = nullptr);
    void showFindings(const std::vector<Finding>& findings) override;

protected:
    void showStage() override;

private:
    void makeTileFields(std::size_t count);

    QHBoxLayout* m_tileRow;
    std::vector<StepSpinBox*> m_tile;
    TextLabel* m_shape;
    FormulaEditor* m_formula;
    OpsEditor* m_ops;
    std::unique_ptr<FieldsOf<VectorStage>> m_fields;
};

}  // namespace cubist
