// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "core/chip/l1_loads.h"
#include "core/chip/slots.h"
#include "core/rules/buffer_use.h"
#include "core/rules/families.h"
#include "core/rules/static/chain_pieces.h"
#include "core/rules/static/shared_buffers.h"
#include "core/rules/tile_fixes.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{
        .id = "CAP-01",
        .family = RuleFamily::Capacity,
        .enforced = Severity::Error,
        .documented = Severity::Error,
        .title = "A's tile does not fit L0A",
        .titleZh = "A 的切分块超出 L0A",
        .explanation =
            "One A tile, padded to whole fractals, must fit L0A. Exactly full is fine, but then there is no second "
            "slot. PyPTO finds this while compiling, without a source line. M, N and K count instead of the tile where "
            "they are smaller and known then; under the documented rules the tile as declared counts.",
        .explanationZh = "一个 A 切分块（按分形补齐）必须放得下 L0A。恰好占满可以，但没有第二个缓冲槽。PyPTO "
                         "在编译阶段才发现，且不给出源码行号。编译时已知且小于切分的 M、N、K 取代切分；按文档规则"
                         "则以声明的切分为准。",
        .formula = "c(mL0) * c(kL0) * bytes(A) <= L0A; c pads to 16 elements, 1-byte types to 32; mL0 <= M, kL0 <= K "
                   "where known",
        .source = "hicann/pypto, set_cube_tile_shapes page; OoOSchedule pass",
        .pyptoCode = "F40005",
        .formulaId = "F-40"},
    Rule{.id = "CAP-02",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "B's tile does not fit L0B",
         .titleZh = "B 的切分块超出 L0B",
         .explanation = "One B tile, padded to whole fractals, must fit L0B. Exactly full is fine.",
         .explanationZh = "一个 B 切分块（按分形补齐）必须放得下 L0B。恰好占满可以。",
         .formula = "c(kL0) * c(nL0) * bytes(B) <= L0B; kL0 <= K, nL0 <= N where known",
         .source = "hicann/pypto, set_cube_tile_shapes page; OoOSchedule pass",
         .pyptoCode = "F40005",
         .formulaId = "F-41"},
    Rule{.id = "CAP-03",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The accumulator does not fit L0C",
         .titleZh = "累加器超出 L0C",
         .explanation = "The FP32 (or INT32) sums of one block must fit L0C, whatever the type of the output.",
         .explanationZh = "无论输出是什么类型，一个分块的 FP32（或 INT32）累加器必须放得下 L0C。",
         .formula = "c(mL0) * c(nL0) * 4 <= L0C; mL0 <= M, nL0 <= N where known",
         .source = "hicann/pypto, set_cube_tile_shapes page; OoOSchedule pass",
         .pyptoCode = "F40005",
         .formulaId = "F-42"},
    Rule{.id = "CAP-04",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "A and B together do not fit L1",
         .titleZh = "A 与 B 合计超出 L1",
         .explanation =
             "Each operand fits alone, so the compiler stays silent, evicts L1 and loads the same block again for "
             "every step along K. Values are right and the kernel can be ten times slower. Use a smaller kL1.",
         .explanationZh =
             "两个操作数单独都放得下，因此编译器不会报错，而是反复换出 L1，沿 K 的每一步都重新搬入同一块数据。"
             "结果正确，但 kernel 可能慢十倍。请减小 kL1。",
         .formula = "c(mL0) * c(kAL1) * bytes(A) + c(kBL1) * c(nL0) * bytes(B) <= L1",
         .source = "hicann/pypto, set_cube_tile_shapes page; run on the PyPTO frontend",
         .compilerSilent = true,
         .formulaId = "F-43"},
    Rule{.id = "CAP-05",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The tiles of a vector stage do not fit UB",
         .titleZh = "V 阶段的切分块超出 UB",
         .explanation =
             "All tiles that live at the same moment must fit UB: the stage's inputs until their last reader, and "
             "every result from its operation to its last reader. Exactly full is fine.",
         .explanationZh = "同一时刻存活的所有切分块必须放得下 UB：阶段的输入存活到最后一次被读取，"
                          "每个结果从产生存活到最后一次被读取。恰好占满可以。",
         .formula = "max over operations of sum(live tiles, rows padded to 32 B) <= UB",
         .source = "hicann/pypto, set_vec_tile_shapes page; OoOSchedule pass",
         .pyptoCode = "F40005",
         .formulaId = "F-44"},
    Rule{.id = "CAP-06",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "One operand does not fit L1",
         .titleZh = "单个操作数超出 L1",
         .explanation = "The L1 copy of A (mL0 x kAL1) or of B (kBL1 x nL0) is larger than L1, or than what the bias, "
                        "the scales of "
                        "the columns and the MX scales leave of it. Use a smaller kL1.",
         .explanationZh =
             "A 的 L1 搬入块（mL0 x kAL1）或 B 的 L1 搬入块（kBL1 x nL0）大于 L1，或大于 bias、按列 scale 与 MX "
             "scale 占用后的剩余空间。请减小 kL1。",
         .formula = "c(mL0) * c(kAL1) * bytes(A) <= L1, c(kBL1) * c(nL0) * bytes(B) <= L1",
         .source = "hicann/pypto, OoOSchedule pass; run on the PyPTO frontend",
         .pyptoCode = "F40005",
         .formulaId = "F-43"},
    Rule{.id = "CAP-07",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "No second slot: no double buffering",
         .titleZh = "没有第二个缓冲槽，无法双缓冲",
         .explanation =
             "A buffer whose tiles take more than half of it holds one set only, so filling it cannot overlap with "
             "using it. This is legal and sometimes the best choice; halving the tile brings the second slot.",
         .explanationZh = "切分块占用超过一半的缓冲区只能容纳一组数据，搬入与使用无法重叠。这是合法的，"
                          "有时也是最佳选择；将切分减半即可获得第二个缓冲槽。",
         .formula = "2 * bytes <= capacity",
         .source = "hicann/pypto, matmul performance guide"},
    Rule{.id = "CAP-08",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The slots asked for do not fit",
         .titleZh = "要求的缓冲槽数放不下",
         .explanation =
             "The stage asks for more sets of tiles than a buffer can hold. Leave the number of slots to be chosen "
             "automatically, or use a smaller tile.",
         .explanationZh = "该阶段要求的切分块组数超过缓冲区容量。请改为自动选择缓冲槽数，或减小切分。",
         .formula = "slots * bytes <= capacity, slots >= 1",
         .source = "definition of the stage's slots"},
    Rule{.id = "CAP-09",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The bias does not fit BT",
         .titleZh = "bias 超出 BT",
         .explanation = "The bias of one block lies in the bias table as FP32 or INT32. Use a smaller nL0.",
         .explanationZh = "一个分块的 bias 以 FP32 或 INT32 存放在 bias 表中。请减小 nL0。",
         .formula = "c(nL0) * 4 <= BT",
         .source = "hicann/pypto, set_cube_tile_shapes page",
         .formulaId = "F-45"},
    Rule{.id = "CAP-10",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The row of scales does not fit FB",
         .titleZh = "scale 行超出 FB",
         .explanation = "The scales of one block lie in the FIXPIPE's buffer as 64-bit words: 2 KiB on A2/A3, 4 KiB on "
                        "the 950. Use a smaller nL0.",
         .explanationZh =
             "一个分块的 scale 以 64 位字存放在 FIXPIPE 缓冲区中：A2/A3 为 2 KiB，950 为 4 KiB。请减小 nL0。",
         .formula = "c(nL0) * 8 <= FB",
         .source = "hicann/pypto, set_cube_tile_shapes page and platform files",
         .formulaId = "F-46"},
    Rule{.id = "CAP-11",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The MX scales of a tile do not fit",
         .titleZh = "切分块的 MX scale 放不下",
         .explanation = "PyPTO allots 2 KiB of L0A_MX and of L0B_MX to the scales of one step. Use a smaller kL0, mL0 "
                        "or nL0.",
         .explanationZh = "PyPTO 为每一步的 scale 在 L0A_MX 和 L0B_MX 中各分配 2 KiB。请减小 kL0、mL0 或 nL0。",
         .formula = "mL0 * kL0 / 32 <= 2048, nL0 * kL0 / 32 <= 2048",
         .source = "hicann/pypto, platform.cpp",
         .formulaId = "F-47"},
    Rule{
        .id = "CAP-12",
        .family = RuleFamily::Capacity,
        .enforced = Severity::Warning,
        .documented = Severity::Warning,
        .title = "The slots of two cube stages do not fit side by side",
        .titleZh = "两个 C 阶段的缓冲槽无法同时放下",
        .explanation =
            "Nothing orders the two stages, and both say how many slots they keep. In one subgraph the second panel is "
            "loaded while the first is still read. Cut the first panel, or leave the second stage's slots to be "
            "chosen: "
            "then it starts when the first is done. Exactly full is fine.",
        .explanationZh =
            "两个阶段之间没有先后关系，且都指定了缓冲槽数。在同一子图中，第一个面板仍在读取时就会搬入第二个。"
            "请减小第一个面板，或让第二个阶段自动选择缓冲槽数：它会在前者完成后开始。恰好占满可以。",
        .formula = "slots1 * bytes1 + slots2 * bytes2 <= L0A, L0B",
        .source = "hw-native-sys/pypto, issue 2633",
        .formulaId = "F-41"},
    Rule{.id = "CAP-13",
         .family = RuleFamily::Capacity,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "The compiler cuts the chain of a vector stage",
         .titleZh = "编译器会切开 V 阶段的运算链",
         .explanation =
             "The tiles of all operations do not fit UB together, those of fewer do. The compiler stays silent and "
             "makes "
             "several tasks, which pass their tiles through global memory; the emulated core cuts in halves until the "
             "pieces fit. Values are right. A smaller tile keeps the chain in one task. PyPTO may cut earlier, by a "
             "rule that is not documented: of exp, exp, add, mul in FP32 it made one task at (8, 1024) and three "
             "kinds of task at (16, 1024), whose live tiles fit UB, so that the emulated core keeps one.",
         .explanationZh =
             "所有运算的切分块无法同时放下 UB，较少的运算则可以。编译器不会报错，而是生成多个任务，它们通过全局"
             "内存传递切分块；仿真核反复对半切开直到放得下。结果正确。减小切分可使运算链保持在一个任务中。PyPTO "
             "可能按未公开的"
             "规则更早切开：FP32 的 exp、exp、add、mul 在 (8, 1024) 为一个任务，在 (16, 1024) "
             "为三种任务，而此时同时存活的"
             "切分块可以放下 UB，仿真核仍为一个任务。",
         .formula = "max over operations of sum(live tiles, rows padded to 32 B) <= UB",
         .source = "hicann/pypto, graph partition; run on the PyPTO frontend (exp, exp, add, mul in larger tiles)",
         .compilerSilent = true,
         .formulaId = "F-44"},
};

/// L0A, L0B, L0C, L1 and UB have slots; the rows and scales of the others come with their tile.
constexpr std::size_t kSlottedBuffers = 5;

/// "32 x 1024 x 4 B"; several tiles are added up.
std::string sumOf(const BufferUse& use) {
    std::string sum;
    for (const BufferShare& share : use.contributors) sum += (sum.empty() ? "" : " + ") + share.sum;
    return sum;
}

/// "L0A needs 32 x 1024 x 4 B = 131072 B, capacity 65536 B (200.0 %)"
Text needs(const BufferUse& use) {
    const std::string sum = sumOf(use);
    const Text tail = ofCapacity(use.bytesPerSlot, use.capacity);
    return {use.buffer + " needs " + sum + " = " + tail.en, use.buffer + " 需要 " + sum + " = " + tail.zh};
}

std::string namesOf(const BufferUse& use) {
    std::string names;
    for (const BufferShare& share : use.contributors) names += (names.empty() ? "" : ", ") + share.what;
    return names;
}

void measure(Reported& entry, std::int64_t measured, std::int64_t limit) {
    entry.finding.measured = static_cast<double>(measured);
    entry.finding.limit = static_cast<double>(limit);
}

/// One cube stage and changed tiles for it.
struct CubeCheck {
    CheckContext& context;
    const ResolvedBlock& block;
    const CubeStage& cube;
    CubeTile measured;  ///< its tile as buffers count it

    [[nodiscard]] DType a() const { return context.design.value(cube.a)->dtype; }
    [[nodiscard]] DType b() const { return context.design.value(cube.b)->dtype; }
    [[nodiscard]] std::int64_t bytesOf(DType type, std::int64_t rows, std::int64_t columns) const {
        return tileBytes(type, paddedExtent(rows, type), paddedExtent(columns, type));
    }
    void offer(Reported& entry, const CubeTile& changed) const {
        FixCandidate candidate = tileCandidate(block.where, cube.tile, changed);
        if (!candidate.edits.empty()) entry.candidates.push_back(std::move(candidate));
    }

    /// kL0 as large as fits `capacity` beside `other` elements of M or N.
    void offerSmallerK(Reported& entry, DType type, std::int64_t other, std::int64_t capacity) const {
        const std::int64_t column = bytesOf(type, other, 1) / cubePadding(type);  // bytes of one element of K
        const std::int64_t limit = std::min(capacity / std::max<std::int64_t>(1, column), cube.tile.kL0() - 1);
        std::vector<std::int64_t> depths(cube.tile.k.begin() + 1, cube.tile.k.end());
        const std::int64_t granule = cube.op == CubeOp::ScaledMm ? 64 : cubePadding(type);
        if (const std::int64_t k = largestDivisor(limit, granule, depths); k * 2 > limit)
            offer(entry, withL0(cube.tile, 'k', k));
        // The largest that fits, where L1 has to follow.
        if (const std::int64_t k = limit / granule * granule; k > 0) offer(entry, withL0(cube.tile, 'k', k));
    }

    /// mL0 or nL0 halved until `fits`; its L1 value goes along where it was the same.
    template <class Fits>
    void offerHalved(Reported& entry, char axis, Fits fits) const {
        const std::vector<std::int64_t>& values = axis == 'm' ? cube.tile.m : cube.tile.n;
        std::int64_t value = values[0];
        while (value % 2 == 0 && value > 1 && !fits(value)) value /= 2;
        if (value == values[0] || !fits(value)) return;
        CubeTile changed = cube.tile;
        std::vector<std::int64_t>& list = axis == 'm' ? changed.m : changed.n;
        if (list[1] == list[0]) list[1] = value;
        list[0] = value;
        offer(entry, changed);
    }

    /// All L1 depths at most `depth`, as whole L0 steps.
    void offerDepth(Reported& entry, std::int64_t depth) const {
        const std::int64_t step = cube.tile.kL0();
        const std::int64_t whole = depth / step * step;
        if (whole < step) return;
        CubeTile changed = cube.tile;
        for (std::size_t i = 1; i < changed.k.size(); ++i) changed.k[i] = std::min(changed.k[i], whole);
        offer(entry, changed);
    }
};

void checkL0(const CubeCheck& check, const BufferUse& use, std::string_view rule) {
    if (use.bytesPerSlot <= use.capacity) return;
    Text message = needs(use);
    message += {": " + namesOf(use), "：" + namesOf(use)};
    Reported* entry = check.context.report(rule, check.block.where + "/tile", check.cube.id, std::move(message));
    if (entry == nullptr) return;
    measure(*entry, use.bytesPerSlot, use.capacity);
    const CubeTile& tile = check.measured;
    const auto fitsA = [&](std::int64_t m) { return check.bytesOf(check.a(), m, tile.kL0()) <= use.capacity; };
    const auto fitsB = [&](std::int64_t n) { return check.bytesOf(check.b(), tile.kL0(), n) <= use.capacity; };
    const auto accumulator = [&](std::int64_t m, std::int64_t n) {
        return tileBytes(DType::FP32, paddedExtent(m, check.a()), paddedExtent(n, check.b()));
    };
    if (use.buffer == "L0A") {
        check.offerSmallerK(*entry, check.a(), tile.mL0(), use.capacity);
        check.offerHalved(*entry, 'm', fitsA);
    } else if (use.buffer == "L0B") {
        check.offerSmallerK(*entry, check.b(), tile.nL0(), use.capacity);
        check.offerHalved(*entry, 'n', fitsB);
    } else {
        check.offerHalved(*entry, 'n', [&](std::int64_t n) { return accumulator(tile.mL0(), n) <= use.capacity; });
        check.offerHalved(*entry, 'm', [&](std::int64_t m) { return accumulator(m, tile.nL0()) <= use.capacity; });
    }
}

/// Copies into L1 are no deeper than K itself.
bool fitsClipped(const CubeCheck& check, std::int64_t capacity) {
    if (!check.block.matmul) return false;
    const CubeTile& tile = check.measured;
    const std::int64_t k = check.block.matmul->k;
    const std::int64_t a = check.bytesOf(check.a(), tile.mL0(), std::min(tile.kAL1(), k));
    const std::int64_t b = check.bytesOf(check.b(), std::min(tile.kBL1(), k), tile.nL0());
    return saturatingAdd(a, b) <= capacity;
}

/// One whole block in L1, as the emulated core has it.
std::optional<L1Block> l1BlockOf(const CubeCheck& check) {
    if (!check.block.matmul) return std::nullopt;
    const CubeTile& tile = check.cube.tile;
    const MatmulSize& size = *check.block.matmul;
    L1Block block;
    block.m = std::min(tile.mL0(), size.m);
    block.n = std::min(tile.nL0(), size.n);
    block.k = tile.splitK ? std::min({size.k, tile.kAL1(), tile.kBL1()}) : size.k;
    block.kL0 = tile.kL0();
    block.kAL1 = tile.kAL1();
    block.kBL1 = tile.kBL1();
    block.a = check.a();
    block.b = check.b();
    block.scaled = check.cube.op == CubeOp::ScaledMm;
    for (const ValueId* row : {&check.cube.bias, &check.cube.scaleTensor}) {
        if (row->empty()) continue;
        ++block.rows;
        const std::int64_t columns = paddedExtent(block.n, DType::FP32);
        const std::int64_t bytes = tileBytes(check.context.design.value(*row)->dtype, 1, columns);
        block.rowBytes = saturatingAdd(block.rowBytes, saturatingMul(ceilDiv(bytes, 64), 64));
    }
    return block;
}

/// CAP-06 of a tile that fits alone, but not beside the bias, the row of scales or the MX scales. Whether there is one.
bool checkBeside(const CubeCheck& check, const BufferUse& use, const L1Bytes& bytes) {
    const CubeTile& tile = check.cube.tile;
    bool found = false;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t alone = i == 0 ? bytes.a : bytes.b, all = saturatingAdd(alone, bytes.beside);
        if (bytes.beside == 0 || all <= use.capacity) continue;
        found = true;
        const std::size_t index = i == 0 || tile.k.size() < 3 ? 1 : 2;
        const Text tail = ofCapacity(all, use.capacity);
        std::string beside;
        for (const BufferShare& share : std::span(use.contributors).subspan(2))
            beside += (beside.empty() ? "" : ", ") + share.what;
        const std::string sum = text(alone) + " B + " + text(bytes.beside) + " B = ";
        const std::string& what = use.contributors[i].what;
        Reported* entry = check.context.report(
            "CAP-06", check.block.where + "/tile/k/" + text(static_cast<std::int64_t>(index)), check.cube.id,
            {"L1 needs " + sum + tail.en + ": " + what + " beside " + beside,
             "L1 需要 " + sum + tail.zh + "：" + what + "，另有 " + beside});
        if (entry == nullptr) continue;
        measure(*entry, all, use.capacity);
        const std::int64_t depth = std::min(tile.k[index], check.block.matmul->k);
        const std::int64_t perElement = std::max<std::int64_t>(1, alone / std::max<std::int64_t>(1, depth));
        check.offerDepth(*entry, (use.capacity - bytes.beside) / perElement);
        check.offerDepth(*entry, (use.capacity - bytes.beside) / 2 / perElement);
    }
    return found;
}

/// CAP-04 and CAP-06.
void checkL1(const CubeCheck& check, const BufferUse& use) {
    const CubeTile& tile = check.cube.tile;
    bool alone = true;
    for (std::size_t i = 0; i < use.contributors.size(); ++i) {
        const BufferShare& share = use.contributors[i];
        if (share.bytes <= use.capacity) continue;
        if (fitsClipped(check, use.capacity)) return;
        alone = false;
        const std::size_t index = i == 0 || tile.k.size() < 3 ? 1 : 2;
        const Text tail = ofCapacity(share.bytes, use.capacity);
        Reported* entry = check.context.report(
            "CAP-06", check.block.where + "/tile/k/" + text(static_cast<std::int64_t>(index)), check.cube.id,
            {"L1 needs " + share.sum + " = " + tail.en + ": " + share.what,
             "L1 需要 " + share.sum + " = " + tail.zh + "：" + share.what});
        if (entry == nullptr) continue;
        measure(*entry, share.bytes, use.capacity);
        const std::int64_t perElement = share.bytes / std::max<std::int64_t>(1, check.measured.k[index]);
        check.offerDepth(*entry, use.capacity / std::max<std::int64_t>(1, perElement));
        check.offerDepth(*entry, use.capacity / 2 / std::max<std::int64_t>(1, perElement));
    }
    if (!alone || use.bytesPerSlot <= use.capacity) return;
    const auto block = l1BlockOf(check);
    const L1Bytes bytes = block ? l1Bytes(*block) : L1Bytes();
    if (checkBeside(check, use, bytes) || fitsClipped(check, use.capacity - bytes.beside)) return;
    Text message = needs(use);
    message += {": the compiler stays silent and loads the same blocks again at every step along K",
                "：编译器不会报错，但沿 K 的每一步都会重复搬运"};
    if (const auto count = block ? l1Loads(*block, use.capacity) : std::nullopt;
        count && count->loads > count->distinct)
        message += {", a block loads " + text(count->loads) + " tiles into L1 instead of " + text(count->distinct),
                    "，一个分块向 L1 搬运 " + text(count->loads) + " 次，而不是 " + text(count->distinct) + " 次"};
    Reported* entry =
        check.context.report("CAP-04", check.block.where + "/tile/k/1", check.cube.id, std::move(message));
    if (entry == nullptr) return;
    measure(*entry, use.bytesPerSlot, use.capacity);
    const std::int64_t perElement = check.bytesOf(check.a(), check.measured.mL0(), 1) / cubePadding(check.a()) +
                                    check.bytesOf(check.b(), check.measured.nL0(), 1) / cubePadding(check.b());
    check.offerDepth(*entry, use.capacity / 2 / perElement);
    check.offerDepth(*entry, use.capacity / perElement);
}

/// CAP-09 to CAP-11: bias, channel scales, MX scales.
void checkExtras(const CubeCheck& check, const std::vector<BufferUse>& uses) {
    const CubeTile& tile = check.cube.tile;
    const auto complain = [&](std::size_t index, std::string_view rule) -> Reported* {
        const BufferUse& use = uses[index];
        if (use.bytesPerSlot <= use.capacity) return nullptr;
        Text message = needs(use);
        message += {": " + namesOf(use), "：" + namesOf(use)};
        Reported* entry = check.context.report(rule, check.block.where + "/tile", check.cube.id, std::move(message));
        if (entry != nullptr) measure(*entry, use.bytesPerSlot, use.capacity);
        return entry;
    };
    const std::array rows{std::tuple{std::size_t{5}, "CAP-09", 4}, std::tuple{std::size_t{6}, "CAP-10", 8}};
    for (const auto& [index, rule, width] : rows)
        if (Reported* entry = complain(index, rule))
            check.offerHalved(*entry, 'n', [&, bytes = width](std::int64_t n) {
                return saturatingMul(paddedExtent(n, check.b()), bytes) <= uses[index].capacity;
            });
    for (const std::size_t index : {std::size_t{7}, std::size_t{8}})
        if (Reported* entry = complain(index, "CAP-11")) {
            const bool a = index == 7;
            const std::int64_t outer = paddedExtent(a ? check.measured.mL0() : check.measured.nL0(), DType::FP16);
            const std::int64_t limit = kMxScaleBytes / std::max<std::int64_t>(1, outer) * 32;
            std::vector<std::int64_t> depths(tile.k.begin() + 1, tile.k.end());
            if (const std::int64_t k = largestDivisor(limit, 64, depths); k > 0)
                check.offer(*entry, withL0(tile, 'k', k));
            check.offerHalved(*entry, a ? 'm' : 'n', [&](std::int64_t extent) {
                return saturatingMul(paddedExtent(extent, DType::FP16), 2 * ceilDiv(check.measured.kL0(), 64)) <=
                       kMxScaleBytes;
            });
        }
}

/// One axis of a vector tile halved until it takes a `divisor`-th.
void offerSmallerTile(Reported& entry, const ResolvedBlock& block, const VectorStage& stage, std::int64_t divisor) {
    for (std::size_t axis = 0; axis < stage.tile.size(); ++axis) {
        std::int64_t value = stage.tile[axis];
        for (std::int64_t halved = 1; halved < divisor && value % 2 == 0; halved *= 2) value /= 2;
        if (value == stage.tile[axis]) continue;
        const std::string name = text(static_cast<std::int64_t>(axis));
        entry.candidates.push_back(
            {{"Set axis " + name + " of the tile to " + text(value), "将切分的第 " + name + " 轴设为 " + text(value)},
             {{block.where + "/tile/" + name, value}}});
    }
}

/// CAP-05 and CAP-13.
void checkUb(CheckContext& context, const ResolvedBlock& block, const VectorStage& stage, const BufferUse& use) {
    if (use.bytesPerSlot <= use.capacity) return;
    Text message = needs(use);
    message += {" live at once: " + namesOf(use), "，同时存活：" + namesOf(use)};
    const std::vector<std::string> pieces = chainPieces(context.design, stage, context.chip);
    if (!pieces.empty()) {
        std::string list;
        for (const std::string& piece : pieces) list += (list.empty() ? "" : " | ") + piece;
        const std::string count = text(static_cast<std::int64_t>(pieces.size()));
        message += {"; the compiler stays silent and makes " + count + " tasks of a tile: " + list,
                    "；编译器不会报错，而是将每个切分块拆成 " + count + " 个任务：" + list};
    }
    Reported* entry =
        context.report(pieces.empty() ? "CAP-05" : "CAP-13", block.where + "/tile", stage.id, std::move(message));
    if (entry == nullptr) return;
    measure(*entry, use.bytesPerSlot, use.capacity);
    offerSmallerTile(*entry, block, stage, ceilDiv(use.bytesPerSlot, use.capacity));
}

/// CAP-08.
void checkWantedSlots(CheckContext& context, const ResolvedBlock& block, std::int64_t wanted,
                      const std::vector<BufferUse>& uses) {
    const auto offerAutomatic = [&](Reported* entry) {
        if (entry == nullptr) return;
        entry->candidates.push_back(
            {{"Choose the slots automatically", "自动选择缓冲槽数"}, {{block.where + "/slots", std::monostate()}}});
        entry->candidates.push_back({{"Use one slot", "使用一个缓冲槽"}, {{block.where + "/slots", std::int64_t{1}}}});
    };
    if (wanted < 1) {
        offerAutomatic(context.report(
            "CAP-08", block.where + "/slots", block.block->id(),
            {"a stage needs at least 1 slot, not " + text(wanted), "阶段至少需要 1 个缓冲槽，实际为 " + text(wanted)}));
        return;
    }
    Text list;
    std::int64_t excess = 1;
    for (const BufferUse& use : std::span(uses).first(kSlottedBuffers)) {
        const std::int64_t bytes = saturatingMul(wanted, use.bytesPerSlot);
        if (bytes <= use.capacity || use.bytesPerSlot > use.capacity) continue;
        excess = std::max(excess, ceilDiv(bytes, use.capacity));
        const Text tail = ofCapacity(bytes, use.capacity);
        const std::string head = text(wanted) + " x (" + sumOf(use) + ") = ";
        const std::string bits = text(saturatingMul(bytes, 8)), most = text(saturatingMul(use.capacity, 8));
        list += {(list.en.empty() ? "" : "; ") + (use.buffer + " needs " + head) + tail.en + ": " + bits + " bits of " +
                     most,
                 (list.zh.empty() ? "" : "；") + (use.buffer + " 需要 " + head) + tail.zh + "：" + bits + " / " + most +
                     " bit"};
    }
    if (list.en.empty()) return;
    const std::string count = text(wanted);
    Reported* entry = context.report("CAP-08", block.where + "/slots", block.block->id(),
                                     {count + (wanted == 1 ? " slot does" : " slots do") + " not fit: " + list.en,
                                      count + " 个缓冲槽放不下：" + list.zh});
    offerAutomatic(entry);
    const auto* stage = std::get_if<VectorStage>(&block.block->content);
    if (entry == nullptr || stage == nullptr) return;
    // What takes its place in UB with the large tile may lie beside it with the small one.
    offerSmallerTile(*entry, block, *stage, excess);
    offerSmallerTile(*entry, block, *stage, saturatingMul(excess, 2));
}

/// CAP-07: one finding per stage names all its buffers without a second slot.
void checkSecondSlot(CheckContext& context, const ResolvedBlock& block, const std::vector<BufferUse>& uses) {
    Text list;
    for (const BufferUse& use : std::span(uses).first(kSlottedBuffers)) {
        if (use.slotCount > 1 || use.bytesPerSlot == 0 || use.bytesPerSlot > use.capacity) continue;
        const bool shared = use.buffer == "L1";
        const std::string part = use.buffer + (shared ? " for both operands (" : " (") + text(use.bytesPerSlot) +
                                 " B of " + text(use.capacity) + " B)";
        const std::string partZh = use.buffer + (shared ? "（两个操作数合计 " : "（") + text(use.bytesPerSlot) +
                                   " B / " + text(use.capacity) + " B）";
        list += {(list.en.empty() ? "" : ", ") + part, (list.zh.empty() ? "" : "、") + partZh};
    }
    if (list.en.empty()) return;
    context.report("CAP-07", block.where + "/tile", block.block->id(),
                   {"no second slot in " + list.en + ": filling and using it do not overlap",
                    "没有第二个缓冲槽：" + list.zh + "，搬入与使用无法重叠"});
}

}  // namespace

std::span<const Rule> capacityRules() {
    return kRules;
}

void checkCapacity(CheckContext& context) {
    BufferFacts facts(context.design, context.profile);
    for (const ResolvedBlock& block : context.design.blocks) {
        if (!context.looksAt(block)) continue;
        const std::vector<BufferUse> uses = bufferUse(facts, block, context.chip);
        if (uses.empty()) continue;
        std::optional<std::int64_t> wanted;
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            const CubeCheck check{context, block, *cube, facts.measured(cube->tile, block)};
            constexpr std::array kIds{"CAP-01", "CAP-02", "CAP-03"};
            for (std::size_t i = 0; i < kIds.size(); ++i) checkL0(check, uses[i], kIds[i]);
            checkL1(check, uses[3]);
            checkExtras(check, uses);
            wanted = cube->slotCount;
        } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
            checkUb(context, block, *vector, uses[4]);
            wanted = vector->slotCount;
        }
        if (wanted)
            checkWantedSlots(context, block, *wanted, uses);
        else
            checkSecondSlot(context, block, uses);
    }
    checkSharedBuffers(context);
}

}  // namespace cubist::rules
