// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/stage_form.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

#include "core/rules/buffer_use.h"
#include "views/models/element_pointer.h"
#include "views/models/report_text.h"
#include "views/panels/tile_editor.h"
#include "views/session.h"
#include "views/widgets/buffer_bar.h"
#include "views/widgets/labels.h"
#include "views/widgets/letter_badge.h"
#include "views/widgets/painting.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {

StageForm::StageForm(Session& session, Token color, const QString& letter, QWidget* parent)
    : InspectorForm(session, parent),
      m_color(color),
      m_name(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_time(new TextLabel(session.theme(), FontRole::MonoStrong, color)),
      m_delta(new TextLabel(session.theme(), FontRole::MonoStrong, Token::Ok)) {
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(new LetterBadge(session.theme(), letter, color));
    head->addWidget(m_name, 1);
    head->addWidget(m_time);
    head->addWidget(m_delta);
    column()->addLayout(head);
    m_time->setToolTip(tr("Predicted time of this stage, from its first start to its last end"));
    m_delta->setToolTip(tr("Change against the prediction before"));
    connect(&session, &Session::predictionChanged, this, [this] {
        if (isVisible()) showTime();
    });
}

void StageForm::addBuffers(const std::vector<QString>& names) {
    addCaption(tr("Buffers"));
    auto* bars = new QVBoxLayout;
    bars->setSpacing(0);
    for (const QString& name : names) {
        auto* bar = new BufferBar(session().theme(), m_color);
        bar->setObjectName(QStringLiteral("buffer") + name);
        bar->setFill({name, 0, 0, 1, {}});
        bars->addWidget(bar);
        m_bars.push_back(bar);
    }
    column()->addLayout(bars);
}

void StageForm::addStageOptions(QFormLayout* form) {
    m_slots = new StepSpinBox(session().theme(), {});
    m_slots->setEmptyText(tr("auto"));
    m_slots->setSteps({1, 2, 3, 4});
    m_slots->setAccessibleName(tr("Slots"));
    m_slots->setToolTip(tr("Sets of tiles kept in each buffer; empty: two where two fit, else one"));
    connect(m_slots, &StepSpinBox::edited, this, [this](std::optional<std::int64_t> value, bool) {
        apply(tr("Change slots"), setSlots(design(), element().block(), value), QStringLiteral("slots"));
    });
    connect(m_slots, &QAbstractSpinBox::editingFinished, this, [this] { session().document().endEditRun(); });
    addField(form, tr("slots"), m_slots);
    m_label = makeTypedLine(tr("Label"), [this](const QString& text) {
        apply(tr("Change label"), setLabel(design(), element().block(), text.toStdString()), QStringLiteral("label"));
    });
    m_label->setToolTip(tr("Semantic label in the exported kernel"));
    m_label->setPlaceholderText(tr("none"));
    addField(form, tr("label"), m_label);
}

void StageForm::refresh() {
    m_name->setText(QString::fromStdString(element().id));
    showTime();
    showBuffers();
    m_slots->setValue(slotsOfStage());
    showText(m_label, labelOfStage());
    showStage();
}

void StageForm::showTime() {
    const RunReportPtr& now = session().runs().prediction();
    const std::optional<double> time = now ? stageMicroseconds(*now, element().id) : std::nullopt;
    m_time->setText(time ? microsecondsText(*time) : QStringLiteral("-"));
    QString delta;
    if (time && session().timedBefore()) {
        const std::optional<double> before = stageMicroseconds(*session().timedBefore(), element().id);
        if (before) {
            delta = deltaText(*before, *time);
            m_delta->setToken(*time > *before ? Token::Error : Token::Ok);
        }
    }
    m_delta->setText(delta);
    m_delta->setVisible(!delta.isEmpty());
}

void StageForm::showBuffers() {
    const ResolvedDesign* resolved = session().document().resolved();
    const ChipSpec* chip = session().document().chip();
    const ResolvedBlock* block = resolved ? resolved->block(element().block()) : nullptr;
    const std::vector<BufferUse> uses = block && chip ? bufferUse(*resolved, *block, *chip) : std::vector<BufferUse>();
    for (BufferBar* bar : m_bars) {
        BufferFill fill{bar->fill().name, 0, 0, 1, {}};
        const auto use = std::find_if(uses.begin(), uses.end(),
                                      [&](const BufferUse& entry) { return entry.buffer == fill.name.toStdString(); });
        if (use != uses.end()) {
            fill.capacity = use->capacity;
            fill.perSlot = use->bytesPerSlot;
            fill.slotCount = use->slotCount;
            QStringList lines;
            for (const BufferShare& share : use->contributors)
                lines << tr("%1: %2 = %3 B")
                             .arg(QString::fromStdString(share.what), QString::fromStdString(share.sum),
                                  grouped(share.bytes));
            if (use->bytesPerSlot > 0)
                lines << counted(use->slotCount, tr("%1 of %2 B in one slot"), tr("%2 of %3 B in each of %1 slots"))
                             .arg(grouped(use->bytesPerSlot), grouped(use->capacity));
            fill.detail = lines.join(QLatin1Char('\n'));
        }
        bar->setFill(fill);
    }
}

CubeForm::CubeForm(Session& session, QWidget* parent)
    : StageForm(session, Token::Cube, QStringLiteral("C"), parent),
      m_tile(new TileEditor(session.theme())),
      m_size(new TextLabel(session.theme(), FontRole::Mono, Token::Text)),
      m_operands(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_splitK(new QCheckBox(tr("split K over cores"))),
      m_aTrans(new QCheckBox(tr("A is stored transposed"))),
      m_bTrans(new QCheckBox(tr("B is stored transposed"))) {
    column()->addWidget(m_size);
    m_operands->setWordWrap(true);
    column()->addWidget(m_operands);
    addCaption(tr("Tile"));
    column()->addWidget(m_tile);
    addFindingsHere();
    addBuffers({QStringLiteral("L0A"), QStringLiteral("L0B"), QStringLiteral("L0C"), QStringLiteral("L1"),
                QStringLiteral("BT"), QStringLiteral("FB")});
    QFormLayout* form = addSection(tr("Options"));
    m_outDType = makeEnum<DType>(tr("Result type"), [this](DType type) {
        apply(tr("Change result type"), setOutDType(design(), this->element().block(), type));
    });
    addField(form, tr("result"), m_outDType);
    addStageOptions(form);
    column()->addWidget(m_splitK);
    column()->addWidget(m_aTrans);
    column()->addWidget(m_bTrans);
    column()->addStretch(1);

    connect(m_tile, &TileEditor::edited, this, [this](const CubeTile& tile, const QString& field) {
        apply(tr("Change tile"), setCubeTile(design(), this->element().block(), tile), field);
    });
    connect(m_tile, &TileEditor::editingFinished, this, [this] { this->session().document().endEditRun(); });
    connect(m_splitK, &QCheckBox::clicked, this, [this](bool on) {
        change<CubeStage>(tr("Change split K"), [on](CubeStage& stage) { stage.tile.splitK = on; });
    });
    connect(m_aTrans, &QCheckBox::clicked, this,
            [this](bool on) { change<CubeStage>(tr("Transpose A"), [on](CubeStage& stage) { stage.aTrans = on; }); });
    connect(m_bTrans, &QCheckBox::clicked, this,
            [this](bool on) { change<CubeStage>(tr("Transpose B"), [on](CubeStage& stage) { stage.bTrans = on; }); });
}

void CubeForm::showStage() {
    const CubeStage* stage = content<CubeStage>();
    if (!stage) return;
    const ResolvedDesign* resolved = session().document().resolved();
    const ResolvedBlock* block = resolved ? resolved->block(stage->id) : nullptr;
    const MatmulSize size = block && block->matmul ? *block->matmul : MatmulSize{};
    const ResolvedValue* a = resolved ? resolved->value(stage->a) : nullptr;
    const ResolvedValue* b = resolved ? resolved->value(stage->b) : nullptr;
    m_tile->setTile(stage->tile, a ? a->dtype : DType::FP32, size);
    const QString times = block && resolved->executions(*block) > 1
                              ? tr(", %1 times", "so often the stage runs").arg(grouped(resolved->executions(*block)))
                              : QString();
    m_size->setText(tr("%1 x %2 x %3 (M x K x N)%4").arg(size.m).arg(size.k).arg(size.n).arg(times));
    m_size->setVisible(block && block->matmul);
    const auto operand = [](const ValueId& id, const ResolvedValue* value) {
        return QString::fromStdString(id.text) + (value ? QLatin1Char(' ') + qText(toText(value->dtype)) : QString());
    };
    m_operands->setText(
        tr("%1 = %2 @ %3").arg(QString::fromStdString(stage->out.text), operand(stage->a, a), operand(stage->b, b)));
    showEnum(m_outDType, stage->outDType);
    m_splitK->setChecked(stage->tile.splitK);
    m_aTrans->setChecked(stage->aTrans);
    m_bTrans->setChecked(stage->bTrans);
}

std::optional<std::int64_t> CubeForm::slotsOfStage() const {
    const CubeStage* stage = content<CubeStage>();
    return stage ? stage->slotCount : std::nullopt;
}

QString CubeForm::labelOfStage() const {
    const CubeStage* stage = content<CubeStage>();
    return stage ? QString::fromStdString(stage->label) : QString();
}

void CubeForm::showFindings(const std::vector<Finding>& findings) {
    StageForm::showFindings(findings);
    m_tile->showFindings(findings, pointerOf(design(), element()) + "/tile");
}

}  // namespace cubist
