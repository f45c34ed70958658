// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/many_form.h"

#include <QFormLayout>
#include <QLineEdit>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "views/panels/field_list.h"
#include "views/panels/field_widgets.h"
#include "views/panels/tile_editor.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"
#include "views/widgets/step_spin_box.h"
#include "views/widgets/wrap_check_box.h"

namespace cubist {
namespace {

constexpr std::array<std::pair<TileField, StageSetting>, 7> kTileFields{{
    {TileField::ML0, StageSetting::ML0},
    {TileField::ML1, StageSetting::ML1},
    {TileField::KL0, StageSetting::KL0},
    {TileField::KAL1, StageSetting::KAL1},
    {TileField::KBL1, StageSetting::KBL1},
    {TileField::NL0, StageSetting::NL0},
    {TileField::NL1, StageSetting::NL1},
}};

StageSetting settingOf(TileField field) {
    return std::find_if(kTileFields.begin(), kTileFields.end(), [&](const auto& entry) { return entry.first == field; })
        ->second;
}

const SharedSetting* sharedSetting(const std::vector<SharedSetting>& shared, StageSetting setting) {
    const auto found = std::find_if(shared.begin(), shared.end(),
                                    [&](const SharedSetting& entry) { return entry.setting == setting; });
    return found == shared.end() ? nullptr : &*found;
}

template <class T>
std::optional<T> valueIn(const std::optional<SettingValue>& shown) {
    const T* value = shown ? std::get_if<T>(&*shown) : nullptr;
    return value ? std::optional<T>(*value) : std::nullopt;
}

QString runOf(StageSetting setting) {
    return QStringLiteral("many/%1").arg(static_cast<int>(setting));
}

}  // namespace

ManyForm::ManyForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_title(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_names(new ElidedLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_tilePart(new QWidget),
      m_tile(new TileEditor(session.theme())) {
    column()->addWidget(m_title);
    column()->addWidget(m_names);
    auto* hint = new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted,
                               tr("What is entered here is given to all of them, as one step."));
    hint->setWordWrap(true);
    column()->addWidget(hint);
    addTile();

    m_form = addPart(tr("Tile"));
    for (int axis = 0; axis < 4; ++axis) {
        const auto setting = static_cast<StageSetting>(static_cast<int>(StageSetting::Tile0) + axis);
        m_axes.push_back(addInteger(setting, [axis] { return tr("axis %1").arg(axis); }));
    }
    m_form = addPart(tr("Operands"));
    addFlag(StageSetting::ATrans, [] { return tr("A is stored transposed, [K, M]"); });
    addFlag(StageSetting::BTrans, [] { return tr("B is stored transposed, [N, K]"); });
    m_form = addPart(tr("Result"));
    addChoice<DType>(StageSetting::OutDType, [] { return tr("type"); });
    addFlag(StageSetting::Relu, [] { return tr("negative sums become 0 (ReLU)"); });
    addNumber(
        StageSetting::Scale, [] { return tr("scale"); }, tr("none"));
    m_form = addPart(tr("Arithmetic"));
    addChoice<Fp32Mode>(StageSetting::Fp32Mode, [] { return tr("FP32 operands"); });
    addChoice<Accumulation>(StageSetting::Accumulation, [] { return tr("sums"); });
    addFlag(StageSetting::SplitK, [] { return tr("split K over cores"); });
    addChoice<DType>(StageSetting::PartialDType, [] { return tr("partial sums"); });
    m_form = addPart(tr("Options"));
    addInteger(StageSetting::Slots, [] { return tr("slots"); }, tr("auto"), {1, 2, 3, 4});
    addText(StageSetting::Label, [] { return tr("label"); });
    addText(StageSetting::Notes, [] { return tr("notes"); });
    column()->addStretch(1);
}

std::vector<BlockId> ManyForm::stagesOf(const Design& design, const std::vector<Element>& elements) {
    std::vector<BlockId> stages;
    for (const Element& element : elements) {
        const Block* block = element.isBlock() ? findBlock(design, element.block()) : nullptr;
        if (block && (block->kind() == BlockKind::Cube || block->kind() == BlockKind::Vector))
            stages.push_back(element.block());
    }
    return stages;
}

QFormLayout* ManyForm::addPart(const QString& title) {
    auto* part = new QWidget;
    auto* inside = new QVBoxLayout(part);
    inside->setContentsMargins(0, 8, 0, 0);
    inside->setSpacing(6);
    inside->addWidget(new SectionLabel(theme(), title));
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    inside->addLayout(form);
    column()->addWidget(part);
    m_sections.push_back({part, form});
    return form;
}

void ManyForm::addRow(StageSetting setting, const QString& name, QWidget* field,
                      std::function<void(const Shown&)> show) {
    field->setObjectName(QStringLiteral("many%1").arg(static_cast<int>(setting)));
    if (name.isEmpty())
        m_form->addRow(field);
    else
        addFieldLine(m_form, name, field);
    m_rows.push_back({setting, m_form, field, std::move(show)});
}

bool ManyForm::give(StageSetting setting, const LocalText& name, const SettingValue& value, const QString& run) {
    const auto label = [name, count = static_cast<std::int64_t>(m_stages.size())] {
        return tr("Change %1 of %2 stages").arg(name()).arg(count);
    };
    return apply(label, setShared(design(), m_stages, setting, value), run);
}

void ManyForm::beginScrub() {
    m_scrubbed = session().document().design();
}

void ManyForm::revertScrub(const LocalText& label, const QString& run) {
    if (m_scrubbed) apply(label, Result<Design>(*m_scrubbed), run);
}

StepSpinBox* ManyForm::addInteger(StageSetting setting, const LocalText& name, const QString& empty,
                                  std::vector<std::int64_t> steps) {
    auto* box = new StepSpinBox(theme(), {});
    box->setAccessibleName(name());
    const bool optional = !empty.isEmpty();
    if (optional) box->setEmptyText(empty);
    box->setSteps(std::move(steps));
    connect(box, &StepSpinBox::scrubBegun, this, &ManyForm::beginScrub);
    connect(box, &StepSpinBox::scrubEnded, this, [this] { m_scrubbed.reset(); });
    connect(box, &StepSpinBox::edited, this,
            [this, setting, name, optional](std::optional<std::int64_t> value, bool stepped) {
                if (value)
                    give(setting, name, *value, runOf(setting));
                else if (stepped)
                    revertScrub(name, runOf(setting));
                else if (optional)
                    give(setting, name, {}, runOf(setting));
            });
    connect(box, &QAbstractSpinBox::editingFinished, this, [this] { session().document().endEditRun(); });
    addRow(setting, name(), box, [box](const Shown& shown) {
        box->setMixed(!shown);
        box->setValue(valueIn<std::int64_t>(shown));
    });
    return box;
}

void ManyForm::addFlag(StageSetting setting, const LocalText& name) {
    auto* box = new WrapCheckBox(name());
    connect(box, &QCheckBox::clicked, this, [this, box, setting, name] {
        // What was mixed is set for all first.
        give(setting, name, box->checkState() != Qt::Unchecked);
    });
    addRow(setting, {}, box, [box](const Shown& shown) {
        box->setTristate(!shown);
        box->setCheckState(!shown ? Qt::PartiallyChecked : valueIn<bool>(shown) == true ? Qt::Checked : Qt::Unchecked);
    });
}

void ManyForm::addNumber(StageSetting setting, const LocalText& name, const QString& empty) {
    QLineEdit* line = makeCommittedLine(name(), [this, setting, name](const QString& text) {
        const std::optional<double> number = parseNumber(text);
        if (!number && !text.trimmed().isEmpty()) return false;
        return give(setting, name, number ? SettingValue(*number) : SettingValue());
    });
    addRow(setting, name(), line, [line, empty](const Shown& shown) {
        const std::optional<double> number = valueIn<double>(shown);
        line->setPlaceholderText(shown ? empty : tr("mixed"));
        showText(line, number ? plainNumber(*number) : QString());
    });
}

void ManyForm::addText(StageSetting setting, const LocalText& name) {
    QLineEdit* line = makeTypedLine(name(), [this, setting, name](const QString& text) {
        give(setting, name, text.toStdString(), runOf(setting));
    });
    addRow(setting, name(), line, [line](const Shown& shown) {
        line->setPlaceholderText(shown ? QString() : tr("mixed"));
        showText(line, QString::fromStdString(valueIn<std::string>(shown).value_or("")));
    });
}

QString ManyForm::mixedText() {
    return tr("mixed");
}

template <class Enum>
void ManyForm::addChoice(StageSetting setting, const LocalText& name) {
    ChoiceBox* box = choiceBox(name());
    for (const auto& [value, text] : EnumTable<Enum>::entries) box->addItem(choiceText(text), static_cast<int>(value));
    box->setPlaceholderText(mixedText());
    connect(box, &QComboBox::activated, this, [this, box, setting, name](int) {
        give(setting, name, static_cast<std::int64_t>(box->currentData().toInt()));
    });
    addRow(setting, name(), box, [box](const Shown& shown) {
        const std::optional<std::int64_t> value = valueIn<std::int64_t>(shown);
        box->setCurrentIndex(value ? box->findData(static_cast<int>(*value)) : -1);
    });
}

void ManyForm::addTile() {
    auto* inside = new QVBoxLayout(m_tilePart);
    inside->setContentsMargins(0, 8, 0, 0);
    inside->setSpacing(6);
    inside->addWidget(new SectionLabel(theme(), tr("Tile")));
    inside->addWidget(m_tile);
    column()->addWidget(m_tilePart);
    connect(m_tile, &TileEditor::fieldChanged, this, &ManyForm::tileChanged);
    connect(m_tile, &TileEditor::scrubBegun, this, &ManyForm::beginScrub);
    connect(m_tile, &TileEditor::scrubEnded, this, [this] { m_scrubbed.reset(); });
    connect(m_tile, &TileEditor::editingFinished, this, [this] { session().document().endEditRun(); });
}

void ManyForm::tileChanged(TileField field, std::optional<std::int64_t> value, bool stepped) {
    const StageSetting setting = settingOf(field);
    const auto label = [count = static_cast<std::int64_t>(m_stages.size())] {
        return tr("Change the tile of %1 stages").arg(count);
    };
    if (!value && stepped) return revertScrub(label, runOf(setting));
    if (!value && field != TileField::KBL1) return;
    // A step keeps each tile legal: an L0 extent takes its L1 extent along, and a drag back gives it back.
    Result<Design> edited = design();
    for (const BlockId& id : m_stages) {
        const Block* block = findBlock(m_scrubbed ? *m_scrubbed : design(), id);
        const auto* stage = block ? std::get_if<CubeStage>(&block->content) : nullptr;
        if (!stage || !edited) return;
        const std::int64_t number = value.value_or(0);
        const bool back = m_scrubbed && tileValue(stage->tile, field) == number;
        edited = setCubeTile(*edited, id,
                             back      ? stage->tile
                             : stepped ? stepTile(stage->tile, field, number)
                                       : withTileValue(stage->tile, field, number));
    }
    apply(label, std::move(edited), runOf(setting));
}

void ManyForm::showTile(const std::vector<SharedSetting>& shared) {
    const Block* block = findBlock(design(), m_stages.front());
    const auto* stage = block ? std::get_if<CubeStage>(&block->content) : nullptr;
    m_tilePart->setVisible(stage && sharedSetting(shared, StageSetting::ML1));
    const ResolvedDesign* resolved = session().document().resolved();
    if (stage && sharedSetting(shared, StageSetting::ML1)) {
        const ResolvedBlock* first = resolved ? resolved->block(stage->id) : nullptr;
        const ResolvedValue* a = resolved ? resolved->value(stage->a) : nullptr;
        m_tile->setTile(stage->tile, a ? a->dtype : DType::FP32, first && first->matmul ? *first->matmul : MatmulSize{},
                        session().document().chip());
        std::set<TileField> mixed;
        for (const auto& [field, setting] : kTileFields)
            if (const SharedSetting* entry = sharedSetting(shared, setting); !entry || !entry->value)
                mixed.insert(field);
        m_tile->setMixed(mixed);
    }
    const auto* vector = block ? std::get_if<VectorStage>(&block->content) : nullptr;
    if (!vector) return;
    const ResolvedValue* result = resolved && !vector->ops.empty() ? resolved->value(vector->ops.back().out) : nullptr;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        const std::int64_t extent = result && axis < result->shape.size() ? result->shape[axis] : 0;
        m_axes[axis]->setSteps(
            vectorTileSteps(axis + 1 == vector->tile.size(), result ? bitsPerElement(result->dtype) : 32, extent));
    }
}

void ManyForm::refresh() {
    m_stages = stagesOf(design(), session().selection().elements());
    if (m_stages.empty()) return;
    QStringList names;
    for (const BlockId& id : m_stages) names << QString::fromStdString(id.text);
    m_title->setText(tr("%1 stages").arg(m_stages.size()));
    m_names->setWholeText(names.join(QLatin1String(", ")));
    const std::vector<SharedSetting> shared = sharedSettings(design(), m_stages);
    showTile(shared);
    for (const Row& row : m_rows) {
        const SharedSetting* entry = sharedSetting(shared, row.setting);
        row.form->setRowVisible(row.field, entry != nullptr);
        if (entry) row.show(entry->value);
    }
    for (const Section& section : m_sections)
        section.part->setVisible(std::any_of(m_rows.begin(), m_rows.end(), [&](const Row& row) {
            return row.form == section.form && sharedSetting(shared, row.setting);
        }));
}

}  // namespace cubist
