// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/group_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/design/edit_ops.h"
#include "core/design/integer_list.h"
#include "views/document_model.h"
#include "views/models/group_counts.h"
#include "views/panels/op_attributes.h"
#include "views/qt_text.h"
#include "views/theme.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/group_bars.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kMostGroups = 4096;
constexpr int kMostSkew = 16;
constexpr int kFieldHeight = 28;

const List* findList(const Design& design, const ListId& id) {
    for (const List& list : design.lists)
        if (list.id == id) return &list;
    return nullptr;
}

QString formText(ListForm form) {
    switch (form) {
        case ListForm::Counts: return GroupEditor::tr("counts: rows of each group");
        case ListForm::PrefixSums: return GroupEditor::tr("prefix sums: end row of each group");
        case ListForm::Rows: return GroupEditor::tr("rows: group of each row");
        case ListForm::Plain: break;
    }
    return {};
}

}  // namespace

void GroupEditor::edit(DocumentModel& document, const Theme& theme, const ListId& list, QWidget* parent) {
    const List* found = document.hasDesign() ? findList(*document.design(), list) : nullptr;
    if (!found || found->form == ListForm::Plain) return;
    auto* editor = new GroupEditor(document, theme, list, parent);
    editor->setAttribute(Qt::WA_DeleteOnClose);
    editor->open();
}

GroupEditor::GroupEditor(DocumentModel& document, const Theme& theme, const ListId& list, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_list(list),
      m_bars(new GroupBars(theme)),
      m_form(new ChoiceBox(tr("written as"))),
      m_values(new QLineEdit),
      m_summary(new QLabel),
      m_problem(new QLabel),
      m_groups(new QSpinBox),
      m_count(new QSpinBox),
      m_seed(new QSpinBox),
      m_skew(new QSlider(Qt::Horizontal)),
      m_keep(new QCheckBox(tr("keep the total"))) {
    setObjectName(QStringLiteral("groupEditor"));
    setProperty("helpPage", QStringLiteral("groups"));
    setWindowTitle(tr("Groups of %1 - Cubist").arg(qText(list.text)));
    setMinimumWidth(600);
    for (const ListForm form : {ListForm::Counts, ListForm::PrefixSums, ListForm::Rows})
        m_form->addItem(formText(form), static_cast<int>(form));
    m_form->setObjectName(QStringLiteral("groupForm"));
    m_values->setObjectName(QStringLiteral("groupValues"));
    m_values->setFont(Theme::font(FontRole::Mono));
    m_problem->setProperty("role", QStringLiteral("error"));
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_summary->setObjectName(QStringLiteral("groupSummary"));
    m_groups->setRange(1, kMostGroups);
    m_count->setRange(0, std::numeric_limits<int>::max());
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setObjectName(QStringLiteral("groupSeed"));
    m_skew->setRange(0, kMostSkew);
    m_skew->setValue(4);
    m_skew->setMinimumWidth(96);
    m_skew->setToolTip(tr("0 is even; the further right, the more rows go to few groups"));
    m_keep->setChecked(true);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    layout->addWidget(m_bars, 1);
    layout->addWidget(m_summary);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    const auto add = [&](const QString& name, QWidget* field) {
        auto* label = new QLabel(name);
        label->setProperty("role", QStringLiteral("muted"));
        label->setBuddy(field);
        label->setMinimumHeight(kFieldHeight);
        field->setAccessibleName(name);
        form->addRow(label, field);
    };
    auto* group = new QWidget;
    auto* groupRow = new QHBoxLayout(group);
    groupRow->setContentsMargins(0, 0, 0, 0);
    groupRow->addWidget(m_count);
    groupRow->addWidget(m_keep);
    groupRow->addStretch(1);
    add(tr("rows of the chosen group"), group);
    m_count->setAccessibleName(tr("rows of the chosen group"));
    add(tr("groups"), m_groups);
    auto* fill = new QWidget;
    auto* fillRow = new QHBoxLayout(fill);
    fillRow->setContentsMargins(0, 0, 0, 0);
    auto* even = new QPushButton(tr("Even"));
    auto* random = new QPushButton(tr("As a router"));
    random->setObjectName(QStringLiteral("groupRandom"));
    random->setToolTip(
        tr("Random sizes like those of a mixture of experts; the same for the same seed and unevenness"));
    auto* seedLabel = new QLabel(tr("seed"));
    auto* skewLabel = new QLabel(tr("uneven"));
    for (QLabel* label : {seedLabel, skewLabel}) label->setProperty("role", QStringLiteral("muted"));
    m_seed->setAccessibleName(tr("Seed"));
    m_skew->setAccessibleName(tr("Unevenness"));
    for (QWidget* widget : std::initializer_list<QWidget*>{even, random, seedLabel, m_seed, skewLabel, m_skew})
        fillRow->addWidget(widget);
    add(tr("fill"), fill);
    add(tr("written as"), m_form);
    add(tr("values"), m_values);
    layout->addLayout(form);
    layout->addWidget(m_problem);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &GroupEditor::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &GroupEditor::reject);
    connect(m_bars, &GroupBars::edited, this, &GroupEditor::changeCount);
    connect(m_bars, &GroupBars::currentChanged, this, [this](std::size_t chosen) {
        const QSignalBlocker quiet(m_count);
        m_count->setValue(static_cast<int>(m_counts[chosen]));
    });
    connect(m_count, &QSpinBox::valueChanged, this, [this](int value) { changeCount(m_bars->current(), value); });
    connect(m_groups, &QSpinBox::valueChanged, this, &GroupEditor::setGroups);
    connect(m_form, &QComboBox::activated, this, &GroupEditor::showValues);
    connect(m_values, &QLineEdit::textEdited, this, &GroupEditor::takeValues);
    connect(even, &QPushButton::clicked, this, &GroupEditor::fillEven);
    connect(random, &QPushButton::clicked, this, &GroupEditor::fillRandom);
    connect(m_skew, &QSlider::valueChanged, this, &GroupEditor::fillRandom);
    connect(m_seed, &QSpinBox::valueChanged, this, &GroupEditor::fillRandom);

    const Design& design = *document.design();
    const List& stored = *findList(design, list);
    m_form->setCurrentIndex(m_form->findData(static_cast<int>(stored.form)));
    std::vector<std::int64_t> values = stored.value;
    if (const Binding* binding = document.binding())
        for (const Case& entry : design.cases)
            if (entry.id == binding->caseId)
                if (const auto* own = entry.lists.find(list.text)) {
                    m_case = entry.id;
                    values = *own;
                }
    m_startEntry = beginsWithStart(design, stored, values);
    const auto counts = groupsOf(values, stored.form);
    setCounts(counts ? *counts : std::vector<std::int64_t>{0});
}

Result<std::vector<std::int64_t>> GroupEditor::groupsOf(const std::vector<std::int64_t>& values, ListForm form) const {
    auto counts = convertGroups(values, form, ListForm::Counts);
    if (!counts || !m_startEntry) return counts;
    if (counts->size() < 2 || counts->front() != 0)
        return unexpected(ErrorCode::BadValue,
                          tr("The list begins with 0, the start of the first group").toStdString());
    counts->erase(counts->begin());
    return counts;
}

Result<std::vector<std::int64_t>> GroupEditor::written() const {
    std::vector<std::int64_t> counts = m_counts;
    if (m_startEntry) counts.insert(counts.begin(), 0);
    return convertGroups(counts, ListForm::Counts, form());
}

ListForm GroupEditor::form() const {
    return static_cast<ListForm>(m_form->currentData().toInt());
}

std::int64_t GroupEditor::axisLength() const {
    const List* list = findList(*m_document.design(), m_list);
    const Binding* binding = m_document.binding();
    if (list && list->total && binding)
        if (const auto total = list->total->evaluate(binding->lookup())) return *total;
    return summarise(m_counts).total;
}

void GroupEditor::setCounts(std::vector<std::int64_t> counts) {
    m_counts = std::move(counts);
    m_bars->setCounts(m_counts);
    {
        const QSignalBlocker quietGroups(m_groups);
        const QSignalBlocker quietCount(m_count);
        m_groups->setValue(static_cast<int>(m_counts.size()));
        m_count->setValue(m_counts.empty() ? 0 : static_cast<int>(m_counts[m_bars->current()]));
    }
    const GroupSummary summary = summarise(m_counts);
    const std::int64_t length = axisLength();
    QString text = tr("%1 rows in %2 groups · largest %3 · %4 times the mean · %5 empty")
                       .arg(summary.total)
                       .arg(m_counts.size())
                       .arg(summary.largest)
                       .arg(shortNumber(summary.imbalance))
                       .arg(summary.empty);
    if (m_startEntry) text += tr(" · the list begins with 0");
    if (summary.total != length) text += tr(" · the axis has %1 rows").arg(length);
    m_summary->setText(text);
    showValues();
}

void GroupEditor::showValues() {
    const auto values = written();
    m_problem->setVisible(!values);
    if (!values) {
        m_problem->setText(qText(values.error().message));
        return;
    }
    if (!m_values->hasFocus() || !m_values->isModified()) m_values->setText(integersText(*values));
}

void GroupEditor::takeValues() {
    const auto values = parseIntegers(m_values->text());
    Result<std::vector<std::int64_t>> counts =
        values ? groupsOf(*values, form())
               : Result<std::vector<std::int64_t>>(
                     unexpected(ErrorCode::BadValue, tr("Integers, separated by commas").toStdString()));
    if (counts && std::any_of(counts->begin(), counts->end(), [](std::int64_t count) { return count < 0; }))
        counts = unexpected(ErrorCode::BadValue, tr("A group has fewer than 0 rows").toStdString());
    if (counts && counts->empty()) counts = unexpected(ErrorCode::BadValue, tr("There is no group").toStdString());
    m_problem->setVisible(!counts);
    if (!counts) {
        m_problem->setText(qText(counts.error().message));
        return;
    }
    setCounts(*std::move(counts));
}

void GroupEditor::changeCount(std::size_t group, std::int64_t count) {
    if (group >= m_counts.size()) return;
    m_values->setModified(false);
    setCounts(withCount(m_counts, group, count, m_keep->isChecked()));
}

void GroupEditor::setGroups(int groups) {
    m_values->setModified(false);
    std::vector<std::int64_t> counts = m_counts;
    const std::int64_t total = summarise(counts).total;
    counts.resize(static_cast<std::size_t>(groups), 0);
    // Rows of groups that went stay in the last one.
    if (m_keep->isChecked()) counts.back() += total - summarise(counts).total;
    setCounts(std::move(counts));
}

void GroupEditor::fillEven() {
    m_values->setModified(false);
    setCounts(evenCounts(static_cast<std::int64_t>(m_counts.size()), axisLength()));
}

void GroupEditor::fillRandom() {
    m_values->setModified(false);
    auto counts = moeCounts(static_cast<std::uint64_t>(m_seed->value()), static_cast<std::int64_t>(m_counts.size()),
                            axisLength(), m_skew->value());
    m_problem->setVisible(!counts);
    if (!counts)
        m_problem->setText(qText(counts.error().message));
    else
        setCounts(*std::move(counts));
}

Result<Design> GroupEditor::edited() const {
    Result<Design> design = *m_document.design();
    CUBIST_TRY(auto values, written());
    if (findList(*design, m_list)->form != form()) design = setListForm(*design, m_list, form());
    if (!design) return design;
    return m_case.empty() ? setListValue(*design, m_list, values) : setCaseList(*design, m_case, m_list, values);
}

void GroupEditor::accept() {
    if (m_problem->isVisibleTo(this)) return;
    if (!m_document.hasDesign() || !findList(*m_document.design(), m_list)) return reject();
    m_document.endEditRun();
    if (m_document.apply([name = qText(m_list.text)] { return tr("Change the groups of %1").arg(name); }, edited()))
        QDialog::accept();
}

}  // namespace cubist
