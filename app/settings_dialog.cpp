// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>

#include <initializer_list>

#include "app/help_window.h"
#include "app/settings.h"
#include "views/language.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

constexpr int kFieldHeight = 28;

}  // namespace

SettingsDialog::SettingsDialog(Settings& settings, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_theme(theme) {
    setObjectName(QStringLiteral("settingsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    build();
}

void SettingsDialog::build() {
    // Made anew when the language changes.
    delete layout();
    qDeleteAll(findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    setWindowTitle(tr("Settings - Cubist"));
    setProperty(kHelpPage, QStringLiteral("settings"));
    m_language = new ChoiceBox(tr("Language"));
    m_language->addItem(tr("As the desktop"), static_cast<int>(Language::System));
    m_language->addItem(QStringLiteral("English"), static_cast<int>(Language::English));
    m_language->addItem(QStringLiteral("\u7b80\u4f53\u4e2d\u6587"), static_cast<int>(Language::Chinese));
    m_mode = new ChoiceBox(tr("Theme"));
    m_mode->addItem(tr("As the desktop"), static_cast<int>(ThemeMode::System));
    m_mode->addItem(tr("Light"), static_cast<int>(ThemeMode::Light));
    m_mode->addItem(tr("Dark"), static_cast<int>(ThemeMode::Dark));
    m_mode->addItem(tr("High contrast"), static_cast<int>(ThemeMode::HighContrast));
    m_scale = new ChoiceBox(tr("Size"));
    for (const int percent : {100, 125, 150, 175, 200}) m_scale->addItem(tr("%1 %").arg(percent), percent);
    m_scaleNote = new TextLabel(m_theme, FontRole::UiSmall, Token::Muted, tr("Holds from the next start on."));
    m_motion = new QCheckBox(tr("Things jump instead of gliding"));
    m_motion->setObjectName(QStringLiteral("reducedMotion"));
    m_autosave = new QSpinBox;
    m_autosave->setAccessibleName(tr("Seconds between autosaves"));
    m_autosave->setRange(0, 3600);
    m_autosave->setSuffix(tr(" s"));
    m_autosave->setSpecialValueText(tr("off"));
    m_session = new QCheckBox(tr("Open what was open last"));

    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Language"), m_language);
    form->addRow(tr("Theme"), m_mode);
    form->addRow(tr("Size"), m_scale);
    form->addRow(QString(), m_scaleNote);
    form->addRow(tr("Motion"), m_motion);
    form->addRow(tr("Autosave every"), m_autosave);
    form->addRow(tr("At the start"), m_session);
    auto* file = new TextLabel(m_theme, FontRole::MonoSmall, Token::Muted, m_settings.file());
    file->setWordWrap(true);
    file->setTextInteractionFlags(Qt::TextSelectableByMouse);
    form->addRow(tr("Stored in"), file);

    // Labels stand level with the texts of their fields.
    for (QWidget* field : std::initializer_list<QWidget*>{m_language, m_mode, m_scale, m_autosave})
        form->labelForField(field)->setMinimumHeight(kFieldHeight);

    auto* shortcuts = new QPushButton(tr("Keyboard shortcuts..."));
    auto* folder = new QPushButton(tr("Show the file"));
    for (QPushButton* button : {shortcuts, folder}) button->setAutoDefault(false);
    auto* row = new QHBoxLayout;
    row->addWidget(shortcuts);
    row->addWidget(folder);
    row->addStretch(1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* reset = buttons->addButton(tr("Reset all"), QDialogButtonBox::ResetRole);
    // Enter closes; it never takes away what was set.
    reset->setAutoDefault(false);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(12);
    column->addLayout(form);
    column->addLayout(row);
    column->addStretch(1);
    column->addWidget(buttons);
    setMinimumWidth(440);
    showValues();

    const auto onChoice = [this](QComboBox* box, auto set) {
        connect(box, &QComboBox::activated, this, [this, box, set](int) {
            set(box->currentData().toInt());
            emit changed();
        });
    };
    onChoice(m_language, [this](int value) {
        m_settings.setLanguage(static_cast<Language>(value));
        applyLanguage(static_cast<Language>(value));
    });
    onChoice(m_mode, [this](int value) { m_settings.setThemeMode(static_cast<ThemeMode>(value)); });
    onChoice(m_scale, [this](int value) { m_settings.setScalePercent(value); });
    connect(m_motion, &QCheckBox::clicked, this, [this](bool on) {
        m_settings.setReducedMotion(on);
        emit changed();
    });
    connect(m_autosave, &QSpinBox::valueChanged, this, [this](int seconds) {
        m_settings.setAutosaveSeconds(seconds);
        emit changed();
    });
    connect(m_session, &QCheckBox::clicked, this, [this](bool on) { m_settings.setRestoresSession(on); });
    connect(shortcuts, &QPushButton::clicked, this, &SettingsDialog::shortcutsRequested);
    connect(folder, &QPushButton::clicked, this, [this] {
        m_settings.sync();
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(m_settings.file()).absolutePath()));
    });
    connect(reset, &QPushButton::clicked, this, [this] {
        m_settings.reset();
        applyLanguage(m_settings.language());
        showValues();
        emit changed();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void SettingsDialog::showValues() {
    const Settings& settings = m_settings;
    m_language->setCurrentIndex(m_language->findData(static_cast<int>(settings.language())));
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(settings.themeMode())));
    m_scale->setCurrentIndex(m_scale->findData(settings.scalePercent()));
    m_motion->setChecked(settings.reducedMotion());
    const QSignalBlocker quiet(m_autosave);
    m_autosave->setValue(settings.autosaveSeconds());
    m_session->setChecked(settings.restoresSession());
}

void SettingsDialog::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() != QEvent::LanguageChange || m_rebuildPending) return;
    m_rebuildPending = true;
    // Queued: the event comes from one of the fields that go.
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_rebuildPending = false;
            build();
        },
        Qt::QueuedConnection);
}

}  // namespace cubist
