// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <utility>

#include "core/design/block_values.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/design/edit_tree.h"

namespace cubist {
namespace {

/// How one axis of a tensor is cut by a loop.
struct Cut {
    std::size_t axis = 0;
    Expression offset;
    Expression extent;                ///< of the slice
    std::optional<Expression> valid;  ///< absent: always the whole slice
    bool drop = false;                ///< an axis in front of which one entry is taken
};

std::string times(const std::string& index, const Expression& tile) {
    if (tile.literal() == 1) return index;
    const bool plain = tile.literal() || tile.text().find_first_of("+-*/% ") == std::string::npos;
    return index + " * " + (plain ? tile.text() : "(" + tile.text() + ")");
}

bool sameExtent(const Expression& a, const Expression& b) {
    return a.text() == b.text();
}

std::int64_t valueOf(const Expression& expression, const Binding& binding) {
    const auto value = expression.evaluate(binding.lookup());
    return value ? *value : 1;
}

/// The list whose groups the loop runs over: "len(groups)", "groups(counts)".
const List* groupList(const Design& design, const Loop& loop) {
    const auto lists = loop.axis.lists();
    if (!lists || lists->size() != 1) return nullptr;
    for (const List& list : design.lists)
        if (list.id.text == lists->front() && list.form != ListForm::Plain && list.total) return &list;
    return nullptr;
}

/// Makes the slices of one loop's body.
class Slicer {
public:
    Slicer(Design& design, const BlockId& loop, const Binding& binding)
        : m_design(design), m_loop(loop), m_binding(binding) {}

    /// Lets every tensor that the loop cuts be read through a slice.
    void slice(const BlockId& id) {
        const Block block = *findBlock(m_design, id);
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            sliceCube(*cube);
        } else if (std::holds_alternative<VectorStage>(block.content)) {
            for (const InputPort& port : inputPorts(block)) {
                const Tensor* tensor = findTensor(m_design, TensorId(port.value.text));
                if (tensor != nullptr) use(id, port.key, *tensor, cutOf(*tensor, 0, tensor->shape.size()));
            }
        }
    }

    /// Where a store of the loop's results writes.
    void offsetStore(const BlockId& id) {
        Block* block = detail::findBlockIn(m_design.blocks, id);
        auto& store = std::get<Store>(block->content);
        const Tensor* tensor = findTensor(m_design, store.to);
        if (tensor == nullptr) return;
        const auto cut = cutOf(*tensor, 0, tensor->shape.size());
        if (!cut) return;
        if (store.offset.empty()) store.offset.assign(tensor->shape.size(), Expression(0));
        if (cut->axis >= store.offset.size()) return;
        Expression& offset = store.offset[cut->axis];
        offset = offset.literal() == 0 ? cut->offset : Expression(offset.text() + " + " + cut->offset.text());
    }

private:
    [[nodiscard]] const Loop& loop() const { return std::get<Loop>(findBlock(m_design, m_loop)->content); }

    /// The first axis of [first, last) that the loop runs along.
    [[nodiscard]] std::optional<Cut> cutOf(const Tensor& tensor, std::size_t first, std::size_t last) const {
        const Loop& around = loop();
        const List* groups = groupList(m_design, around);
        for (std::size_t axis = first; axis < std::min(last, tensor.shape.size()); ++axis) {
            const Expression& extent = tensor.shape[axis];
            Cut cut;
            cut.axis = axis;
            if (groups != nullptr && sameExtent(extent, *groups->total)) {
                const std::string arguments = "(" + groups->id.text + ", " + around.index + ")";
                cut.offset = Expression("start" + arguments);
                cut.extent = Expression(valueOf(extent, m_binding));
                cut.valid = Expression("count" + arguments);
                return cut;
            }
            if (!sameExtent(extent, around.axis)) continue;
            if (around.form == LoopKind::Unroll) {
                cut.offset = Expression(around.index);
                cut.extent = Expression(around.factor);
                return cut;
            }
            const std::int64_t tile = valueOf(around.tile, m_binding);
            cut.offset = Expression(times(around.index, around.tile));
            cut.extent = Expression(tile);
            cut.drop = tile == 1 && axis == 0;
            const auto whole = extent.literal();
            if (tile != 1 && (!whole || *whole % tile != 0))
                cut.valid =
                    Expression("min(" + extent.text() + " - " + cut.offset.text() + ", " + std::to_string(tile) + ")");
            return cut;
        }
        return std::nullopt;
    }

    void sliceCube(const CubeStage& cube) {
        const auto tensorOf = [&](const ValueId& value) { return findTensor(m_design, TensorId(value.text)); };
        // K is never cut: the parts would have to be added up.
        bool rowsCut = false;
        if (const Tensor* a = tensorOf(cube.a); a != nullptr && a->shape.size() >= 2) {
            const std::size_t rank = a->shape.size();
            const std::size_t rows = cube.aTrans ? rank - 1 : rank - 2;
            auto cut = cutOf(*a, 0, rank - 2);
            if (!cut) cut = cutOf(*a, rows, rows + 1);
            rowsCut = cut.has_value() && cut->axis == rows;
            use(cube.id, "a", *a, cut);
        }
        if (const Tensor* b = tensorOf(cube.b); b != nullptr && b->shape.size() >= 2) {
            const std::size_t rank = b->shape.size();
            const std::size_t columns = cube.bTrans ? rank - 2 : rank - 1;
            auto cut = cutOf(*b, 0, rank - 2);
            if (!cut && !rowsCut) cut = cutOf(*b, columns, columns + 1);
            use(cube.id, "b", *b, cut);
        }
        if (const Tensor* scale = tensorOf(cube.scaleA)) use(cube.id, "scale_a", *scale, cutOf(*scale, 0, 1));
        if (const Tensor* scale = tensorOf(cube.scaleB); scale != nullptr && scale->shape.size() > 3)
            use(cube.id, "scale_b", *scale, cutOf(*scale, 0, 1));
    }

    void use(const BlockId& reader, const std::string& port, const Tensor& tensor, const std::optional<Cut>& cut) {
        if (!cut) return;
        const ValueId slice = sliceOf(tensor, *cut);
        if (auto connected = connectPort(m_design, reader, port, slice)) m_design = std::move(connected).value();
    }

    /// A slice of the body that cuts so, or a new one in front of everything.
    [[nodiscard]] ValueId sliceOf(const Tensor& tensor, const Cut& cut) {
        View view;
        view.of = ValueId(tensor.id.text);
        const std::size_t rank = tensor.shape.size();
        const bool drop = cut.drop && rank > 1;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            view.offset.push_back(axis == cut.axis ? cut.offset : Expression(0));
            if (drop && axis == 0) continue;
            view.shape.push_back(axis == cut.axis ? cut.extent : Expression(valueOf(tensor.shape[axis], m_binding)));
        }
        bool partly = cut.valid.has_value();
        for (std::size_t axis = 0; axis < rank; ++axis)
            partly = partly || (axis != cut.axis && !tensor.shape[axis].literal());
        for (std::size_t axis = 0; partly && axis < rank; ++axis) {
            if (drop && axis == 0) continue;
            view.valid.push_back(axis == cut.axis ? cut.valid.value_or(cut.extent) : tensor.shape[axis]);
        }
        Loop& around = *detail::findLoop(m_design.blocks, m_loop);
        for (const Block& block : around.body)
            if (const auto* known = std::get_if<View>(&block.content))
                if (known->of == view.of && known->shape == view.shape && known->offset == view.offset &&
                    known->valid == view.valid)
                    return known->out;
        FreeNames names(m_design);
        view.id = BlockId(names.take("cut_" + tensor.id.text));
        view.out = ValueId(names.take(tensor.id.text + "_tile"));
        ValueId out = view.out;
        around.body.insert(around.body.begin(), Block{std::move(view)});
        return out;
    }

    Design& m_design;
    BlockId m_loop;
    const Binding& m_binding;
};

bool contains(const std::vector<BlockId>& ids, const BlockId& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// The blocks of a list that are to be moved, in program order, and the stores of their results. Errors: BadValue when
/// another block reads what they make.
Result<std::vector<BlockId>> withStores(const std::vector<Block>& list, const std::vector<BlockId>& blocks,
                                        const std::string& refusal) {
    std::set<std::string> made;
    for (const Block& block : list) {
        if (!contains(blocks, block.id())) continue;
        visitResults(block, [&](const ValueId& value) { made.insert(value.text); });
    }
    std::vector<BlockId> moved;
    for (const Block& block : list) {
        if (contains(blocks, block.id())) {
            moved.push_back(block.id());
            continue;
        }
        std::string read;
        const auto look = [&](const Block& inner) {
            visitReads(inner, [&](const ValueId& value) {
                if (made.contains(value.text)) read = value.text;
            });
        };
        look(block);
        if (const auto* loop = std::get_if<Loop>(&block.content)) visitTree(loop->body, look);
        if (read.empty()) continue;
        if (block.kind() != BlockKind::Store)
            return unexpected(ErrorCode::BadValue, "'" + block.id().text + "' reads '" + read + "' " + refusal);
        moved.push_back(block.id());
    }
    return moved;
}

/// Takes blocks out of a list, in their order.
std::vector<Block> takeOut(std::vector<Block>& list, const std::vector<BlockId>& ids) {
    std::vector<Block> taken;
    for (Block& block : list)
        if (contains(ids, block.id())) taken.push_back(block);
    std::erase_if(list, [&](const Block& block) { return contains(ids, block.id()); });
    return taken;
}

/// Every operand of the blocks is known where they stand: nothing is made later, or inside a loop they are not in.
Result<void> checkKnown(const Design& design, const std::vector<BlockId>& ids) {
    for (const BlockId& id : ids) {
        const Block* block = findBlock(design, id);
        for (const InputPort& port : inputPorts(*block)) {
            if (port.value.empty() || findTensor(design, TensorId(port.value.text)) != nullptr) continue;
            const auto again = connectPort(design, id, port.key, port.value);
            if (!again) return unexpected(again.error());
            if (*again != design)
                return unexpected(ErrorCode::BadValue,
                                  "'" + id.text + "' reads '" + port.value.text + "', which is made later");
        }
    }
    return {};
}

/// Whether an expression uses the loop's index or factor.
bool uses(const Expression& expression, const Loop& loop) {
    const auto names = expression.names();
    return names && std::any_of(names->begin(), names->end(), [&](const std::string& name) {
               return name == loop.index || (loop.form == LoopKind::Unroll && name == loop.factor);
           });
}

/// Lets blocks read whole tensors where they read slices of the loop, and stores write whole ones.
void readWhole(Design& design, const Loop& loop, const std::vector<BlockId>& ids) {
    std::map<std::string, ValueId> whole;
    for (const Block& block : loop.body)
        if (const auto* view = std::get_if<View>(&block.content))
            if (std::any_of(view->offset.begin(), view->offset.end(),
                            [&](const Expression& offset) { return uses(offset, loop); }))
                whole[view->out.text] = view->of;
    for (const BlockId& id : ids) {
        Block* block = detail::findBlockIn(design.blocks, id);
        if (contains(ids, id) && block->kind() != BlockKind::View)
            visitReads(*block, [&](ValueId& value) {
                if (const auto found = whole.find(value.text); found != whole.end()) value = found->second;
            });
        if (auto* store = std::get_if<Store>(&block->content)) {
            for (Expression& offset : store->offset)
                if (uses(offset, loop)) offset = Expression(0);
            if (std::all_of(store->offset.begin(), store->offset.end(),
                            [](const Expression& offset) { return offset.literal() == 0; }))
                store->offset.clear();
        }
    }
}

/// Removes the slices of a loop that nobody reads any more.
void dropUnread(Design& design, const BlockId& loopId) {
    Loop* loop = detail::findLoop(design.blocks, loopId);
    if (loop == nullptr) return;
    std::set<std::string> read;
    visitTree(loop->body,
              [&](const Block& block) { visitReads(block, [&](const ValueId& value) { read.insert(value.text); }); });
    std::vector<BlockId> unread;
    for (const Block& block : loop->body)
        if (const auto* view = std::get_if<View>(&block.content); view != nullptr && !read.contains(view->out.text))
            unread.push_back(view->id);
    if (unread.empty()) return;
    if (auto removed = removeElements(design, {unread, {}})) design = std::move(removed).value();
}

Result<void> checkOneList(const Design& design, const std::vector<BlockId>& blocks) {
    if (blocks.empty()) return unexpected(ErrorCode::BadValue, "there is nothing to move");
    for (const BlockId& id : blocks) {
        if (findBlock(design, id) == nullptr) return detail::unknownBlock(design, id);
        if (loopOf(design, id) != loopOf(design, blocks.front()))
            return unexpected(ErrorCode::BadValue, "the blocks stand in different loops");
    }
    return {};
}

}  // namespace

Result<Design> moveIntoLoop(const Design& design, const std::vector<BlockId>& blocks, const BlockId& loop,
                            const Binding& binding) {
    CUBIST_CHECK_OK(checkOneList(design, blocks));
    Design edited = design;
    if (detail::findLoop(edited.blocks, loop) == nullptr) return detail::unknownBlock(design, loop);
    for (const BlockId& id : blocks)
        if (id == loop || isInside(design, loop, id))
            return unexpected(ErrorCode::BadValue, "a loop cannot be moved into itself");
    const BlockId home = loopOf(design, blocks.front());
    if (home != loopOf(design, loop))
        return unexpected(ErrorCode::BadValue, "move it next to the loop first: it stands at another level");
    std::vector<Block>& list = detail::listWith(edited, home);
    CUBIST_TRY(const std::vector<BlockId> moved,
               withStores(list, blocks, "outside of the loop; move it too, or store the value into a tensor"));
    const bool before = detail::indexOf(list, moved.front()) < detail::indexOf(list, loop);
    std::vector<Block> taken = takeOut(list, moved);
    std::vector<Block>& body = detail::findLoop(edited.blocks, loop)->body;
    body.insert(before ? body.begin() : body.end(), std::make_move_iterator(taken.begin()),
                std::make_move_iterator(taken.end()));
    CUBIST_CHECK_OK(checkKnown(edited, moved));
    Slicer slicer(edited, loop, binding);
    for (const BlockId& id : moved) {
        if (findBlock(edited, id)->kind() == BlockKind::Store)
            slicer.offsetStore(id);
        else
            slicer.slice(id);
    }
    return edited;
}

Result<Design> moveOutOfLoop(const Design& design, const std::vector<BlockId>& blocks) {
    CUBIST_CHECK_OK(checkOneList(design, blocks));
    const BlockId loopId = loopOf(design, blocks.front());
    if (loopId.empty()) return unexpected(ErrorCode::BadValue, "'" + blocks.front().text + "' is in no loop");
    Design edited = design;
    Loop& loop = *detail::findLoop(edited.blocks, loopId);
    CUBIST_TRY(const std::vector<BlockId> moved, withStores(loop.body, blocks, "inside the loop; move it too"));
    const Loop before = loop;
    std::vector<Block> taken = takeOut(loop.body, moved);
    std::vector<Block>& list = detail::listWith(edited, loopOf(design, loopId));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(detail::indexOf(list, loopId)),
                std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
    readWhole(edited, before, moved);
    CUBIST_CHECK_OK(checkKnown(edited, moved));
    dropUnread(edited, loopId);
    return edited;
}

Result<Design> wrapInLoop(const Design& design, const std::vector<BlockId>& blocks, Loop loop, const Binding& binding) {
    CUBIST_CHECK_OK(checkOneList(design, blocks));
    const BlockId id = loop.id;
    const BlockId home = loopOf(design, blocks.front());
    // Behind the last of the blocks: everything that they read is known there.
    const std::vector<Block>& list = detail::listWith(design, home);
    std::size_t last = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (contains(blocks, list[i].id())) last = i;
    const BlockId next = last + 1 < list.size() ? list[last + 1].id() : BlockId();
    loop.body.clear();
    CUBIST_TRY(const Design withLoop, insertBlocks(design, {home, next}, {Block{std::move(loop)}}));
    return moveIntoLoop(withLoop, blocks, id, binding);
}

Result<Design> dissolveLoop(const Design& design, const BlockId& id) {
    Design edited = design;
    Loop* loop = detail::findLoop(edited.blocks, id);
    if (loop == nullptr) return detail::unknownBlock(design, id);
    const Loop before = *loop;
    std::vector<BlockId> ids;
    visitTree(before.body, [&](const Block& block) { ids.push_back(block.id()); });
    std::vector<Block>& list = detail::listWith(edited, loopOf(design, id));
    const std::size_t at = detail::indexOf(list, id);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), before.body.begin(), before.body.end());
    readWhole(edited, before, ids);
    // Slices that cut with the index are read by nobody now.
    std::vector<BlockId> slices;
    for (const Block& block : before.body)
        if (const auto* view = std::get_if<View>(&block.content))
            if (std::any_of(view->offset.begin(), view->offset.end(),
                            [&](const Expression& offset) { return uses(offset, before); }))
                slices.push_back(view->id);
    std::erase_if(edited.layout.entries, [&](const auto& entry) { return entry.key == id.text; });
    return removeElements(edited, {slices, {}});
}

}  // namespace cubist
