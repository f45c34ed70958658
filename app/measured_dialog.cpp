// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measured_dialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <utility>

#include "app/help_window.h"
#include "app/window_place.h"
#include "views/language.h"
#include "views/plots/overlay_plot.h"
#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

QString ratioText(double emulated, double measured) {
    if (emulated <= 0.0 || measured <= 0.0) return QStringLiteral("-");
    return QStringLiteral("%1 \u00d7").arg(shortNumber(emulated / measured));
}

bool hasTime(const Session& session) {
    const RunReportPtr& report = session.runs().prediction();
    return report && report->trace && report->program;
}

}  // namespace

Result<MeasuredDialog*> MeasuredDialog::open(Session& session, const QString& path, QWidget* parent) {
    const ChipSpec* chip = session.document().chip();
    if (!chip || !hasTime(session))
        return unexpected(ErrorCode::BadValue, tr("the time of this design is not known").toStdString(), {},
                          tr("fix its errors, or wait for the prediction").toStdString());
    CUBIST_TRY(MeasuredTrace measured, readMeasuredTrace(path.toStdString(), deviceTicksPerUs(*chip)));
    auto* dialog = new MeasuredDialog(session, path, std::move(measured), parent);
    dialog->show();
    return dialog;
}

MeasuredDialog::MeasuredDialog(Session& session, const QString& path, MeasuredTrace measured, QWidget* parent)
    : QDialog(parent), m_session(session), m_file(QFileInfo(path).fileName()), m_measured(std::move(measured)) {
    setObjectName(QStringLiteral("measuredDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setProperty(kHelpPage, QStringLiteral("timing"));
    resizeOnScreen(*this, QSize(960, 640));
    buildInLanguage(*this, [this] { build(); });
    connect(&session, &Session::predictionChanged, this, &MeasuredDialog::refresh);
}

void MeasuredDialog::build() {
    m_title = new TextLabel(m_session.theme(), FontRole::Title, Token::Text);
    m_note = new TextLabel(m_session.theme(), FontRole::Ui, Token::Muted);
    m_plot = new OverlayPlot(m_session.theme());
    m_stages = new QTreeWidget;
    setWindowTitle(tr("Measured: %1 - Cubist").arg(m_file));
    for (TextLabel* label : {m_title, m_note}) label->setWordWrap(true);
    m_stages->setAccessibleName(tr("Stages, emulated and measured"));
    m_stages->setHeaderLabels({tr("Stage"), tr("Tasks"), tr("Measured tasks"), tr("Span"), tr("Measured span"),
                               tr("Ratio"), tr("Busy"), tr("Measured busy")});
    m_stages->setRootIsDecorated(false);
    m_stages->setFrameShape(QFrame::NoFrame);
    m_stages->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_stages->header()->setStretchLastSection(false);
    for (int column = 1; column < m_stages->columnCount(); ++column)
        m_stages->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_plot);
    splitter->addWidget(m_stages);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(m_note);
    column->addWidget(splitter, 1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

void MeasuredDialog::refresh() {
    // Without a prediction the last one stays: the design may be in the middle of an edit.
    if (!hasTime(m_session)) return;
    const RunReportPtr report = m_session.runs().prediction();
    const auto overlay =
        std::make_shared<const TraceOverlay>(overlayTraces(*report->program, *report->trace, m_measured));
    m_plot->setOverlay(report, overlay);
    const double emulated = overlay->emulatedTotal.spanUs, measured = overlay->measuredTotal.spanUs;
    m_title->setText(tr("emulated %1, measured %2: %3 of the measured time")
                         .arg(microsecondsText(emulated), microsecondsText(measured), ratioText(emulated, measured)));
    QStringList unknown;
    for (const std::string& label : overlay->unknownLabels) unknown << QString::fromStdString(label);
    m_note->setText(unknown.isEmpty() ? tr("Both begin at 0 with their first task. Measured bars are striped.")
                                      : tr("Both begin at 0 with their first task. Measured bars are striped. No stage "
                                           "has the labels: %1")
                                            .arg(unknown.join(QLatin1String(", "))));
    showStages(*report->program, *overlay);
}

void MeasuredDialog::showStages(const Program& program, const TraceOverlay& overlay) {
    m_stages->clear();
    const auto add = [this](const QString& name, const OverlaySide& emulated, const OverlaySide& measured) {
        const QString none = QStringLiteral("-");
        const auto time = [&](const OverlaySide& side, double value) {
            return side.tasks > 0 ? microsecondsText(value) : none;
        };
        auto* item = new QTreeWidgetItem(
            m_stages, {name, grouped(emulated.tasks), grouped(measured.tasks), time(emulated, emulated.spanUs),
                       time(measured, measured.spanUs), ratioText(emulated.spanUs, measured.spanUs),
                       time(emulated, emulated.busyUs), time(measured, measured.busyUs)});
        for (int column = 1; column < item->columnCount(); ++column)
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        return item;
    };
    for (const OverlayStage& stage : overlay.stages)
        add(QString::fromStdString(program.stages[stage.stage.value].id.text), stage.emulated, stage.measured);
    QTreeWidgetItem* total = add(tr("Everything"), overlay.emulatedTotal, overlay.measuredTotal);
    for (int column = 0; column < total->columnCount(); ++column)
        total->setFont(column, Theme::font(FontRole::UiStrong));
}

QString MeasuredDialog::summary() const {
    return m_title->text() + QLatin1Char('\n') + m_note->text();
}

}  // namespace cubist
