// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/problems_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <optional>

#include "core/rules/registry.h"
#include "views/models/findings_model.h"
#include "views/panels/finding_card.h"
#include "views/session.h"
#include "views/widgets/painting.h"

namespace cubist {

ProblemsPanel::ProblemsPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new FindingsModel(session.theme(), this)),
      m_proxy(new FindingsProxy(this)),
      m_table(new QTableView),
      m_filter(new QLineEdit),
      m_counts(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted)),
      m_details(new QScrollArea),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(session.theme(), {}, {})) {
    m_proxy->setSourceModel(m_model);
    m_table->setModel(m_proxy);
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
    m_filter->setFixedWidth(280);
    m_filter->setAccessibleName(tr("Filter problems"));
    m_filter->addAction(themedIcon(session.theme(), Icon::Filter, Token::Muted), QLineEdit::LeadingPosition);

    m_details->setWidgetResizable(true);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setMinimumWidth(240);

    auto* list = new QWidget;
    auto* listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 6, 12, 6);
    bar->addWidget(m_filter);
    bar->addStretch(1);
    bar->addWidget(m_counts);
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
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &ProblemsPanel::showCurrent);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, &ProblemsPanel::showCurrent);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &ProblemsPanel::showCurrent);
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
    if (!m_table->currentIndex().isValid() && m_proxy->rowCount() > 0) m_table->selectRow(0);
    showCurrent();
    emit countChanged(errors, warnings);
}

void ProblemsPanel::selectLike(const Finding& finding) {
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        const Finding& other = m_model->finding(m_proxy->mapToSource(m_proxy->index(row, 0)).row());
        if (other.ruleId != finding.ruleId || other.where != finding.where) continue;
        m_table->selectRow(row);
        return;
    }
}

const Finding* ProblemsPanel::current() const {
    const QModelIndex index = m_proxy->mapToSource(m_table->currentIndex());
    return index.isValid() ? &m_model->finding(index.row()) : nullptr;
}

void ProblemsPanel::showCurrent() {
    const Finding* finding = current();
    const bool anyRow = m_proxy->rowCount() > 0;
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
    const QModelIndex index = m_proxy->mapToSource(m_table->currentIndex());
    if (index.isValid()) m_session.selection().reveal(m_model->element(index.row()));
}

void ProblemsPanel::showElement(const Element& element) {
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        if (m_model->element(m_proxy->mapToSource(m_proxy->index(row, 0)).row()) != element) continue;
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
        menu.addAction(themedIcon(m_session.theme(), Icon::Fix), QString::fromStdString(fix.title),
                       &m_session.document(), [&document = m_session.document(), fix] { applyFix(document, fix); });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

}  // namespace cubist
