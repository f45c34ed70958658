// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/case_values.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <utility>

#include "views/panels/json_fields.h"
#include "views/session.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

void clearForm(QFormLayout* form) {
    while (form->rowCount() > 0) form->removeRow(0);
}

QFormLayout* partWithForm(QVBoxLayout* column, const Theme& theme, const QString& title, QWidget*& part) {
    part = new QWidget;
    auto* layout = new QVBoxLayout(part);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(new SectionLabel(theme, title));
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    layout->addLayout(form);
    column->addWidget(part);
    return form;
}

QWidget* keyed(QWidget* field, const char* key) {
    field->setProperty("key", QString::fromLatin1(key));
    return field;
}

}  // namespace

CaseValues::CaseValues(Session& session, QWidget* parent) : InspectorForm(session, parent) {
    column()->setContentsMargins(0, 0, 0, 0);
    m_values = partWithForm(column(), theme(), tr("Symbols of this case"), m_valuePart);
    m_lists = partWithForm(column(), theme(), tr("Lists"), m_listPart);
    QFormLayout* caseForm = partWithForm(column(), theme(), tr("This case"), m_casePart);
    m_case = std::make_unique<FieldsOf<Case>>(
        theme(), endRun(), [this] { return shownCase(); },
        [this](const LocalText& label, const std::function<void(Case&)>& edit, const QString& mergeKey) {
            const Case* shown = shownCase();
            if (!shown) return false;
            const CaseId id = shown->id;
            CaseId after = id;
            const bool chosen = this->session().document().caseName().toStdString() == id.text;
            const bool taken = changeDesign(
                label,
                [&](Design& design) {
                    for (Case& entry : design.cases) {
                        if (entry.id != id) continue;
                        edit(entry);
                        after = entry.id;
                    }
                    if (design.defaultCase == id) design.defaultCase = after;
                },
                mergeKey);
            // The choice follows a new name.
            if (taken && chosen && after != id) this->session().document().setCase(QString::fromStdString(after.text));
            return taken;
        });
    m_case->into(caseForm);
    m_case->committed(
        "id", [] { return tr("name"); }, &Case::id,
        [](CaseId& id, const QString& text) {
            id = CaseId(text.trimmed().toStdString());
            return !id.empty();
        },
        [](const CaseId& id) { return QString::fromStdString(id.text); });
    m_case->committed(
        "aliases", [] { return tr("aliases"); }, &Case::aliases,
        [](std::vector<std::string>& aliases, const QString& text) {
            aliases.clear();
            for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
                aliases.push_back(part.trimmed().toStdString());
            return true;
        },
        [](const std::vector<std::string>& aliases) {
            QStringList parts;
            for (const std::string& alias : aliases) parts << QString::fromStdString(alias);
            return parts.join(QLatin1String(", "));
        });
    m_case->text(
        "notes", [] { return tr("notes"); }, &Case::notes);
    m_case
        ->committed(
            "symbols", [] { return tr("symbols"); }, &Case::symbols,
            [](Dictionary<std::int64_t>& symbols, const QString& text) {
                const auto parsed = parseDictionary(text);
                if (parsed) symbols = *parsed;
                return parsed.has_value();
            },
            [](const Dictionary<std::int64_t>& symbols) { return dictionaryText(symbols); })
        .tip(tr("The symbols that this case sets: T: 64, K: 1024"));
    m_case
        ->committed(
            "set", [] { return tr("settings"); }, &Case::set,
            [](Dictionary<JsonText>& settings, const QString& text) { return takeFieldText(settings, text); },
            [](const Dictionary<JsonText>& settings) { return fieldText(settings); })
        .tip(tr("What else is different in this case, by the path in the file: {\"/options/device_sched_mode\": 1}"));
    auto* row = new QHBoxLayout;
    auto* add = new QPushButton(themedIcon(theme(), Icon::Add), tr("New case"));
    auto* remove = new QPushButton(themedIcon(theme(), Icon::Remove), tr("Remove"));
    add->setToolTip(tr("A copy of this case under another name"));
    row->addWidget(add);
    row->addWidget(remove);
    row->addStretch(1);
    static_cast<QVBoxLayout*>(m_casePart->layout())->addLayout(row);
    m_details = partWithForm(column(), theme(), tr("Symbols"), m_detailPart);
    connect(add, &QPushButton::clicked, this, &CaseValues::addCase);
    connect(remove, &QPushButton::clicked, this, [this] {
        const Case* shown = shownCase();
        if (!shown) return;
        const CaseId id = shown->id;
        this->session().document().setCase({});
        changeDesign([] { return tr("Remove case"); },
                     [&](Design& design) {
                         std::erase_if(design.cases, [&](const Case& entry) { return entry.id == id; });
                         if (design.defaultCase == id) design.defaultCase = {};
                     });
    });
}

const Case* CaseValues::shownCase() const {
    const Binding* binding = session().document().binding();
    for (const Case& entry : design().cases)
        if (binding && entry.id == binding->caseId) return &entry;
    return nullptr;
}

bool CaseValues::changeDesign(const LocalText& label, const std::function<void(Design&)>& edit,
                              const QString& mergeKey) {
    Design copy = design();
    edit(copy);
    return apply(label, std::move(copy), mergeKey);
}

void CaseValues::addCase() {
    Case made = shownCase() ? *shownCase() : Case();
    made.aliases.clear();
    const std::string base = made.id.empty() ? "case" : made.id.text;
    int number = 2;
    const auto taken = [&](const std::string& id) {
        return std::any_of(design().cases.begin(), design().cases.end(),
                           [&](const Case& entry) { return entry.id.text == id; });
    };
    while (taken(base + "_" + std::to_string(number))) ++number;
    made.id = CaseId(base + "_" + std::to_string(number));
    for (const Symbol& symbol : design().symbols)
        if (!made.symbols.find(symbol.id.text)) made.symbols.set(symbol.id.text, symbol.value);
    const QString id = QString::fromStdString(made.id.text);
    if (changeDesign([] { return tr("New case"); }, [&](Design& design) { design.cases.push_back(std::move(made)); }))
        session().document().setCase(id);
}

void CaseValues::setSymbol(const std::string& symbol, std::int64_t value) {
    const QString key = QStringLiteral("symbol/") + QString::fromStdString(symbol);
    const LocalText label = [name = QString::fromStdString(symbol)] { return tr("Change %1").arg(name); };
    const Case* shown = shownCase();
    if (shown && shown->symbols.find(symbol))
        apply(label, setCaseSymbol(design(), shown->id, SymbolId(symbol), value), key);
    else
        apply(label, setSymbolValue(design(), SymbolId(symbol), value), key);
}

bool CaseValues::setList(const std::string& list, const QString& text) {
    const auto values = parseIntegers(text);
    const LocalText label = [name = QString::fromStdString(list)] { return tr("Change %1").arg(name); };
    if (!values) return apply(label, unexpected(ErrorCode::BadValue, "a list consists of integers and commas"));
    const Case* shown = shownCase();
    if (shown && shown->lists.find(list)) return apply(label, setCaseList(design(), shown->id, ListId(list), *values));
    return apply(label, setListValue(design(), ListId(list), *values));
}

void CaseValues::addSymbol(const std::string& id) {
    SymbolLines lines{};
    lines.id = id;
    const QString name = QString::fromStdString(id);
    lines.value = new StepSpinBox(theme(), {});
    lines.value->setAccessibleName(name);
    lines.value->setObjectName(QStringLiteral("symbol_") + name);
    connect(lines.value, &StepSpinBox::edited, this,
            [this, id](std::optional<std::int64_t> value, bool) { setSymbol(id, value.value_or(0)); });
    connect(lines.value, &QAbstractSpinBox::editingFinished, this, endRun());
    addField(m_values, name, keyed(lines.value, "value"));
    lines.name = makeCommittedLine(tr("Name of %1").arg(name), [this, id](const QString& text) {
        return apply([] { return tr("Rename symbol"); },
                     renameSymbol(design(), SymbolId(id), text.trimmed().toStdString()));
    });
    lines.otherwise =
        makeCommittedLine(tr("Value of %1 when the case has none").arg(name), [this, id](const QString& text) {
            const auto values = parseIntegers(text);
            if (!values || values->size() != 1) return false;
            return apply([name = QString::fromStdString(id)] { return tr("Change %1").arg(name); },
                         setSymbolValue(design(), SymbolId(id), values->front()));
        });
    lines.otherwise->setToolTip(tr("Used when the chosen case does not set the symbol"));
    lines.notes = makeTypedLine(tr("Notes on %1").arg(name), [this, id](const QString& text) {
        changeDesign([] { return tr("Change notes"); },
                     [&](Design& design) {
                         for (Symbol& symbol : design.symbols)
                             if (symbol.id.text == id) symbol.notes = text.toStdString();
                     },
                     QStringLiteral("symbol notes/") + QString::fromStdString(id));
    });
    lines.notes->setPlaceholderText(tr("what it stands for"));
    lines.isStatic = new QCheckBox(tr("static"));
    lines.isStatic->setToolTip(tr("%1 is known when the kernel is compiled").arg(name));
    connect(lines.isStatic, &QCheckBox::clicked, this, [this, id](bool on) {
        changeDesign([name = QString::fromStdString(id)] { return tr("Change %1").arg(name); },
                     [&](Design& design) {
                         for (Symbol& symbol : design.symbols)
                             if (symbol.id.text == id) symbol.isStatic = on;
                     });
    });
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(keyed(lines.isStatic, "static"));
    layout->addWidget(keyed(lines.otherwise, "value"), 1);
    layout->addWidget(keyed(lines.notes, "notes"), 2);
    m_details->addRow(keyed(lines.name, "id"), row);
    lines.name->setMaximumWidth(72);
    m_symbolLines.push_back(lines);
}

void CaseValues::addList(const std::string& id) {
    ListLines lines{};
    lines.id = id;
    const QString name = QString::fromStdString(id);
    lines.name = makeCommittedLine(tr("Name of the list %1").arg(name), [this, id](const QString& text) {
        return apply([] { return tr("Rename list"); }, renameList(design(), ListId(id), text.trimmed().toStdString()));
    });
    lines.form = makeEnum<ListForm>(tr("Form of %1").arg(name), [this, id](ListForm form) {
        apply([] { return tr("Change the form of a list"); }, setListForm(design(), ListId(id), form));
    });
    lines.form->setToolTip(
        tr("counts: rows of each group; prefix_sums: the row where each group ends; rows: the group of "
           "each row"));
    lines.values =
        makeCommittedLine(tr("Values of %1").arg(name), [this, id](const QString& text) { return setList(id, text); });
    lines.total = makeCommittedLine(tr("Total of %1").arg(name), [this, id](const QString& text) {
        const Expression total(text.trimmed().toStdString());
        if (!text.trimmed().isEmpty() && !total.names()) return false;
        return changeDesign([] { return tr("Change total"); },
                            [&](Design& design) {
                                for (List& list : design.lists)
                                    if (list.id.text == id)
                                        list.total = text.trimmed().isEmpty() ? std::nullopt : std::optional(total);
                            });
    });
    lines.total->setPlaceholderText(tr("not known"));
    lines.total->setToolTip(tr("Length of the axis that the groups cut"));
    lines.notes = makeTypedLine(tr("Notes on the list %1").arg(name), [this, id](const QString& text) {
        changeDesign([] { return tr("Change notes"); },
                     [&](Design& design) {
                         for (List& list : design.lists)
                             if (list.id.text == id) list.notes = text.toStdString();
                     },
                     QStringLiteral("list notes/") + QString::fromStdString(id));
    });
    lines.groups = new QPushButton(tr("Edit groups..."));
    lines.groups->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(lines.groups, &QPushButton::clicked, this, [this, id] { emit groupsRequested(ListId(id)); });
    addField(m_lists, tr("list"), keyed(lines.name, "id"));
    addField(m_lists, tr("form"), keyed(lines.form, "form"));
    addField(m_lists, tr("values"), keyed(lines.values, "value"));
    addField(m_lists, tr("total"), keyed(lines.total, "total"));
    addField(m_lists, tr("notes"), keyed(lines.notes, "notes"));
    m_lists->addRow(lines.groups);
    m_listLines.push_back(lines);
}

void CaseValues::rebuild() {
    std::vector<std::string> symbols, shownSymbols, lists, shownLists;
    for (const Symbol& symbol : design().symbols) symbols.push_back(symbol.id.text);
    for (const SymbolLines& lines : m_symbolLines) shownSymbols.push_back(lines.id);
    for (const List& list : design().lists) lists.push_back(list.id.text);
    for (const ListLines& lines : m_listLines) shownLists.push_back(lines.id);
    if (symbols != shownSymbols) {
        clearForm(m_values);
        clearForm(m_details);
        m_symbolLines.clear();
        for (const std::string& id : symbols) addSymbol(id);
    }
    if (lists != shownLists) {
        clearForm(m_lists);
        m_listLines.clear();
        for (const std::string& id : lists) addList(id);
    }
}

void CaseValues::refresh() {
    rebuild();
    const Binding* binding = session().document().binding();
    const Case* shown = shownCase();
    for (std::size_t i = 0; i < m_symbolLines.size(); ++i) {
        const Symbol& symbol = design().symbols[i];
        const std::int64_t* value = binding ? binding->symbols.find(symbol.id.text) : nullptr;
        m_symbolLines[i].value->setValue(value ? *value : symbol.value);
        m_symbolLines[i].value->setToolTip(QString::fromStdString(symbol.notes));
        showText(m_symbolLines[i].name, QString::fromStdString(symbol.id.text));
        m_symbolLines[i].isStatic->setChecked(symbol.isStatic);
        showText(m_symbolLines[i].otherwise, QString::number(symbol.value));
        showText(m_symbolLines[i].notes, QString::fromStdString(symbol.notes));
    }
    for (std::size_t i = 0; i < m_listLines.size(); ++i) {
        const List& list = design().lists[i];
        const ListLines& lines = m_listLines[i];
        const std::vector<std::int64_t>* ofCase = shown ? shown->lists.find(list.id.text) : nullptr;
        showText(lines.name, QString::fromStdString(list.id.text));
        showEnum(lines.form, list.form);
        showText(lines.values, integersText(ofCase ? *ofCase : list.value));
        showText(lines.total, list.total ? QString::fromStdString(list.total->text()) : QString());
        showText(lines.notes, QString::fromStdString(list.notes));
        m_lists->setRowVisible(lines.groups, list.form != ListForm::Plain);
    }
    m_valuePart->setVisible(m_values->rowCount() > 0);
    m_listPart->setVisible(!design().lists.empty());
    m_detailPart->setVisible(!design().symbols.empty());
    m_casePart->setVisible(shown != nullptr);
    m_case->refresh();
}

StepSpinBox* CaseValues::symbolField(const std::string& symbol) const {
    for (const SymbolLines& lines : m_symbolLines)
        if (lines.id == symbol) return lines.value;
    return nullptr;
}

}  // namespace cubist
