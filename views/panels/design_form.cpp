// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/design_form.h"

#include <QFormLayout>
#include <QPlainTextEdit>

#include "views/panels/case_values.h"
#include "views/panels/tolerance_fields.h"
#include "views/session.h"
#include "views/widgets/document_undo.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {
namespace {

QString chipText(const ChipSpec& chip) {
    return QString::fromStdString(chip.title.empty() ? chip.id.text : chip.title);
}

QString caseName(const Case& entry) {
    return QString::fromStdString(entry.aliases.empty() ? entry.id.text : entry.aliases.front());
}

QString caseText(const Case& entry) {
    QStringList values;
    for (const auto& symbol : entry.symbols.entries)
        values << QStringLiteral("%1 = %2").arg(QString::fromStdString(symbol.key)).arg(symbol.value);
    const QString name = caseName(entry);
    return values.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, values.join(QLatin1String(", ")));
}

}  // namespace

DesignForm::DesignForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_title(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_values(new CaseValues(session)) {
    m_title->setWordWrap(true);
    column()->addWidget(m_title);
    auto* hint = new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted,
                               tr("Select a stage, tensor or loop on the canvas to edit it."));
    hint->setWordWrap(true);
    column()->addWidget(hint);
    m_fields = std::make_unique<FieldsOf<Design>>(
        theme(), endRun(), [this] { return &design(); },
        [this](const LocalText& label, const std::function<void(Design&)>& edit, const QString& mergeKey) {
            return changeDesign(label, edit, mergeKey);
        });
    m_tolerance = std::make_unique<FieldsOf<Tolerance>>(
        theme(), endRun(), [this] { return &design().tolerance; },
        [this](const LocalText& label, const std::function<void(Tolerance&)>& edit, const QString&) {
            Tolerance tolerance = design().tolerance;
            edit(tolerance);
            return apply(label, setTolerance(design(), tolerance));
        });
    m_options = std::make_unique<FieldsOf<Options>>(
        theme(), endRun(), [this] { return &design().options; },
        [this](const LocalText& label, const std::function<void(Options&)>& edit, const QString& mergeKey) {
            return changeDesign(
                label, [&](Design& changed) { edit(changed.options); }, mergeKey);
        });
    addIdentity();
    addTarget();
    column()->addWidget(m_values);
    connect(m_values, &CaseValues::groupsRequested, this, &DesignForm::groupsRequested);
    addFindingsHere();
    addChecks();
    addOptions();
    addByHand();
    column()->addStretch(1);
}

bool DesignForm::changeDesign(const LocalText& label, const std::function<void(Design&)>& edit,
                              const QString& mergeKey) {
    Design copy = design();
    edit(copy);
    return apply(label, std::move(copy), mergeKey);
}

void DesignForm::addIdentity() {
    FieldsOf<Design>& fields = *m_fields;
    fields.into(addSection(tr("Design")));
    fields.text(
        "name", [] { return tr("name"); }, &Design::name);
    fields.text(
        "title", [] { return tr("title"); }, &Design::title);
    fields
        .choice<Variant>(
            "variant", [] { return tr("variant"); }, [](auto& design) -> auto& { return design.skeleton.variant; })
        .tip(tr("Loop form of SK-14: A no loop, B parallel groups, B' unrolled groups, C serial tiles, D serial "
                "multi-matmul"));
    fields
        .integers(
            "pattern", [] { return tr("pattern"); }, [](auto& design) -> auto& { return design.skeleton.pattern; })
        .tip(tr("Data-flow patterns 1 to 4 of SK-14; empty: none"));
    m_notes = new QPlainTextEdit;
    m_notes->setProperty("key", "notes");
    m_notes->setAccessibleName(tr("Notes"));
    m_notes->setPlaceholderText(tr("What this design is for, what was measured, what to try next"));
    m_notes->setFixedHeight(72);
    m_notes->setTabChangesFocus(true);
    useDocumentUndo(m_notes);
    connect(m_notes, &QPlainTextEdit::textChanged, this, [this] {
        const std::string text = m_notes->toPlainText().toStdString();
        if (text != design().notes)
            apply([] { return tr("Change notes"); }, setNotes(design(), text), QStringLiteral("notes"));
    });
    column()->addWidget(m_notes);
}

void DesignForm::addTarget() {
    QFormLayout* form = addSection(tr("Runs on"));
    m_chip = choiceBox(tr("Chip"));
    m_chip->setProperty("key", "chip");
    m_case = choiceBox(tr("Case"));
    m_defaultCase = choiceBox(tr("Case that runs when none is named"));
    m_defaultCase->setProperty("key", "default_case");
    m_defaultCase->setToolTip(tr("The case that opens with the design, and that the command line runs"));
    addField(form, tr("chip"), m_chip);
    addField(form, tr("case"), m_case);
    addField(form, tr("at first"), m_defaultCase);
    connect(m_chip, &QComboBox::activated, this, [this](int index) {
        apply([] { return tr("Change chip"); },
              setChip(design(), ChipId(m_chip->itemData(index).toString().toStdString())));
    });
    connect(m_case, &QComboBox::activated, this,
            [this](int index) { session().document().setCase(m_case->itemData(index).toString()); });
    connect(m_defaultCase, &QComboBox::activated, this, [this](int index) {
        changeDesign([] { return tr("Change first case"); },
                     [&](Design& changed) {
                         changed.defaultCase = CaseId(m_defaultCase->itemData(index).toString().toStdString());
                     },
                     {});
    });
}

void DesignForm::addChecks() {
    QFormLayout* form = addSection(tr("Values and checks"));
    m_fields->into(form);
    m_fields
        ->integer(
            "seed", [] { return tr("seed"); }, &Design::seed)
        .tip(tr("Of the generated inputs"));
    m_tolerance->into(form);
    addToleranceFields(*m_tolerance);
    m_fields
        ->choice<RuleProfile>(
            "profile", [] { return tr("rules"); }, &Design::profile)
        .tip(tr("enforced: what the compiler checks; documented: everything that is documented"));
}

void DesignForm::addOptions() {
    FieldsOf<Options>& options = *m_options;
    options.into(addSection(tr("Merging")));
    const QString dialects =
        tr("Keys: a subgraph number, DEFAULT, func0_1 (both dialects of PyPTO), or a stage's label. As in DEFAULT: 4, "
           "func0_1: 2. Empty: automatic");
    const QString usual = tr("DEFAULT: 1, as where a kernel says nothing: off");
    const QString automatic = tr("automatic");
    options.dictionary("cube_l1_reuse_setting", QStringLiteral("cube_l1_reuse"), &Options::cubeL1Reuse, automatic)
        .tip(tr("How many cube subgraphs share what is in L1") + QLatin1Char('\n') + dialects);
    options.textDictionary("cube_l1_reuse_side", QStringLiteral("reuse side"), &Options::cubeL1ReuseSide, automatic)
        .tip(tr("left, right or auto, by the same keys"));
    options.dictionary("cube_nbuffer_setting", QStringLiteral("cube_nbuffer"), &Options::cubeNBuffer, automatic)
        .tip(tr("How many cube subgraphs are merged into one") + QLatin1Char('\n') + dialects + QLatin1Char('\n') +
             usual);
    options.dictionary("vec_nbuffer_setting", QStringLiteral("vec_nbuffer"), &Options::vecNBuffer, automatic)
        .tip(tr("How many vector subgraphs are merged into one") + QLatin1Char('\n') + dialects);
    options.flag("auto_mix_partition", QStringLiteral("auto_mix_partition"), &Options::autoMixPartition)
        .tip(tr("950: neighbouring cube and vector subgraphs become one task"));
    options.flag("combine_axis", QStringLiteral("combine_axis"), &Options::combineAxis);
    options.flag("valid_shape_optimize", QStringLiteral("valid_shape_optimize"), &Options::validShapeOptimize)
        .tip(tr("Whole blocks are compiled with fixed shapes, the tail with its own"));

    options.into(addSection(tr("Scheduling")));
    options.integer("device_sched_mode", QStringLiteral("device_sched_mode"), &Options::deviceSchedMode, {0, 1, 2, 3})
        .tip(tr("How the device hands out tasks: 0 to 3"));
    options
        .integer("device_sched_parallelism", QStringLiteral("device_sched_parallelism"),
                 &Options::deviceSchedParallelism)
        .tip(tr("Loop iterations in flight"));
    options
        .integer("stitch_function_max_num", QStringLiteral("stitch_function_max_num"), &Options::stitchFunctionMaxNum,
                 {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
        .tip(tr("Loop iterations that are stitched into one schedule: 1 to 1024"));
    options.integer("max_workspace_kb", QStringLiteral("max_workspace_kb"), &Options::maxWorkspaceKb)
        .tip(tr("0: stitching is driven by stitch_function_max_num"));
    options.integer("launch_sched_aicpu_num", QStringLiteral("launch_sched_aicpu_num"), &Options::launchSchedAicpuNum)
        .tip(tr("Scheduler threads"));
    options.optionalInteger("launch_early_mode", QStringLiteral("launch_early_mode"), &Options::launchEarlyMode,
                            tr("of the chip"));
    options
        .references(
            "ready_on_host_tensors", [] { return tr("host tensors"); }, &Options::readyOnHostTensors, knownTensors())
        .tip(tr("ready_on_host_tensors: inputs whose values the host reads before the launch"));
}

void DesignForm::addByHand() {
    FieldsOf<Options>& options = *m_options;
    options.into(addSection(tr("Hand-written kernel (launch bare)")));
    options.flag("unit_flag", QStringLiteral("unit_flag"), &Options::unitFlag)
        .tip(tr("FIXPIPE follows the last mmad block by block"));
    options.dictionary("buffer_slots", QStringLiteral("buffer_slots"), &Options::bufferSlots, tr("of the stages"))
        .tip(tr("Slots of L1, L0A, L0B and L0C, as in L1: 2, L0C: 1. As many as fit"));
}

void DesignForm::fillBoxes() {
    const DocumentModel& document = session().document();
    m_chip->clear();
    for (const ChipSpec& chip : document.chips().chips())
        m_chip->addItem(chipText(chip), QString::fromStdString(chip.id.text));
    const ChipSpec* chip = document.chip();
    m_chip->setCurrentIndex(chip ? m_chip->findData(QString::fromStdString(chip->id.text)) : -1);
    m_case->clear();
    m_defaultCase->clear();
    m_defaultCase->addItem(tr("the first"), QString());
    for (const Case& entry : design().cases) {
        m_case->addItem(caseText(entry), QString::fromStdString(entry.id.text));
        m_case->setItemData(m_case->count() - 1, caseName(entry), ChoiceBox::kShortText);
        m_defaultCase->addItem(QString::fromStdString(entry.id.text), QString::fromStdString(entry.id.text));
    }
    const Binding* binding = document.binding();
    m_case->setCurrentIndex(binding ? m_case->findData(QString::fromStdString(binding->caseId.text)) : -1);
    m_case->setEnabled(!design().cases.empty());
    m_defaultCase->setEnabled(!design().cases.empty());
    m_defaultCase->setCurrentIndex(m_defaultCase->findData(QString::fromStdString(design().defaultCase.text)));
}

void DesignForm::refresh() {
    const Design& shown = design();
    m_title->setText(QString::fromStdString(shown.title.empty() ? shown.name : shown.title));
    if (m_notes->toPlainText().toStdString() != shown.notes) m_notes->setPlainText(QString::fromStdString(shown.notes));
    fillBoxes();
    m_values->refresh();
    m_fields->refresh();
    m_tolerance->refresh();
    m_options->refresh();
}

StepSpinBox* DesignForm::symbolField(const std::string& symbol) const {
    return m_values->symbolField(symbol);
}

}  // namespace cubist
