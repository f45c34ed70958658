// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/exchange/pypto/import/body_reader.h"

namespace cubist::pypto {

bool BodyReader::flagOf(const AstNode& node, const AstNode& value, const std::string& name) {
    if (!value.exists() || value.text("kind") == "none") return false;
    if (const auto truth = value.boolean()) return *truth;
    if (const auto number = value.integer(); number && (*number == 0 || *number == 1)) return *number == 1;
    note(node, name + " is neither True nor False; it is False here");
    return false;
}

bool BodyReader::followsTurn(const SymbolicPtr& tree) const {
    const auto names = namesIn(tidied(tree));
    return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
        return m_scope.isFactor(pypto::name(each)) ||
               std::any_of(m_loops.begin(), m_loops.end(), [&](const OpenLoop& loop) { return loop.index == each; });
    });
}

void BodyReader::effect(const AstNode& call, std::vector<Block>& blocks) {
    const std::string function = pyptoFunction(call);
    const bool options = function == "set_pass_options" || function == "set_options";
    if (m_scopes > 0 && (options || function == "experimental.set_operation_options")) {
        note(call, "options of one loop, which designs do not have");
    } else if (function == "set_semantic_label") {
        m_label = call.argument(0, "label").string();
        if (!m_label) note(call, "a label that is no text");
        m_openVector = false;
    } else if (function == "set_cube_tile_shapes") {
        const auto tile = cubeTileOf(call);
        if (!tile && takeFactorTile(call)) return;
        if (!tile) {
            note(call, "a tile that is not made of numbers");
            return;
        }
        m_cubeTile = *tile;
        m_cubeTable.reset();
    } else if (function == "set_vec_tile_shapes") {
        auto tile = vectorTileOf(call);
        if (!tile) {
            note(call, "a tile that is not made of numbers");
            return;
        }
        takeVectorTile(*std::move(tile), std::nullopt);
        if (!m_openVector) m_tileSet = call;
    } else if (function == "set_matrix_size") {
        m_matrixSize.emplace();
        for (const AstNode& each : call.argument(0, "size").list("elts")) {
            const auto tree = m_scope.scalar(each);
            const bool known = tree && !followsTurn(*tree);
            if (known) m_matrixSize->push_back(expressionOf(*tree));
            if (known) continue;
            m_matrixSize.reset();
            break;
        }
        if (!m_matrixSize || m_matrixSize->empty()) note(call, "a size that is not the same in every turn");
    } else if (function == "experimental.set_operation_options") {
        noteOtherKeywords(call, {"combine_axis"});
        m_out.design.options.combineAxis = flagOf(call, call.keyword("combine_axis"), "combine_axis");
    } else if (function == "set_pass_options") {
        takePassOptions(call, m_out.design.options, [&](const std::string& why) { note(call, why); });
    } else if (function == "set_options") {
        if (!call.list("args").empty()) note(call, "options by place, which set_options has not");
        takeOptions(call, function, m_out.design, [&](const std::string& why) { note(call, why); });
    } else if (function == "assemble" || function == "atomic_add") {
        // assemble(x, offsets, out), or assemble([(x, offsets), ...], out, parallel)
        const AstNode first = call.argument(0, "input");
        const bool several = first.is("List") || first.is("Tuple");
        const AstNode to = call.argument(several ? 1 : 2, function == "assemble" ? "out" : "dst");
        const bool parallel = flagOf(call, call.argument(several ? 2 : 3, "parallel"), "parallel");
        if (otherKeywords(call, {"input", "offsets", "out", "dst", "parallel"})) return;
        std::vector<std::pair<AstNode, AstNode>> parts;
        if (!several) parts.emplace_back(first, call.argument(1, "offsets"));
        for (const AstNode& each : first.list("elts")) {
            const auto pair = each.list("elts");
            if (pair.size() != 2) {
                note(call, "parts of an assemble that are no pairs of a value and its offsets");
                return;
            }
            parts.emplace_back(pair[0], pair[1]);
        }
        for (const auto& [from, offsets] : parts) {
            std::vector<SymbolicPtr> offset;
            for (const AstNode& each : offsets.list("elts")) offset.push_back(m_scope.scalar(each).value_or(nullptr));
            const Tensor* tensor = tensorOf(to);
            if (tensor != nullptr && offset.size() != tensor->shape.size()) {
                note(call, "a write at a place of " + std::to_string(offset.size()) + " axes; the tensor has " +
                               std::to_string(tensor->shape.size()));
                return;
            }
            store(call, function == "assemble" ? StoreOp::Assemble : StoreOp::AtomicAdd, from, to, offset, blocks,
                  parallel);
        }
    } else if (function == "index_add_" || function == "index_put_") {
        indexedStore(call, function == "index_add_", blocks);
    } else if (call["func"].is("Attribute") && call["func"].text("attr") == "set_cache_policy") {
        Tensor* tensor = tensorOf(call["func"]["value"]);
        const Variable* of = m_scope.find(call["func"]["value"].dotted());
        if (tensor == nullptr && of != nullptr)
            if (const auto window = m_windowOf.find(of->id); window != m_windowOf.end()) {
                const auto is = [&](const Tensor& each) { return each.id.text == window->second; };
                const auto whole = std::find_if(m_out.design.tensors.begin(), m_out.design.tensors.end(), is);
                if (whole != m_out.design.tensors.end()) tensor = &*whole;
                if (tensor != nullptr)
                    guess(call,
                          "the cache policy of a view is that of all of " + tensor->id.text + ": " + lineOf(call));
            }
        const std::string policy = call.argument(0, "policy").dotted();
        const auto value =
            call.argument(1, "value").exists() ? call.argument(1, "value").boolean() : std::optional(true);
        if (tensor != nullptr && policy.ends_with("NONE_CACHEABLE") && value)
            tensor->cache = *value ? CachePolicy::NoneCacheable : CachePolicy::Default;
        else
            note(call, "a cache policy that designs do not have");
    } else if (call["func"].is("Attribute") && call["func"].text("attr") == "move") {
        store(call, StoreOp::Slice, call.argument(0, "value"), call["func"]["value"], {}, blocks, false);
        const Variable* to = m_scope.find(call["func"]["value"].dotted());
        if (to != nullptr && to->kind == Variable::Kind::Tensor) noteOtherShape(call, to->extents, blocks);
    } else {
        note(call, "a call that is not understood");
    }
}

bool BodyReader::makeWorkspace(const AstNode& node, const AstNode& call, const std::string& name) {
    Tensor tensor;
    tensor.role = TensorRole::Workspace;
    const AstNode type = call.argument(1, "dtype"), format = call.argument(3, "format");
    const auto dtype = type.exists() ? m_scope.typeOf(type) : std::optional(DType::FP32);
    std::vector<std::int64_t> extents;
    for (const AstNode& each : call.argument(0, "shape").list("elts")) {
        const auto tree = m_scope.scalar(each);
        const auto fixed = tree ? literal(tidied(*tree)) : std::nullopt;
        if (!tree || followsTurn(*tree) || (fixed && *fixed < 1)) {
            extents.clear();
            break;
        }
        extents.push_back(fixed.value_or(0));
        tensor.shape.push_back(expressionOf(*tree));
    }
    if (otherKeywords(call, {"shape", "dtype", "name", "format"})) return false;
    if (extents.empty() || !dtype || (format.exists() && format.dotted().find("ND") == std::string::npos)) {
        note(node, "a tensor of the kernel whose shape or type designs cannot hold");
        return false;
    }
    if (!m_loops.empty()) guess(node, name + " is one memory for all turns of the loop: " + lineOf(node));
    tensor.dtype = *dtype;
    tensor.id = TensorId(fresh(name).text);
    m_blockIds.insert(tensor.id.text);
    m_scope.define(name, {Variable::Kind::Tensor, tensor.id.text, nullptr, extents});
    m_scope.setType(tensor.id.text, *dtype);
    m_out.design.tensors.push_back(std::move(tensor));
    return true;
}

Tensor* BodyReader::tensorOf(const AstNode& node) {
    const Variable* variable = m_scope.find(node.dotted());
    if (variable == nullptr || variable->kind != Variable::Kind::Tensor) return nullptr;
    for (Tensor& tensor : m_out.design.tensors)
        if (tensor.id.text == variable->id) return &tensor;
    return nullptr;
}

void BodyReader::indexedStore(const AstNode& call, bool adds, std::vector<Block>& blocks) {
    if (otherKeywords(call, {"input", "dim", "index", "source", "src", "values", "alpha", "accumulate"})) return;
    Tensor* tensor = tensorOf(call.argument(0, "input"));
    AstNode index = call.argument(adds ? 2 : 1, "index");
    if (const auto several = index.list("elts"); !adds && (index.is("Tuple") || index.is("List"))) {
        if (several.size() != 1) {
            note(call, "index_put_ with " + std::to_string(several.size()) + " indices; a design writes rows by one");
            return;
        }
        index = several[0];
    }
    const auto from = valueOf(call.argument(adds ? 3 : 2, "source"), blocks);
    const auto places = valueOf(index, blocks);
    if (tensor == nullptr || !from || !places) {
        note(call, "a write by an index whose parts are not known");
        return;
    }
    m_openVector = false;
    Store store;
    store.id = blockId("write_" + tensor->id.text);
    store.op = adds ? StoreOp::IndexAdd : StoreOp::IndexPut;
    store.from = ValueId(*from);
    store.to = tensor->id;
    store.index = ValueId(*places);
    if (adds) {
        const auto dim = call.argument(1, "dim").integer();
        if (!dim) note(call, "the axis of a write by an index is no number; it is the first here");
        store.dim = dim.value_or(0);
        if (const AstNode alpha = call.argument(4, "alpha"); alpha.exists()) {
            const auto factor = m_scope.real(alpha);
            if (!factor) note(call, "alpha is no number; it is 1 here");
            store.alpha = factor.value_or(1.0);
        }
    }
    store.accumulate = !adds && flagOf(call, call.argument(3, "accumulate"), "accumulate");
    if (adds || store.accumulate) m_uses.added.insert(tensor->id.text);
    m_uses.written.insert(tensor->id.text);
    blocks.push_back({std::move(store)});
}

}  // namespace cubist::pypto
