// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/edit_structure.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/design/block_values.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_tree.h"

namespace cubist {

using detail::indexOf;
using detail::listWith;
using detail::unknownBlock;

namespace {

bool isTaken(const Design& design, const std::string& id) {
    return findBlock(design, BlockId(id)) != nullptr || findTensor(design, TensorId(id)) != nullptr;
}

Unexpected taken(const std::string& name) {
    return unexpected(ErrorCode::DuplicateKey, "the name '" + name + "' is used already");
}

/// Everything that a block and its body read, tensors they write included: whoever comes later depends on those.
void collectUses(const Block& block, std::set<std::string>& reads, std::set<std::string>& makes) {
    visitReads(block, [&](const ValueId& value) {
        if (!value.empty()) reads.insert(value.text);
    });
    visitResults(block, [&](const ValueId& value) { makes.insert(value.text); });
    if (const auto* store = std::get_if<Store>(&block.content)) {
        // Two writers of one tensor keep their order, and so do a writer and a reader.
        makes.insert(store->to.text);
        reads.insert(store->to.text);
    }
    if (const auto* loop = std::get_if<Loop>(&block.content))
        for (const Block& inner : loop->body) collectUses(inner, reads, makes);
}

bool share(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.contains(name); });
}

/// Moves the block at `reader`, and all between it and `maker` that depend on it, behind `maker`. False: the maker
/// itself depends on the reader.
bool moveBehind(std::vector<Block>& blocks, std::size_t reader, std::size_t maker) {
    std::set<std::string> reads;
    std::set<std::string> made;
    collectUses(blocks[reader], reads, made);
    std::vector<bool> moves(blocks.size(), false);
    moves[reader] = true;
    for (std::size_t i = reader + 1; i <= maker; ++i) {
        std::set<std::string> itsReads;
        std::set<std::string> itsResults;
        collectUses(blocks[i], itsReads, itsResults);
        if (!share(itsReads, made)) continue;
        if (i == maker) return false;
        moves[i] = true;
        made.insert(itsResults.begin(), itsResults.end());
    }
    std::vector<Block> order;
    for (const bool moving : {false, true})
        for (std::size_t i = reader; i <= maker; ++i)
            if (moves[i] == moving) order.push_back(std::move(blocks[i]));
    std::move(order.begin(), order.end(), blocks.begin() + static_cast<std::ptrdiff_t>(reader));
    return true;
}

/// Index of the block of a list that is, or holds, the block of this id; the list's size when none does.
std::size_t holderOf(const std::vector<Block>& blocks, const BlockId& id) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        bool found = false;
        const auto look = [&](const Block& block) { found = found || block.id() == id; };
        look(blocks[i]);
        if (const auto* loop = std::get_if<Loop>(&blocks[i].content)) visitTree(loop->body, look);
        if (found) return i;
    }
    return blocks.size();
}

/// Makes sure that the maker of a value stands before its reader.
Result<void> orderFor(Design& design, const BlockId& reader, const BlockId& maker, const std::string& value) {
    std::vector<Block>* list = &design.blocks;
    while (true) {
        const std::size_t readerAt = holderOf(*list, reader);
        const std::size_t makerAt = holderOf(*list, maker);
        if (readerAt == makerAt && readerAt < list->size()) {
            auto* loop = std::get_if<Loop>(&(*list)[readerAt].content);
            if (loop == nullptr || loop->id == reader || loop->id == maker) break;
            list = &loop->body;
            continue;
        }
        if (makerAt < readerAt) return {};
        if (moveBehind(*list, readerAt, makerAt)) return {};
        break;
    }
    return unexpected(ErrorCode::Cycle, "'" + value + "' is made from what '" + reader.text + "' makes: a circle", {},
                      "let one of them read something that is made earlier");
}

Result<ValueId*> portOf(Block& block, const std::string& key) {
    ValueId* found = nullptr;
    const auto pick = [&](const char* name, ValueId& value) {
        if (key == name) found = &value;
    };
    if (auto* view = std::get_if<View>(&block.content)) pick("of", view->of);
    if (auto* store = std::get_if<Store>(&block.content)) {
        pick("from", store->from);
        pick("index", store->index);
    }
    if (auto* cube = std::get_if<CubeStage>(&block.content)) {
        pick("a", cube->a);
        pick("b", cube->b);
        pick("scale_a", cube->scaleA);
        pick("scale_b", cube->scaleB);
        pick("bias", cube->bias);
        pick("scale_tensor", cube->scaleTensor);
    }
    if (auto* vector = std::get_if<VectorStage>(&block.content)) {
        const std::size_t slash = key.find('/');
        for (std::size_t op = 0; slash != std::string::npos && op < vector->ops.size(); ++op)
            for (std::size_t in = 0; in < vector->ops[op].in.size(); ++in)
                if (std::to_string(op) + "/" + std::to_string(in) == key)
                    found = std::get_if<ValueId>(&vector->ops[op].in[in].source);
    }
    if (found == nullptr)
        return unexpected(ErrorCode::UnknownName, "'" + block.id().text + "' has no input '" + key + "'");
    return found;
}

/// Gives a port its value; all uses of one outer value in a vector stage are one port.
void setPort(Block& block, ValueId& port, const ValueId& value) {
    const ValueId before = std::exchange(port, value);
    auto* vector = std::get_if<VectorStage>(&block.content);
    if (vector == nullptr || before.empty()) return;
    for (VectorOp& op : vector->ops)
        for (Operand& operand : op.in)
            if (auto* other = std::get_if<ValueId>(&operand.source); other != nullptr && *other == before)
                *other = value;
}

bool isStageBlock(const Block& block) {
    return block.kind() == BlockKind::Cube || block.kind() == BlockKind::Vector;
}

}  // namespace

std::vector<InputPort> inputPorts(const Block& block, bool allOptional) {
    std::vector<InputPort> ports;
    const auto optional = [&](const char* key, const ValueId& value) {
        if (allOptional || !value.empty()) ports.push_back({key, value, true});
    };
    if (const auto* view = std::get_if<View>(&block.content)) ports.push_back({"of", view->of});
    if (const auto* store = std::get_if<Store>(&block.content)) {
        ports.push_back({"from", store->from});
        if (store->op == StoreOp::IndexAdd || store->op == StoreOp::IndexPut) ports.push_back({"index", store->index});
    }
    if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
        ports.push_back({"a", cube->a});
        ports.push_back({"b", cube->b});
        if (cube->op == CubeOp::ScaledMm) {
            ports.push_back({"scale_a", cube->scaleA});
            ports.push_back({"scale_b", cube->scaleB});
        }
        optional("bias", cube->bias);
        optional("scale_tensor", cube->scaleTensor);
    }
    if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
        std::set<std::string> known;
        for (std::size_t op = 0; op < vector->ops.size(); ++op) {
            for (std::size_t in = 0; in < vector->ops[op].in.size(); ++in) {
                const ValueId* value = vector->ops[op].in[in].value();
                if (value == nullptr) continue;
                if (!value->empty() && !known.insert(value->text).second) continue;
                ports.push_back({std::to_string(op) + "/" + std::to_string(in), *value});
            }
            known.insert(vector->ops[op].out.text);
            if (!vector->ops[op].out2.empty()) known.insert(vector->ops[op].out2.text);
        }
    }
    return ports;
}

ValueId resultOf(const Block& block) {
    if (const auto* view = std::get_if<View>(&block.content)) return view->out;
    if (const auto* cube = std::get_if<CubeStage>(&block.content)) return cube->out;
    const auto* vector = std::get_if<VectorStage>(&block.content);
    return vector == nullptr || vector->ops.empty() ? ValueId() : vector->ops.back().out;
}

const Block* producerOf(const Design& design, const ValueId& value) {
    const Block* found = nullptr;
    visitTree(design.blocks, [&](const Block& block) {
        visitResults(block, [&](const ValueId& result) {
            if (found == nullptr && result == value) found = &block;
        });
    });
    return found;
}

BlockId loopOf(const Design& design, const BlockId& block) {
    BlockId found;
    visitTree(design.blocks, [&](const Block& candidate) {
        if (const auto* loop = std::get_if<Loop>(&candidate.content))
            if (indexOf(loop->body, block) < loop->body.size()) found = loop->id;
    });
    return found;
}

bool isInside(const Design& design, const BlockId& block, const BlockId& loop) {
    for (BlockId outer = loopOf(design, block); !outer.empty(); outer = loopOf(design, outer))
        if (outer == loop) return true;
    return false;
}

FreeNames::FreeNames(const Design& design) {
    m_taken = {""};
    for (const Symbol& symbol : design.symbols) m_taken.insert(symbol.id.text);
    for (const List& list : design.lists) m_taken.insert(list.id.text);
    for (const Tensor& tensor : design.tensors) m_taken.insert(tensor.id.text);
    visitTree(design.blocks, [&](const Block& block) {
        m_taken.insert(block.id().text);
        visitResults(block, [&](const ValueId& value) { m_taken.insert(value.text); });
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            m_taken.insert(loop->index);
            if (loop->form == LoopKind::Unroll) m_taken.insert(loop->factor);
        }
    });
}

std::string FreeNames::take(const std::string& base) {
    if (m_taken.insert(base).second) return base;
    std::string stem = base;
    while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
    if (stem.empty()) stem = "x";
    for (int number = 2;; ++number)
        if (std::string name = stem + std::to_string(number); m_taken.insert(name).second) return name;
}

Result<Design> insertBlocks(const Design& design, const BlockPlace& place, std::vector<Block> blocks) {
    std::set<std::string> ids;
    std::optional<std::string> twice;
    visitTree(blocks, [&](const Block& block) {
        if (isTaken(design, block.id().text) || !ids.insert(block.id().text).second) twice = block.id().text;
    });
    if (twice) return taken(*twice);
    Design edited = design;
    std::vector<Block>* list = &edited.blocks;
    if (!place.loop.empty()) {
        Loop* loop = detail::findLoop(edited.blocks, place.loop);
        if (loop == nullptr) return unknownBlock(design, place.loop);
        list = &loop->body;
    }
    const std::size_t at = place.before.empty() ? list->size() : indexOf(*list, place.before);
    if (!place.before.empty() && at == list->size()) return unknownBlock(design, place.before);
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(blocks.begin()),
                 std::make_move_iterator(blocks.end()));
    return edited;
}

Result<Design> addTensor(const Design& design, Tensor tensor) {
    if (isTaken(design, tensor.id.text)) return taken(tensor.id.text);
    Design edited = design;
    edited.tensors.push_back(std::move(tensor));
    return edited;
}

Result<Design> removeElements(const Design& design, const ElementSet& elements) {
    for (const BlockId& id : elements.blocks)
        if (findBlock(design, id) == nullptr) return unknownBlock(design, id);
    std::set<std::string> gone;
    std::set<std::string> values;
    for (const TensorId& id : elements.tensors) {
        if (findTensor(design, id) == nullptr)
            return unexpected(ErrorCode::UnknownName, "the design has no tensor '" + id.text + "'");
        gone.insert(id.text);
        values.insert(id.text);
    }
    Design edited = design;
    const auto collect = [&](const Block& block) {
        gone.insert(block.id().text);
        visitResults(block, [&](const ValueId& value) { values.insert(value.text); });
    };
    for (const BlockId& id : elements.blocks) {
        const Block* block = findBlock(design, id);
        collect(*block);
        if (const auto* loop = std::get_if<Loop>(&block->content)) visitTree(loop->body, collect);
    }
    const std::function<void(std::vector<Block>&)> clean = [&](std::vector<Block>& blocks) {
        std::erase_if(blocks, [&](const Block& block) { return gone.contains(block.id().text); });
        for (Block& block : blocks) {
            visitReads(block, [&](ValueId& value) {
                if (values.contains(value.text)) value = ValueId();
            });
            if (auto* store = std::get_if<Store>(&block.content); store != nullptr && gone.contains(store->to.text))
                store->to = TensorId();
            if (auto* loop = std::get_if<Loop>(&block.content)) clean(loop->body);
        }
    };
    clean(edited.blocks);
    std::erase_if(edited.tensors, [&](const Tensor& tensor) { return gone.contains(tensor.id.text); });
    std::erase_if(edited.layout.entries, [&](const auto& entry) { return gone.contains(entry.key); });
    std::erase_if(edited.options.readyOnHostTensors, [&](const ValueId& id) { return gone.contains(id.text); });
    return edited;
}

Result<Design> connectPort(const Design& design, const BlockId& reader, const std::string& port, const ValueId& value) {
    Design edited = design;
    Block* block = detail::findBlockIn(edited.blocks, reader);
    if (block == nullptr) return unknownBlock(design, reader);
    CUBIST_TRY(ValueId * target, portOf(*block, port));
    if (value.empty()) {
        setPort(*block, *target, value);
        return edited;
    }
    if (const Tensor* tensor = findTensor(design, TensorId(value.text))) {
        if (tensor->role == TensorRole::Output)
            return unexpected(ErrorCode::WrongType, "'" + value.text + "' is an output: kernels only write it", {},
                              "make it an inout tensor to read it, too");
        setPort(*block, *target, value);
        return edited;
    }
    const Block* maker = producerOf(design, value);
    if (maker == nullptr) return unexpected(ErrorCode::UnknownName, "the design has no value '" + value.text + "'");
    if (block->kind() == BlockKind::View && maker->kind() != BlockKind::View)
        return unexpected(ErrorCode::WrongType,
                          "a slice is cut from a tensor; '" + value.text + "' is a stage's result", {},
                          "read the result itself, or use the operation slice");
    if (maker->id() == reader) return unexpected(ErrorCode::Cycle, "'" + reader.text + "' would read its own result");
    const BlockId loop = loopOf(design, maker->id());
    if (!loop.empty() && !isInside(design, reader, loop))
        return unexpected(
            ErrorCode::BadValue,
            "'" + value.text + "' is made inside the loop '" + loop.text + "' and is not known outside of it", {},
            "store it into a tensor inside the loop");
    const BlockId makerId = maker->id();
    setPort(*block, *target, value);
    CUBIST_CHECK_OK(orderFor(edited, reader, makerId, value.text));
    return edited;
}

Result<Design> connectStore(const Design& design, const BlockId& store, const TensorId& tensor) {
    if (!tensor.empty()) {
        const Tensor* target = findTensor(design, tensor);
        if (target == nullptr)
            return unexpected(ErrorCode::UnknownName, "the design has no tensor '" + tensor.text + "'");
        if (target->role == TensorRole::Input)
            return unexpected(ErrorCode::WrongType, "'" + tensor.text + "' is an input: kernels only read it", {},
                              "make it an inout tensor to write it, too");
    }
    Design edited = design;
    Block* block = detail::findBlockIn(edited.blocks, store);
    if (block == nullptr) return unknownBlock(design, store);
    auto* content = std::get_if<Store>(&block->content);
    if (content == nullptr) return unexpected(ErrorCode::WrongType, "'" + store.text + "' is no store");
    content->to = tensor;
    return edited;
}

Result<Design> storeValue(const Design& design, const ValueId& value, const TensorId& tensor) {
    const Block* maker = producerOf(design, value);
    if (maker == nullptr && findTensor(design, TensorId(value.text)) == nullptr)
        return unexpected(ErrorCode::UnknownName, "the design has no value '" + value.text + "'");
    FreeNames names(design);
    Store store;
    store.id = BlockId(names.take("write_" + tensor.text));
    store.from = value;
    const BlockId id = store.id;
    BlockPlace place;
    if (maker != nullptr) {
        place.loop = loopOf(design, maker->id());
        const std::vector<Block>& list = listWith(design, place.loop);
        const std::size_t next = indexOf(list, maker->id()) + 1;
        if (next < list.size()) place.before = list[next].id();
    }
    CUBIST_TRY(Design edited, insertBlocks(design, place, {Block{std::move(store)}}));
    return connectStore(edited, id, tensor);
}

Result<Design> insertOnWire(const Design& design, const BlockId& reader, const std::string& port, Block stage,
                            const std::string& input) {
    const Block* block = findBlock(design, reader);
    if (block == nullptr) return unknownBlock(design, reader);
    Block copy = *block;
    CUBIST_TRY(const ValueId* read, portOf(copy, port));
    const ValueId value = *read;
    if (value.empty()) return unexpected(ErrorCode::BadValue, "nothing is connected to '" + port + "'");
    const ValueId result = resultOf(stage);
    if (result.empty()) return unexpected(ErrorCode::BadValue, "'" + stage.id().text + "' hands nothing on");
    const BlockId id = stage.id();
    CUBIST_TRY(Design edited, insertBlocks(design, {loopOf(design, reader), reader}, {std::move(stage)}));
    CUBIST_TRY(edited, connectPort(edited, id, input, value));
    return connectPort(edited, reader, port, result);
}

Result<Design> swapStage(const Design& design, const BlockId& stage, Block replacement) {
    Design edited = design;
    Block* block = detail::findBlockIn(edited.blocks, stage);
    if (block == nullptr) return unknownBlock(design, stage);
    if (!isStageBlock(*block) || !isStageBlock(replacement))
        return unexpected(ErrorCode::WrongType, "only stages can be swapped");
    const std::vector<InputPort> before = inputPorts(*block);
    std::size_t next = 0;
    for (const InputPort& port : inputPorts(replacement)) {
        if (next == before.size()) break;
        CUBIST_TRY(ValueId * target, portOf(replacement, port.key));
        *target = before[next++].value;
    }
    const ValueId result = resultOf(*block);
    const std::string label = std::visit(
        [](const auto& content) {
            if constexpr (requires { content.label; })
                return content.label;
            else
                return std::string();
        },
        block->content);
    if (auto* cube = std::get_if<CubeStage>(&replacement.content)) {
        cube->id = stage;
        cube->label = label;
        if (!result.empty()) cube->out = result;
    } else if (auto* vector = std::get_if<VectorStage>(&replacement.content)) {
        vector->id = stage;
        vector->label = label;
        if (!result.empty() && !vector->ops.empty()) vector->ops.back().out = result;
    }
    *block = std::move(replacement);
    return edited;
}

}  // namespace cubist
