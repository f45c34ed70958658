// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/op_attributes.h"

#include <utility>

namespace cubist {

OpAttributes::OpAttributes(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_fields(
          theme, [] {}, [this] { return &m_op; },
          [this](const LocalText& label, const std::function<void(VectorOp&)>& edit, const QString&) {
              VectorOp op = m_op;
              edit(op);
              if (op != m_op) emit edited(op, label);
              return true;
          }) {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_fields.into(form);
    addFields();
}

void OpAttributes::addFields() {
    const auto only = [this](bool OpFields::*field) { return [this, field] { return opFields(m_op.op).*field; }; };
    m_fields
        .choice<RoundMode>(
            "round", [] { return tr("rounding"); }, &VectorOp::round)
        .tip(tr("NONE is TRUNC from float to integer, else RINT (to nearest, ties to even)"))
        .onlyIf(only(&OpFields::rounding));
    m_fields
        .flag(
            "saturate", [] { return tr("clamp what overflows (saturate)"); }, &VectorOp::saturate)
        .tip(tr("With it NaN becomes 0, as on the chip; without it floats become infinite (FP8E4M3: NaN) and integers "
                "keep their low bits"))
        .onlyIf(only(&OpFields::rounding));
    m_fields
        .optionalInteger(
            "dim", [] { return tr("axis"); }, &VectorOp::dim, tr("the last"))
        .tip(tr("Negative axes count from the end: -1 is the last"))
        .onlyIf(only(&OpFields::dim));
    m_fields
        .flag(
            "keepdim", [] { return tr("keep the axis, with extent 1"); }, &VectorOp::keepDim)
        .onlyIf(only(&OpFields::keepDim));
    m_fields
        .integers(
            "dims", [] { return tr("two axes"); }, &VectorOp::dims)
        .tip(tr("The axes that change places"))
        .onlyIf(only(&OpFields::dims));
    m_fields
        .integers(
            "shape", [] { return tr("shape"); }, &VectorOp::shape)
        .tip(tr("Shape of the result"))
        .onlyIf(only(&OpFields::shape));
    m_fields
        .integers(
            "offset", [] { return tr("offset"); }, &VectorOp::offset)
        .tip(tr("Where the window starts; empty: zeros"))
        .onlyIf(only(&OpFields::offset));
    m_fields
        .number(
            "epsilon", [] { return tr("epsilon"); }, &VectorOp::epsilon)
        .onlyIf(only(&OpFields::epsilon));
    m_fields
        .reference(
            "out2", [] { return tr("second result"); }, &VectorOp::out2, [] { return QStringList(); })
        .tip(tr("Name of the places that topk finds, or of the scales of quant_mx; empty: not kept"))
        .onlyIf(only(&OpFields::second));
    m_fields
        .integer(
            "count", [] { return tr("how many"); }, &VectorOp::count)
        .onlyIf(only(&OpFields::count));
    m_fields
        .flag(
            "largest", [] { return tr("the largest come first"); }, &VectorOp::largest)
        .onlyIf(only(&OpFields::largest));
    m_fields
        .flag(
            "accumulate", [] { return tr("add instead of replacing"); }, &VectorOp::accumulate)
        .onlyIf(only(&OpFields::accumulate));
    m_fields
        .number(
            "alpha", [] { return tr("factor"); }, &VectorOp::alpha)
        .tip(tr("What is added is multiplied by it"))
        .onlyIf(only(&OpFields::alpha));
    m_fields
        .choice<ScatterReduce>(
            "reduce", [] { return tr("where it writes"); }, &VectorOp::reduce)
        .tip(tr("none replaces, add and multiply combine with what is there"))
        .onlyIf(only(&OpFields::reduce));
    m_fields
        .expressions(
            "range", [] { return tr("range"); }, &VectorOp::range)
        .tip(tr("End; start and end; or start, end and step"))
        .onlyIf(only(&OpFields::range));
    m_fields
        .choice<ScaleRounding>(
            "scale_rounding", [] { return tr("scale"); }, &VectorOp::scaleRounding)
        .tip(tr("How the shared exponent is rounded"))
        .onlyIf(only(&OpFields::scaleRounding));
    m_fields
        .flag(
            "interleaved", [] { return tr("pairs are neighbours, not halves"); }, &VectorOp::interleaved)
        .onlyIf(only(&OpFields::interleaved));
}

void OpAttributes::setOp(const VectorOp& op) {
    m_op = op;
    m_fields.refresh();
    setVisible(opFields(op.op) != OpFields());
}

void dropForeignFields(VectorOp& op) {
    const OpFields fields = opFields(op.op);
    const VectorOp plain;
    if (!fields.dim) op.dim = plain.dim;
    if (!fields.keepDim) op.keepDim = plain.keepDim;
    if (!fields.dims) op.dims = plain.dims;
    if (!fields.shape) op.shape = plain.shape;
    if (!fields.offset) op.offset = plain.offset;
    if (!fields.epsilon) op.epsilon = plain.epsilon;
    if (!fields.second) op.out2 = plain.out2;
    if (!fields.count) op.count = plain.count;
    if (!fields.largest) op.largest = plain.largest;
    if (!fields.accumulate) op.accumulate = plain.accumulate;
    if (!fields.alpha) op.alpha = plain.alpha;
    if (!fields.reduce) op.reduce = plain.reduce;
    if (!fields.range) op.range = plain.range;
    if (!fields.scaleRounding) op.scaleRounding = plain.scaleRounding;
    if (!fields.interleaved) op.interleaved = plain.interleaved;
    if (fields.count && op.count < 1) op.count = 1;
    if (fields.range && op.range.empty()) op.range = {Expression(1)};
    if (!fields.rounding) {
        op.round = plain.round;
        op.saturate = plain.saturate;
    }
    if (fields.dims && op.dims.size() != 2) op.dims = {-2, -1};
}

}  // namespace cubist
