// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/import_notes.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window_place.h"
#include "views/language.h"
#include "views/widgets/labels.h"

namespace cubist {

ImportNotes::ImportNotes(const QString& file, const QString& source, const std::vector<ImportNote>& notes,
                         const Theme& theme, QWidget* parent)
    : QDialog(parent), m_file(QFileInfo(file).fileName()) {
    setObjectName(QStringLiteral("importNotes"));
    setAttribute(Qt::WA_DeleteOnClose);
    resizeOnScreen(*this, QSize(760, 380));
    buildInLanguage(*this, [this, source, notes, &theme] { build(source, notes, theme); });
}

void ImportNotes::build(const QString& source, const std::vector<ImportNote>& notes, const Theme& theme) {
    m_list = new QTreeWidget;
    setWindowTitle(tr("Import of %1 - Cubist").arg(m_file));
    const auto guesses = std::count_if(notes.begin(), notes.end(), [](const ImportNote& note) { return note.guess; });
    const auto count = static_cast<qsizetype>(notes.size()) - guesses;
    auto* title = new TextLabel(theme, FontRole::Title, Token::Text,
                                count == 0   ? tr("%1 values of the kernel were guessed").arg(guesses)
                                : count == 1 ? tr("1 place of the kernel was not understood")
                                             : tr("%1 places of the kernel were not understood").arg(count));
    auto* text = new TextLabel(theme, FontRole::Ui, Token::Muted,
                               count == 0 ? tr("Only the caller of the kernel knows them. Set them before you trust "
                                               "the prediction; the file is not changed.")
                                          : tr("The design has everything else. Add what is missing on the canvas; "
                                               "the file is not changed."));
    text->setWordWrap(true);
    m_list->setAccessibleName(tr("Lines that were not understood"));
    m_list->setHeaderLabels({tr("Line"), tr("Why"), tr("Text")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    const QStringList lines = source.split(QLatin1Char('\n'));
    for (const ImportNote& note : notes) {
        const auto line = static_cast<qsizetype>(note.line);
        const QString message = QString::fromStdString(note.message);
        auto* item =
            new QTreeWidgetItem(m_list, {QString::number(line), note.guess ? tr("Guessed: %1").arg(message) : message,
                                         lines.value(line - 1).trimmed()});
        item->setTextAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(2, Theme::font(FontRole::Mono));
        item->setToolTip(2, lines.value(line - 1).trimmed());
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copyButton = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(title);
    column->addWidget(text);
    column->addWidget(m_list, 1);
    column->addWidget(buttons);
    connect(copyButton, &QPushButton::clicked, this, &ImportNotes::copy);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void ImportNotes::copy() const {
    QString text;
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* item = m_list->topLevelItem(i);
        text += QStringLiteral("%1:%2: %3\n").arg(m_file, item->text(0), item->text(1));
    }
    QApplication::clipboard()->setText(text);
}

}  // namespace cubist
