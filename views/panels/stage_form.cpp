// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/stage_form.h"

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
      m_name(new ElidedLabel(session.theme(), FontRole::Title, Token::Text)),
      m_time(new TextLabel(session.theme(), FontRole::MonoStrong, color)),
      m_delta(new TextLabel(session.theme(), FontRole::MonoStrong, Token::Ok)) {
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(new LetterBadge(session.theme(), letter, color));
    head->addWidget(m_name, 1);
    head->addWidget(m_time);
    head->addWidget(m_delta);
    column()->addLayout(head);
    m_id = makeCommittedLine(tr("Name"), [this](const QString& text) { return rename(text); });
    m_id->setProperty("key", "id");
    QFormLayout* identity = addSection({});
    addField(identity, tr("name"), m_id);
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
        bar->setFill({name, 0, 0, 1, {}, {}});
        bars->addWidget(bar);
        m_bars.push_back(bar);
    }
    column()->addLayout(bars);
}

void StageForm::refresh() {
    m_name->setWholeText(QString::fromStdString(element().id));
    showTime();
    showBuffers();
    showText(m_id, QString::fromStdString(element().id));
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
        BufferFill fill{bar->fill().name, 0, 0, 1, {}, {}};
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
            for (std::size_t i = 0; i < use->contributors.size(); ++i)
                fill.shares.push_back({lines[static_cast<qsizetype>(i)], use->contributors[i].bytes});
        }
        bar->setFill(fill);
        // Only scaled matmuls have these.
        if (fill.name.endsWith(QLatin1String("_MX"))) bar->setVisible(fill.perSlot > 0);
    }
}

CubeForm::CubeForm(Session& session, QWidget* parent)
    : StageForm(session, Token::Cube, QStringLiteral("C"), parent),
      m_tile(new TileEditor(session.theme())),
      m_size(new TextLabel(session.theme(), FontRole::Mono, Token::Text)),
      m_operands(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_fields(makeFields<CubeStage>()) {
    column()->addWidget(m_size);
    m_operands->setWordWrap(true);
    column()->addWidget(m_operands);
    addCaption(tr("Tile"));
    column()->addWidget(m_tile);
    addFindingsHere();
    addBuffers({QStringLiteral("L0A"), QStringLiteral("L0B"), QStringLiteral("L0C"), QStringLiteral("L1"),
                QStringLiteral("BT"), QStringLiteral("FB"), QStringLiteral("L0A_MX"), QStringLiteral("L0B_MX")});
    addFields();
    column()->addStretch(1);

    connect(m_tile, &TileEditor::edited, this, [this](const CubeTile& tile, const QString& field) {
        apply([] { return tr("Change tile"); }, setCubeTile(design(), this->element().block(), tile), field);
    });
    connect(m_tile, &TileEditor::editingFinished, this, [this] { this->session().document().endEditRun(); });
}

void CubeForm::addFields() {
    FieldsOf<CubeStage>& fields = *m_fields;
    const auto scaled = [this] {
        const CubeStage* stage = m_fields->content();
        return stage && stage->op == CubeOp::ScaledMm;
    };
    const auto splitK = [this] {
        const CubeStage* stage = m_fields->content();
        return stage && stage->tile.splitK;
    };
    fields.into(addSection(tr("Operands")));
    fields
        .choice<CubeOp>(
            "op", [] { return tr("kind"); }, &CubeStage::op)
        .tip(tr("scaled_mm multiplies each 32 elements along K by an E8M0 scale of either operand (MXFP8, MXFP4)"));
    fields
        .reference(
            "a", [] { return tr("A"); }, &CubeStage::a, knownValues())
        .tip(tr("Left operand: a tensor, a view or a result"));
    fields.flag(
        "a_trans", [] { return tr("A is stored transposed, [K, M]"); }, &CubeStage::aTrans);
    fields
        .reference(
            "scale_a", [] { return tr("scales of A"); }, &CubeStage::scaleA, knownValues())
        .tip(tr("FP8E8M0 [M, ceil(K / 64), 2]"))
        .onlyIf(scaled);
    fields
        .flag(
            "scale_a_trans", [] { return tr("they are stored [ceil(K / 64), M, 2]"); }, &CubeStage::scaleATrans)
        .onlyIf(scaled);
    fields
        .reference(
            "b", [] { return tr("B"); }, &CubeStage::b, knownValues())
        .tip(tr("Right operand: a tensor, a view or a result"));
    fields.flag(
        "b_trans", [] { return tr("B is stored transposed, [N, K]"); }, &CubeStage::bTrans);
    fields
        .reference(
            "scale_b", [] { return tr("scales of B"); }, &CubeStage::scaleB, knownValues())
        .tip(tr("FP8E8M0 [ceil(K / 64), N, 2]"))
        .onlyIf(scaled);
    fields
        .flag(
            "scale_b_trans", [] { return tr("they are stored [N, ceil(K / 64), 2]"); }, &CubeStage::scaleBTrans)
        .onlyIf(scaled);
    fields
        .reference(
            "bias", [] { return tr("bias"); }, &CubeStage::bias, knownValues())
        .tip(tr("[1, N]: every sum starts from it. Empty: none"));

    fields.into(addSection(tr("Result")));
    fields
        .reference(
            "out", [] { return tr("name"); }, &CubeStage::out, [] { return QStringList(); })
        .tip(tr("Name of the result for the stages that read it"));
    fields.choice<DType>(
        "out_dtype", [] { return tr("type"); }, &CubeStage::outDType);
    fields
        .flag(
            "relu", [] { return tr("negative sums become 0 (ReLU)"); }, &CubeStage::relu)
        .tip(tr("Before the scale"));
    fields
        .optionalNumber(
            "scale", [] { return tr("scale"); }, &CubeStage::scale, tr("none"))
        .tip(tr("FIXPIPE multiplies by it; the low 13 mantissa bits are dropped"));
    fields
        .reference(
            "scale_tensor", [] { return tr("scale tensor"); }, &CubeStage::scaleTensor, knownValues())
        .tip(tr("[1, N]: a factor for each column. Not together with a scale"));

    fields.into(addSection(tr("Arithmetic")));
    fields
        .choice<Fp32Mode>(
            "fp32_mode", [] { return tr("FP32 operands"); }, &CubeStage::fp32Mode)
        .tip(tr("rint and round drop mantissa bits before the product (TF32 on the 950)"));
    fields
        .choice<Accumulation>(
            "accumulation", [] { return tr("sums"); }, &CubeStage::accumulation)
        .tip(tr("In which order products are added: one by one, by fractals, or by MX groups"));
    fields
        .flag(
            "split_k", [] { return tr("split K over cores"); }, [](auto& stage) -> auto& { return stage.tile.splitK; })
        .tip(tr("Slices of K are computed by different cores and added in global memory"));
    fields
        .choice<DType>(
            "partial_dtype", [] { return tr("partial sums"); }, &CubeStage::partialDType)
        .tip(tr("Type of the slices' sums in global memory"))
        .onlyIf(splitK);
    fields
        .expressions(
            "matrix_size", [] { return tr("matrix size"); }, &CubeStage::matrixSize, tr("not set"))
        .tip(tr("set_matrix_size(m, k, n): needed for NZ operands with batch axes"));

    fields.into(addSection(tr("Options")));
    addStageOptions(fields);
}

void CubeForm::showStage() {
    const CubeStage* stage = content<CubeStage>();
    if (!stage) return;
    const ResolvedDesign* resolved = session().document().resolved();
    const ResolvedBlock* block = resolved ? resolved->block(stage->id) : nullptr;
    const MatmulSize size = block && block->matmul ? *block->matmul : MatmulSize{};
    const ResolvedValue* a = resolved ? resolved->value(stage->a) : nullptr;
    const ResolvedValue* b = resolved ? resolved->value(stage->b) : nullptr;
    m_tile->setTile(stage->tile, a ? a->dtype : DType::FP32, size, session().document().chip());
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
    m_fields->refresh();
}

void CubeForm::showFindings(const std::vector<Finding>& findings) {
    StageForm::showFindings(findings);
    m_tile->showFindings(findings, pointerOf(design(), element()) + "/tile");
}

}  // namespace cubist
