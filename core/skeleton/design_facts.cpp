// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/skeleton/design_facts.h"

#include <algorithm>
#include <map>
#include <set>

namespace cubist {
namespace {

void visitLoops(const std::vector<Block>& blocks, bool outermost,
                const std::function<void(const Loop&, bool outermost)>& visit) {
    for (const Block& block : blocks)
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            visit(*loop, outermost);
            visitLoops(loop->body, outermost && loop->form == LoopKind::Static, visit);
        }
}

std::string join(const std::vector<std::string>& parts, const std::string& none) {
    if (parts.empty()) return none;
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

/// Name of a view -> what it is a window of.
std::map<std::string, std::string> viewsOf(const Design& design) {
    std::map<std::string, std::string> views;
    forEachBlock(design.blocks, [&](const Block& block) {
        if (const auto* view = std::get_if<View>(&block.content)) views[view->out.text] = view->of.text;
    });
    return views;
}

std::string bottomOf(const std::map<std::string, std::string>& views, std::string name) {
    for (std::size_t steps = 0; steps <= views.size(); ++steps) {
        const auto view = views.find(name);
        if (view == views.end()) break;
        name = view->second;
    }
    return name;
}

std::string scaledText(const Design& design) {
    std::vector<std::string> scaled;
    forEachBlock(design.blocks, [&](const Block& block) {
        const auto* cube = std::get_if<CubeStage>(&block.content);
        if (cube != nullptr && cube->op == CubeOp::ScaledMm) scaled.push_back(cube->id.text);
    });
    return join(scaled, "no MX matmul");
}

std::string tileText(const Design& design) {
    std::int64_t matmuls = 0;
    std::set<std::vector<std::vector<std::int64_t>>> tiles;
    forEachBlock(design.blocks, [&](const Block& block) {
        const auto* cube = std::get_if<CubeStage>(&block.content);
        if (cube == nullptr) return;
        ++matmuls;
        tiles.insert({cube->tile.m, cube->tile.k, cube->tile.n});
    });
    return std::to_string(matmuls) + " matmuls, " + std::to_string(tiles.size()) + " different tiles";
}

std::string sliceText(const Design& design) {
    std::int64_t windows = 0, cut = 0;
    forEachBlock(design.blocks, [&](const Block& block) {
        const auto* view = std::get_if<View>(&block.content);
        if (view == nullptr) return;
        ++windows;
        cut += view->valid.empty() ? 0 : 1;
    });
    return windows == 0 ? "no windows"
                        : std::to_string(cut) + " of " + std::to_string(windows) + " windows have valid_shape";
}

std::string addingText(const Design& design) {
    std::vector<std::string> adding;
    forEachBlock(design.blocks, [&](const Block& block) {
        const auto* store = std::get_if<Store>(&block.content);
        if (store == nullptr) return;
        if (store->op == StoreOp::IndexAdd || store->op == StoreOp::AtomicAdd || store->accumulate)
            adding.push_back(store->id.text + " (" + std::string(toText(store->op)) + ")");
    });
    return join(adding, "no store adds");
}

struct Places {
    std::int64_t matmuls = 0, inLoops = 0, between = 0, behind = 0;
};

/// Vector stages before the last matmul of their loop count as between.
void countPlaces(const std::vector<Block>& blocks, bool inLoop, Places& places) {
    std::int64_t waiting = 0;
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            const bool vectorOnly = !holdsMatmul(loop->body);
            if (vectorOnly && places.matmuls > 0) {
                forEachBlock(loop->body, [&](const Block& inner) {
                    places.behind += std::holds_alternative<VectorStage>(inner.content) ? 1 : 0;
                });
            } else {
                countPlaces(loop->body, inLoop || loop->form != LoopKind::Static, places);
            }
            continue;
        }
        if (std::holds_alternative<CubeStage>(block.content)) {
            places.between += places.matmuls > 0 ? waiting : 0;
            ++places.matmuls;
            waiting = 0;
        } else if (std::holds_alternative<VectorStage>(block.content)) {
            ++waiting;
            places.inLoops += inLoop ? 1 : 0;
            if (!inLoop && places.matmuls > 0) ++places.behind;
        }
    }
}

}  // namespace

void forEachLoop(const std::vector<Block>& blocks, const std::function<void(const Loop&, bool outermost)>& visit) {
    visitLoops(blocks, true, visit);
}

void forEachBlock(const std::vector<Block>& blocks, const std::function<void(const Block&)>& visit) {
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content))
            forEachBlock(loop->body, visit);
        else
            visit(block);
    }
}

void changeLoop(std::vector<Block>& blocks, const BlockId& id, const std::function<void(Loop&)>& change) {
    for (Block& block : blocks)
        if (auto* loop = std::get_if<Loop>(&block.content)) {
            if (loop->id == id) change(*loop);
            changeLoop(loop->body, id, change);
        }
}

bool holdsMatmul(const std::vector<Block>& blocks) {
    bool found = false;
    forEachBlock(blocks, [&](const Block& block) { found |= std::holds_alternative<CubeStage>(block.content); });
    return found;
}

bool iteratesOverGroups(const Design& design, const Loop& loop) {
    const std::string axis = loop.axis.text();
    for (const List& list : design.lists)
        if (axis == "len(" + list.id.text + ")" || axis == "groups(" + list.id.text + ")") return true;
    return design.skeleton.variant == Variant::B;
}

bool isWeight(const Design& design, const Tensor& tensor) {
    if (tensor.role != TensorRole::Input) return false;
    const bool constant = std::all_of(tensor.shape.begin(), tensor.shape.end(),
                                      [](const Expression& extent) { return extent.literal().has_value(); });
    if (!constant) return false;
    const std::map<std::string, std::string> views = viewsOf(design);
    const auto isIt = [&](const ValueId& id) { return bottomOf(views, id.text) == tensor.id.text; };
    bool right = false, other = false;
    forEachBlock(design.blocks, [&](const Block& block) {
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            right |= isIt(cube->b);
            for (const ValueId* id : {&cube->a, &cube->scaleA, &cube->scaleB, &cube->bias, &cube->scaleTensor})
                other |= isIt(*id);
        } else if (const auto* stage = std::get_if<VectorStage>(&block.content)) {
            for (const VectorOp& op : stage->ops)
                for (const Operand& operand : op.in) other |= operand.value() != nullptr && isIt(*operand.value());
        } else if (const auto* store = std::get_if<Store>(&block.content)) {
            other |= isIt(store->from) || isIt(store->index);
        }
    });
    return right && !other;
}

std::string groupLoopText(const Design& design) {
    std::vector<std::string> loops;
    forEachLoop(design.blocks, [&](const Loop& loop, bool outermost) {
        if (!outermost || !holdsMatmul(loop.body) || !iteratesOverGroups(design, loop)) return;
        const std::string how = loop.form == LoopKind::Static ? "written out" : loop.parallel ? "parallel" : "serial";
        loops.push_back(loop.id.text + " " + how);
    });
    return join(loops, "no loop over groups");
}

std::string weightText(const Design& design) {
    std::vector<std::string> weights;
    for (const Tensor& tensor : design.tensors)
        if (isWeight(design, tensor)) weights.push_back(tensor.id.text + " " + std::string(toText(tensor.format)));
    return join(weights, "no weight of constant shape");
}

std::string factText(const Design& design, std::string_view setting) {
    if (setting == "own_tile") return tileText(design);
    if (setting == "group_parallel") return groupLoopText(design);
    if (setting == "group_slice") return sliceText(design);
    if (setting == "scaled_mm") return scaledText(design);
    if (setting == "index_put") return addingText(design);
    if (setting == "nz_weights") return weightText(design);
    Places places;
    countPlaces(design.blocks, false, places);
    if (setting == "light_v") return std::to_string(places.between) + " vector stages between matmuls";
    if (setting == "post_loop_v")
        return std::to_string(places.behind) + " vector stages behind the matmuls' loop, " +
               std::to_string(places.inLoops) + " in it";
    return {};
}

}  // namespace cubist
