// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/design_form.h"

#include <QFormLayout>
#include <QPlainTextEdit>

#include "views/models/report_text.h"
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

QString caseText(const Case& entry) {
    QStringList values;
    for (const auto& symbol : entry.symbols.entries)
        values << QStringLiteral("%1 = %2").arg(QString::fromStdString(symbol.key)).arg(symbol.value);
    const QString name = QString::fromStdString(entry.aliases.empty() ? entry.id.text : entry.aliases.front());
    return values.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, values.join(QLatin1String(", ")));
}

void clearForm(QFormLayout* form) {
    while (form->rowCount() > 0) form->removeRow(0);
}

}  // namespace

DesignForm::DesignForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent), m_title(new TextLabel(session.theme(), FontRole::Title, Token::Text)) {
    m_title->setWordWrap(true);
    column()->addWidget(m_title);
    auto* hint = new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted,
                               tr("Select a stage, tensor or loop on the canvas to edit it."));
    hint->setWordWrap(true);
    column()->addWidget(hint);
    addIdentity();
    addTarget();
    m_symbolForm = addSection(tr("Symbols of this case"));
    addFindingsHere();
    addChecks();
    addOptions();
    column()->addStretch(1);
}

void DesignForm::addIdentity() {
    QFormLayout* form = addSection(tr("Design"));
    m_name = makeTypedLine(tr("Name"), [this](const QString& text) {
        Design copy = design();
        copy.name = text.trimmed().toStdString();
        apply(tr("Rename design"), std::move(copy), QStringLiteral("name"));
    });
    addField(form, tr("name"), m_name);
    m_titleLine = makeTypedLine(tr("Title"), [this](const QString& text) {
        apply(tr("Change title"), setTitle(design(), text.toStdString()), QStringLiteral("title"));
    });
    addField(form, tr("title"), m_titleLine);
    m_notes = new QPlainTextEdit;
    m_notes->setAccessibleName(tr("Notes"));
    m_notes->setPlaceholderText(tr("What this design is for, what was measured, what to try next"));
    m_notes->setFixedHeight(72);
    m_notes->setTabChangesFocus(true);
    useDocumentUndo(m_notes);
    connect(m_notes, &QPlainTextEdit::textChanged, this, [this] {
        const std::string text = m_notes->toPlainText().toStdString();
        if (text != design().notes) apply(tr("Change notes"), setNotes(design(), text), QStringLiteral("notes"));
    });
    column()->addWidget(m_notes);
}

void DesignForm::addTarget() {
    m_target = addSection(tr("Runs on"));
    m_chip = makeBox(tr("Chip"));
    m_case = makeBox(tr("Case"));
    addField(m_target, tr("chip"), m_chip);
    addField(m_target, tr("case"), m_case);
    connect(m_chip, &QComboBox::activated, this, [this](int index) {
        apply(tr("Change chip"), setChip(design(), ChipId(m_chip->itemData(index).toString().toStdString())));
    });
    connect(m_case, &QComboBox::activated, this,
            [this](int index) { session().document().setCase(m_case->itemData(index).toString()); });
}

void DesignForm::addChecks() {
    QFormLayout* form = addSection(tr("Values and checks"));
    m_seed = makeInteger(tr("Seed"), [this](std::int64_t value) {
        apply(tr("Change seed"), setSeed(design(), value), QStringLiteral("seed"));
    });
    addField(form, tr("seed"), m_seed);
    m_criterion = makeEnum<Criterion>(tr("Criterion"), [this](Criterion criterion) {
        setTolerance([&](Tolerance& tolerance) { tolerance.criterion = criterion; });
    });
    addField(form, tr("criterion"), m_criterion);
    m_rtol = makeNumber(tr("Relative tolerance"), [this](double value) {
        return setTolerance([&](Tolerance& tolerance) { tolerance.rtol = value; });
    });
    m_atol = makeNumber(tr("Absolute tolerance"), [this](double value) {
        return setTolerance([&](Tolerance& tolerance) { tolerance.atol = value; });
    });
    addField(form, tr("rtol"), m_rtol);
    addField(form, tr("atol"), m_atol);
    m_golden = makeEnum<GoldenKind>(tr("Golden"), [this](GoldenKind kind) {
        setTolerance([&](Tolerance& tolerance) { tolerance.golden = kind; });
    });
    m_golden->setToolTip(tr("ideal: exact arithmetic, casts ignored; framework: FP32 with every declared cast"));
    addField(form, tr("golden"), m_golden);
    m_profile = makeEnum<RuleProfile>(
        tr("Rules"), [this](RuleProfile profile) { apply(tr("Change rule profile"), setProfile(design(), profile)); });
    m_profile->setToolTip(tr("enforced: what the compiler checks; documented: everything that is documented"));
    addField(form, tr("rules"), m_profile);
}

void DesignForm::addOptions() {
    QFormLayout* form = addSection(tr("Options"));
    const auto add = [&](const QString& name, std::int64_t Options::*member, const QString& tip) {
        StepSpinBox* field =
            makeInteger(name, [this, member, name](std::int64_t value) { setOption(member, value, name); });
        field->setToolTip(tip);
        addField(form, name, field);
        return field;
    };
    m_schedMode = add(QStringLiteral("device_sched_mode"), &Options::deviceSchedMode,
                      tr("How the device hands out tasks: 0 to 3"));
    m_schedMode->setSteps({0, 1, 2, 3});
    m_parallelism = add(QStringLiteral("device_sched_parallelism"), &Options::deviceSchedParallelism,
                        tr("Loop iterations in flight"));
    m_stitch = add(QStringLiteral("stitch_function_max_num"), &Options::stitchFunctionMaxNum,
                   tr("Loop iterations that are stitched into one schedule: 1 to 1024"));
    m_stitch->setSteps({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
}

StepSpinBox* DesignForm::makeInteger(const QString& name, const std::function<void(std::int64_t)>& edited) {
    auto* field = new StepSpinBox(session().theme(), {});
    field->setAccessibleName(name);
    connect(field, &StepSpinBox::edited, this,
            [edited](std::optional<std::int64_t> value, bool) { edited(value.value_or(0)); });
    connect(field, &QAbstractSpinBox::editingFinished, this, [this] { session().document().endEditRun(); });
    return field;
}

QLineEdit* DesignForm::makeNumber(const QString& name, const std::function<bool(double)>& commit) {
    return makeCommittedLine(name, [this, commit, name](const QString& text) {
        bool valid = false;
        const double value = QLocale::c().toDouble(text.trimmed(), &valid);
        if (!valid) return apply(name, unexpected(ErrorCode::BadValue, "'" + text.toStdString() + "' is no number"));
        return commit(value);
    });
}

bool DesignForm::setTolerance(const std::function<void(Tolerance&)>& edit) {
    Tolerance tolerance = design().tolerance;
    edit(tolerance);
    return apply(tr("Change tolerance"), cubist::setTolerance(design(), tolerance));
}

bool DesignForm::setOption(std::int64_t Options::*member, std::int64_t value, const QString& key) {
    Options options = design().options;
    options.*member = value;
    return apply(tr("Change options"), setOptions(design(), options), key);
}

void DesignForm::setSymbol(const std::string& symbol, std::int64_t value) {
    const Binding* binding = session().document().binding();
    const QString key = QStringLiteral("symbol/") + QString::fromStdString(symbol);
    // A case that names the symbol holds its value; otherwise the symbol itself does.
    for (const Case& entry : design().cases)
        if (binding && entry.id == binding->caseId && entry.symbols.find(symbol)) {
            apply(tr("Change %1").arg(QString::fromStdString(symbol)),
                  setCaseSymbol(design(), entry.id, SymbolId(symbol), value), key);
            return;
        }
    apply(tr("Change %1").arg(QString::fromStdString(symbol)), setSymbolValue(design(), SymbolId(symbol), value), key);
}

void DesignForm::rebuildSymbols() {
    std::vector<std::string> ids;
    for (const Symbol& symbol : design().symbols) ids.push_back(symbol.id.text);
    std::vector<std::string> shown;
    for (const SymbolField& entry : m_symbols) shown.push_back(entry.id);
    if (ids == shown) return;
    clearForm(m_symbolForm);
    m_symbols.clear();
    for (const std::string& id : ids) {
        StepSpinBox* field =
            makeInteger(QString::fromStdString(id), [this, id](std::int64_t value) { setSymbol(id, value); });
        field->setObjectName(QStringLiteral("symbol_") + QString::fromStdString(id));
        addField(m_symbolForm, QString::fromStdString(id), field);
        m_symbols.push_back({id, field});
    }
}

void DesignForm::fillBoxes() {
    const DocumentModel& document = session().document();
    m_chip->clear();
    for (const ChipSpec& chip : document.chips().chips())
        m_chip->addItem(chipText(chip), QString::fromStdString(chip.id.text));
    const ChipSpec* chip = document.chip();
    m_chip->setCurrentIndex(chip ? m_chip->findData(QString::fromStdString(chip->id.text)) : -1);
    m_case->clear();
    for (const Case& entry : design().cases) m_case->addItem(caseText(entry), QString::fromStdString(entry.id.text));
    const Binding* binding = document.binding();
    m_case->setCurrentIndex(binding ? m_case->findData(QString::fromStdString(binding->caseId.text)) : -1);
    m_case->setEnabled(!design().cases.empty());
}

void DesignForm::refresh() {
    const Design& shown = design();
    m_title->setText(QString::fromStdString(shown.title.empty() ? shown.name : shown.title));
    showText(m_name, QString::fromStdString(shown.name));
    showText(m_titleLine, QString::fromStdString(shown.title));
    if (m_notes->toPlainText().toStdString() != shown.notes) m_notes->setPlainText(QString::fromStdString(shown.notes));
    fillBoxes();
    rebuildSymbols();
    const Binding* binding = session().document().binding();
    for (std::size_t i = 0; i < m_symbols.size(); ++i) {
        const std::int64_t* value = binding ? binding->symbols.find(m_symbols[i].id) : nullptr;
        m_symbols[i].field->setValue(value ? *value : shown.symbols[i].value);
    }
    m_seed->setValue(shown.seed);
    showEnum(m_criterion, shown.tolerance.criterion);
    m_criterion->setToolTip(criterionMeaning(shown.tolerance.criterion));
    showText(m_rtol, shortNumber(shown.tolerance.rtol, 6));
    showText(m_atol, shortNumber(shown.tolerance.atol, 6));
    showEnum(m_golden, shown.tolerance.golden);
    showEnum(m_profile, shown.profile);
    m_schedMode->setValue(shown.options.deviceSchedMode);
    m_parallelism->setValue(shown.options.deviceSchedParallelism);
    m_stitch->setValue(shown.options.stitchFunctionMaxNum);
}

StepSpinBox* DesignForm::symbolField(const std::string& symbol) const {
    for (const SymbolField& entry : m_symbols)
        if (entry.id == symbol) return entry.field;
    return nullptr;
}

}  // namespace cubist
