// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/design/design_enums.h"
#include "core/design/vector_traits.h"

/// The program that a design becomes on one chip: tasks made of pipe instructions on buffer slots. Values, time, traces
/// and tuning all read this and nothing else, so nothing is timed that was not computed. Immutable once lowered.
namespace cubist {

using GmIndex = Index<struct GmTag>;
using LeafIndex = Index<struct LeafTag>;
using TaskIndex = Index<struct TaskTag>;
using RootIndex = Index<struct RootTag>;
using StageIndex = Index<struct StageTag>;

/// Shapes and offsets of up to four axes, right-aligned: a matrix uses [2] and [3], the axes before are 1 (offset 0).
using Extent4 = std::array<std::int64_t, 4>;

[[nodiscard]] constexpr std::int64_t elementCount(const Extent4& e) {
    return e[0] * e[1] * e[2] * e[3];
}

enum class GmRole : std::uint8_t { Input, Output, Workspace };
enum class InitialState : std::uint8_t { Data, Zero, Poison };

/// An object in global memory: a tensor of the design, or a workspace for a value that passes between stages.
struct GmTensor {
    std::string name;             ///< tensor id, or the value's name for a workspace
    GmRole role = GmRole::Input;  ///< an inout tensor is an Output whose initial state is Data
    DType dtype = DType::FP32;
    Format format = Format::ND;
    int rank = 2;
    Extent4 shape{1, 1, 1, 1};
    InitialState initial = InitialState::Data;
    std::uint64_t address = 0;  ///< bytes, 512-byte aligned, fixed by lowering
    bool cached = true;         ///< false: bypasses L2 (NONE_CACHEABLE)

    /// NZ pads the last two axes to whole fractals.
    [[nodiscard]] std::int64_t bytes() const;
};

/// Workspaces that no value of the design has: partial results of split-K are named after the value with this in front.
inline constexpr std::string_view kPartialPrefix = "partial:";
[[nodiscard]] inline bool isPartial(const GmTensor& tensor) {
    return tensor.name.starts_with(kPartialPrefix);
}

/// A rectangle of one GM tensor. Elements inside `extent` but beyond `valid` read as zero and are never written.
struct Box {
    GmIndex tensor;
    Extent4 offset{0, 0, 0, 0};
    Extent4 extent{1, 1, 1, 1};
    Extent4 valid{1, 1, 1, 1};
    bool operator==(const Box&) const = default;
};

/// L0A_MX and L0B_MX hold the scales of MX tiles, BT the bias, FB the scales of the FIXPIPE.
enum class Buffer : std::uint8_t { L1, L0A, L0B, L0C, UB, L0AMx, L0BMx, BT, FB };
inline constexpr std::size_t kBufferCount = 9;
[[nodiscard]] std::string_view bufferName(Buffer buffer);

enum class SubCore : std::uint8_t { Aic, Aiv0, Aiv1 };

/// Pipes of a core: AIC has S, MTE2, MTE1, M, FIX; AIV has S, MTE2, V, MTE3.
enum class Pipe : std::uint8_t { S, MTE2, MTE1, M, FIX, V, MTE3 };
inline constexpr std::size_t kPipeCount = 7;
[[nodiscard]] std::string_view pipeName(Pipe pipe);

/// A piece of a core's buffer that holds one tile from its first write to its last read. Pieces that are live together
/// never overlap, and none exceeds the capacity. Two allocations with the same buffer and slot follow each other: the
/// later one's first write waits for the earlier one's last reader.
struct Allocation {
    SubCore core = SubCore::Aic;
    Buffer buffer = Buffer::L1;
    std::uint16_t slot = 0;    ///< which of the buffer's tile places; A and B tiles of L1 have different slots
    std::uint32_t offset = 0;  ///< bytes from the start of the buffer
    std::uint32_t bytes = 0;
    std::uint32_t rows = 0, cols = 0;  ///< physical extent in elements (padded to fractals)
    DType dtype = DType::FP32;
    std::uint32_t first = 0;  ///< leaf-relative index of the first instruction that writes it
    std::uint32_t last = 0;   ///< leaf-relative index of the last instruction that touches it
    bool operator==(const Allocation&) const = default;
};

enum class Opcode : std::uint8_t {
    LoadL1,       ///< MTE2: box[at, extent] -> dst (L1)
    MoveL0A,      ///< MTE1: src0 (L1)[at, extent] -> dst (L0A); extent is m x k
    MoveL0B,      ///< MTE1: src0 (L1)[at, extent] -> dst (L0B); extent is k x n
    Mmad,         ///< M: dst (L0C)[m x n] (+)= src0 (L0A) * src1 (L0B); extent {m, n}, at {k, position in K}
    StoreL0C,     ///< FIX: src0 (L0C) -> box[at, extent], converted to the box's type
    MoveUb,       ///< FIX: src0 (L0C)[at, extent] -> dst (UB of the cluster), converted to its type; `box` of a mixed
                  ///< task: where the result would lie in global memory, which costs no time and orders nothing
    LoadUb,       ///< MTE2: box -> dst (UB); with `detail` the rows of the box that the index in src1 picks
    Vector,       ///< V: dst (UB) = op(src0, src1, src2), see VectorDetail; `box` is src2
    StoreUb,      ///< MTE3: src0 (UB) -> box; with kFlagAtomic added to it; with `detail` to the places that src1 lists
    LoadScales,   ///< MTE2: E8M0 pairs of a 3-D box -> dst (L1)[rows, 2 * pairs]; at, extent {row, pair} of the operand
    MoveScalesA,  ///< MTE1: src0 (L1)[at, extent] -> dst (L0A_MX); extent {m, pairs}
    MoveScalesB,  ///< MTE1: src0 (L1)[at, extent] -> dst (L0B_MX); extent {n, pairs}
    MoveBt,       ///< MTE1: src0 (L1) -> dst (BT), one row, converted to the accumulator's type
    MoveFb,       ///< FIX: src0 (L1) -> dst (FB), one row of 64-bit scales (INT64; low 32 bits: FP32)
};

enum InstructionFlag : std::uint16_t {
    kFlagInit = 1,        ///< Mmad: overwrites the accumulator (first step along K)
    kFlagLast = 2,        ///< Mmad: the accumulator is final after it
    kFlagTransposed = 4,  ///< LoadL1 / MoveL0x: the operand is stored transposed; `at` and `extent` are in stored order
                          ///< LoadScales: the box is [pairs, rows, 2] instead of [rows, pairs, 2]
    kFlagAtomic = 8,      ///< StoreL0C / StoreUb: adds to what the memory holds
    kFlagNz = 16,         ///< LoadL1: the tensor lies in fractals (NZ); `at` and `extent` stay logical
    kFlagUnit = 32,       ///< StoreL0C, MoveUb: follows the last mmad block by block (unit flag), and the next tile it
    kFlagScaled = 64,     ///< LoadL1 / MoveL0x: the scales of an MX operand come along (hand-written kernels)
    kFlagPart = 128,      ///< LoadUb, StoreUb: only rows x columns at `at` of the box
};

/// One pipe instruction, 32 bytes. Operands are leaf-relative allocation indices, except that `box` names a parameter
/// of the task. extent = valid rows x columns in elements; the physical (padded) extent is the allocation's.
struct Instruction {
    static constexpr std::uint16_t kNone = 0xFFFF;

    Opcode op = Opcode::LoadL1;
    SubCore core = SubCore::Aic;
    Pipe pipe = Pipe::MTE2;
    DType dtype = DType::FP32;  ///< operand type
    std::uint16_t flags = 0;
    std::uint16_t detail =
        kNone;  ///< Vector, indexed LoadUb and StoreUb: index into Leaf::details; Mmad, StoreL0C: into cubeDetails
    std::uint16_t dst = kNone;
    std::uint16_t src0 = kNone;
    std::uint16_t src1 = kNone;
    std::uint16_t box = kNone;
    std::array<std::uint32_t, 2> extent{0, 0};
    std::array<std::uint32_t, 2> at{0, 0};
    bool operator==(const Instruction&) const = default;
};
static_assert(sizeof(Instruction) == 32);

/// The part of a UB tile that one instruction touches. Tiles hold the rows of their valid shape one after the other.
struct TilePart {
    Extent4 layout{1, 1, 1, 1};  ///< valid shape of the whole tile: where its rows lie
    Extent4 offset{0, 0, 0, 0};  ///< first element of the part
    Extent4 extent{1, 1, 1, 1};  ///< extent of the part; an axis of a source with extent 1 is broadcast
    bool operator==(const TilePart&) const = default;
};

inline constexpr std::size_t kMaxOperands = 3;

/// What a vector instruction does beyond its operands. Only elementary operations come here: lowering has taken apart
/// sigmoid, clip, softmax, rms_norm and the like, and turned movements into copies. An indexed store has one too: op is
/// IndexAdd or IndexPut, `axis` the axis of its box that the index picks from; an indexed load's op is IndexSelect.
struct VectorDetail {
    VectorOpCode op = VectorOpCode::Cast;
    DType dstType = DType::FP32;
    RoundMode round = RoundMode::None;
    bool saturate = false;
    std::uint8_t axis = 3;                                   ///< reductions: the axis, right-aligned
    std::array<std::uint8_t, 2> swapped{0, 0};               ///< transpose: the two axes, right-aligned
    std::array<std::optional<double>, kMaxOperands> number;  ///< operands that are numbers; arange: start, step
    VectorTraits traits;
    TilePart dst;
    std::array<TilePart, kMaxOperands> src;
    bool operator==(const VectorDetail&) const = default;
};

/// What an Mmad or a StoreL0C does beyond its operands; those without a detail do nothing of it. Allocations are
/// leaf-relative.
struct CubeDetail {
    std::uint16_t scalesA = Instruction::kNone, scalesB = Instruction::kNone;  ///< Mmad: E8M0 scales in L0A_MX, L0B_MX
    std::uint16_t bias = Instruction::kNone;  ///< Mmad with kFlagInit: the row in BT that the accumulator starts from
    Accumulation accumulation = Accumulation::Element;
    std::uint8_t fractalK = 0;          ///< Mmad: elements of K in a fractal
    std::uint8_t hf32MantissaBits = 0;  ///< Mmad: FP32 operands are rounded to so many bits; 0: not
    bool hf32TiesAway = false;
    bool relu = false;                                 ///< StoreL0C, before the scale
    std::optional<float> scale;                        ///< StoreL0C: the factor as the FIXPIPE keeps it
    std::uint16_t channelScales = Instruction::kNone;  ///< StoreL0C: the row in FB
    bool operator==(const CubeDetail&) const = default;
};

/// The factor that the FIXPIPE keeps of an FP32 scale: the low 13 mantissa bits are dropped. Source: F-64.
[[nodiscard]] float fixpipeScale(float scale);

enum class TaskKind : std::uint8_t { Aic, Aiv };

/// The places that tiles of one sort take in turn: place i has slot `firstSlot + i` and starts at `base + i * stride`.
struct SlotRing {
    SubCore core = SubCore::Aic;
    Buffer buffer = Buffer::L1;
    std::uint16_t firstSlot = 0;
    std::uint16_t count = 1;
    std::uint32_t base = 0, stride = 0;  ///< bytes
    bool operator==(const SlotRing&) const = default;
};

/// The part of a merged leaf that comes from one unmerged leaf. Loads that another member has done already are gone
/// from it, so values of a member alone are those of `source` on the member's boxes.
struct LeafMember {
    LeafIndex source;  ///< an unmerged leaf of the same program
    std::uint32_t firstInstruction = 0, instructionCount = 0;
    std::uint16_t firstBox = 0, boxCount = 0;
    bool operator==(const LeafMember&) const = default;
};

/// Template of one kind of task: the instructions, allocations and details that all tasks of this shape share.
struct Leaf {
    TaskKind kind = TaskKind::Aic;
    StageIndex stage;
    std::vector<Instruction> instructions;
    std::vector<Allocation> allocations;
    std::vector<VectorDetail> details;
    std::vector<CubeDetail> cubeDetails;
    std::vector<SlotRing> rings;      ///< places whose tiles take turns; allocations of no ring have a fixed place
    std::vector<LeafMember> members;  ///< of a merged leaf, one after the other; empty: not merged
    std::uint16_t parameters = 0;     ///< boxes a task of this leaf brings
    std::uint8_t vectorCores = 0;     ///< of a cube leaf: vector cores of its cluster that it occupies too
    std::uint64_t groupKey = 0;       ///< structure with tile shapes, valid shapes left out: PyPTO's isomorphic group
    std::uint64_t leafKey = 0;        ///< group key and valid shapes
};

/// Which piece of which stage a task computes. Block coordinates are in units of the L0 tile, or of the vector tile.
struct TaskMember {
    StageIndex stage;
    std::uint32_t blockM = 0, blockN = 0, kSlice = 0, group = 0;
};

enum class EdgeKind : std::uint8_t {
    Wait,   ///< the successor may not start before the predecessor's result is visible
    Order,  ///< values only: accumulations that the hardware leaves unordered
};

struct Edge {
    TaskIndex to;
    EdgeKind kind = EdgeKind::Wait;
};

/// One unit of dispatch. Its id is its place in Program::tasks; ascending ids are a legal order.
struct Task {
    LeafIndex leaf;
    RootIndex root;
    std::uint32_t firstBox = 0;   ///< Leaf::parameters boxes in Program::boxes
    std::uint32_t firstEdge = 0;  ///< successors in Program::edges
    std::uint32_t edgeCount = 0;
    std::uint32_t predecessors = 0;  ///< wait edges only
    std::uint32_t firstMember = 0;   ///< in Program::members; at least one
    std::uint32_t memberCount = 1;   ///< more than one: merged, in the order of Leaf::members
};

/// One iteration of a runtime or unrolled loop, or the straight-line code between such loops: what is compiled as one
/// function. Static loops belong to what surrounds them. Code before and after an inner loop gives two roots. Roots are
/// numbered in program order; an iteration without tasks has none.
struct Root {
    static constexpr std::uint32_t kSerial = 0;

    std::vector<std::int64_t>
        index;                  ///< values of the enclosing loops' indices, outermost first, static loops left out
    BlockId loop;               ///< innermost enclosing loop that is not static; empty outside loops
    std::int64_t factor = 1;    ///< iterations of the axis that it covers: the factor of an unrolled loop
    bool submitBefore = false;  ///< the first root of a loop with submit_before_loop
    std::optional<std::int64_t> parallelIndex;  ///< iteration of the outermost enclosing loop marked parallel
    /// Numbers from 1 the executions of parallel loops: roots of one group and different iterations are independent by
    /// declaration, those of one iteration follow each other. kSerial: in no parallel loop.
    std::uint32_t parallelGroup = kSerial;
};

/// PyPTO's isomorphic group: subgraphs of one root with the same structure. Cube and vector groups are numbered apart,
/// in the order of their first subgraph; the number is what the keys of the merge settings mean.
struct MergeGroup {
    RootIndex root;
    TaskKind kind = TaskKind::Aic;
    std::uint32_t order = 0;
    StageIndex stage;             ///< of its first subgraph
    std::uint32_t subgraphs = 0;  ///< before merging
    std::uint32_t tasks = 0;      ///< that hold a subgraph of the group
};

/// A key of a merge setting that named no group, function or label of this program.
struct UnmatchedKey {
    std::string option;  ///< "cube_l1_reuse_setting"
    std::string key;
};

/// What the tasks of one stage have in common.
struct ProgramStage {
    BlockId id;
    TaskKind kind = TaskKind::Aic;
    std::string label;
    std::string where;  ///< JSON pointer of the stage
    ValueId result;
    DType resultType = DType::FP32;
    Extent4 tile{1, 1, 1, 1};  ///< block size of its result: mL0 x nL0, or the vector tile
};

struct Program {
    std::vector<GmTensor> tensors;
    std::vector<ProgramStage> stages;
    std::vector<Leaf> leaves;
    std::vector<Root> roots;
    std::vector<Task> tasks;
    std::vector<TaskMember> members;
    std::vector<Box> boxes;
    std::vector<Edge> edges;
    std::vector<MergeGroup> groups;  ///< by root
    std::vector<UnmatchedKey> unmatchedKeys;

    [[nodiscard]] const Leaf& leafOf(const Task& task) const { return leaves[task.leaf.value]; }
    [[nodiscard]] std::span<const Box> boxesOf(const Task& task) const {
        return std::span(boxes).subspan(task.firstBox, leafOf(task).parameters);
    }
    [[nodiscard]] std::span<const TaskMember> membersOf(const Task& task) const {
        return std::span(members).subspan(task.firstMember, task.memberCount);
    }
    /// The stage that a task is named after: that of its first member.
    [[nodiscard]] StageIndex stageOf(const Task& task) const { return members[task.firstMember].stage; }
    [[nodiscard]] std::span<const Edge> edgesOf(const Task& task) const {
        return std::span(edges).subspan(task.firstEdge, task.edgeCount);
    }
    /// Pipe instructions of all tasks together.
    [[nodiscard]] std::int64_t instructionCount() const;
    /// Multiply-add operations of all tasks, padding not counted, times two.
    [[nodiscard]] std::int64_t flops() const;
};

/// What one instruction of a leaf has to wait for besides its own pipe: computed once per leaf, shared by both engines.
/// Pipes are in order, so of several writers or users in one pipe only the last is named. Ascending per instruction.
struct LeafDependencies {
    struct Range {
        std::uint32_t first = 0, count = 0;
    };
    std::vector<std::uint32_t> producers;  ///< instructions that write what this one reads
    std::vector<std::uint32_t> releases;   ///< last users, in other pipes, of the bytes that this one overwrites
    std::vector<Range> producersOf;        ///< per instruction, into `producers`
    std::vector<Range> releasesOf;         ///< per instruction, into `releases`

    [[nodiscard]] std::span<const std::uint32_t> producersFor(std::size_t i) const {
        return std::span(producers).subspan(producersOf[i].first, producersOf[i].count);
    }
    [[nodiscard]] std::span<const std::uint32_t> releasesFor(std::size_t i) const {
        return std::span(releases).subspan(releasesOf[i].first, releasesOf[i].count);
    }
};

/// Derives who waits for whom from the operands and the byte ranges of the allocations. Source: F-20.
[[nodiscard]] LeafDependencies deriveDependencies(const Leaf& leaf);

}  // namespace cubist
