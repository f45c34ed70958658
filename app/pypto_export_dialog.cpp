// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pypto_export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/export_commands.h"
#include "app/help_window.h"
#include "app/window_place.h"
#include "views/language.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

constexpr int kBesideNames = 32;  ///< px: margins of an item and a scroll bar

}  // namespace

PyptoExportDialog::PyptoExportDialog(const ExportCommands& commands, Session& session, QWidget* parent)
    : QDialog(parent),
      m_commands(commands),
      m_session(session),
      m_keys(new ChoiceBox(tr("Keys of merge options"))),
      m_box(new SoftBox(session.theme(), Token::Ok)),
      m_title(new TextLabel(session.theme(), FontRole::UiStrong, Token::Text)),
      m_text(new TextLabel(session.theme(), FontRole::Ui, Token::Text)),
      m_files(new QListWidget),
      m_view(new QPlainTextEdit) {
    setObjectName(QStringLiteral("pyptoExportDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export PyPTO kernel - Cubist"));
    setProperty(kHelpPage, QStringLiteral("export"));
    m_keys->addItem(tr("Labels, as the documentation has them"), static_cast<int>(KeyDialect::Labels));
    m_keys->addItem(tr("Integers, as most kernels have them"), static_cast<int>(KeyDialect::Integers));
    m_keys->fitToItems();
    auto* keys = new QHBoxLayout;
    keys->setSpacing(8);
    keys->addWidget(new TextLabel(session.theme(), FontRole::Ui, Token::Text, tr("Keys of merge options")));
    keys->addWidget(m_keys);
    keys->addStretch(1);
    for (TextLabel* label : {m_title, m_text}) {
        label->setWordWrap(true);
        m_box->box()->addWidget(label);
    }
    m_files->setAccessibleName(tr("Files"));
    m_files->setFrameShape(QFrame::NoFrame);
    m_files->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setAccessibleName(tr("Contents of the file"));
    m_view->setReadOnly(true);
    m_view->setFont(Theme::font(FontRole::Mono));
    m_view->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_view->setFrameShape(QFrame::NoFrame);
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    row->addWidget(m_files);
    row->addWidget(m_view, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_write = buttons->addButton(tr("&Write to folder..."), QDialogButtonBox::AcceptRole);
    m_write->setObjectName(QStringLiteral("writeButton"));
    m_write->setProperty("primary", true);
    m_write->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    column->addLayout(keys);
    column->addWidget(m_box);
    column->addLayout(row, 1);
    column->addWidget(buttons);
    resizeOnScreen(*this, QSize(960, 620));
    connect(m_keys, &QComboBox::currentIndexChanged, this, &PyptoExportDialog::refresh);
    connect(m_files, &QListWidget::currentRowChanged, this, &PyptoExportDialog::showFile);
    connect(m_write, &QPushButton::clicked, this, &PyptoExportDialog::chooseFolder);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

KeyDialect PyptoExportDialog::dialect() const {
    return static_cast<KeyDialect>(m_keys->currentData().toInt());
}

void PyptoExportDialog::refresh() {
    const int row = m_files->currentRow();
    m_exported = {};
    QStringList reasons;
    if (Result<PyptoExport> made = m_commands.pypto(dialect())) {
        m_exported = std::move(made).value();
        for (const Finding& finding : m_exported.findings)
            reasons << QStringLiteral("%1  %2").arg(QString::fromStdString(finding.ruleId), messageOf(finding));
    } else {
        reasons << QString::fromStdString(made.error().message);
    }
    const bool possible = reasons.isEmpty();
    m_box->setToken(possible ? Token::Ok : Token::Error);
    m_title->setText(possible ? tr("Nothing stands in the way") : tr("A PyPTO kernel cannot say all of this design"));
    m_text->setText(possible ? tr("Kernel, host wrapper, golden, test and documents, for the chip and case shown above "
                                  "the canvas.")
                             : reasons.join(QLatin1Char('\n')));
    m_write->setEnabled(possible);
    m_files->clear();
    for (const auto& [name, text] : m_exported.files) m_files->addItem(QString::fromStdString(name));
    // Wide enough for every name.
    m_files->setFixedWidth(std::clamp(m_files->sizeHintForColumn(0) + kBesideNames, 200, 420));
    int shown = row;
    // The kernel first.
    for (int i = 0; i < m_files->count() && row < 0; ++i)
        if (m_files->item(i)->text().endsWith(QLatin1String("_impl.py"))) shown = i;
    m_files->setCurrentRow(m_files->count() == 0 ? -1 : std::clamp(shown, 0, m_files->count() - 1));
    showFile();
}

void PyptoExportDialog::showFile() {
    const QListWidgetItem* item = m_files->currentItem();
    const auto file = item ? m_exported.files.find(item->text().toStdString()) : m_exported.files.end();
    m_view->setPlainText(file == m_exported.files.end() ? QString() : QString::fromStdString(file->second));
}

QString PyptoExportDialog::verdict() const {
    return m_title->text() + QLatin1Char('\n') + m_text->text();
}

Result<void> PyptoExportDialog::writeTo(const QString& folder) {
    if (m_exported.files.empty()) return unexpected(ErrorCode::Unsupported, m_text->text().toStdString());
    CUBIST_CHECK_OK(writeFolder(folder, m_exported.files));
    emit written(folder);
    return {};
}

void PyptoExportDialog::chooseFolder() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Folder for the kernel"), m_session.document().folder());
    if (folder.isEmpty()) return;
    QStringList replaced;
    for (const auto& [name, text] : m_exported.files)
        if (QDir(folder).exists(QString::fromStdString(name))) replaced << QString::fromStdString(name);
    if (!replaced.isEmpty() &&
        QMessageBox::question(this, tr("Replace files?"),
                              tr("The folder has these files already:\n%1").arg(replaced.join(QLatin1Char('\n'))),
                              QMessageBox::Yes | QMessageBox::Cancel) != QMessageBox::Yes)
        return;
    if (const Result<void> result = writeTo(folder); !result) {
        QMessageBox::warning(this, tr("The kernel could not be written"),
                             QString::fromStdString(result.error().message));
        return;
    }
    accept();
}

}  // namespace cubist
