// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/top_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "app/command_table.h"
#include "core/design/edit_ops.h"
#include "views/qt_text.h"
#include "views/session.h"
#include "views/widgets/caption_box.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

/// A filled circle beside the name of a design with unsaved changes.
class ModifiedDot : public QWidget {
public:
    explicit ModifiedDot(const Theme& theme) : m_theme(theme) {
        setFixedSize(10, 10);
        setToolTip(TopBar::tr("There are unsaved changes"));
        setAccessibleName(toolTip());
        // Keeps its place, so that the bar does not jump.
        QSizePolicy policy = sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        setSizePolicy(policy);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Token::Vector));
        painter.drawEllipse(QRectF(1.5, 1.5, 7, 7));
    }

private:
    const Theme& m_theme;
};

QString chipLabel(const ChipSpec& chip) {
    QString text = QString::fromStdString(chip.id.text);
    if (text.startsWith(QLatin1String("Ascend"))) text.insert(6, QLatin1Char(' '));
    return text;
}

QString variantLabel(const Skeleton& skeleton) {
    QString text = qText(toText(skeleton.variant));
    QStringList patterns;
    for (const std::int64_t pattern : skeleton.pattern) patterns << QString::number(pattern);
    if (!patterns.isEmpty()) text += TopBar::tr(" \u00b7 pattern %1").arg(patterns.join(QLatin1Char('+')));
    return text;
}

}  // namespace

TopBar::TopBar(Session& session, Commands& commands, QWidget* parent)
    : QToolBar(tr("Top bar"), parent),
      m_session(session),
      m_commands(commands),
      m_name(new ElidedLabel(session.theme(), FontRole::UiStrong, Token::Text)),
      m_dot(new ModifiedDot(session.theme())),
      m_chip(new CaptionBox(session.theme(), tr("Chip"))),
      m_case(new CaptionBox(session.theme(), tr("Case"))),
      m_variantCaption(new TextLabel(session.theme(), FontRole::UiSmall, Token::Muted, tr("Variant"))),
      m_variant(new TextLabel(session.theme(), FontRole::UiStrong, Token::Text)),
      m_run(new QPushButton(themedIconOnFill(session.theme(), Icon::Run), tr(" Run"))),
      m_stop(new QPushButton(themedIcon(session.theme(), Icon::Stop), tr(" Stop"))),
      m_palette(new QPushButton),
      m_theme(new QToolButton) {
    setObjectName(QStringLiteral("topBar"));
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    m_run->setObjectName(QStringLiteral("runButton"));
    m_run->setProperty("primary", true);
    m_run->setToolTip(tr("Compute values and time of this design (Ctrl+R)"));
    m_stop->setObjectName(QStringLiteral("stopButton"));
    m_stop->setToolTip(tr("Stop the run (Ctrl+.)"));
    for (QPushButton* button : {m_run, m_stop}) button->setFixedHeight(30);

    auto* content = new QWidget;
    auto* layout = new QHBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (const CommandId id : {CommandId::New, CommandId::Open, CommandId::Save, CommandId::Undo, CommandId::Redo}) {
        if (id == CommandId::Undo) layout->addSpacing(8);
        QToolButton* button = addButton(content, static_cast<int>(id));
        layout->addWidget(button);
        m_buttons.append(button);
    }
    layout->addSpacing(10);
    m_name->setMinimumWidth(40);
    m_name->setMaximumWidth(260);
    layout->addWidget(m_name);
    layout->addWidget(m_dot);
    layout->addStretch(1);
    layout->addWidget(m_chip);
    layout->addWidget(m_case);
    layout->addSpacing(4);
    layout->addWidget(m_variantCaption);
    layout->addWidget(m_variant);
    layout->addSpacing(10);
    layout->addWidget(m_run);
    layout->addWidget(m_stop);
    auto* exportButton = new QPushButton(themedIcon(session.theme(), Icon::Export), tr(" Export"));
    exportButton->setObjectName(QStringLiteral("exportButton"));
    exportButton->setFixedHeight(30);
    exportButton->setToolTip(tr("Write this design for other programs"));
    QAction* exportAction = commands.action(CommandId::ExportConfig);
    exportButton->setMenu(commands.menu(MenuId::Export));
    connect(exportAction, &QAction::enabledChanged, exportButton, &QPushButton::setEnabled);
    layout->addWidget(exportButton);
    layout->addStretch(1);
    const QString keys = commands.action(CommandId::Palette)->shortcut().toString(QKeySequence::NativeText);
    m_palette->setObjectName(QStringLiteral("paletteButton"));
    m_palette->setIcon(themedIcon(session.theme(), Icon::Search, Token::Muted));
    m_palette->setToolTip(tr("Find a command, a stage, a sample (%1)").arg(keys));
    m_palette->setAccessibleName(tr("Find a command"));
    m_palette->setFixedHeight(30);
    connect(m_palette, &QPushButton::clicked, commands.action(CommandId::Palette), &QAction::trigger);
    layout->addWidget(m_palette);
    m_theme->setAutoRaise(true);
    m_theme->setObjectName(QStringLiteral("themeButton"));
    layout->addWidget(m_theme);
    content->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(content);

    connect(m_run, &QPushButton::clicked, commands.action(CommandId::Run), &QAction::trigger);
    connect(m_stop, &QPushButton::clicked, commands.action(CommandId::Stop), &QAction::trigger);
    connect(m_theme, &QToolButton::clicked, this, &TopBar::themeToggled);
    DocumentModel& document = session.document();
    for (const ChipSpec& chip : document.chips().chips())
        m_chip->addItem(chipLabel(chip), QString::fromStdString(chip.id.text));
    connect(m_chip, &QComboBox::activated, this, [this](int index) {
        m_session.document().apply(
            [] { return tr("Change chip"); },
            setChip(*m_session.document().design(), ChipId(m_chip->itemData(index).toString().toStdString())));
    });
    connect(m_case, &QComboBox::activated, this,
            [this](int index) { m_session.document().setCase(m_case->itemData(index).toString()); });
    connect(&document, &DocumentModel::designChanged, this, &TopBar::refresh);
    connect(&document, &DocumentModel::caseChanged, this, &TopBar::refresh);
    connect(&document, &DocumentModel::pathChanged, this, &TopBar::refresh);
    connect(&document, &DocumentModel::documentReplaced, this, &TopBar::refresh);
    connect(&document, &DocumentModel::modifiedChanged, this, &TopBar::refresh);
    connect(&session.runs(), &RunController::stateChanged, this, &TopBar::showRunState);
    connect(&session.theme(), &Theme::changed, this, &TopBar::refresh);
    refresh();
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QToolBar::resizeEvent(event);
    fitWidth();
}

void TopBar::fitWidth() {
    // What the menus and keys have too goes first.
    constexpr int kRoomForKeys = 1040;
    constexpr int kRoomForVariant = 1140;
    constexpr int kRoomForButtons = 1040;
    for (QWidget* part : {m_variantCaption, m_variant}) part->setVisible(width() >= kRoomForVariant);
    for (QWidget* part : m_buttons) part->setVisible(width() >= kRoomForButtons);
    const QString keys = m_commands.action(CommandId::Palette)->shortcut().toString(QKeySequence::NativeText);
    m_palette->setText(width() >= kRoomForKeys ? QLatin1Char(' ') + keys : QString());
}

QToolButton* TopBar::addButton(QWidget* target, int command) {
    auto* button = new QToolButton(target);
    button->setDefaultAction(m_commands.action(static_cast<CommandId>(command)));
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    return button;
}

void TopBar::refresh() {
    const DocumentModel& document = m_session.document();
    const Theme& theme = m_session.theme();
    const bool open = document.hasDesign();
    m_dot->setVisible(document.isModified());
    m_name->setWholeText(open ? QString::fromStdString(document.design()->name) : tr("no design"));
    if (!document.path().isEmpty()) m_name->setToolTip(document.path());
    m_chip->setEnabled(open);
    m_case->setEnabled(open && !document.design()->cases.empty());
    const ChipSpec* chip = document.chip();
    m_chip->setCurrentIndex(chip ? m_chip->findData(QString::fromStdString(chip->id.text)) : -1);
    fillCases();
    m_variant->setText(open ? variantLabel(document.design()->skeleton) : QStringLiteral("-"));
    m_theme->setIcon(themedIcon(theme, theme.isDark() ? Icon::Light : Icon::Dark));
    m_theme->setToolTip(theme.isDark() ? tr("Switch to the light theme") : tr("Switch to the dark theme"));
    m_theme->setAccessibleName(m_theme->toolTip());
    showRunState();
}

void TopBar::fillCases() {
    const DocumentModel& document = m_session.document();
    const int before = m_case->count();
    m_case->clear();
    if (document.hasDesign())
        for (const Case& entry : document.design()->cases) {
            const std::string& name = entry.aliases.empty() ? entry.id.text : entry.aliases.front();
            m_case->addItem(QString::fromStdString(name), QString::fromStdString(entry.id.text));
            m_case->setItemData(m_case->count() - 1, QString::fromStdString(entry.id.text), Qt::ToolTipRole);
        }
    const Binding* binding = document.binding();
    m_case->setCurrentIndex(binding ? m_case->findData(QString::fromStdString(binding->caseId.text)) : -1);
    if (m_case->count() != before) m_case->updateGeometry();
}

void TopBar::showRunState() {
    const bool busy = m_session.runs().busy();
    m_run->setEnabled(m_session.canRun());
    m_stop->setVisible(busy);
    m_run->setVisible(!busy);
    m_stop->setEnabled(m_session.runs().state() == RunController::State::Running);
}

}  // namespace cubist
