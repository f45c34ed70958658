// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QPushButton;
class QWidget;

namespace cubist {

class MainWindow;
class TextLabel;

/// The guided tour: a card that points at one part of the window after the other, on a sample. Nothing is blocked
/// meanwhile; Escape ends it.
class Tour : public QObject {
    Q_OBJECT

public:
    explicit Tour(MainWindow& window);
    ~Tour() override;

    /// Begins at the first stop; opens a sample when no design is open.
    void start();
    void end();
    void next();
    void back();
    [[nodiscard]] bool isRunning() const { return m_card != nullptr; }
    [[nodiscard]] int stop() const { return m_stop; }
    [[nodiscard]] int stopCount() const { return static_cast<int>(m_stops.size()); }
    [[nodiscard]] QWidget* card() const { return m_card; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Stop {
        QString title;
        QString text;
        std::function<QWidget*()> target;  ///< brings it into sight first
    };
    void makeStops();
    void makeCard();
    void show(int stop);
    void place();

    MainWindow& m_window;
    std::vector<Stop> m_stops;
    int m_stop = 0;
    QWidget* m_card = nullptr;
    QWidget* m_ring = nullptr;
    QWidget* m_target = nullptr;
    TextLabel* m_title = nullptr;
    TextLabel* m_text = nullptr;
    TextLabel* m_count = nullptr;
    QPushButton* m_back = nullptr;
    QPushButton* m_next = nullptr;
};

}  // namespace cubist
