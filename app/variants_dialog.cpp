// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/variants_dialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/help_window.h"
#include "app/window_place.h"
#include "core/exchange/variant_form.h"
#include "views/language.h"
#include "views/models/variant_rows.h"
#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/rows_table.h"

namespace cubist {
namespace {

constexpr int kProgressSteps = 1000;
constexpr int kFigureWidth = 80;  ///< px: the least of a column of figures; headers in Chinese are told too narrow

QString nameOfCase(const DocumentModel& document) {
    return document.binding() ? QString::fromStdString(document.binding()->caseId.text) : document.caseName();
}

}  // namespace

VariantsDialog::VariantsDialog(Session& session, QWidget* parent, VariantComparer::CompareFunction compare)
    : QDialog(parent),
      m_session(session),
      m_comparer(new VariantComparer(this, std::move(compare))),
      m_title(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_note(new TextLabel(session.theme(), FontRole::Ui, Token::Muted)),
      m_remark(new TextLabel(session.theme(), FontRole::Ui, Token::Text)),
      m_progress(new QProgressBar),
      m_rows(new RowsModel(session.theme(), formHeaders(), this)),
      m_figureRows(new RowsModel(session.theme(), figureHeaders(), this)),
      m_table(new RowsTable),
      m_figures(new RowsTable) {
    setObjectName(QStringLiteral("variantsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Loop variants - Cubist"));
    setProperty(kHelpPage, QStringLiteral("timing"));
    makeParts();
    resizeOnScreen(*this, QSize(1120, 640));
    DocumentModel& document = session.document();
    connect(m_comparer, &VariantComparer::changed, this, &VariantsDialog::refresh);
    connect(m_comparer, &VariantComparer::progressed, this,
            [this](double fraction) { m_progress->setValue(static_cast<int>(fraction * kProgressSteps)); });
    connect(m_comparer, &VariantComparer::failed, this, [this](const Error& error) {
        m_error = error;
        refresh();
    });
    connect(&document, &DocumentModel::designChanged, this, &VariantsDialog::refresh);
    connect(&document, &DocumentModel::caseChanged, this, &VariantsDialog::refresh);
    connect(&document, &DocumentModel::documentReplaced, this, &QDialog::close);
    compareAgain();
}

VariantsDialog::~VariantsDialog() {
    m_comparer->disconnect(this);
}

void VariantsDialog::makeParts() {
    for (TextLabel* label : {m_title, m_note, m_remark}) label->setWordWrap(true);
    m_progress->setRange(0, kProgressSteps);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(12);
    m_progress->setAccessibleName(tr("Progress of the comparison"));
    m_stop = new QPushButton(tr("&Stop"));
    m_stop->setObjectName(QStringLiteral("stopComparing"));
    m_table->setAccessibleName(tr("Forms of the design"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setRowsModel(m_rows);
    // The names of forms give way, their figures do not.
    m_table->setYieldingColumn(static_cast<int>(FormColumn::Form), kFigureWidth);
    m_figures->setAccessibleName(tr("All figures of the selected form"));
    m_figures->setRowsModel(m_figureRows);
    m_figures->setSortingEnabled(false);
    m_figures->horizontalHeader()->setMinimumSectionSize(kFigureWidth);
    auto* working = new QHBoxLayout;
    working->setSpacing(8);
    working->addWidget(m_progress, 1);
    working->addWidget(m_stop);
    auto* details = new QWidget;
    auto* detailColumn = new QVBoxLayout(details);
    detailColumn->setContentsMargins(0, 8, 0, 0);
    detailColumn->setSpacing(4);
    detailColumn->addWidget(m_remark);
    detailColumn->addWidget(m_figures, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_table);
    splitter->addWidget(details);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_again = buttons->addButton(tr("Compare a&gain"), QDialogButtonBox::ActionRole);
    m_again->setObjectName(QStringLiteral("compareAgain"));
    m_apply = buttons->addButton(tr("&Apply this form"), QDialogButtonBox::ApplyRole);
    m_apply->setObjectName(QStringLiteral("applyForm"));
    m_apply->setProperty("primary", true);
    m_apply->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(m_note);
    column->addLayout(working);
    column->addWidget(splitter, 1);
    column->addWidget(buttons);
    connect(m_stop, &QPushButton::clicked, m_comparer, &VariantComparer::stop);
    connect(m_again, &QPushButton::clicked, this, &VariantsDialog::compareAgain);
    connect(m_apply, &QPushButton::clicked, this, &VariantsDialog::applySelected);
    connect(m_table, &RowsTable::rowActivated, this, &VariantsDialog::applySelected);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_showing) return;
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        const auto& forms = m_comparer->forms();
        const int row = rows.isEmpty() ? -1 : m_table->sourceRow(rows.front());
        if (row < 0 || static_cast<std::size_t>(row) >= forms.size()) return;
        m_selected = forms[static_cast<std::size_t>(row)].variant.id;
        showSelected();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void VariantsDialog::compareAgain() {
    const DocumentModel& document = m_session.document();
    m_error.reset();
    m_selected.clear();
    m_progress->setValue(0);
    m_compared = document.design();
    if (!document.hasDesign() || !document.chip()) {
        m_error = Error{ErrorCode::UnknownName, tr("the chip of the design is unknown").toStdString()};
        m_comparer->stop();
    } else {
        m_comparer->start(m_session.request());
    }
    refresh();
}

bool VariantsDialog::isOutdated() const {
    const DocumentModel& document = m_session.document();
    const auto& asked = m_comparer->request();
    return !asked || !m_compared || !document.hasDesign() || !document.chip() || asked->chip != *document.chip() ||
           asked->caseName != document.caseName().toStdString() || asked->symbols != document.symbolOverrides() ||
           m_compared->cases != document.design()->cases;
}

void VariantsDialog::findCurrent() {
    m_current.reset();
    const auto design = m_session.document().effectiveDesign();
    if (!design || isOutdated()) return;
    const auto& forms = m_comparer->forms();
    for (std::size_t i = 0; i < forms.size() && !m_current; ++i)
        if (sameForm(*design, forms[i].variant.design)) m_current = i;
}

QString VariantsDialog::nameOf(std::size_t form) const {
    // The design as it was compared need not be the one of now.
    if (form == 0) return m_current == std::size_t{0} ? tr("as it is") : tr("as it was");
    const BilingualText& title = m_comparer->forms()[form].variant.title;
    return inLanguage(title.en, title.zh);
}

const VariantFigures* VariantsDialog::figuresOf(std::optional<std::size_t> form) const {
    if (!form) return nullptr;
    const auto& figures = m_comparer->forms()[*form].figures;
    return figures ? &*figures : nullptr;
}

std::optional<std::size_t> VariantsDialog::selected() const {
    const auto& forms = m_comparer->forms();
    for (std::size_t i = 0; i < forms.size(); ++i)
        if (forms[i].variant.id == m_selected) return i;
    return std::nullopt;
}

void VariantsDialog::select(std::size_t form) {
    const QAbstractItemModel& shown = *m_table->model();
    for (int row = 0; row < shown.rowCount(); ++row)
        if (m_table->sourceRow(shown.index(row, 0)) == static_cast<int>(form)) m_table->selectRow(row);
}

bool VariantsDialog::canApply() const {
    const std::optional<std::size_t> form = selected();
    // From a design that is none of them the edits since would be lost.
    return form && m_current && *form != *m_current && hasNumbers(figuresOf(form));
}

bool VariantsDialog::applySelected() {
    if (!canApply()) return false;
    const DesignVariant& form = m_comparer->forms()[*selected()].variant;
    DocumentModel& document = m_session.document();
    Result<Design> edited = withForm(*m_compared, document.caseName().toStdString(), form);
    if (edited) {
        edited->layout = document.design()->layout;
        edited->canvasNotes = document.design()->canvasNotes;
    }
    document.endEditRun();
    const bool done = document.apply(
        [before = *selected() == 0, title = form.title] {
            return before ? tr("Apply the form as it was") : tr("Apply form %1").arg(inLanguage(title.en, title.zh));
        },
        edited);
    if (!edited) {
        m_remark->setToken(Token::Error);
        m_remark->setText(QString::fromStdString(edited.error().message));
        m_remark->show();
    }
    return done;
}

QString VariantsDialog::note() const {
    return m_note->text();
}

void VariantsDialog::refresh() {
    findCurrent();
    const DocumentModel& document = m_session.document();
    const auto& forms = m_comparer->forms();
    const bool busy = m_comparer->busy();
    const auto known = std::count_if(forms.begin(), forms.end(), [](const auto& form) { return form.figures; });
    if (document.hasDesign()) m_title->setText(tr("Forms of %1").arg(QString::fromStdString(document.design()->name)));
    QString note =
        tr("Case %1 on %2. Changes of the time are against the form that the design has now.")
            .arg(nameOfCase(document), document.chip() ? QString::fromStdString(document.chip()->id.text) : QString());
    Token token = Token::Muted;
    if (m_error) {
        token = Token::Error;
        note = QString::fromStdString(m_error->message);
    } else if (busy) {
        note = forms.empty() ? tr("Looking for the forms of the design")
                             : tr("%1 of %2 forms compared").arg(known).arg(forms.size());
    } else if (!m_current) {
        token = Token::Warn;
        note = tr("The design, its case, sizes or chip have changed: compare again.");
    } else if (known < static_cast<std::ptrdiff_t>(forms.size())) {
        note = tr("Stopped: forms without figures were not compared.");
    } else if (forms.size() == 1) {
        note = tr("No loop of the design has a matmul in it: there is no other form.");
    }
    m_note->setToken(token);
    m_note->setText(note);
    m_progress->setVisible(busy);
    m_stop->setVisible(busy);
    m_again->setEnabled(!busy);

    const auto& asked = m_comparer->request();
    std::vector<std::vector<Cell>> rows;
    for (std::size_t i = 0; i < forms.size(); ++i)
        rows.push_back(formCells({nameOf(i), figuresOf(i), figuresOf(m_current), m_current == i}, asked->chip));
    // Setting rows forgets what was selected.
    m_showing = true;
    m_rows->setRows(std::move(rows));
    if (m_selected.empty() && !forms.empty()) m_selected = forms.front().variant.id;
    if (const auto form = selected()) select(*form);
    m_showing = false;
    showSelected();
}

void VariantsDialog::showSelected() {
    const std::optional<std::size_t> form = selected();
    const VariantFigures* shown = figuresOf(form);
    const QString remark = formRemark(shown);
    m_remark->setText(remark);
    m_remark->setToken(shown && !hasNumbers(shown) ? Token::Error : Token::Text);
    m_remark->setVisible(!remark.isEmpty());
    m_figureRows->setRows(form ? figureRows(figuresOf(m_current), shown, m_comparer->request()->chip)
                               : std::vector<std::vector<Cell>>());
    m_apply->setEnabled(canApply());
}

}  // namespace cubist
