// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QObject>

#include <array>
#include <cstdint>

#include "views/theme.h"

namespace cubist {

enum class DockId : std::uint8_t { Library, Inspector, Problems, Accuracy, Timing, Export };
inline constexpr std::size_t kDockCount = 6;

/// The docks of the window and where they stand. Docks that share an area as tabs have no title bar of their own: the
/// tab is their handle.
class DockLayout : public QObject {
    Q_OBJECT

public:
    explicit DockLayout(QMainWindow& window);

    /// Puts a panel into its dock; all six before `reset`.
    void setPanel(DockId id, QWidget* panel);
    [[nodiscard]] QDockWidget* dock(DockId id) const { return m_docks[static_cast<std::size_t>(id)]; }

    /// The arrangement a new user gets.
    void reset();
    /// Shows a dock and brings its tab to the front.
    void show(DockId id);
    void setTitle(DockId id, const QString& title);

    [[nodiscard]] QByteArray save() const;
    /// False, and nothing changed, when `state` is not of this version.
    bool restore(const QByteArray& state);

private:
    void updateTitleBars();
    [[nodiscard]] QString title(DockId id) const;

    QMainWindow& m_window;
    std::array<QDockWidget*, kDockCount> m_docks{};
    bool m_updatePending = false;
    DockId m_front = DockId::Timing;  ///< asked for last
};

}  // namespace cubist
