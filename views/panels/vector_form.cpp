// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/vector_form.h"

#include <QFormLayout>
#include <QHBoxLayout>

#include "views/models/element_pointer.h"
#include "views/models/tile_steps.h"
#include "views/panels/formula_editor.h"
#include "views/panels/ops_editor.h"
#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {

VectorForm::VectorForm(Session& session, QWidget* parent)
    : StageForm(session, Token::Vector, QStringLiteral("V"), parent),
      m_tileRow(new QHBoxLayout),
      m_shape(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_formula(new FormulaEditor(session.theme())),
      m_ops(new OpsEditor(session.theme())),
      m_fields(makeFields<VectorStage>()) {
    m_shape->setWordWrap(true);
    column()->addWidget(m_shape);
    addCaption(tr("Tile"));
    m_tileRow->setSpacing(6);
    column()->addLayout(m_tileRow);
    addFindingsHere();
    addCaption(tr("Formula"));
    column()->addWidget(m_formula);
    addBuffers({QStringLiteral("UB")});
    addCaption(tr("Operations"));
    m_ops->setProperty("key", "ops");
    column()->addWidget(m_ops);
    m_fields->into(addSection(tr("Options")));
    addStageOptions(*m_fields);
    column()->addStretch(1);
    m_formula->setNames(knownValues());
    connect(m_formula, &FormulaEditor::edited, this, [this](const std::vector<VectorOp>& ops) {
        change<VectorStage>([] { return tr("Change formula"); }, [&](VectorStage& stage) { stage.ops = ops; });
        this->session().document().endEditRun();
    });
    connect(m_ops, &OpsEditor::edited, this, [this](const std::vector<VectorOp>& ops, const LocalText& label) {
        change<VectorStage>(label, [&](VectorStage& stage) { stage.ops = ops; });
    });
}

void VectorForm::makeTileFields(std::size_t count) {
    while (m_tile.size() > count) {
        m_tile.back()->hide();
        m_tile.back()->deleteLater();
        m_tile.pop_back();
    }
    while (m_tile.size() < count) {
        const std::size_t axis = m_tile.size();
        auto* field = new StepSpinBox(session().theme(), {});
        field->setObjectName(QStringLiteral("tile_%1").arg(axis));
        field->setProperty("key", "tile");
        field->setAccessibleName(tr("Tile axis %1").arg(axis));
        connect(field, &StepSpinBox::edited, this, [this, axis](std::optional<std::int64_t> value, bool) {
            const VectorStage* stage = content<VectorStage>();
            if (!stage || axis >= stage->tile.size()) return;
            std::vector<std::int64_t> tile = stage->tile;
            tile[axis] = value.value_or(0);
            apply([] { return tr("Change tile"); }, setVectorTile(design(), element().block(), tile),
                  QStringLiteral("tile/%1").arg(axis));
        });
        connect(field, &QAbstractSpinBox::editingFinished, this, [this] { session().document().endEditRun(); });
        m_tileRow->addWidget(field, 1);
        m_tile.push_back(field);
    }
}

void VectorForm::showStage() {
    const VectorStage* stage = content<VectorStage>();
    if (!stage) return;
    const ResolvedDesign* resolved = session().document().resolved();
    const ResolvedValue* result = resolved && !stage->ops.empty() ? resolved->value(stage->ops.back().out) : nullptr;
    QStringList shape;
    if (result)
        for (const std::int64_t extent : result->shape) shape << QString::number(extent);
    m_shape->setVisible(result != nullptr);
    if (result)
        m_shape->setText(tr("%1 [%2] %3")
                             .arg(QString::fromStdString(result->name.text), shape.join(QLatin1String(", ")),
                                  qText(toText(result->dtype))));
    makeTileFields(stage->tile.size());
    for (std::size_t axis = 0; axis < stage->tile.size(); ++axis) {
        const std::int64_t extent = result && axis < result->shape.size() ? result->shape[axis] : 0;
        m_tile[axis]->setValue(stage->tile[axis]);
        m_tile[axis]->setSteps(
            vectorTileSteps(axis + 1 == stage->tile.size(), result ? bitsPerElement(result->dtype) : 32, extent));
    }
    m_ops->setOps(stage->ops);
    m_formula->setOps(stage->ops);
    m_fields->refresh();
}

void VectorForm::showFindings(const std::vector<Finding>& findings) {
    StageForm::showFindings(findings);
    const std::string tile = pointerOf(design(), element()) + "/tile";
    for (std::size_t axis = 0; axis < m_tile.size(); ++axis) {
        std::optional<Severity> worst;
        for (const Finding& finding : findings)
            if (finding.where == tile || finding.where == tile + "/" + std::to_string(axis))
                if (!worst || finding.severity < *worst) worst = finding.severity;
        m_tile[axis]->setSeverity(worst);
    }
}

}  // namespace cubist
