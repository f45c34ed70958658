// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/problems_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/rules/registry.h"
#include "views/language.h"
#include "views/models/findings_model.h"
#include "views/models/fix_all.h"
#include "views/models/grouped_findings.h"
#include "views/panels/finding_card.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/painting.h"

namespace cubist {

ProblemsPanel::ProblemsPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new FindingsModel(session.theme(), this)),
      m_proxy(new FindingsProxy(this)),
      m_rows(new GroupedFindings(*m_model, *m_proxy, session.theme(), this)),
      m_table(new QTableView),
      m_filter(new QLineEdit),
      m_groups(nullptr),
      m_fixAll(new QPushButton(themedIcon(session.theme(), Icon::Fix), tr("Fix all"))),
      m_counts(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_details(new QScrollArea),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(session.theme(), {}, {})) {
    m_proxy->setSourceModel(m_model);
    m_table->setModel(m_rows);
    m_table->setObjectName(QStringLiteral("problemsTable"));
    m_table->setAccessibleName(tr("Problems"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setTabKeyNavigation(false);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(FindingsModel::SeverityColumn, Qt::AscendingOrder);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setMinimumSectionSize(26);
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(FindingsModel::MessageColumn, QHeaderView::Stretch);
    m_table->installEventFilter(this);

    m_filter->setPlaceholderText(tr("Filter by text, rule or element"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(160);
    m_filter->setMaximumWidth(320);
    m_filter->setAccessibleName(tr("Filter problems"));
    m_filter->addAction(themedIcon(session.theme(), Icon::Filter, Token::Muted), QLineEdit::LeadingPosition);

    auto* groups = new ChoiceBox(tr("Group problems"));
    m_groups = groups;
    m_groups->addItem(tr("Ungrouped"), static_cast<int>(FindingGroups::None));
    m_groups->addItem(tr("By severity"), static_cast<int>(FindingGroups::Severity));
    m_groups->addItem(tr("By rule"), static_cast<int>(FindingGroups::Rule));
    m_groups->addItem(tr("By element"), static_cast<int>(FindingGroups::Element));
    groups->fitToItems();
    m_fixAll->setObjectName(QStringLiteral("fixAll"));
    m_fixAll->setToolTip(tr("Apply every fix that removes its problem and adds no error, as one step"));
    m_details->setWidgetResizable(true);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setMinimumWidth(240);

    auto* list = new QWidget;
    auto* listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 6, 12, 6);
    bar->setSpacing(8);
    bar->addWidget(m_filter, 1);
    bar->addWidget(m_groups);
    bar->addStretch(1);
    bar->addWidget(m_counts);
    bar->addWidget(m_fixAll);
    listLayout->addLayout(bar);
    listLayout->addWidget(m_table, 1);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(list);
    splitter->addWidget(m_details);
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({760, 420});

    m_stack->addWidget(m_empty);
    m_stack->addWidget(splitter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(m_filter, &QLineEdit::textChanged, m_proxy, &FindingsProxy::setFilterText);
    connect(m_table, &QTableView::doubleClicked, this, &ProblemsPanel::jump);
    connect(m_table, &QTableView::customContextMenuRequested, this, &ProblemsPanel::showMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ProblemsPanel::showCurrent);
    connect(m_rows, &QAbstractItemModel::modelReset, this, &ProblemsPanel::showHeads);
    connect(m_rows, &QAbstractItemModel::modelReset, this, &ProblemsPanel::showCurrent);
    connect(m_groups, &QComboBox::activated, this,
            [this](int index) { m_rows->setGroups(static_cast<FindingGroups>(m_groups->itemData(index).toInt())); });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (m_rows->isHead(index.row())) m_rows->toggle(index.row());
    });
    connect(m_fixAll, &QPushButton::clicked, this, &ProblemsPanel::fixAll);
    connect(&session, &Session::findingsChanged, this, &ProblemsPanel::refresh);
    refresh();
}

void ProblemsPanel::refresh() {
    const std::optional<Finding> before = current() ? std::optional(*current()) : std::nullopt;
    m_model->setFindings(m_session.findings(), m_session.document().design());
    if (before) selectLike(*before);
    const int errors = m_model->count(Severity::Error);
    const int warnings = m_model->count(Severity::Warning);
    const int hints = m_model->count(Severity::Hint);
    m_counts->setText(QStringList{counted(errors, tr("1 error"), tr("%1 errors")),
                                  counted(warnings, tr("1 warning"), tr("%1 warnings")),
                                  counted(hints, tr("1 hint"), tr("%1 hints"))}
                          .join(QStringLiteral(" \u00b7 ")));
    if (!m_session.document().hasDesign())
        m_empty->setTexts(tr("No design is open"),
                          tr("Open a sample from the library on the left, or a file (Ctrl+O)."));
    else
        m_empty->setTexts(tr("No problems"),
                          tr("All %1 rules were checked against this design, chip and case.").arg(allRules().size()));
    m_stack->setCurrentIndex(m_model->findings().empty() ? 0 : 1);
    if (!m_table->currentIndex().isValid() && m_rows->rowCount() > 0) m_table->selectRow(0);
    showCurrent();
    const auto& all = m_model->findings();
    m_fixable = std::any_of(all.begin(), all.end(), hasSafeFix);
    m_fixAll->setEnabled(m_fixable);
    emit fixableChanged(m_fixable);
    emit countChanged(errors, warnings);
}

void ProblemsPanel::tellCount() {
    emit countChanged(m_model->count(Severity::Error), m_model->count(Severity::Warning));
}

void ProblemsPanel::fixAll() {
    DocumentModel& document = m_session.document();
    if (!document.hasDesign() || !document.chip() || !document.binding()) return;
    FixedDesign fixed = applySafeFixes(*document.design(), *document.chip(), *document.binding());
    if (fixed.fixes == 0) return;
    document.endEditRun();
    document.apply(
        [count = fixed.fixes] { return count == 1 ? tr("Fix 1 problem") : tr("Fix %1 problems").arg(count); },
        std::move(fixed.design));
}

void ProblemsPanel::showHeads() {
    m_table->clearSpans();
    for (int row = 0; row < m_rows->rowCount(); ++row)
        if (m_rows->isHead(row)) m_table->setSpan(row, 0, 1, m_rows->columnCount());
}

void ProblemsPanel::selectLike(const Finding& finding) {
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const int at = m_rows->findingRow(m_rows->index(row, 0));
        if (at < 0) continue;
        const Finding& other = m_model->finding(at);
        if (other.ruleId != finding.ruleId || other.where != finding.where) continue;
        m_table->selectRow(row);
        return;
    }
}

const Finding* ProblemsPanel::current() const {
    const int row = m_rows->findingRow(m_table->currentIndex());
    return row >= 0 ? &m_model->finding(row) : nullptr;
}

void ProblemsPanel::showCurrent() {
    const Finding* finding = current();
    const bool anyRow = m_rows->rowCount() > 0;
    // The list is made anew with every keystroke elsewhere; the card only when it says something else.
    if (m_details->widget() && anyRow == m_shownAnyRow && (finding != nullptr) == m_shown.has_value() &&
        (!finding || *finding == *m_shown))
        return;
    m_shownAnyRow = anyRow;
    m_shown = finding ? std::optional(*finding) : std::nullopt;
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(12, 8, 12, 12);
    if (finding) {
        layout->addWidget(new FindingCard(m_session, *finding, FindingCard::Detail::Full));
        if (findRule(finding->ruleId)) {
            auto* page = new LinkButton(m_session.theme(), tr("Page of this rule"));
            connect(page, &QPushButton::clicked, this, [this, id = QString::fromStdString(finding->ruleId)] {
                emit helpRequested(QStringLiteral("rule/") + id);
            });
            layout->addWidget(page);
        }
    } else {
        auto* hint = new TextLabel(m_session.theme(), FontRole::Ui, Token::Muted,
                                   anyRow ? tr("Select a problem to see its rule and the ways to fix it.")
                                          : tr("No problem matches the filter."));
        hint->setWordWrap(true);
        layout->addWidget(hint);
    }
    layout->addStretch(1);
    m_details->setWidget(content);
}

void ProblemsPanel::jump() {
    const int row = m_rows->findingRow(m_table->currentIndex());
    if (row >= 0) m_session.selection().reveal(m_model->element(row));
}

void ProblemsPanel::showElement(const Element& element) {
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const int at = m_rows->findingRow(m_rows->index(row, 0));
        if (at < 0 || m_model->element(at) != element) continue;
        m_table->selectRow(row);
        m_table->setFocus();
        return;
    }
}

bool ProblemsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            jump();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ProblemsPanel::showMenu(const QPoint& position) {
    const Finding* finding = current();
    if (!finding) return;
    QMenu menu(this);
    menu.addAction(tr("Show on the canvas"), this, &ProblemsPanel::jump);
    if (!finding->fixes.empty()) menu.addSeparator();
    for (const Fix& fix : finding->fixes)
        menu.addAction(themedIcon(m_session.theme(), Icon::Fix), titleOf(fix), &m_session.document(),
                       [&document = m_session.document(), fix] { document.applyFix(fix); });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

}  // namespace cubist
