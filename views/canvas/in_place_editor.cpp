// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/in_place_editor.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/design/block_values.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/design/vector_op_info.h"
#include "views/choice_text.h"
#include "views/document_model.h"
#include "views/icons.h"
#include "views/panels/inspector_form.h"
#include "views/qt_text.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {
namespace {

constexpr int kMinimumWidth = 248;
constexpr int kGap = 8;
constexpr int kFieldHeight = 28;

const std::vector<std::int64_t>& extentSteps() {
    static const std::vector<std::int64_t> steps{1,   2,   4,   8,    16,   32,   48,   64,   96,   128,  192, 256,
                                                 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 7168, 8192};
    return steps;
}

/// Changes the content of one block.
template <class Content, class Edit>
Result<Design> edited(const Design& design, const BlockId& id, Edit edit) {
    Design copy = design;
    visitTree(copy.blocks, [&](Block& block) {
        if (block.id() != id) return;
        if (auto* content = std::get_if<Content>(&block.content)) edit(*content);
    });
    return copy;
}

}  // namespace

InPlaceEditor::InPlaceEditor(CanvasScene& canvas, QWidget* parent)
    : QFrame(parent), m_canvas(canvas), m_document(canvas.document()) {
    setObjectName(QStringLiteral("inPlaceEditor"));
    setProperty("panel", QStringLiteral("popup"));
    setMinimumWidth(kMinimumWidth);
    // A click on a button or between the fields is no click elsewhere: the canvas would get the keyboard.
    setFocusPolicy(Qt::ClickFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    connect(&m_document, &DocumentModel::designChanged, this, [this] {
        if (isVisible() && !m_applying) close();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        // A list of a field is a window of its own and does not count.
        if (isVisible() && !m_applying && now && now->window() == window() && now != this && !isAncestorOf(now))
            close();
    });
    hide();
}

const Design& InPlaceEditor::design() const {
    return *m_document.design();
}

void InPlaceEditor::open(const Element& element, const QRect& beside) {
    m_element = element;
    m_beside = beside;
    m_document.endEditRun();
    rebuild();
    show();
    raise();
    m_name->setFocus(Qt::PopupFocusReason);
    m_name->selectAll();
}

void InPlaceEditor::place(const QRect& beside) {
    adjustSize();
    const QRect room = parentWidget()->rect().adjusted(8, 8, -8, -8);
    QRect place(QPoint(beside.left(), beside.bottom() + kGap), size());
    if (place.bottom() > room.bottom()) place.moveBottom(beside.top() - kGap);
    if (place.top() < room.top()) place.moveTopLeft(QPoint(beside.right() + kGap, room.top()));
    if (place.right() > room.right()) place.moveRight(room.right());
    place.moveLeft(std::max(place.left(), room.left()));
    move(place.topLeft());
}

void InPlaceEditor::rebuild() {
    // The focus wanders when the old fields go; that is not the user leaving.
    const bool applying = std::exchange(m_applying, true);
    if (m_content) {
        m_content->hide();
        m_content->deleteLater();
    }
    m_axes.clear();
    m_content = new QWidget(this);
    m_form = new QFormLayout(m_content);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setHorizontalSpacing(12);
    m_form->setVerticalSpacing(6);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    layout()->addWidget(m_content);
    m_name = new QLineEdit;
    m_name->setObjectName(QStringLiteral("inPlaceName"));
    m_name->setAccessibleName(tr("Name"));
    const QString shown = qText(m_element.id);
    m_name->setText(shown);
    addRow(tr("name"), m_name);
    connect(m_name, &QLineEdit::editingFinished, this, [this, shown] {
        if (m_name->isModified() && m_name->text().trimmed() != shown) {
            m_name->setModified(false);
            rename(m_name->text().trimmed());
        }
    });
    if (m_element.isTensor()) {
        if (const Tensor* tensor = findTensor(design(), m_element.tensor())) fill(*tensor);
    } else if (const Block* block = findBlock(design(), m_element.block())) {
        std::visit([this](const auto& content) { fill(content); }, block->content);
    }
    m_content->show();
    place(m_beside);
    m_applying = applying;
}

void InPlaceEditor::addRow(const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setProperty("role", QStringLiteral("muted"));
    label->setBuddy(field);
    label->setMinimumHeight(kFieldHeight);
    m_form->addRow(label, field);
}

bool InPlaceEditor::apply(const LocalText& label, Result<Design> result, const QString& key) {
    m_applying = true;
    const QString run = key.isEmpty() ? ChoiceBox::runKey() : key;
    const bool taken = m_document.apply(label, std::move(result),
                                        run.isEmpty() ? run : QStringLiteral("in place/") + qText(m_element.id) + run);
    m_applying = false;
    return taken;
}

bool InPlaceEditor::rename(const QString& name) {
    if (!m_document.hasDesign()) return false;
    const std::string text = name.toStdString();
    const auto label = [before = qText(m_element.id)] { return tr("Rename %1").arg(before); };
    if (m_element.isTensor()) {
        if (!apply(label, renameTensor(design(), m_element.tensor(), text))) return false;
        m_element = Element(TensorId(text));
    } else {
        if (!apply(label, renameBlock(design(), m_element.block(), text))) return false;
        m_element = Element(BlockId(text));
    }
    m_canvas.selectElements({m_element});
    return true;
}

void InPlaceEditor::addExpressions(const LocalText& name, const std::vector<Expression>& shown,
                                   const std::function<Result<Design>(const std::vector<Expression>&)>& edit) {
    auto* line = new QLineEdit(expressionsText(shown));
    line->setFont(Theme::font(FontRole::Mono));
    line->setAccessibleName(name());
    addRow(name(), line);
    connect(line, &QLineEdit::editingFinished, this, [this, line, name, edit] {
        if (!line->isModified() || !m_document.hasDesign()) return;
        line->setModified(false);
        const auto parsed = parseExpressions(line->text());
        apply([name] { return tr("Change %1").arg(name()); },
              parsed ? edit(*parsed) : Result<Design>(unexpected(parsed.error())));
    });
}

QCheckBox* InPlaceEditor::addCheck(const LocalText& text, bool on, const std::function<Result<Design>(bool)>& edit) {
    auto* check = new QCheckBox(text());
    check->setChecked(on);
    m_form->addRow(QString(), check);
    connect(check, &QCheckBox::clicked, this,
            [this, text, edit](bool checked) { apply([text] { return tr("Change %1").arg(text()); }, edit(checked)); });
    return check;
}

template <class Enum>
QComboBox* InPlaceEditor::addEnum(const LocalText& name, Enum shown, const std::function<Result<Design>(Enum)>& edit) {
    auto* box = new ChoiceBox(name());
    for (const auto& [value, spelled] : EnumTable<Enum>::entries)
        box->addItem(choiceText(spelled), static_cast<int>(value));
    box->setCurrentIndex(box->findData(static_cast<int>(shown)));
    addRow(name(), box);
    connect(box, &QComboBox::activated, this, [this, box, name, edit] {
        apply([name] { return tr("Change %1").arg(name()); }, edit(static_cast<Enum>(box->currentData().toInt())));
    });
    return box;
}

QHBoxLayout* InPlaceEditor::addAxes(const QString& name, const std::vector<std::int64_t>& values,
                                    const std::function<void(std::size_t, std::int64_t)>& edit) {
    auto* holder = new QWidget;
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (std::size_t axis = 0; axis < values.size(); ++axis) {
        auto* field = new StepSpinBox(m_canvas.theme(), {});
        field->setObjectName(QStringLiteral("inPlaceAxis_%1").arg(axis));
        field->setAccessibleName(tr("%1, axis %2").arg(name).arg(axis));
        field->setSteps(extentSteps());
        field->setValue(values[axis]);
        row->addWidget(field);
        m_axes.push_back(field);
        connect(field, &StepSpinBox::edited, this, [edit, axis](std::optional<std::int64_t> value, bool) {
            if (value) edit(axis, *value);
        });
    }
    addRow(name, holder);
    return row;
}

void InPlaceEditor::changeShape(const std::function<void(std::vector<Expression>&)>& edit) {
    const Tensor* tensor = findTensor(design(), m_element.tensor());
    if (!tensor) return;
    std::vector<Expression> shape = tensor->shape;
    edit(shape);
    apply([] { return tr("Change shape"); }, setTensorShape(design(), m_element.tensor(), shape),
          QStringLiteral("shape"));
}

void InPlaceEditor::fill(const Tensor& tensor) {
    const TensorId id = tensor.id;
    const auto change = [this](auto edit) {
        Design copy = design();
        for (Tensor& candidate : copy.tensors)
            if (candidate.id == m_element.tensor()) edit(candidate);
        return Result<Design>(std::move(copy));
    };
    addEnum<TensorRole>([] { return tr("role"); }, tensor.role,
                        [change](TensorRole role) { return change([role](Tensor& t) { t.role = role; }); });
    addEnum<DType>([] { return tr("type"); }, tensor.dtype,
                   [change](DType dtype) {
                       return change([dtype](Tensor& t) {
                           t.dtype = dtype;
                           const bool integer = dtype == DType::INT4 || dtype == DType::INT8 || dtype == DType::INT16 ||
                                                dtype == DType::INT32;
                           // Numbers from [0, 1) say nothing in an integer type.
                           if (integer && t.data == DataSource()) {
                               t.data.generator = Generator::Integers;
                               t.data.low = -8;
                               t.data.high = 7;
                           }
                       });
                   });
    addEnum<Format>([] { return tr("format"); }, tensor.format,
                    [change](Format format) { return change([format](Tensor& t) { t.format = format; }); });
    std::vector<std::int64_t> literals;
    for (const Expression& axis : tensor.shape)
        if (const auto literal = axis.literal()) literals.push_back(*literal);
    if (literals.size() == tensor.shape.size()) {
        QHBoxLayout* row = addAxes(tr("shape"), literals, [this](std::size_t axis, std::int64_t value) {
            changeShape([&](std::vector<Expression>& shape) {
                if (axis < shape.size()) shape[axis] = Expression(value);
            });
        });
        const auto button = [&](Icon icon, const QString& text, const char* name, bool enabled, auto edit) {
            auto* made = new QToolButton;
            made->setObjectName(QString::fromLatin1(name));
            made->setIcon(themedIcon(m_canvas.theme(), icon));
            made->setToolTip(text);
            made->setAccessibleName(text);
            made->setEnabled(enabled);
            row->addWidget(made);
            // Queued: the rows are made anew, the button among them.
            connect(
                made, &QToolButton::clicked, this,
                [this, edit] {
                    changeShape(edit);
                    rebuild();
                    if (!m_axes.empty()) m_axes.front()->setFocus(Qt::OtherFocusReason);
                },
                Qt::QueuedConnection);
        };
        button(Icon::Remove, tr("Remove the first axis"), "removeAxis", literals.size() > 1,
               [](std::vector<Expression>& shape) { shape.erase(shape.begin()); });
        button(Icon::Add, tr("Add an axis in front"), "addAxis", literals.size() < 4,
               [](std::vector<Expression>& shape) { shape.insert(shape.begin(), Expression(1)); });
    } else {
        addExpressions([] { return tr("shape"); }, tensor.shape,
                       [this](const std::vector<Expression>& shape) {
                           return setTensorShape(design(), m_element.tensor(), shape);
                       });
    }
}

void InPlaceEditor::fill(const View& view) {
    const auto add = [this](const LocalText& name, const std::vector<Expression>& shown,
                            std::vector<Expression> View::*member) {
        addExpressions(name, shown, [this, member](const std::vector<Expression>& values) {
            return edited<View>(design(), m_element.block(), [&](View& content) { content.*member = values; });
        });
    };
    add([] { return tr("shape"); }, view.shape, &View::shape);
    add([] { return tr("offset"); }, view.offset, &View::offset);
    add([] { return tr("valid"); }, view.valid, &View::valid);
}

void InPlaceEditor::fill(const CubeStage& stage) {
    addEnum<DType>([] { return tr("result"); }, stage.outDType,
                   [this](DType dtype) { return setOutDType(design(), m_element.block(), dtype); });
    const auto check = [this](const LocalText& text, bool on, bool CubeStage::*member) {
        addCheck(text, on, [this, member](bool checked) {
            return edited<CubeStage>(design(), m_element.block(),
                                     [&](CubeStage& content) { content.*member = checked; });
        });
    };
    check([] { return tr("A is stored transposed"); }, stage.aTrans, &CubeStage::aTrans);
    check([] { return tr("B is stored transposed"); }, stage.bTrans, &CubeStage::bTrans);
}

void InPlaceEditor::fill(const VectorStage& stage) {
    addAxes(tr("tile"), stage.tile, [this](std::size_t axis, std::int64_t value) {
        apply([] { return tr("Change tile"); },
              edited<VectorStage>(design(), m_element.block(),
                                  [&](VectorStage& content) {
                                      if (axis < content.tile.size()) content.tile[axis] = value;
                                  }),
              QStringLiteral("tile%1").arg(axis));
    });
    for (std::size_t i = 0; i < stage.ops.size(); ++i) {
        const VectorOp& op = stage.ops[i];
        const QString name = choiceWord(toText(op.op));
        const auto change = [this, i](auto edit) {
            return edited<VectorStage>(design(), m_element.block(), [&](VectorStage& content) {
                if (i < content.ops.size()) edit(content.ops[i]);
            });
        };
        if (op.op == VectorOpCode::Cast)
            addEnum<DType>([name] { return tr("%1 to").arg(name); }, op.dtype.value_or(DType::FP32),
                           [change](DType dtype) { return change([dtype](VectorOp& edit) { edit.dtype = dtype; }); });
        if (!opFields(op.op).dim) continue;
        auto* field = new StepSpinBox(m_canvas.theme(), {});
        field->setObjectName(QStringLiteral("inPlaceDim_%1").arg(i));
        field->setAccessibleName(tr("Axis of %1").arg(name));
        field->setSteps({-4, -3, -2, -1, 0, 1, 2, 3});
        field->setValue(op.dim.value_or(-1));
        addRow(tr("axis of %1").arg(name), field);
        connect(field, &StepSpinBox::edited, this, [this, change, i](std::optional<std::int64_t> value, bool) {
            if (value)
                apply([] { return tr("Change axis"); }, change([&](VectorOp& edit) { edit.dim = *value; }),
                      QStringLiteral("dim%1").arg(i));
        });
    }
}

void InPlaceEditor::fill(const Store& store) {
    addEnum<StoreOp>([] { return tr("writes by"); }, store.op,
                     [this](StoreOp op) {
                         return edited<Store>(design(), m_element.block(), [op](Store& content) { content.op = op; });
                     });
    addExpressions([] { return tr("offset"); }, store.offset,
                   [this](const std::vector<Expression>& values) {
                       return edited<Store>(design(), m_element.block(),
                                            [&](Store& content) { content.offset = values; });
                   });
}

void InPlaceEditor::fill(const Loop& loop) {
    addEnum<LoopKind>([] { return tr("form"); }, loop.form,
                      [this](LoopKind form) { return setLoopForm(design(), m_element.block(), form); });
    const auto one = [this](const LocalText& name, const Expression& shown, auto edit) {
        addExpressions(name, {shown}, [this, edit, name](const std::vector<Expression>& values) -> Result<Design> {
            if (values.size() != 1)
                return unexpected(ErrorCode::BadValue, tr("%1 is one number or formula").arg(name()).toStdString());
            return edit(design(), m_element.block(), values.front());
        });
    };
    one([] { return tr("axis"); }, loop.axis,
        [](const Design& d, const BlockId& id, const Expression& e) { return setLoopAxis(d, id, e); });
    one([] { return tr("tile"); }, loop.tile,
        [](const Design& d, const BlockId& id, const Expression& e) { return setLoopTile(d, id, e); });
    addCheck([] { return tr("parallel"); }, loop.parallel,
             [this](bool on) { return setLoopParallel(design(), m_element.block(), on); });
    addCheck([] { return tr("submit before the loop"); }, loop.submitBeforeLoop,
             [this](bool on) { return setSubmitBeforeLoop(design(), m_element.block(), on); });
}

void InPlaceEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        close();
        return;
    }
    QFrame::keyPressEvent(event);
}

void InPlaceEditor::leave() {
    if (!isVisible()) return;
    hide();
    m_document.endEditRun();
    emit closed();
}

void InPlaceEditor::close() {
    const bool open = isVisible();
    leave();
    if (open && parentWidget()) parentWidget()->setFocus(Qt::PopupFocusReason);
}

}  // namespace cubist
