// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/binding.h"
#include "core/design/design.h"

namespace cubist {

/// Edits of what a design consists of, as pure functions like those of edit_ops.h. A design may be unfinished on the
/// way: an operand without a name is a port that nothing is connected to (`resolve` says so).

/// A place where a block reads a value.
struct InputPort {
    std::string key;        ///< "of"; "a", "b", "scale_a", "scale_b", "bias", "scale_tensor"; "op/operand" of a vector
                            ///< stage: "0/1"; "from", "index"
    ValueId value;          ///< empty: not connected
    bool optional = false;  ///< may stay unconnected
    bool operator==(const InputPort&) const = default;
};

/// Ports from top to bottom. A vector stage has one for each value that it reads from elsewhere (its first use) and one
/// for each unconnected operand. Optional ports that are not connected are listed only on demand.
[[nodiscard]] std::vector<InputPort> inputPorts(const Block& block, bool allOptional = false);
/// What a block hands on: a view, a stage's (last) result. Empty for stores, loops and stages without operations.
[[nodiscard]] ValueId resultOf(const Block& block);
/// The tensor or block that makes a value; null when there is none.
[[nodiscard]] const Block* producerOf(const Design& design, const ValueId& value);
/// The innermost loop around a block; empty at the top level and for unknown blocks.
[[nodiscard]] BlockId loopOf(const Design& design, const BlockId& block);
/// Whether the block stands in the loop, at any depth.
[[nodiscard]] bool isInside(const Design& design, const BlockId& block, const BlockId& loop);

/// Names that a design does not use yet.
class FreeNames {
public:
    explicit FreeNames(const Design& design);
    /// `base`, or with the next free number: "mm", "mm2", "x1" -> "x2". Taken from then on.
    [[nodiscard]] std::string take(const std::string& base);

private:
    std::set<std::string> m_taken;
};

/// Where blocks go.
struct BlockPlace {
    BlockId loop;    ///< empty: the top level
    BlockId before;  ///< a block of that list; empty: at its end
};

struct ElementSet {
    std::vector<BlockId> blocks;  ///< a loop stands for all that is in it
    std::vector<TensorId> tensors;
    bool operator==(const ElementSet&) const = default;
    [[nodiscard]] bool empty() const { return blocks.empty() && tensors.empty(); }
};

/// Errors: UnknownName (loop or `before`); DuplicateKey (an id that is taken).
[[nodiscard]] Result<Design> insertBlocks(const Design& design, const BlockPlace& place, std::vector<Block> blocks);
/// Errors: DuplicateKey.
[[nodiscard]] Result<Design> addTensor(const Design& design, Tensor tensor);
/// Removes elements with their places on the canvas; what read them is left unconnected. Errors: UnknownName.
[[nodiscard]] Result<Design> removeElements(const Design& design, const ElementSet& elements);

/// Lets a port read a value; an empty value disconnects it. The reader and what depends on it move behind the maker
/// where they stood before it. Errors: UnknownName (block, port, value); WrongType (an output tensor cannot be read, a
/// view needs a tensor); BadValue (made inside a loop that the reader is not in); Cycle (the message names the way).
[[nodiscard]] Result<Design> connectPort(const Design& design, const BlockId& reader, const std::string& port,
                                         const ValueId& value);
/// Lets a store write into a tensor; empty: none. Errors: UnknownName; WrongType (no store, an input).
[[nodiscard]] Result<Design> connectStore(const Design& design, const BlockId& store, const TensorId& tensor);
/// Writes a value into a tensor with a new store behind the value's maker. Errors: as connectStore.
[[nodiscard]] Result<Design> storeValue(const Design& design, const ValueId& value, const TensorId& tensor);
/// Puts a stage between a port and what it reads. `input`: the port of the stage that takes the value over.
/// Errors: UnknownName; BadValue (the port is not connected, the stage hands nothing on).
[[nodiscard]] Result<Design> insertOnWire(const Design& design, const BlockId& reader, const std::string& port,
                                          Block stage, const std::string& input);
/// Puts another stage in place of one: id, result name, label and, port by port, the operands stay. Errors:
/// UnknownName; WrongType (one of them is no stage).
[[nodiscard]] Result<Design> swapStage(const Design& design, const BlockId& stage, Block replacement);

/// New names, everywhere they are used. Errors: UnknownName; BadValue (empty, or taken).
[[nodiscard]] Result<Design> renameTensor(const Design& design, const TensorId& tensor, const std::string& name);
[[nodiscard]] Result<Design> renameBlock(const Design& design, const BlockId& block, const std::string& name);
[[nodiscard]] Result<Design> renameValue(const Design& design, const ValueId& value, const std::string& name);

// edit_loops.cpp
/// Moves blocks of one list into a loop of the same list. `binding` gives slices their constant shapes.
/// A tensor whose axis the loop cuts is read through a slice from then on, and stores of the blocks' results come
/// along and write at the loop's offset. Errors: UnknownName, WrongType; BadValue (someone outside reads a result).
[[nodiscard]] Result<Design> moveIntoLoop(const Design& design, const std::vector<BlockId>& blocks, const BlockId& loop,
                                          const Binding& binding);
/// The opposite: slices that only these blocks read go, stores come along and write whole. The blocks then stand
/// before the loop. Errors: UnknownName; BadValue (they read or feed what stays inside).
[[nodiscard]] Result<Design> moveOutOfLoop(const Design& design, const std::vector<BlockId>& blocks);
/// A new loop around blocks of one list, with slices made. `loop`: without body. Errors: as moveIntoLoop, DuplicateKey.
[[nodiscard]] Result<Design> wrapInLoop(const Design& design, const std::vector<BlockId>& blocks, Loop loop,
                                        const Binding& binding);
/// Removes a loop; its blocks stay, without slices. Errors: as moveOutOfLoop.
[[nodiscard]] Result<Design> dissolveLoop(const Design& design, const BlockId& loop);

// edit_fragment.cpp
/// The elements with the symbols and lists that they use, as a design of its own: what goes to the clipboard.
[[nodiscard]] Design copyFragment(const Design& design, const ElementSet& elements);
struct Pasted {
    Design design;
    ElementSet elements;  ///< new ids, in the order of the fragment
};
/// Adds a fragment under free names. What it reads from elsewhere stays connected where the design has it, else the
/// port is left open. Errors: UnknownName (place).
[[nodiscard]] Result<Pasted> pasteFragment(const Design& design, const Design& fragment, const BlockPlace& place,
                                           double dx, double dy);

}  // namespace cubist
