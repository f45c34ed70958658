// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recovery_dialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QLocale>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/help_window.h"
#include "app/window_place.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

// Of the column of names, px.
constexpr int kBesideName = 64;  ///< tick and margins
constexpr int kLeastName = 160;
constexpr int kMostName = 320;

QString durationText(qint64 seconds) {
    if (seconds < 120) return RecoveryDialog::tr("%1 s").arg(seconds);
    if (seconds < 7200) return RecoveryDialog::tr("%1 min").arg(seconds / 60);
    if (seconds < 172800) return RecoveryDialog::tr("%1 h").arg(seconds / 3600);
    return RecoveryDialog::tr("%1 days").arg(seconds / 86400);
}

QString timeText(const QDateTime& time) {
    return QLocale().toString(time.toLocalTime(), QLocale::ShortFormat);
}

}  // namespace

NewerSide newerSide(const RecoveryRecord& record) {
    const QFileInfo file(record.path);
    if (record.path.isEmpty() || !file.exists()) return NewerSide::NoFile;
    return file.lastModified() > record.savedAt ? NewerSide::File : NewerSide::Record;
}

QString newerText(const RecoveryRecord& record) {
    const QString distance = durationText(std::llabs(record.savedAt.secsTo(QFileInfo(record.path).lastModified())));
    switch (newerSide(record)) {
        case NewerSide::Record: return RecoveryDialog::tr("The recovered version is newer by %1").arg(distance);
        case NewerSide::File: return RecoveryDialog::tr("The file is newer by %1").arg(distance);
        case NewerSide::NoFile:
            return record.path.isEmpty() ? RecoveryDialog::tr("It never was a file")
                                         : RecoveryDialog::tr("The file is gone");
    }
    return {};
}

RecoveryDialog::RecoveryDialog(std::vector<RecoveryRecord> records, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_records(std::move(records)), m_list(new QTreeWidget) {
    setObjectName(QStringLiteral("recoveryDialog"));
    setProperty(kHelpPage, QStringLiteral("files"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Recovery - Cubist"));
    auto* title = new TextLabel(theme, FontRole::Title, Token::Text, tr("Cubist did not end by itself last time"));
    auto* text = new TextLabel(theme, FontRole::Ui, Token::Muted,
                               tr("These designs had unsaved changes. What is recovered opens unsaved; no file is "
                                  "written before you save."));
    text->setWordWrap(true);
    m_list->setHeaderLabels({tr("Design"), tr("Recovered version"), tr("File"), tr("Which is newer")});
    m_list->setAccessibleName(tr("Designs to recover"));
    m_list->setRootIsDecorated(false);
    for (const RecoveryRecord& record : m_records) {
        const QFileInfo file(record.path);
        auto* item = new QTreeWidgetItem(
            m_list, {record.path.isEmpty() ? record.name : file.fileName(), timeText(record.savedAt),
                     file.exists() && !record.path.isEmpty() ? timeText(file.lastModified()) : QStringLiteral("-"),
                     newerText(record)});
        item->setToolTip(0, record.path);
        item->setToolTip(3, item->text(3));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(0, newerSide(record) == NewerSide::File ? Qt::Unchecked : Qt::Checked);
    }
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(true);
    // The hint of an item with a tick leaves out a part of its margins: names would end in an ellipsis.
    m_list->header()->setSectionResizeMode(0, QHeaderView::Fixed);
    int widest = 0;
    for (const RecoveryRecord& record : m_records) {
        const QString name = record.path.isEmpty() ? record.name : QFileInfo(record.path).fileName();
        widest = std::max(widest, QFontMetrics(Theme::font(FontRole::Ui)).horizontalAdvance(name));
    }
    m_list->setColumnWidth(0, std::clamp(widest + kBesideName, kLeastName, kMostName));

    auto* buttons = new QDialogButtonBox;
    QPushButton* recover = buttons->addButton(tr("Recover what is ticked"), QDialogButtonBox::AcceptRole);
    QPushButton* discard = buttons->addButton(tr("Discard all"), QDialogButtonBox::DestructiveRole);
    QPushButton* later = buttons->addButton(tr("Ask again next time"), QDialogButtonBox::RejectRole);
    recover->setObjectName(QStringLiteral("recoverButton"));
    discard->setObjectName(QStringLiteral("discardButton"));
    recover->setProperty("primary", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    column->addWidget(title);
    column->addWidget(text);
    column->addWidget(m_list, 1);
    column->addWidget(buttons);
    resizeOnScreen(*this, QSize(880, 320));
    connect(recover, &QPushButton::clicked, this, [this] {
        emit recovered(ticked(true));
        emit discarded(ticked(false));
        accept();
    });
    connect(discard, &QPushButton::clicked, this, [this] {
        emit discarded(m_records);
        accept();
    });
    connect(later, &QPushButton::clicked, this, &QDialog::reject);
}

std::vector<RecoveryRecord> RecoveryDialog::ticked(bool on) const {
    std::vector<RecoveryRecord> records;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row)
        if ((m_list->topLevelItem(row)->checkState(0) == Qt::Checked) == on)
            records.push_back(m_records[static_cast<std::size_t>(row)]);
    return records;
}

}  // namespace cubist
