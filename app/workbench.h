// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <memory>
#include <vector>

#include "app/main_window.h"
#include "app/recovery_dialog.h"

namespace cubist {

/// All windows of the program: opens them, remembers them for the next session, offers what a crash left, ends.
class Workbench : public QObject {
    Q_OBJECT

public:
    /// `recoveryRoot`: where unsaved changes are kept; empty: the user's folder.
    Workbench(Theme& theme, WindowSetup setup, const QString& recoveryRoot = {});
    ~Workbench() override;

    MainWindow* newWindow();
    /// The first windows: those of the arguments; else what a crash left is offered and the last session restored, and
    /// somebody who starts for the first time gets a sample and the tour.
    void start(const QStringList& designs);
    /// Closes all windows, asking about unsaved changes. False when the user stays.
    bool quit();
    [[nodiscard]] std::vector<MainWindow*> windows() const;
    /// The dialog that is open; null otherwise.
    [[nodiscard]] RecoveryDialog* recoveryDialog() const { return m_dialog; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restoreSession();
    void offerRecovery(bool mayShowTour);
    void recover(const std::vector<RecoveryRecord>& records);
    void saveSession();
    /// A window that shows nothing worth keeping, else a new one.
    MainWindow* freeWindow();

    Theme& m_theme;
    WindowSetup m_setup;
    Settings m_settings;
    std::vector<QPointer<MainWindow>> m_windows;
    QPointer<RecoveryDialog> m_dialog;
    bool m_quitting = false;
};

}  // namespace cubist
