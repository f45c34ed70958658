// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dock_layout.h"

#include <QScrollArea>
#include <QTabBar>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace cubist {
namespace {

// Of the saved arrangement: another number makes old ones be ignored.
constexpr int kStateVersion = 2;

constexpr int kRoomForBothSides = 1100;
constexpr int kRoomForTallPanels = 640;

constexpr std::array kBottom{DockId::Problems, DockId::Accuracy, DockId::Timing, DockId::Export};
/// Those that need more height than a small screen gives them; the parts of the others scroll by themselves.
constexpr std::array kScrolled{DockId::Problems, DockId::Accuracy, DockId::Export};

const char* dockName(DockId id) {
    switch (id) {
        case DockId::Library: return "libraryDock";
        case DockId::Inspector: return "inspectorDock";
        case DockId::Problems: return "problemsDock";
        case DockId::Accuracy: return "accuracyDock";
        case DockId::Timing: return "timingDock";
        case DockId::Export: return "exportDock";
        case DockId::History: return "historyDock";
    }
    return "";
}

/// Stands in for a title bar where the tab does its work.
class NoTitleBar : public QWidget {
public:
    using QWidget::QWidget;
    [[nodiscard]] QSize sizeHint() const override { return {0, 0}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, 0}; }
};

}  // namespace

QString layoutName(LayoutId id) {
    switch (id) {
        case LayoutId::Design: return QStringLiteral("design");
        case LayoutId::Accuracy: return QStringLiteral("accuracy");
        case LayoutId::Timing: return QStringLiteral("timing");
    }
    return {};
}

DockLayout::DockLayout(QMainWindow& window) : QObject(&window), m_window(window) {
    window.setDockNestingEnabled(true);
    window.setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    window.setTabPosition(Qt::LeftDockWidgetArea, QTabWidget::North);
    window.setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
    window.setDocumentMode(true);
    for (std::size_t i = 0; i < kDockCount; ++i) {
        const auto id = static_cast<DockId>(i);
        auto* dock = new QDockWidget(title(id), &window);
        dock->setObjectName(QString::fromLatin1(dockName(id)));
        m_docks[i] = dock;
        connect(dock, &QDockWidget::topLevelChanged, this, &DockLayout::updateLater);
        connect(dock, &QDockWidget::dockLocationChanged, this, &DockLayout::updateLater);
        connect(dock, &QDockWidget::visibilityChanged, this, &DockLayout::updateLater);
    }
}

QString DockLayout::title(DockId id) const {
    switch (id) {
        case DockId::Library: return tr("Library");
        case DockId::Inspector: return tr("Inspector");
        case DockId::Problems: return tr("Problems");
        case DockId::Accuracy: return tr("Accuracy");
        case DockId::Timing: return tr("Timing");
        case DockId::Export: return tr("Export preview");
        case DockId::History: return tr("Undo history");
    }
    return {};
}

void DockLayout::setPanel(DockId id, QWidget* panel) {
    panel->setAttribute(Qt::WA_StyledBackground);
    panel->setProperty("panel", "surface");
    QWidget* before = dock(id)->widget();
    if (std::find(kScrolled.begin(), kScrolled.end(), id) != kScrolled.end()) {
        // In a window that is too low for all of it the panel scrolls, and the canvas keeps its room.
        auto* scroll = new QScrollArea;
        scroll->setFrameShape(QFrame::NoFrame);
        scroll->setFocusPolicy(Qt::NoFocus);
        scroll->setWidgetResizable(true);
        scroll->setWidget(panel);
        dock(id)->setWidget(scroll);
    } else {
        dock(id)->setWidget(panel);
    }
    delete before;
}

void DockLayout::apply(LayoutId layout) {
    m_layout = layout;
    for (QDockWidget* dock : m_docks) {
        dock->setFloating(false);
        m_window.removeDockWidget(dock);
    }
    // On a small screen the panels at the sides share one area, and the canvas gets the other.
    const bool small = m_window.width() < kRoomForBothSides;
    m_window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    // While times are tuned the inspector keeps its whole height beside the swimlane.
    m_window.setCorner(Qt::BottomRightCorner,
                       layout == LayoutId::Timing && !small ? Qt::RightDockWidgetArea : Qt::BottomDockWidgetArea);
    m_window.addDockWidget(Qt::RightDockWidgetArea, dock(DockId::Inspector));
    if (small)
        m_window.tabifyDockWidget(dock(DockId::Inspector), dock(DockId::Library));
    else
        m_window.addDockWidget(Qt::LeftDockWidgetArea, dock(DockId::Library));
    m_window.tabifyDockWidget(dock(DockId::Library), dock(DockId::History));
    for (const DockId id : kBottom) {
        m_window.addDockWidget(Qt::BottomDockWidgetArea, dock(id));
        if (id != kBottom.front()) m_window.tabifyDockWidget(dock(kBottom.front()), dock(id));
    }
    for (std::size_t i = 0; i < kDockCount; ++i) m_docks[i]->setVisible(static_cast<DockId>(i) != DockId::History);
    const DockId front = layout == LayoutId::Accuracy ? DockId::Accuracy : DockId::Timing;
    show(front);
    if (small) raiseLater(DockId::Inspector);
    // In a low window the bars around take their part first; what is left is the canvas's and the panel's alike.
    const bool low = m_window.height() < kRoomForTallPanels;
    const int percent = layout == LayoutId::Design ? 31 : low ? 40 : 54;
    const int least = low ? 0 : 220;
    updateTitleBars();
    setSizes({small ? 340 : 228, 340, qMax(least, m_window.height() * percent / 100)});
}

void DockLayout::updateLater() {
    // The tabs of an area are known only after the window has laid out.
    if (std::exchange(m_updatePending, true)) return;
    QTimer::singleShot(0, this, &DockLayout::updateTitleBars);
}

DockLayout::Sizes DockLayout::sizes() const {
    Sizes sizes{dock(DockId::Library)->width(), dock(DockId::Inspector)->width(), dock(m_front)->height()};
    for (const DockId id : kBottom)
        if (!dock(id)->visibleRegion().isEmpty()) sizes.bottom = dock(id)->height();
    return sizes;
}

void DockLayout::applySizes(const Sizes& sizes) {
    m_window.resizeDocks({dock(DockId::Library), dock(DockId::Inspector)}, {sizes.library, sizes.inspector},
                         Qt::Horizontal);
    const bool isBottom = std::find(kBottom.begin(), kBottom.end(), m_front) != kBottom.end();
    const DockId bottom = isBottom ? m_front : kBottom.front();
    if (sizes.bottom > 0) m_window.resizeDocks({dock(bottom)}, {sizes.bottom}, Qt::Vertical);
}

void DockLayout::setSizes(const Sizes& sizes) {
    applySizes(sizes);
    m_sizesPending = sizes;
    updateLater();
}

void DockLayout::retranslate() {
    for (std::size_t i = 0; i < kDockCount; ++i) m_docks[i]->setWindowTitle(title(static_cast<DockId>(i)));
}

void DockLayout::show(DockId id) {
    dock(id)->show();
    dock(id)->raise();
    m_front = id;
    raiseLater(id);
}

void DockLayout::showAndFocus(DockId id) {
    show(id);
    QTimer::singleShot(0, this, [this, id] {
        for (QWidget* part : dock(id)->widget()->findChildren<QWidget*>())
            if (part->isVisible() && part->isEnabled() && (part->focusPolicy() & Qt::TabFocus)) {
                part->setFocus(Qt::ShortcutFocusReason);
                return;
            }
        // Nothing in it takes keys: at least no panel that is hidden now keeps them.
        dock(id)->widget()->setFocus(Qt::ShortcutFocusReason);
    });
}

void DockLayout::raiseLater(DockId id) {
    // Docks that were just put into an area get their tabs later; only then one of them can be in front. Not where
    // another of the same area was asked for since.
    QTimer::singleShot(0, this, [this, id] {
        if (m_front == id || m_window.dockWidgetArea(dock(m_front)) != m_window.dockWidgetArea(dock(id)))
            dock(id)->raise();
    });
}

void DockLayout::setTitle(DockId id, const QString& title) {
    dock(id)->setWindowTitle(title);
}

void DockLayout::updateTitleBars() {
    m_updatePending = false;
    if (const auto sizes = std::exchange(m_sizesPending, std::nullopt)) applySizes(*sizes);
    for (QDockWidget* dock : m_docks) {
        const QList<QDockWidget*> others = m_window.tabifiedDockWidgets(dock);
        const bool tabbed =
            !dock->isFloating() &&
            std::any_of(others.begin(), others.end(), [](const QDockWidget* other) { return !other->isHidden(); });
        const bool bare = dynamic_cast<NoTitleBar*>(dock->titleBarWidget()) != nullptr;
        if (tabbed == bare) continue;
        QWidget* old = dock->titleBarWidget();
        dock->setTitleBarWidget(tabbed ? new NoTitleBar(dock) : nullptr);
        delete old;
    }
}

QByteArray DockLayout::save() const {
    return m_window.saveState(kStateVersion);
}

bool DockLayout::restore(LayoutId layout, const QByteArray& state) {
    if (state.isEmpty() || !m_window.restoreState(state, kStateVersion)) return false;
    m_layout = layout;
    m_sizesPending.reset();
    updateTitleBars();
    return true;
}

}  // namespace cubist
