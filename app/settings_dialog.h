// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace cubist {

class Settings;
class Theme;

/// What the user may set. Everything takes effect at once but the size, which holds from the next start on.
class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    SettingsDialog(Settings& settings, const Theme& theme, QWidget* parent);

    [[nodiscard]] QComboBox* languageBox() const { return m_language; }
    [[nodiscard]] QComboBox* themeBox() const { return m_mode; }

signals:
    void changed();
    void shortcutsRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void showValues();

    Settings& m_settings;
    const Theme& m_theme;
    QComboBox* m_language = nullptr;
    QComboBox* m_mode = nullptr;
    QComboBox* m_scale = nullptr;
    QLabel* m_scaleNote = nullptr;
    QCheckBox* m_motion = nullptr;
    QSpinBox* m_autosave = nullptr;
    QCheckBox* m_session = nullptr;
    bool m_rebuildPending = false;
};

}  // namespace cubist
