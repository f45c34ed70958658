// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/block_forms.h"

#include <QCheckBox>
#include <QFormLayout>

#include <algorithm>

#include "views/session.h"
#include "views/widgets/labels.h"
#include "views/widgets/painting.h"

namespace cubist {

LoopForm::LoopForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_name(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_summary(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)),
      m_parallel(new QCheckBox(tr("iterations are independent (parallel)"))) {
    column()->addWidget(m_name);
    m_summary->setWordWrap(true);
    column()->addWidget(m_summary);
    QFormLayout* form = addSection(tr("Loop"));
    const auto expression = [this](const QString& name, auto set) {
        return makeCommittedLine(name, [this, name, set](const QString& text) {
            return apply(tr("Change %1").arg(name),
                         set(design(), this->element().block(), Expression(text.trimmed().toStdString())));
        });
    };
    m_axis = expression(tr("axis"), setLoopAxis);
    m_axis->setToolTip(tr("What is cut: an integer or a formula over symbols, as in T"));
    m_tile = expression(tr("tile"), setLoopTile);
    m_tile->setToolTip(tr("Elements of the axis in one iteration"));
    m_index = makeCommittedLine(tr("Index"), [this](const QString& text) {
        return change<Loop>(tr("Rename loop index"), [&](Loop& loop) { loop.index = text.trimmed().toStdString(); });
    });
    m_index->setToolTip(tr("Name of the iteration's number in expressions of the body"));
    addField(form, tr("axis"), m_axis);
    addField(form, tr("tile"), m_tile);
    addField(form, tr("index"), m_index);
    column()->addWidget(m_parallel);
    addFindingsHere();
    QFormLayout* notes = addSection(tr("Notes"));
    m_notes = makeTypedLine(tr("Notes"), [this](const QString& text) {
        apply(tr("Change notes"), setBlockNotes(design(), this->element().block(), text.toStdString()),
              QStringLiteral("notes"));
    });
    notes->addRow(m_notes);
    column()->addStretch(1);
    connect(m_parallel, &QCheckBox::clicked, this,
            [this](bool on) { apply(tr("Change parallel"), setLoopParallel(design(), this->element().block(), on)); });
}

void LoopForm::refresh() {
    const Loop* loop = content<Loop>();
    if (!loop) return;
    m_name->setText(tr("loop %1").arg(QString::fromStdString(loop->id.text)));
    showText(m_axis, QString::fromStdString(loop->axis.text()));
    showText(m_tile, QString::fromStdString(loop->tile.text()));
    showText(m_index, QString::fromStdString(loop->index));
    showText(m_notes, QString::fromStdString(loop->notes));
    m_parallel->setChecked(loop->parallel);
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

SliceForm::SliceForm(Session& session, QWidget* parent)
    : InspectorForm(session, parent),
      m_name(new TextLabel(session.theme(), FontRole::Title, Token::Text)),
      m_summary(new TextLabel(session.theme(), FontRole::Mono, Token::Muted)) {
    column()->addWidget(m_name);
    m_summary->setWordWrap(true);
    column()->addWidget(m_summary);
    m_form = addSection(tr("Window"));
    m_shape = makeCommittedLine(tr("Shape"), [this](const QString& text) {
        return setExpressions(tr("Change shape"), text, &View::shape, nullptr);
    });
    m_offset = makeCommittedLine(tr("Offset"), [this](const QString& text) {
        return setExpressions(tr("Change offset"), text, &View::offset, &Store::offset);
    });
    m_valid = makeCommittedLine(tr("Valid shape"), [this](const QString& text) {
        return setExpressions(tr("Change valid shape"), text, &View::valid, nullptr);
    });
    m_valid->setPlaceholderText(tr("the whole shape"));
    m_valid->setToolTip(tr("Elements beyond it read as zero: min(T - i * 32, 32), 5120"));
    addField(m_form, tr("shape"), m_shape);
    addField(m_form, tr("offset"), m_offset);
    addField(m_form, tr("valid"), m_valid);
    addFindingsHere();
    column()->addStretch(1);
}

bool SliceForm::setExpressions(const QString& label, const QString& text, std::vector<Expression> View::*ofView,
                               std::vector<Expression> Store::*ofStore) {
    Result<std::vector<Expression>> parsed = parseExpressions(text);
    if (!parsed) return apply(label, unexpected(parsed.error()));
    if (content<View>()) return change<View>(label, [&](View& view) { view.*ofView = *parsed; });
    if (!ofStore) return false;
    return change<Store>(label, [&](Store& store) { store.*ofStore = *parsed; });
}

void SliceForm::refresh() {
    const View* view = content<View>();
    const Store* store = content<Store>();
    for (QLineEdit* line : {m_shape, m_valid}) {
        line->setVisible(view != nullptr);
        m_form->labelForField(line)->setVisible(view != nullptr);
    }
    if (view) {
        m_name->setText(tr("view %1").arg(QString::fromStdString(view->id.text)));
        m_summary->setText(
            tr("%1 = window of %2").arg(QString::fromStdString(view->out.text), QString::fromStdString(view->of.text)));
        showText(m_shape, expressionsText(view->shape));
        showText(m_offset, expressionsText(view->offset));
        showText(m_valid, expressionsText(view->valid));
    } else if (store) {
        m_name->setText(tr("store %1").arg(QString::fromStdString(store->id.text)));
        m_summary->setText(
            tr("%1 into %2").arg(QString::fromStdString(store->from.text), QString::fromStdString(store->to.text)));
        showText(m_offset, expressionsText(store->offset));
        m_offset->setPlaceholderText(tr("zeros"));
    }
}

}  // namespace cubist
