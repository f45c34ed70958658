// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <functional>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"
#include "views/canvas/canvas_scene.h"
#include "views/local_text.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLineEdit;

namespace cubist {

class DocumentModel;
class StepSpinBox;

/// The few settings of an element that are wanted while a design is drawn, beside its card: name, type and shape of a
/// tensor, types and transposes of a C stage, tile and axes of a V stage, axis and tile of a loop. Each change is an
/// edit of its own; Enter, Esc and a click elsewhere close it. Everything else is the inspector's.
class InPlaceEditor : public QFrame {
    Q_OBJECT

public:
    InPlaceEditor(CanvasScene& canvas, QWidget* parent);

    /// Opens beside a card (in the parent's coordinates), with the name selected.
    void open(const Element& element, const QRect& beside);
    [[nodiscard]] const Element& element() const { return m_element; }
    [[nodiscard]] QLineEdit* nameField() const { return m_name; }
    /// The steppers of a tensor's shape or a stage's tile, axis by axis.
    [[nodiscard]] const std::vector<StepSpinBox*>& axes() const { return m_axes; }
    void close();

signals:
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void leave();
    void rebuild();
    void place(const QRect& beside);
    bool apply(const LocalText& label, Result<Design> edited, const QString& key = {});
    bool rename(const QString& name);
    void fill(const Tensor& tensor);
    void fill(const View& view);
    void fill(const CubeStage& stage);
    void fill(const VectorStage& stage);
    void fill(const Store& store);
    void fill(const Loop& loop);
    void addRow(const QString& name, QWidget* field);
    void addExpressions(const LocalText& name, const std::vector<Expression>& shown,
                        const std::function<Result<Design>(const std::vector<Expression>&)>& edit);
    QCheckBox* addCheck(const LocalText& text, bool on, const std::function<Result<Design>(bool)>& edit);
    QHBoxLayout* addAxes(const QString& name, const std::vector<std::int64_t>& values,
                         const std::function<void(std::size_t, std::int64_t)>& edited);
    template <class Enum>
    QComboBox* addEnum(const LocalText& name, Enum shown, const std::function<Result<Design>(Enum)>& edit);
    [[nodiscard]] const Design& design() const;
    void changeShape(const std::function<void(std::vector<Expression>&)>& edit);

    CanvasScene& m_canvas;
    DocumentModel& m_document;
    Element m_element;
    QRect m_beside;
    QWidget* m_content = nullptr;
    QFormLayout* m_form = nullptr;
    QLineEdit* m_name = nullptr;
    std::vector<StepSpinBox*> m_axes;
    bool m_applying = false;
};

}  // namespace cubist
