// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/export_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

#include "core/exchange/config_export.h"
#include "core/exchange/files.h"
#include "views/icons.h"
#include "views/session.h"
#include "views/widgets/labels.h"

namespace cubist {

ExportPanel::ExportPanel(Session& session, std::string version, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_version(std::move(version)),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(session.theme(), {}, {})),
      m_view(new QPlainTextEdit),
      m_name(new ElidedLabel(session.theme(), FontRole::UiStrong, Token::Text)) {
    m_view->setReadOnly(true);
    m_view->setFont(Theme::font(FontRole::Mono));
    m_view->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Kernel config"));
    m_view->setObjectName(QStringLiteral("exportText"));
    auto* copy = new QPushButton(themedIcon(session.theme(), Icon::Copy), tr("Copy"));
    auto* save = new QPushButton(themedIcon(session.theme(), Icon::Save), tr("Save..."));
    copy->setObjectName(QStringLiteral("exportCopy"));
    save->setObjectName(QStringLiteral("exportSave"));
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    connect(save, &QPushButton::clicked, this, &ExportPanel::save);

    auto* page = new QWidget;
    auto* pageLayout = new QVBoxLayout(page);
    pageLayout->setContentsMargins(0, 0, 0, 0);
    pageLayout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 6, 12, 6);
    bar->setSpacing(8);
    bar->addWidget(m_name);
    bar->addWidget(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted,
                                 tr("what a build script needs: all numbers filled in for this chip and case")),
                   1);
    bar->addWidget(copy);
    bar->addWidget(save);
    pageLayout->addLayout(bar);
    pageLayout->addWidget(m_view, 1);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(&session, &Session::predictionChanged, this, &ExportPanel::refresh);
    connect(&session.document(), &DocumentModel::findingsChanged, this, &ExportPanel::refresh);
    connect(&session.document(), &DocumentModel::placesChanged, this, &ExportPanel::refresh);
    refresh();
}

void ExportPanel::refresh() {
    m_dirty = true;
    if (isVisible()) fill();
}

void ExportPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_dirty) fill();
}

Result<std::string> ExportPanel::config() const {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) return unexpected(ErrorCode::BadValue, "no design is open");
    if (!document.chip()) return unexpected(ErrorCode::UnknownName, "the chip of the design is unknown", "/chip");
    const RunReportPtr& prediction = m_session.runs().prediction();
    RunReport nothing;
    CUBIST_TRY(const KernelConfig config,
               kernelConfig(m_session.request(), prediction ? *prediction : nothing, m_version));
    return kernelConfigText(config);
}

void ExportPanel::fill() {
    m_dirty = false;
    const Result<std::string> text = config();
    if (text) {
        const QString name = QString::fromStdString(m_session.document().design()->name);
        m_name->setWholeText(tr("%1.config.json").arg(name));
        const QString shown = QString::fromStdString(*text);
        if (shown != m_view->toPlainText()) {
            // Keeps the reader's place while numbers change.
            const int scroll = m_view->verticalScrollBar()->value();
            m_view->setPlainText(shown);
            m_view->verticalScrollBar()->setValue(scroll);
        }
    } else if (!m_session.document().hasDesign()) {
        m_empty->setTexts(tr("No design is open"),
                          tr("Open a sample from the library on the left, or a file (Ctrl+O)."));
    } else {
        m_empty->setTexts(tr("Nothing to export"), QString::fromStdString(text.error().message));
    }
    m_stack->setCurrentIndex(text ? 1 : 0);
}

QString ExportPanel::text() const {
    const Result<std::string> text = config();
    return text ? QString::fromStdString(*text) : QString();
}

Result<void> ExportPanel::saveTo(const QString& path) const {
    CUBIST_TRY(const std::string text, config());
    return writeFileAtomically(path.toStdString(), text);
}

void ExportPanel::save() {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) return;
    const QString name = QString::fromStdString(document.design()->name) + QStringLiteral(".config.json");
    const QString folder = document.folder().isEmpty() ? QString() : document.folder() + QLatin1Char('/');
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save kernel config"), folder + name, tr("JSON files (*.json)"));
    if (path.isEmpty()) return;
    if (const Result<void> saved = saveTo(path); !saved)
        QMessageBox::warning(this, tr("Save kernel config"), QString::fromStdString(saved.error().message));
}

}  // namespace cubist
