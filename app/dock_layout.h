// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QObject>

#include <array>
#include <cstdint>
#include <optional>

#include "views/theme.h"

namespace cubist {

enum class DockId : std::uint8_t { Library, Inspector, Problems, Accuracy, Timing, Export, History };
inline constexpr std::size_t kDockCount = 7;

/// Arrangements for a task.
enum class LayoutId : std::uint8_t { Design, Accuracy, Timing };
inline constexpr std::size_t kLayoutCount = 3;
/// Name in settings: "design".
[[nodiscard]] QString layoutName(LayoutId id);

/// The docks of the window and where they stand. Docks that share an area as tabs have no title bar of their own: the
/// tab is their handle.
class DockLayout : public QObject {
    Q_OBJECT

public:
    explicit DockLayout(QMainWindow& window);

    /// Puts a panel into its dock, in place of the one before; all of them before `reset`.
    void setPanel(DockId id, QWidget* panel);
    [[nodiscard]] QDockWidget* dock(DockId id) const { return m_docks[static_cast<std::size_t>(id)]; }

    /// Arranges the docks as the layout comes.
    void apply(LayoutId layout);
    [[nodiscard]] LayoutId layout() const { return m_layout; }
    /// The present layout as it comes.
    void reset() { apply(m_layout); }
    /// Shows a dock and brings its tab to the front.
    void show(DockId id);
    /// The same, and the keyboard goes there.
    void showAndFocus(DockId id);
    void setTitle(DockId id, const QString& title);
    /// Titles in the language of the application.
    void retranslate();

    /// Extents in pixels.
    struct Sizes {
        int library = 228, inspector = 340;
        int bottom = 0;  ///< height of the panels below the canvas
    };
    [[nodiscard]] Sizes sizes() const;
    /// Now, and again when everything has been laid out: new panels take room until then.
    void setSizes(const Sizes& sizes);

    [[nodiscard]] QByteArray save() const;
    /// False, and nothing changed, when `state` is not of this version.
    bool restore(LayoutId layout, const QByteArray& state);

private:
    void raiseLater(DockId id);
    void applySizes(const Sizes& sizes);
    void updateLater();
    void updateTitleBars();
    [[nodiscard]] QString title(DockId id) const;

    QMainWindow& m_window;
    std::array<QDockWidget*, kDockCount> m_docks{};
    bool m_updatePending = false;
    std::optional<Sizes> m_sizesPending;
    DockId m_front = DockId::Timing;  ///< asked for last
    LayoutId m_layout = LayoutId::Design;
};

}  // namespace cubist
