// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>

#include "core/chip/slots.h"
#include "core/design/vector_op_info.h"
#include "core/design/vector_tiles.h"
#include "core/rules/families.h"
#include "core/rules/static/expression_size.h"
#include "core/rules/tile_fixes.h"

namespace cubist::rules {

namespace {

constexpr std::int64_t kExpressionSeen = 24576;  ///< a shipped operator (QuantGroupedMM, case 3) compiles with it

constexpr std::array kRules{
    Rule{.id = "VEC-01",
         .family = RuleFamily::Vector,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A vector tile value is zero or negative",
         .titleZh = "V 切分值为零或负数",
         .explanation =
             "Every value of set_vec_tile_shapes must be at least 1. PyPTO's own message speaks of dynamic shapes, "
             "which is misleading.",
         .explanationZh = "set_vec_tile_shapes 的每个值至少为 1。PyPTO 的报错文字提到动态 shape，容易误导。",
         .formula = "value >= 1",
         .source = "hicann/pypto, set_vec_tile_shapes page; run on the PyPTO frontend",
         .pyptoCode = "F0000A"},
    Rule{.id = "VEC-02",
         .family = RuleFamily::Vector,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The vector tile has fewer values than the operation has axes",
         .titleZh = "V 切分的维数少于运算的维数",
         .explanation = "The tile needs one value for every axis of the result.",
         .explanationZh = "切分需要为结果的每个轴给出一个值。",
         .formula = "rank(tile) = rank(result)",
         .source = "hicann/pypto, ExpandFunction pass; run on the PyPTO frontend",
         .pyptoCode = "F4FFFF"},
    Rule{.id = "VEC-03",
         .family = RuleFamily::Vector,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "The last axis of the vector tile is not 32-byte aligned",
         .titleZh = "V 切分的最后一轴未按 32 字节对齐",
         .explanation =
             "Rows are moved in bursts of 32 bytes; a partial burst costs a whole one. The documentation forbids it, "
             "the compiler stays silent.",
         .explanationZh = "数据按 32 字节的 burst 搬运，不足一个也按一个计。文档禁止这种用法，但编译器不会报错。",
         .formula = "tile[last] * bytes mod 32 = 0",
         .source = "hicann/pypto, set_vec_tile_shapes page; run on the PyPTO frontend",
         .compilerSilent = true},
    Rule{
        .id = "VEC-04",
        .family = RuleFamily::Vector,
        .enforced = Severity::Warning,
        .documented = Severity::Error,
        .title = "Too many tiles: the expression table will not compile",
        .titleZh = "切分块过多，表达式表无法编译",
        .explanation =
            "Every tile of every operand becomes an expression. At 18000 and beyond the generated table no longer "
            "compiles, and compile time explodes before that. Use a larger tile or a loop. A shipped operator compiles "
            "with 24576: up to there this is a hint where the compiler's own checks count.",
        .explanationZh =
            "每个操作数的每个切分块都会成为一个表达式。达到 18000 后生成的表无法编译，"
            "在此之前编译时间就会剧增。请增大切分或使用循环。已发布的算子在 24576 时仍可编译：在编译器检查的规则集下，"
            "不超过该值时仅为提示。",
        .formula = "prod(ceil(shape / tile)) * (1 + inputs) < 18000",
        .source = "hicann/pypto, tiling tutorial"},
    Rule{.id = "VEC-05",
         .family = RuleFamily::Vector,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "The vector tile has more values than the operation has axes",
         .titleZh = "V 切分的维数多于运算的维数",
         .explanation =
             "The compiler stays silent and uses the first values: (1, 16, 512) on a matrix means tiles of 1 x 16, "
             "and thousands of them. In a stage whose operations differ in their number of axes this happens to those "
             "with fewer: a change of rank needs a tile, and so a stage, of its own. What a reduction leaves goes with "
             "the entries of its axes and is not meant.",
         .explanationZh = "编译器不会报错，只使用前面的值：矩阵上的 (1, 16, 512) 意味着 1 x 16 的切分块，数量成千上万。"
                          "同一阶段内各运算维数不同时，维数较少的运算也会如此：改变维数后需要新的切分，即单独的阶段。"
                          "归约后剩余的轴沿用各自的切分值，不在此列。",
         .formula = "rank(tile) = rank(result); tiles by the first values <= tiles by the last ones",
         .source = "hicann/pypto, set_vec_tile_shapes page; run on the PyPTO frontend",
         .compilerSilent = true},
    Rule{
        .id = "VEC-06",
        .family = RuleFamily::Vector,
        .enforced = Severity::Hint,
        .documented = Severity::Hint,
        .title = "The vector tile cuts a reduced axis",
        .titleZh = "V 切分切开了归约轴",
        .explanation =
            "A sum, amax, amin, softmax or rms_norm needs the whole axis. The compiler reduces the pieces and combines "
            "them; the emulated core takes the whole axis into UB, so that the tile does not change the result, and "
            "cuts "
            "the other axes into as many more pieces where it does not fit.",
        .explanationZh = "sum、amax、amin、softmax、rms_norm 需要整个轴。编译器会分块归约再合并；"
                         "仿真核心把整个轴放入 UB，因此切分不改变结果；放不下时，其他轴切成相应更多的块。",
        .formula = "tile >= extent of the reduced axis",
        .source = "order of a row reduction: own definition; hicann/pypto, sum and amax pages",
        .formulaId = "F-54"},
    Rule{.id = "VEC-07",
         .family = RuleFamily::Vector,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The vector tile cuts an axis that the operation needs whole",
         .titleZh = "V 切分切开了运算需要完整保留的轴",
         .explanation =
             "gather and scatter need the whole axis that their index picks from, argsort and quant_mx the whole last "
             "axis; topk needs a tile of at least count elements, and of less than 22 KB with merge sort. The emulated "
             "core takes such an axis whole, the compiler refuses or computes garbage.",
         .explanationZh =
             "gather、scatter 需要索引所指的整个轴，argsort、quant_mx 需要整个尾轴；topk 的切分尾轴至少为 count "
             "个元素，归并排序时须小于 22 KB。仿真核心会取整个轴，而编译器会报错或结果错误。",
         .formula = "tile[axis] >= extent of the axis; topk: count <= tile[last], tile[last] * 4 < 22528; argsort: "
                    "tile[last] mod 32 = 0",
         .source = "hicann/pypto, gather, scatter_, argsort, topk and quant_mx pages"},
    Rule{
        .id = "VEC-08",
        .family = RuleFamily::Vector,
        .enforced = Severity::Error,
        .documented = Severity::Error,
        .title = "A reduction along the last axis needs a tile of whole 32-byte blocks",
        .titleZh = "沿尾轴归约时切分尾轴必须按 32 字节对齐",
        .explanation =
            "Other operations take an unaligned last axis in silence (VEC-03); sum, amax and amin along the last axis, "
            "and softmax and rms_norm, which are made of them, are refused at the call.",
        .explanationZh = "其他运算的尾轴未对齐时编译器不会报错（VEC-03）；沿尾轴的 sum、amax、amin，以及由它们组成的 "
                         "softmax、rms_norm，会在调用处报错。",
        .formula = "tile[last] * bytes mod 32 = 0",
        .source = "hicann/pypto, reduction.cpp: the tile of the last axis has to be 32-byte aligned"},
    Rule{.id = "VEC-09",
         .family = RuleFamily::Vector,
         .enforced = Severity::Hint,
         .documented = Severity::Error,
         .title = "The tile of a reduction is larger than 64 KB",
         .titleZh = "归约的切分块大于 64 KB",
         .explanation =
             "The pages of sum, prod, amax and amin allow tiles of 64 KB. The compiler stays silent, and a shipped "
             "operator (the shared expert's quantisation, 4 x 5120 FP32) has more.",
         .explanationZh =
             "sum、prod、amax、amin 的文档限制切分块不超过 64 KB。编译器不会报错，已发布的算子（共享专家的量化，4 "
             "x 5120 FP32）也超过了该值。",
         .formula = "prod(min(tile, shape)) * bytes <= 65536",
         .source = "hicann/pypto, pages of sum, prod, amax and amin",
         .compilerSilent = true},
};

constexpr std::int64_t kReductionBytes = 65536;

bool reduces(const VectorOp& op) {
    const OpFamily family = opInfo(op.op).family;
    return family == OpFamily::Reduction || family == OpFamily::Normalise;
}

struct Stage {
    CheckContext& context;
    const ResolvedBlock& block;
    const VectorStage& vector;
    std::vector<OpTileAxes> axes;  ///< by operation

    /// What the tile of an operation cuts.
    [[nodiscard]] const std::vector<std::int64_t>& cutShape(std::size_t i) const {
        const VectorOp& op = vector.ops[i];
        const int operand = axes[i].operand;
        const ValueId* id = operand < 0 ? &op.out : op.in[static_cast<std::size_t>(operand)].value();
        return context.design.value(id != nullptr ? *id : op.out)->shape;
    }
    /// The entry of the tile that cuts an axis of the first operand of an operation.
    [[nodiscard]] std::size_t entryOf(std::size_t i, std::size_t axis) const {
        const ValueId& operand = *vector.ops[i].in[0].value();
        for (std::size_t j = i; j-- > 0;)
            if (vector.ops[j].out == operand) return axis < axes[j].out.size() ? axes[j].out[axis] : axis;
        return axis;
    }
    [[nodiscard]] std::string where(std::size_t axis) const {
        return block.where + "/tile/" + text(static_cast<std::int64_t>(axis));
    }
    [[nodiscard]] const ResolvedValue& result(const VectorOp& op) const { return *context.design.value(op.out); }
    [[nodiscard]] std::size_t rank() const {
        std::size_t most = 0;
        for (const VectorOp& op : vector.ops) {
            most = std::max(most, result(op).shape.size());
            for (const Operand& operand : op.in)
                if (operand.value() != nullptr)
                    most = std::max(most, context.design.value(*operand.value())->shape.size());
        }
        return most;
    }
    [[nodiscard]] FixCandidate candidate(const std::vector<std::int64_t>& tile) const {
        return {{"Set the tile to " + text(tile), "将切分设为 " + text(tile)}, {{block.where + "/tile", tile}}};
    }
};

bool checkValues(const Stage& stage) {
    bool positive = true;
    for (std::size_t axis = 0; axis < stage.vector.tile.size(); ++axis) {
        const std::int64_t value = stage.vector.tile[axis];
        if (value > 0) continue;
        positive = false;
        const std::string name = text(static_cast<std::int64_t>(axis)), number = text(value);
        Reported* entry =
            stage.context.report("VEC-01", stage.where(axis), stage.vector.id,
                                 {"axis " + name + " of the tile is " + number + ", it must be at least 1",
                                  "切分的第 " + name + " 轴为 " + number + "，必须至少为 1"});
        if (entry == nullptr) continue;
        entry->finding.measured = static_cast<double>(value);
        entry->finding.limit = 1;
        const bool last = axis + 1 == stage.vector.tile.size();
        const std::int64_t usual = last ? 64 : 16;
        entry->candidates.push_back(
            {{"Set axis " + name + " to " + text(usual), "将第 " + name + " 轴设为 " + text(usual)},
             {{stage.where(axis), usual}}});
    }
    return positive;
}

/// VEC-02 and VEC-05. Returns whether there are enough values.
bool checkRank(const Stage& stage) {
    const std::size_t rank = stage.rank(), given = stage.vector.tile.size();
    if (rank == given) return true;
    const std::string numbers = text(static_cast<std::int64_t>(given)), axes = text(static_cast<std::int64_t>(rank));
    if (given < rank) {
        Reported* entry = stage.context.report("VEC-02", stage.block.where + "/tile", stage.vector.id,
                                               {"the tile has " + numbers + " values, the result has " + axes + " axes",
                                                "切分有 " + numbers + " 个值，结果有 " + axes + " 个轴"});
        if (entry == nullptr) return false;
        std::vector<std::int64_t> tile = stage.vector.tile;
        if (tile.empty()) tile.push_back(64);
        tile.insert(tile.begin(), rank - tile.size(), 1);
        entry->candidates.push_back(stage.candidate(tile));
        return false;
    }
    const std::vector<std::int64_t> used(stage.vector.tile.begin(),
                                         stage.vector.tile.begin() + static_cast<std::ptrdiff_t>(rank));
    Reported* entry = stage.context.report(
        "VEC-05", stage.block.where + "/tile", stage.vector.id,
        {"the tile has " + numbers + " values, the result has " + axes + " axes; the compiler stays silent and uses " +
             text(used),
         "切分有 " + numbers + " 个值，结果有 " + axes + " 个轴；编译器不会报错，并使用 " + text(used)});
    if (entry == nullptr) return true;
    const std::vector<std::int64_t> last(stage.vector.tile.end() - static_cast<std::ptrdiff_t>(rank),
                                         stage.vector.tile.end());
    entry->candidates.push_back(stage.candidate(last));
    entry->candidates.push_back(stage.candidate(used));
    return true;
}

/// VEC-05 in a stage with a tile for its operations of most axes: those with fewer are cut by its first values. Which
/// is meant where these make more tiles than the last ones would. A reshape computes nothing, and
/// what is made of no value has the axes of what it is made for.
void checkMixedRanks(const Stage& stage) {
    const std::vector<std::int64_t>& tile = stage.vector.tile;
    std::set<std::string> reduced;  // what reductions have left, and what is made of it
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        const bool follows = std::any_of(op.in.begin(), op.in.end(), [&](const Operand& operand) {
            return operand.value() != nullptr && reduced.contains(operand.value()->text);
        });
        const TileAxes& axes = stage.axes[i].cut;
        if (follows || axes.size() > stage.result(op).shape.size()) {
            reduced.insert({op.out.text, op.out2.text});
            continue;
        }
        const std::vector<std::int64_t>& shape = stage.cutShape(i);
        const bool makes =
            std::none_of(op.in.begin(), op.in.end(), [](const Operand& operand) { return operand.value() != nullptr; });
        if (makes || op.op == VectorOpCode::Reshape || op.op == VectorOpCode::Unsqueeze) continue;
        if (axes.size() >= tile.size() || axes.size() != shape.size()) continue;
        const std::vector<std::int64_t> own = tileAlong(tile, axes);
        const std::vector<std::int64_t> last(tile.end() - static_cast<std::ptrdiff_t>(axes.size()), tile.end());
        const std::int64_t tiles = tileCount(shape, own), fewer = tileCount(shape, last);
        if (tiles <= fewer) continue;
        const std::string name(toText(op.op)), size = text(static_cast<std::int64_t>(tile.size()));
        Reported* entry = stage.context.report(
            "VEC-05", stage.block.where + "/ops/" + text(static_cast<std::int64_t>(i)), stage.vector.id,
            {name + " of " + text(shape) + " has fewer axes than the tile has values (" + size +
                 "): the compiler stays silent and uses " + text(own) + ", " + text(tiles) + " tiles; " + text(last) +
                 " would make " + text(fewer) + ". Put it into a stage of its own",
             name + " 的 " + text(shape) + " 维数少于切分的 " + size + " 个值：编译器不会报错，并使用 " + text(own) +
                 "，共 " + text(tiles) + " 块；" + text(last) + " 只有 " + text(fewer) + " 块。请放入单独的阶段"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(tiles);
        entry->finding.limit = static_cast<double>(fewer);
        return;  // one per stage: the others are moved along
    }
}

void offerAligned(const Stage& stage, Reported& entry, std::size_t axis, std::int64_t granule) {
    const std::int64_t value = stage.vector.tile[axis];
    const std::int64_t below = value / granule * granule;
    for (const std::int64_t candidate : {nearestMultiple(value, granule), below, saturatingAdd(below, granule)})
        if (candidate > 0)
            entry.candidates.push_back(
                {{"Set the last axis to " + text(candidate), "将最后一轴设为 " + text(candidate)},
                 {{stage.where(axis), candidate}}});
}

/// VEC-08, for the first operation that it is about. Returns whether there is one.
bool checkReducedBlocks(const Stage& stage) {
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        if (!reduces(op) || op.op == VectorOpCode::Prod) continue;
        const ResolvedValue& operand = *stage.context.design.value(*op.in[0].value());
        const std::size_t along = operand.shape.size() - 1, last = stage.entryOf(i, along);
        if (operand.shape.size() != stage.vector.tile.size() || last >= stage.vector.tile.size()) continue;
        const std::int64_t granule = 256 / bitsPerElement(operand.dtype), value = stage.vector.tile[last];
        if (*axisOf(op, operand.shape.size()) != along || value % granule == 0) continue;
        const std::string name(toText(op.op)), type(toText(operand.dtype));
        const std::string sum = text(value) + " x " + text(bitsPerElement(operand.dtype) / 8) +
                                " B = " + text(tileBytes(operand.dtype, 1, value)) + " B";
        Reported* entry = stage.context.report(
            "VEC-08", stage.where(last), stage.vector.id,
            {name + " along the last axis of " + type + ": a tile row of " + sum + " is no multiple of 32 B",
             name + " 沿 " + type + " 的尾轴归约：切分行 " + sum + " 不是 32 B 的整数倍"});
        if (entry == nullptr) return false;
        entry->finding.measured = static_cast<double>(tileBytes(operand.dtype, 1, value));
        entry->finding.limit = 32;
        offerAligned(stage, *entry, last, granule);
        return true;
    }
    return false;
}

/// VEC-09, for the first operation that it is about.
void checkReductionSize(const Stage& stage) {
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        if (!reduces(op)) continue;
        const ResolvedValue& operand = *stage.context.design.value(*op.in[0].value());
        if (operand.shape.size() > stage.vector.tile.size()) continue;
        const auto bytesOf = [&](const std::vector<std::int64_t>& tile) {
            std::int64_t elements = 1;
            for (std::size_t axis = 0; axis < operand.shape.size(); ++axis)
                if (const std::size_t entry = stage.entryOf(i, axis); entry < tile.size())
                    elements = saturatingMul(elements, std::min(tile[entry], operand.shape[axis]));
            return saturatingMul(elements, bitsPerElement(operand.dtype)) / 8;
        };
        const std::int64_t bytes = bytesOf(stage.vector.tile);
        if (bytes <= kReductionBytes) continue;
        const std::string name(toText(op.op)), type(toText(operand.dtype));
        Reported* entry = stage.context.report(
            "VEC-09", stage.block.where + "/tile", stage.vector.id,
            {name + " of " + type + " in tiles of " + text(bytes) + " B, the documentation allows " +
                 text(kReductionBytes) + " B; the compiler stays silent",
             type + " 的 " + name + " 切分块为 " + text(bytes) + " B，文档限制为 " + text(kReductionBytes) +
                 " B；编译器不会报错"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(bytes);
        entry->finding.limit = static_cast<double>(kReductionBytes);
        // The reduced axis stays whole (VEC-06), and the last one in whole blocks (VEC-03).
        const std::size_t reduced = *axisOf(op, operand.shape.size()), last = operand.shape.size() - 1;
        const std::int64_t block = 256 / bitsPerElement(operand.dtype);
        std::vector<std::int64_t> tile = stage.vector.tile;
        for (std::size_t axis = 0; axis <= last; ++axis) {
            const std::size_t tiled = stage.entryOf(i, axis);
            if (axis == reduced || tiled >= tile.size()) continue;
            tile[tiled] = std::min(tile[tiled], operand.shape[axis]);
            while (tile[tiled] > 1 && bytesOf(tile) > kReductionBytes) {
                const std::int64_t half = ceilDiv(tile[tiled], 2);
                if (axis == last && half % block != 0) break;
                tile[tiled] = half;
            }
        }
        if (bytesOf(tile) <= kReductionBytes) entry->candidates.push_back(stage.candidate(tile));
        return;
    }
}

/// VEC-03, for the narrowest type that runs along a last axis which this entry of the tile cuts.
void checkLastAxis(const Stage& stage, std::size_t axis) {
    const std::int64_t value = stage.vector.tile[axis];
    const std::size_t rank = stage.rank();
    int bits = 0;
    DType narrowest = DType::FP32;
    const auto look = [&](const ResolvedValue& operand) {
        if (operand.shape.size() != rank || operand.shape.back() == 1) return;
        if (bits != 0 && bitsPerElement(operand.dtype) >= bits) return;
        bits = bitsPerElement(operand.dtype);
        narrowest = operand.dtype;
    };
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        const TileAxes& cut = stage.axes[i].cut;
        if ((cut.size() == rank ? cut.back() : rank - 1) != axis) continue;
        if (stage.axes[i].out.size() == rank && stage.axes[i].out.back() == axis) look(stage.result(op));
        for (const Operand& operand : op.in)
            if (operand.value() != nullptr) look(*stage.context.design.value(*operand.value()));
    }
    if (bits == 0) return;
    const std::int64_t granule = 256 / bits;
    if (value % granule == 0) return;
    const std::int64_t bytes = tileBytes(narrowest, 1, value);
    const std::int64_t hundredths = bytes % 32 * 100 / 32;
    const std::string bursts = text(bytes / 32) + "." + (hundredths < 10 ? "0" : "") + text(hundredths);
    const std::string sum = text(value) + " x " + (bits % 8 == 0 ? text(bits / 8) : std::string("0.5")) +
                            " B = " + text(bytes) + " B = " + bursts;
    const std::string type(toText(narrowest));
    Reported* entry = stage.context.report(
        "VEC-03", stage.where(axis), stage.vector.id,
        {"a tile row of " + type + " has " + sum + " bursts of 32 B; use a multiple of " + text(granule) +
             " elements. The compiler stays silent",
         type + " 的切分行为 " + sum + " 个 32 B burst，应为 " + text(granule) + " 个元素的整数倍；编译器不会报错"});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(bytes);
    entry->finding.limit = 32;
    offerAligned(stage, *entry, axis, granule);
}

/// VEC-06, for the first operation that the tile cuts.
void checkReducedAxes(const Stage& stage) {
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        if (!reduces(op)) continue;
        const std::vector<std::int64_t>& shape = stage.context.design.value(*op.in[0].value())->shape;
        const std::size_t axis = *axisOf(op, shape.size()), tiled = stage.entryOf(i, axis);
        if (shape.size() != stage.vector.tile.size() || tiled >= stage.vector.tile.size()) continue;
        const std::int64_t value = stage.vector.tile[tiled];
        if (value >= shape[axis]) continue;
        const std::string name(toText(op.op)), extent = text(shape[axis]), number = text(value);
        Reported* entry = stage.context.report(
            "VEC-06", stage.where(tiled), stage.vector.id,
            {name + " runs along an axis of " + extent + ", the tile has " + number +
                 " of it; the emulated core takes all " + extent + ", with fewer rows where they do not fit UB",
             name + " 沿长度为 " + extent + " 的轴归约，切分仅为 " + number +
                 "；仿真核心取整个轴，UB 放不下时相应减少行数"});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(value);
        entry->finding.limit = static_cast<double>(shape[axis]);
        std::vector<std::int64_t> tile = stage.vector.tile;
        tile[tiled] = shape[axis];
        entry->candidates.push_back(stage.candidate(tile));
        return;
    }
}

/// VEC-07. The tile has the rank of the operand.
void checkWholeAxes(const Stage& stage) {
    constexpr std::int64_t kMergeSortElements = 22 * 1024 / 4, kSortGranule = 32;
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        using enum VectorOpCode;
        const bool topk = op.op == TopK;
        if (!topk && op.op != Gather && op.op != Scatter && op.op != Argsort && op.op != QuantMx) continue;
        const std::vector<std::int64_t>& shape = stage.context.design.value(*op.in[0].value())->shape;
        const std::size_t along = *axisOf(op, shape.size()), axis = stage.entryOf(i, along);
        if (shape.size() != stage.vector.tile.size() || axis >= stage.vector.tile.size()) continue;
        const std::int64_t value = stage.vector.tile[axis], needed = topk ? op.count : shape[along];
        const bool tooLong = topk && stage.context.chip.arch == "2201" && value >= kMergeSortElements;
        const bool uneven = op.op == Argsort && value % kSortGranule != 0;
        if (value >= needed && !tooLong && !uneven) continue;
        const std::string name(toText(op.op)), number = text(value), least = text(needed);
        const std::string most = text(kMergeSortElements - 1);
        Reported* entry = stage.context.report(
            "VEC-07", stage.where(axis), stage.vector.id,
            tooLong ? Text{name + " sorts at most " + most + " elements of a tile, the tile has " + number,
                           name + " 每个切分最多排序 " + most + " 个元素，切分为 " + number}
            : uneven && value >= needed
                ? Text{name + " needs a tile of whole 32 elements along the axis, the tile has " + number,
                       name + " 的切分在该轴上须为 32 个元素的整数倍，切分为 " + number}
                : Text{name + " needs at least " + least + " elements of the axis in a tile, the tile has " + number,
                       name + " 的切分在该轴上至少需要 " + least + " 个元素，切分为 " + number});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(value);
        entry->finding.limit = static_cast<double>(tooLong ? kMergeSortElements - 1 : needed);
        std::vector<std::int64_t> tile = stage.vector.tile;
        tile[axis] = tooLong ? kMergeSortElements / 64 * 64 : std::max(value, shape[along]);
        if (op.op == Argsort) tile[axis] = roundUp(tile[axis], kSortGranule);
        entry->candidates.push_back(stage.candidate(tile));
        return;
    }
}

void checkExpressionSize(const Stage& stage) {
    for (std::size_t i = 0; i < stage.vector.ops.size(); ++i) {
        const VectorOp& op = stage.vector.ops[i];
        const TileAxes& axes = stage.axes[i].cut;
        const std::vector<std::int64_t>& shape = stage.cutShape(i);
        if (axes.size() > stage.vector.tile.size() || axes.size() != shape.size()) continue;
        std::int64_t inputs = 0;
        for (const Operand& operand : op.in) inputs += operand.value() != nullptr ? 1 : 0;
        const std::vector<std::int64_t> own = tileAlong(stage.vector.tile, axes);
        const std::int64_t tiles = tileCount(shape, own);
        const std::int64_t size = saturatingMul(tiles, 1 + inputs);
        if (size < kExpressionLimit) continue;
        const std::string sum = text(tiles) + " * " + text(1 + inputs) + " = " + text(size);
        const std::string name(toText(op.op)), limit = text(kExpressionLimit);
        const auto inStage = [&](const std::vector<std::int64_t>& larger) {
            std::vector<std::int64_t> tile = larger.empty() ? larger : stage.vector.tile;
            for (std::size_t axis = 0; axis < larger.size(); ++axis)
                if (axes[axis] < tile.size()) tile[axes[axis]] = larger[axis];
            return tile;
        };
        const std::int64_t granule = 256 / bitsPerElement(stage.context.design.value(op.out)->dtype);
        const auto doubled = inStage(doubledTile(shape, own, 1 + inputs));
        const auto tile = inStage(smallestGrown(shape, own, 1 + inputs, granule));
        Text message{
            name + " of " + text(shape) + " in tiles of " + text(own) + ": expression size " + sum +
                " must stay below " + limit,
            name + " 的 " + text(shape) + " 按 " + text(own) + " 切分：表达式规模 " + sum + "，必须小于 " + limit};
        if (!tile.empty())
            message += {"; the smallest tile that passes and cuts no axis finer is " + text(tile),
                        "；不切得更细时可通过的最小切分为 " + text(tile)};
        Reported* entry =
            stage.context.report("VEC-04", stage.block.where + "/tile", stage.vector.id, std::move(message));
        if (entry != nullptr) {
            if (stage.context.profile == RuleProfile::Enforced && size <= kExpressionSeen)
                entry->finding.severity = Severity::Hint;
            entry->finding.measured = static_cast<double>(size);
            entry->finding.limit = static_cast<double>(kExpressionLimit);
            for (const auto& larger : {tile, doubled})
                if (!larger.empty()) entry->candidates.push_back(stage.candidate(larger));
        }
        return;  // one finding per stage: the tile is the same for all operations
    }
}

}  // namespace

std::span<const Rule> vectorRules() {
    return kRules;
}

void checkVectorTiles(CheckContext& context) {
    for (const ResolvedBlock& block : context.design.blocks) {
        const auto* vector = std::get_if<VectorStage>(&block.block->content);
        if (vector == nullptr || vector->ops.empty() || !context.looksAt(block)) continue;
        const Stage stage{context, block, *vector,
                          tileAxes(*vector, [&](const ValueId& id) { return context.design.value(id)->shape.size(); })};
        const bool positive = checkValues(stage);
        if (!checkRank(stage) || !positive) continue;
        if (stage.rank() == vector->tile.size()) checkMixedRanks(stage);
        if (!checkReducedBlocks(stage))
            for (std::size_t axis = 0; axis < stage.vector.tile.size(); ++axis) checkLastAxis(stage, axis);
        checkReductionSize(stage);
        checkReducedAxes(stage);
        checkWholeAxes(stage);
        checkExpressionSize(stage);
    }
}

}  // namespace cubist::rules
