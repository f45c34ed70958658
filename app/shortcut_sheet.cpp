// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <array>

#include "app/command_table.h"
#include "app/help_window.h"
#include "app/settings.h"
#include "app/window_place.h"
#include "views/canvas/canvas_view.h"

namespace cubist {
namespace {

constexpr int kNameRole = Qt::UserRole;

QString keysText(const QAction& action) {
    QStringList texts;
    for (const QKeySequence& keys : action.shortcuts()) texts << keys.toString(QKeySequence::NativeText);
    return texts.join(QLatin1String(", "));
}

const Command* commandNamed(const QString& name) {
    for (const Command& command : commandTable())
        if (name == QLatin1String(command.name)) return &command;
    return nullptr;
}

}  // namespace

ShortcutSheet::ShortcutSheet(Commands& commands, Settings& settings, const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_commands(commands),
      m_settings(settings),
      m_filter(new QLineEdit),
      m_list(new QTreeWidget),
      m_keys(new QKeySequenceEdit),
      m_restore(new QPushButton(tr("Built-in"))),
      m_message(new QLabel) {
    setObjectName(QStringLiteral("shortcutSheet"));
    setProperty(kHelpPage, QStringLiteral("keys"));
    setWindowTitle(tr("Keyboard shortcuts - Cubist"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_filter->setPlaceholderText(tr("Filter by command or key"));
    m_filter->setAccessibleName(tr("Filter shortcuts"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(themedIcon(theme, Icon::Filter, Token::Muted), QLineEdit::LeadingPosition);
    m_list->setHeaderLabels({tr("Command"), tr("Keys")});
    m_list->setAccessibleName(tr("Shortcuts"));
    m_list->setRootIsDecorated(true);
    m_list->setUniformRowHeights(true);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(false);
    m_keys->setAccessibleName(tr("New keys"));
    auto* set = new QPushButton(tr("Set"));
    auto* none = new QPushButton(tr("None"));
    // Enter in the fields is for what they are for.
    for (QPushButton* button : {set, none, m_restore}) button->setAutoDefault(false);
    m_message->setWordWrap(true);
    m_message->setProperty("role", "error");

    auto* editor = new QHBoxLayout;
    editor->setSpacing(8);
    editor->addWidget(new QLabel(tr("Keys")));
    editor->addWidget(m_keys, 1);
    editor->addWidget(set);
    editor->addWidget(none);
    editor->addWidget(m_restore);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* all = buttons->addButton(tr("All built-in"), QDialogButtonBox::ResetRole);
    // Enter in the filter must not take away all keys that were set.
    all->setAutoDefault(false);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    column->addLayout(editor);
    column->addWidget(m_message);
    column->addWidget(buttons);
    resizeOnScreen(*this, QSize(560, 640));

    connect(m_filter, &QLineEdit::textChanged, this, &ShortcutSheet::filter);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &ShortcutSheet::showCurrent);
    // Without a command there is nothing to give keys to.
    const auto allow = [this, set, none] {
        for (QPushButton* button : {set, none}) button->setEnabled(!currentCommand().isEmpty());
    };
    connect(m_list, &QTreeWidget::currentItemChanged, this, allow);
    allow();
    connect(set, &QPushButton::clicked, this, [this] { assign(currentCommand(), m_keys->keySequence()); });
    connect(none, &QPushButton::clicked, this, [this] { assign(currentCommand(), {}); });
    connect(m_restore, &QPushButton::clicked, this, [this] { restore(currentCommand()); });
    connect(all, &QPushButton::clicked, this, [this] {
        for (const Command& command : commandTable()) m_settings.setShortcuts(QString::fromLatin1(command.name), {});
        m_commands.useShortcuts(m_settings);
        fill();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fill();
}

void ShortcutSheet::fill() {
    const QString before = currentCommand();
    m_list->clear();
    std::array<QTreeWidgetItem*, kMenuCount> groups{};
    for (std::size_t i = 0; i < kMenuCount; ++i) {
        groups[i] = new QTreeWidgetItem(m_list, {plainText(static_cast<MenuId>(i))});
        groups[i]->setFlags(Qt::ItemIsEnabled);
    }
    for (const Command& command : commandTable()) {
        auto* item = new QTreeWidgetItem(groups[static_cast<std::size_t>(command.menu)],
                                         {plainText(command), keysText(*m_commands.action(command.id))});
        item->setData(0, kNameRole, QString::fromLatin1(command.name));
        if (before == QLatin1String(command.name)) m_list->setCurrentItem(item);
    }
    // Keys that belong to a view and are the same everywhere.
    auto* views = new QTreeWidgetItem(m_list, {tr("In the views")});
    views->setFlags(Qt::ItemIsEnabled);
    const auto add = [&](const QString& what, const QString& keys) {
        (new QTreeWidgetItem(views, {what, keys}))->setFlags(Qt::ItemIsEnabled);
    };
    for (const QString& line : CanvasView::canvasKeys().split(QLatin1Char('\n')))
        add(tr("Canvas: %1").arg(line.section(QLatin1Char('\t'), 1)), line.section(QLatin1Char('\t'), 0, 0));
    add(tr("Fit the swimlane"), QStringLiteral("F"));
    add(tr("Zoom and move the swimlane"), QStringLiteral("+ - W A S D"));
    add(tr("Step a number through its legal values"), tr("up, down, wheel, drag"));
    m_list->expandAll();
    filter(m_filter->text());
    showCurrent();
}

QString ShortcutSheet::currentCommand() const {
    const QTreeWidgetItem* item = m_list->currentItem();
    return item ? item->data(0, kNameRole).toString() : QString();
}

void ShortcutSheet::showCurrent() {
    const Command* command = commandNamed(currentCommand());
    m_keys->setEnabled(command != nullptr);
    m_restore->setEnabled(command && m_settings.shortcuts(currentCommand()));
    m_keys->setKeySequence(command ? m_commands.action(command->id)->shortcut() : QKeySequence());
    m_message->clear();
}

void ShortcutSheet::filter(const QString& text) {
    const QString wanted = text.trimmed();
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* group = m_list->topLevelItem(i);
        bool any = false;
        for (int j = 0; j < group->childCount(); ++j) {
            QTreeWidgetItem* item = group->child(j);
            const bool fits = wanted.isEmpty() || item->text(0).contains(wanted, Qt::CaseInsensitive) ||
                              item->text(1).contains(wanted, Qt::CaseInsensitive);
            item->setHidden(!fits);
            any = any || fits;
        }
        group->setHidden(!any);
    }
}

QString ShortcutSheet::ownerOf(const QKeySequence& keys, const QString& besides) const {
    for (const Command& command : commandTable()) {
        if (besides == QLatin1String(command.name)) continue;
        for (const QKeySequence& other : m_commands.action(command.id)->shortcuts())
            if (other.matches(keys) != QKeySequence::NoMatch || keys.matches(other) != QKeySequence::NoMatch)
                return plainText(command);
    }
    return {};
}

bool ShortcutSheet::assign(const QString& command, const QKeySequence& keys) {
    if (!commandNamed(command)) return false;
    const QString owner = keys.isEmpty() ? QString() : ownerOf(keys, command);
    if (!owner.isEmpty()) {
        m_message->setText(tr("%1 belongs to: %2").arg(keys.toString(QKeySequence::NativeText), owner));
        return false;
    }
    m_settings.setShortcuts(command,
                            keys.isEmpty() ? QStringList() : QStringList{keys.toString(QKeySequence::PortableText)});
    m_commands.useShortcuts(m_settings);
    fill();
    return true;
}

void ShortcutSheet::restore(const QString& command) {
    m_settings.setShortcuts(command, {});
    m_commands.useShortcuts(m_settings);
    fill();
}

QString ShortcutSheet::message() const {
    return m_message->text();
}

void showShortcuts(QWidget& window, Commands& commands, Settings& settings, const Theme& theme) {
    auto* sheet = new ShortcutSheet(commands, settings, theme, &window);
    sheet->open();
}

}  // namespace cubist
