// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/block_forms.h"

#include <QFormLayout>
#include <QPushButton>

#include <algorithm>

#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {

LoopForm::LoopForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_name(new ElidedLabel(session.theme(), FontRole::Title, Token::Text)),
      m_summary(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_fields(makeFields<Loop>()) {
    column()->addWidget(m_name);
    m_summary->setWordWrap(true);
    column()->addWidget(m_summary);
    m_form = addSection(tr("Loop"));
    m_id = makeCommittedLine(tr("Name"), [this](const QString& text) { return rename(text); });
    m_id->setProperty("key", "id");
    addField(m_form, tr("name"), m_id);
    addFields();
    column()->addStretch(1);
}

bool LoopForm::isForm(LoopKind form) const {
    const Loop* loop = content<Loop>();
    return loop && loop->form == form;
}

void LoopForm::addFields() {
    const auto expression = [this](const char* key, const LocalText& name, auto set) {
        QLineEdit* line = makeCommittedLine(name(), [this, name, set](const QString& text) {
            return apply([name] { return tr("Change %1").arg(name()); },
                         set(design(), this->element().block(), Expression(text.trimmed().toStdString())));
        });
        line->setProperty("key", key);
        return line;
    };
    const auto renamed = [this](const char* key, const LocalText& name, auto set) {
        QLineEdit* line = makeCommittedLine(name(), [this, set](const QString& text) {
            return apply([] { return tr("Rename loop index"); },
                         set(design(), this->element().block(), text.trimmed().toStdString()));
        });
        line->setProperty("key", key);
        return line;
    };
    FieldsOf<Loop>& fields = *m_fields;
    fields.into(m_form);
    fields
        .choice<LoopKind>(
            "form", [] { return tr("form"); }, &Loop::form)
        .tip(tr("runtime: pypto.loop, each iteration a root function; static: expanded when the kernel is compiled; "
                "unroll: pypto.loop_unroll"));
    m_axis = expression(
        "axis", [] { return tr("axis"); }, setLoopAxis);
    m_axis->setToolTip(tr("What is cut: an integer or a formula over symbols, as in T"));
    addField(m_form, tr("axis"), m_axis);
    m_tile = expression(
        "tile", [] { return tr("tile"); }, setLoopTile);
    m_tile->setToolTip(tr("Elements of the axis in one iteration"));
    addField(m_form, tr("tile"), m_tile);
    m_index = renamed(
        "index", [] { return tr("index"); }, renameLoopIndex);
    m_index->setToolTip(tr("Name of the iteration's number in expressions of the body"));
    addField(m_form, tr("index"), m_index);
    const auto unrolled = [this] { return isForm(LoopKind::Unroll); };
    fields
        .integers(
            "unroll", [] { return tr("factors"); }, &Loop::unroll)
        .tip(tr("Each step takes the largest of these that still fits, 1 at least"))
        .onlyIf(unrolled);
    m_factor = renamed(
        "factor", [] { return tr("factor"); }, renameLoopFactor);
    m_factor->setToolTip(tr("Name of the step's factor in expressions of the body"));
    addField(m_form, tr("factor"), m_factor);
    fields
        .flag(
            "parallel", [] { return tr("iterations are independent (parallel)"); }, &Loop::parallel)
        .tip(tr("Takes effect with device_sched_parallelism above 1"))
        .onlyIf([this] { return isForm(LoopKind::Runtime); });
    auto* compare = new QPushButton(tr("Compare loop variants..."));
    compare->setObjectName(QStringLiteral("compareVariants"));
    compare->setToolTip(
        tr("Parallel or serial, written out or unrolled: compile size, resources and time side by side"));
    compare->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(compare, &QPushButton::clicked, this, &LoopForm::variantsRequested);
    m_form->addRow(compare);
    fields.flag(
        "submit_before_loop", [] { return tr("all work so far is done first (submit_before_loop)"); },
        &Loop::submitBeforeLoop);
    addFindingsHere();
    fields.into(addSection(tr("Notes")));
    fields.text(
        "notes", [] { return tr("notes"); }, &Loop::notes);
}

void LoopForm::refresh() {
    const Loop* loop = content<Loop>();
    if (!loop) return;
    m_name->setWholeText(tr("loop %1").arg(QString::fromStdString(loop->id.text)));
    showText(m_id, QString::fromStdString(loop->id.text));
    showText(m_axis, QString::fromStdString(loop->axis.text()));
    showText(m_tile, QString::fromStdString(loop->tile.text()));
    showText(m_index, QString::fromStdString(loop->index));
    showText(m_factor, QString::fromStdString(loop->factor));
    m_form->setRowVisible(m_tile, loop->form != LoopKind::Unroll);
    m_form->setRowVisible(m_factor, loop->form == LoopKind::Unroll);
    m_fields->refresh();
    QString summary;
    if (const ResolvedDesign* resolved = session().document().resolved()) {
        const auto found = std::find_if(resolved->loops.begin(), resolved->loops.end(),
                                        [&](const ResolvedLoop& entry) { return entry.loop->id == loop->id; });
        if (found != resolved->loops.end() && found->tile > 0) {
            const std::int64_t tail = found->axis % found->tile;
            summary =
                tr("%1 in 0..%2: %3 iterations of %4")
                    .arg(QString::fromStdString(loop->index), grouped(std::max<std::int64_t>(0, found->iterations - 1)),
                         grouped(found->iterations), grouped(found->tile));
            summary += tail == 0 ? tr(", no tail") : tr(", the last one has %1 (tail)").arg(grouped(tail));
        }
    }
    m_summary->setText(summary);
    m_summary->setVisible(!summary.isEmpty());
}

namespace {

QWidget* formPart(QVBoxLayout& column, QFormLayout*& form) {
    auto* part = new QWidget;
    form = new QFormLayout(part);
    form->setContentsMargins(0, 8, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    column.addWidget(part);
    return part;
}

}  // namespace

SliceForm::SliceForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_name(new ElidedLabel(session.theme(), FontRole::Title, Token::Text)),
      m_summary(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_view(makeFields<View>()),
      m_store(makeFields<Store>()) {
    column()->addWidget(m_name);
    m_summary->setWordWrap(true);
    column()->addWidget(m_summary);
    QFormLayout* identity = addSection({});
    m_id = makeCommittedLine(tr("Name"), [this](const QString& text) { return rename(text); });
    m_id->setProperty("key", "id");
    addField(identity, tr("name"), m_id);
    QFormLayout* form = nullptr;
    m_viewPart = formPart(*column(), form);
    m_view->into(form);
    addViewFields();
    m_storePart = formPart(*column(), form);
    m_store->into(form);
    addStoreFields();
    addFindingsHere();
    column()->addStretch(1);
}

void SliceForm::addViewFields() {
    m_view
        ->reference(
            "of", [] { return tr("window of"); }, &View::of, knownValues())
        .tip(tr("A tensor or another view"));
    m_view->reference(
        "out", [] { return tr("result"); }, &View::out, [] { return QStringList(); });
    m_view
        ->expressions(
            "shape", [] { return tr("shape"); }, &View::shape)
        .tip(tr("Must come to constants; fewer axes than the tensor's drop the ones in front"));
    m_view
        ->expressions(
            "offset", [] { return tr("offset"); }, &View::offset)
        .tip(tr("Where it starts, all axes of the tensor"));
    m_view
        ->expressions(
            "valid", [] { return tr("valid"); }, &View::valid, tr("the whole shape"))
        .tip(tr("Elements beyond it read as zero: min(T - i * 32, 32), 5120"));
}

void SliceForm::addStoreFields() {
    const auto indexed = [this] {
        const Store* store = m_store->content();
        return store && (store->op == StoreOp::IndexAdd || store->op == StoreOp::IndexPut);
    };
    const auto isOp = [this](StoreOp op) {
        return [this, op] {
            const Store* store = m_store->content();
            return store && store->op == op;
        };
    };
    m_store
        ->choice<StoreOp>(
            "op", [] { return tr("how"); }, &Store::op)
        .tip(tr("slice and assemble write a rectangle, atomic_add adds it; index_add and index_put pick rows"));
    m_store->reference(
        "from", [] { return tr("from"); }, &Store::from, knownValues());
    m_store->reference(
        "to", [] { return tr("to"); }, &Store::to, knownTensors());
    m_store->expressions(
        "offset", [] { return tr("offset"); }, &Store::offset, tr("zeros"));
    m_store
        ->reference(
            "index", [] { return tr("index"); }, &Store::index, knownValues())
        .tip(tr("INT32 or INT64, one entry for each row of the value: its row of the tensor. index_put also takes [n, "
                "2] to "
                "[n, 4]: one entry for each of the first axes"))
        .onlyIf(indexed);
    m_store
        ->integer(
            "dim", [] { return tr("axis"); }, &Store::dim)
        .tip(tr("Axis of the tensor that the index picks from"))
        .onlyIf(indexed);
    m_store
        ->number(
            "alpha", [] { return tr("factor"); }, &Store::alpha)
        .tip(tr("What is added is multiplied by it"))
        .onlyIf(isOp(StoreOp::IndexAdd));
    m_store
        ->flag(
            "accumulate", [] { return tr("add instead of replacing"); }, &Store::accumulate)
        .onlyIf(isOp(StoreOp::IndexPut));
    m_store
        ->flag(
            "parallel", [] { return tr("regions never overlap (parallel)"); }, &Store::parallel)
        .onlyIf(isOp(StoreOp::Assemble));
}

void SliceForm::refresh() {
    const View* view = content<View>();
    const Store* store = content<Store>();
    m_viewPart->setVisible(view != nullptr);
    m_storePart->setVisible(store != nullptr);
    showText(m_id, QString::fromStdString(element().id));
    m_view->refresh();
    m_store->refresh();
    if (view) {
        m_name->setWholeText(tr("view %1").arg(QString::fromStdString(view->id.text)));
        m_summary->setText(
            tr("%1 = window of %2").arg(QString::fromStdString(view->out.text), QString::fromStdString(view->of.text)));
    } else if (store) {
        m_name->setWholeText(tr("store %1").arg(QString::fromStdString(store->id.text)));
        m_summary->setText(
            tr("%1 into %2").arg(QString::fromStdString(store->from.text), QString::fromStdString(store->to.text)));
    }
}

}  // namespace cubist
