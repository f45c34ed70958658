// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/design_names.h"

namespace cubist {
namespace {

void addResults(QStringList& names, const std::vector<Block>& blocks) {
    const auto add = [&](const ValueId& value) {
        if (!value.empty()) names << QString::fromStdString(value.text);
    };
    for (const Block& block : blocks) {
        if (const auto* view = std::get_if<View>(&block.content)) add(view->out);
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) add(cube->out);
        if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
            if (!vector->ops.empty()) add(vector->ops.back().out);
            for (const VectorOp& op : vector->ops) add(op.out2);
        }
        if (const auto* loop = std::get_if<Loop>(&block.content)) addResults(names, loop->body);
    }
}

}  // namespace

QStringList tensorNames(const Design& design) {
    QStringList names;
    for (const Tensor& tensor : design.tensors) names << QString::fromStdString(tensor.id.text);
    return names;
}

QStringList listNames(const Design& design) {
    QStringList names;
    for (const List& list : design.lists) names << QString::fromStdString(list.id.text);
    return names;
}

QStringList valueNames(const Design& design) {
    QStringList names = tensorNames(design);
    addResults(names, design.blocks);
    return names;
}

}  // namespace cubist
