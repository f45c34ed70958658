// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <string>

#include "app/main_window.h"
#include "core/design/edit_structure.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/in_place_editor.h"
#include "views/widgets/step_spin_box.h"

/// The real window for scripts that work it like a user.
namespace cubist::test {

class WindowScript {
public:
    WindowScript() {
        m_theme.install(*qApp);
        QApplication::setDoubleClickInterval(1);
        WindowSetup setup;
        setup.paths.roots = {CUBIST_SHARE_DIR};
        setup.settingsFile = m_folder.filePath(QStringLiteral("cubist.ini"));
        m_window = std::make_unique<MainWindow>(m_theme, std::move(setup));
        m_window->resize(1600, 1000);
        m_window->show();
    }

    [[nodiscard]] MainWindow& window() { return *m_window; }
    [[nodiscard]] CanvasView& canvas() { return m_window->canvas(); }
    [[nodiscard]] const Design& design() { return *m_window->session().document().design(); }
    [[nodiscard]] QString selected() { return QString::fromStdString(m_window->session().selection().current().id); }

    /// The card of an element by its id.
    [[nodiscard]] NodeItem* node(const QString& id) {
        for (NodeItem* node : canvas().canvas().nodeItems())
            if (QString::fromStdString(node->element().id) == id) return node;
        return nullptr;
    }
    [[nodiscard]] QPoint onView(const QPointF& scenePoint) { return canvas().mapFromScene(scenePoint); }

    void click(const QPoint& at) { QTest::mouseClick(canvas().viewport(), Qt::LeftButton, {}, at); }
    void clickCard(const QString& id) {
        QVERIFY2(node(id), qPrintable(id));
        click(onView(node(id)->area().topLeft() + QPointF(70, 16)));
    }
    void doubleClickCard(const QString& id) {
        QVERIFY2(node(id), qPrintable(id));
        QTest::mouseDClick(canvas().viewport(), Qt::LeftButton, {},
                           onView(node(id)->area().topLeft() + QPointF(70, 16)));
    }
    /// From an output port to an input port.
    void pullWire(const QString& from, const QString& to, int input) {
        QVERIFY2(node(from), qPrintable(from));
        QVERIFY2(node(to), qPrintable(to));
        const QPoint start = onView(node(from)->outputPoint());
        const QPoint end = onView(node(to)->inputPoint(input));
        QWidget* viewport = canvas().viewport();
        QTest::mousePress(viewport, Qt::LeftButton, {}, start);
        for (int step = 1; step <= 5; ++step) {
            const QPoint at = start + (end - start) * step / 5;
            QMouseEvent move(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(viewport, &move);
        }
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, end);
    }
    /// Drops an entry of the library at a point of the canvas.
    void drop(const char* key, const QPoint& at) {
        QMimeData data;
        data.setData(QString::fromLatin1(CanvasTools::kMimeType), key);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(canvas().viewport(), &enter);
        QDropEvent released(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(canvas().viewport(), &released);
    }
    /// Opens the list of a box and clicks an entry.
    static void pick(QComboBox* box, const QString& text) {
        QVERIFY(box);
        const int row = box->findText(text, Qt::MatchStartsWith);
        QVERIFY2(row >= 0, qPrintable(text));
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(box->width() / 2, box->height() / 2));
        QAbstractItemView* list = box->view();
        QTRY_VERIFY(list->isVisible());
        // A release right after the list opened would belong to the press that opened it: pressed until it counts.
        const auto picked = [&] {
            if (!list->isVisible()) return true;
            const QModelIndex index = list->model()->index(row, 0);
            list->scrollTo(index);
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
            return !list->isVisible();
        };
        QTRY_VERIFY(picked());
        QCOMPARE(box->currentIndex(), row);
    }
    /// The box of a name among the settings in place.
    [[nodiscard]] QComboBox* inPlaceBox(const QString& name) {
        for (QComboBox* box : canvas().inPlace().findChildren<QComboBox*>())
            if (box->isVisible() && box->accessibleName() == name) return box;
        return nullptr;
    }
    /// The visible one of the settings in place with this object name.
    template <class Widget>
    [[nodiscard]] Widget* inPlaceWidget(const char* name) {
        for (Widget* widget : canvas().inPlace().findChildren<Widget*>(QLatin1String(name)))
            if (widget->isVisible()) return widget;
        return nullptr;
    }
    /// Presses the arrows of a stepper.
    static void step(StepSpinBox* field, int count) {
        QVERIFY(field);
        for (int i = 0; i < std::abs(count); ++i)
            QTest::mouseClick(field, Qt::LeftButton, {},
                              QPoint(field->width() - 9, count > 0 ? field->height() / 4 : field->height() * 3 / 4));
    }

private:
    QTemporaryDir m_folder;
    Theme m_theme;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace cubist::test
