// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/tiling_section.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/integer_math.h"
#include "core/chip/slots.h"
#include "core/design/vector_op_info.h"
#include "core/exchange/pypto/document_parts.h"
#include "core/exchange/pypto/tile_writer.h"
#include "core/rules/buffer_use.h"

namespace cubist::pypto {
namespace {

constexpr std::int64_t kBaseline = 128, kMostPieces = 18000;

std::string percent(std::int64_t part, std::int64_t whole) {
    return whole <= 0 ? std::string("0 %") : std::to_string(saturatingMul(part, 100) / whole) + " %";
}

/// A stage with one of the tiles that the kernel sets for it, and what it then needs.
struct Piece {
    std::shared_ptr<const Block> content;
    ResolvedBlock block;  ///< with that content
    std::string name;     ///< "up", or "up, u = 64"
    std::vector<BufferUse> uses;
    std::optional<MatmulSize> matmul;  ///< with the rows of this factor

    [[nodiscard]] const BufferUse* useOf(std::string_view buffer) const {
        const auto found =
            std::find_if(uses.begin(), uses.end(), [&](const auto& use) { return use.buffer == buffer; });
        return found == uses.end() ? nullptr : &*found;
    }
};

class TilingSection {
public:
    TilingSection(const KernelPlan& plan, const ChipSpec& chip) : m_plan(plan), m_chip(chip), m_facts(plan.resolved()) {
        for (const ResolvedBlock& block : plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) addPieces(block, *cube);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) addPieces(block, *vector);
        }
    }

    std::string text() {
        std::string out = "### 3.1 算子类型 (Kind)\n\n" + kind() + "\n\n### 3.2 Tiling 推导 (Derivation)\n\n";
        out += "#### 3.2.1 Shape analysis\n\n";
        const std::string rooms = alive();
        if (!rooms.empty())
            out +=
                "Alive in the buffers of one core at the fullest moment of each stage:\n\n"
                "| stage | buffer | tensors alive | bytes | of |\n|---|---|---|---|---|\n" +
                rooms + "\n";
        const std::string matmuls = sizes();
        if (!matmuls.empty())
            out += "| matmul | M | K | N | blocks | cores |\n|---|---|---|---|---|---|\n" + matmuls + "\n";
        out +=
            "#### 3.2.2 Tile design and rationale\n\n| stage | tile | why | source |\n|---|---|---|---|\n" + chosen();
        const std::string others = alternatives();
        if (!others.empty())
            out +=
                "\n#### 3.2.3 Alternatives considered\n\n| stage | instead | what it would change |\n|---|---|---|\n" +
                others;
        out += "\n#### 3.2.4 Syntax compliance\n\n" + boxes();
        return out + "\n#### 3.2.5 Final tiles\n\n```python\n" + tileCallsText(m_plan) + "```\n\n";
    }

private:
    template <class Stage>
    void addPieces(const ResolvedBlock& block, const Stage& stage) {
        for (const auto& each : tilesOf(m_plan, block, stage)) {
            Stage copy = stage;
            copy.tile = each.tile;
            Piece piece;
            piece.content = std::make_shared<const Block>(Block{std::move(copy)});
            piece.block = block;
            piece.block.block = piece.content.get();
            piece.name = stage.id.text + (each.factor.empty() ? "" : ", " + each.when());
            for (BufferUse& use : bufferUse(m_facts, piece.block, m_chip))
                if (use.bytesPerSlot > 0) piece.uses.push_back(std::move(use));
            piece.matmul = block.matmul;
            if constexpr (std::is_same_v<Stage, CubeStage>)
                if (piece.matmul && !each.factor.empty()) piece.matmul->m = rowsAt(stage, each.factor, each.most);
            m_pieces.push_back(std::move(piece));
        }
    }

    /// Rows of a product when the loop around it takes `factor` steps at once.
    [[nodiscard]] std::int64_t rowsAt(const CubeStage& stage, const std::string& factor, std::int64_t value) const {
        const std::vector<Axis>& a = m_plan.axes(stage.a);
        const ResolvedBlock* block = m_plan.resolved().block(stage.id);
        const std::int64_t most = block == nullptr || !block->matmul ? 1 : block->matmul->m;
        if (a.size() < 2) return most;
        const SymbolicPtr& rows = a[a.size() - (stage.aTrans ? 1 : 2)].extent;
        return literal(m_plan.atSteps(rows, {{factor, value}})).value_or(most);
    }

    template <class Stage, class Visit>
    void forEach(const Visit& visit) const {
        for (const Piece& piece : m_pieces)
            if (const auto* stage = std::get_if<Stage>(&piece.content->content)) visit(piece, *stage);
    }

    [[nodiscard]] std::string kind() const {
        bool cube = false, vector = false;
        forEach<CubeStage>([&](const Piece&, const CubeStage&) { cube = true; });
        forEach<VectorStage>([&](const Piece&, const VectorStage&) { vector = true; });
        return cube && vector ? "Hybrid" : cube ? "Cube" : "Vector";
    }

    [[nodiscard]] std::string alive() const {
        std::string out;
        for (const Piece& piece : m_pieces)
            for (const BufferUse& use : piece.uses) {
                std::string parts;
                for (const BufferShare& share : use.contributors)
                    parts += (parts.empty() ? "" : "; ") + share.what + " (" + std::to_string(share.bytes) + ")";
                out += "| " + piece.name + " | " + use.buffer + " | " + cell(parts) + " | " +
                       (use.slotCount > 1 ? std::to_string(use.slotCount) + " x " : "") +
                       std::to_string(use.bytesPerSlot) + " | " + std::to_string(use.capacity) + " |\n";
            }
        return out;
    }

    [[nodiscard]] static std::int64_t blocksOf(std::int64_t m, std::int64_t n, std::int64_t tileM, std::int64_t tileN) {
        return saturatingMul(ceilDiv(m, std::max<std::int64_t>(1, tileM)),
                             ceilDiv(n, std::max<std::int64_t>(1, tileN)));
    }
    [[nodiscard]] static std::int64_t first(const std::vector<std::int64_t>& tile) {
        return tile.empty() ? 1 : tile[0];
    }
    [[nodiscard]] std::int64_t cubeCores() const { return m_chip.aicCount.integer(); }

    [[nodiscard]] std::string sizes() const {
        std::string out;
        forEach<CubeStage>([&](const Piece& piece, const CubeStage& stage) {
            if (!piece.matmul) return;
            const auto& size = *piece.matmul;
            out += "| " + piece.name + " | " + std::to_string(size.m) + " | " + std::to_string(size.k) + " | " +
                   std::to_string(size.n) + " | " +
                   std::to_string(blocksOf(size.m, size.n, first(stage.tile.m), first(stage.tile.n))) + " | " +
                   std::to_string(cubeCores()) + " |\n";
        });
        return out;
    }

    /// "fills L0A to 50 %, L0B to 100 %, L0C to 25 %; 8 blocks for 24 cores"
    [[nodiscard]] std::string cubeReason(const Piece& piece, const CubeStage& stage) const {
        std::string out;
        for (const char* buffer : {"L0A", "L0B", "L0C", "L1"})
            if (const BufferUse* use = piece.useOf(buffer))
                out += (out.empty() ? "fills " : ", ") + std::string(buffer) + " to " +
                       percent(use->bytesPerSlot, use->capacity);
        if (piece.matmul)
            out +=
                (out.empty() ? "" : "; ") +
                std::to_string(blocksOf(piece.matmul->m, piece.matmul->n, first(stage.tile.m), first(stage.tile.n))) +
                " blocks for " + std::to_string(cubeCores()) + " cores";
        return out;
    }

    [[nodiscard]] static std::string vectorReason(const Piece& piece) {
        const BufferUse* use = piece.useOf("UB");
        if (use == nullptr) return "nothing of it stays in UB";
        return "its tensors fill UB to " + percent(use->bytesPerSlot, use->capacity) +
               (use->slotCount > 1 ? ", so that the next tile loads meanwhile" : "");
    }

    template <class Stage>
    [[nodiscard]] std::string source(const Stage& stage) const {
        const auto* given = m_plan.givenStage<Stage>(stage.id);
        std::string out = given != nullptr && given->tileBy
                              ? "tile table of the design, by `" + given->tileBy->value.text() + "`"
                              : "given by the design";
        return stage.notes.empty() ? out : out + ": " + stage.notes;
    }

    [[nodiscard]] std::string chosen() const {
        std::string out;
        const auto row = [&](const Piece& piece, const std::string& tile, const std::string& why,
                             const std::string& from) {
            out += "| " + piece.name + " | " + tile + " | " + cell(why) + " | " + cell(from) + " |\n";
        };
        forEach<CubeStage>([&](const Piece& piece, const CubeStage& stage) {
            row(piece, tileText(stage), cubeReason(piece, stage), source(stage));
        });
        forEach<VectorStage>([&](const Piece& piece, const VectorStage& stage) {
            row(piece, listText(stage.tile), vectorReason(piece), source(stage));
        });
        return out;
    }

    static bool isBaseline(const CubeStage& stage) {
        const auto is = [](const std::vector<std::int64_t>& tile) {
            return std::all_of(tile.begin(), tile.end(), [](std::int64_t each) { return each == kBaseline; });
        };
        return is(stage.tile.m) && is(stage.tile.k) && is(stage.tile.n);
    }
    static bool isBaseline(const VectorStage& stage) {
        return std::all_of(stage.tile.begin(), stage.tile.end(),
                           [](std::int64_t each) { return each >= 16 && each <= 64; });
    }

    [[nodiscard]] std::string alternatives() const {
        std::string out;
        forEach<CubeStage>([&](const Piece& piece, const CubeStage& stage) {
            if (isBaseline(stage) || !piece.matmul) return;
            const auto& size = *piece.matmul;
            const std::int64_t steps = ceilDiv(size.k, kBaseline),
                               own = ceilDiv(size.k, std::max<std::int64_t>(1, first(stage.tile.k)));
            out += "| " + piece.name + " | m[128, 128] k[128, 128] n[128, 128], the baseline | " +
                   std::to_string(blocksOf(size.m, size.n, kBaseline, kBaseline)) + " blocks instead of " +
                   std::to_string(blocksOf(size.m, size.n, first(stage.tile.m), first(stage.tile.n))) + ", " +
                   std::to_string(steps) + " steps along K instead of " + std::to_string(own) + " |\n";
        });
        forEach<VectorStage>([&](const Piece& piece, const VectorStage& stage) {
            if (isBaseline(stage)) return;
            std::vector<std::int64_t> tile = stage.tile;
            for (std::int64_t& each : tile) each = std::clamp<std::int64_t>(each, 16, 64);
            std::int64_t own = 1, other = 1;
            for (std::size_t i = 0; i < tile.size(); ++i) {
                own = saturatingMul(own, stage.tile[i]);
                other = saturatingMul(other, tile[i]);
            }
            out += "| " + piece.name + " | " + listText(tile) + ", within 16 to 64 | tiles of " +
                   std::to_string(other) + " elements instead of " + std::to_string(own) + " |\n";
        });
        for (const ResolvedBlock& block : m_plan.resolved().blocks) {
            if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) out += otherRows(*cube);
            if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) out += otherRows(*vector);
        }
        return out;
    }

    /// Tiles of other shapes than the one that is exported: the rest of the stage's table.
    template <class Stage>
    [[nodiscard]] std::string otherRows(const Stage& stage) const {
        const TileChoice* choice = m_plan.resolved().tileChoice(stage.id);
        const Stage* given = m_plan.givenStage<Stage>(stage.id);
        if (choice == nullptr || given == nullptr || !given->tileBy || choice->followsFactor) return {};
        const std::string& value = given->tileBy->value.text();
        const auto& rows = given->tileBy->rows;
        std::string out;
        for (std::size_t i = 0; i <= rows.size(); ++i) {
            if (choice->row.value_or(rows.size()) == i) continue;
            const std::string at = "`" + value + "` " +
                                   (i < rows.size() ? "up to " + std::to_string(rows[i].upTo)
                                                    : "beyond " + std::to_string(rows.back().upTo));
            out += "| " + stage.id.text + " | " + rowText(*given, i < rows.size() ? &rows[i] : nullptr) +
                   " | the tile for " + cell(at) + "; this export is for " + std::to_string(choice->value) + " |\n";
        }
        return out;
    }
    static std::string expressionsText(const std::vector<Expression>& list) {
        std::string text;
        for (const Expression& each : list) text += (text.empty() ? "" : ", ") + each.text();
        return "[" + text + "]";
    }
    /// A row's tile; what it leaves out, and all of it behind the last row, is the stage's own.
    static std::string rowText(const CubeStage& own, const TileRow* row) {
        const auto axis = [&](const char* name, const std::vector<Expression>* of,
                              const std::vector<std::int64_t>& or_) {
            return name + (of == nullptr || of->empty() ? listText(or_) : expressionsText(*of));
        };
        return axis("m", row == nullptr ? nullptr : &row->m, own.tile.m) + " " +
               axis("k", row == nullptr ? nullptr : &row->k, own.tile.k) + " " +
               axis("n", row == nullptr ? nullptr : &row->n, own.tile.n) + (own.tile.splitK ? " split-K" : "");
    }
    static std::string rowText(const VectorStage& own, const TileRow* row) {
        return row == nullptr || row->tile.empty() ? listText(own.tile) : expressionsText(row->tile);
    }

    [[nodiscard]] bool stretchesTwo(const VectorOp& op) const {
        const OpFamily family = opInfo(op.op).family;
        if (family != OpFamily::Elementwise && family != OpFamily::Compare) return false;
        const std::vector<Axis>& out = m_plan.axes(op.out);
        return std::any_of(op.in.begin(), op.in.end(), [&](const Operand& each) {
            if (each.value() == nullptr) return false;
            const std::vector<Axis>& in = m_plan.axes(*each.value());
            std::size_t axes = out.size() - std::min(out.size(), in.size());
            for (std::size_t i = 0; i < in.size() && i < out.size(); ++i)
                if (literal(in[in.size() - 1 - i].extent) == 1 && literal(out[out.size() - 1 - i].extent) != 1) ++axes;
            return axes > 1;
        });
    }

    [[nodiscard]] std::string boxes() const {
        std::string out;
        const auto box = [&](const char* text, const std::string& names) {
            out += std::string("- [") + (names.empty() ? "x" : " ") + "] " + text +
                   (names.empty() ? "" : ": not in " + names) + "\n";
        };
        std::string align, rank, buffers, relation, fractal, base, baseVector, pieces, stretched;
        const auto add = [](std::string& names, const BlockId& id) {
            if (names.find("`" + id.text + "`") == std::string::npos)
                names += (names.empty() ? "`" : ", `") + id.text + "`";
        };
        const auto lookAtVector = [&](const Piece& piece, const VectorStage& stage) {
            for (const VectorOp& op : stage.ops) {
                if (m_plan.axes(op.out).size() > stage.tile.size()) add(rank, stage.id);
                const ResolvedValue* value = m_plan.resolved().value(op.out);
                if (value != nullptr && value->shape.size() == stage.tile.size() && !stage.tile.empty() &&
                    stage.tile.back() < value->shape.back() &&
                    saturatingMul(stage.tile.back(), hostBytesPerElement(value->dtype)) % 32 != 0)
                    add(align, stage.id);
            }
            if (const BufferUse* use = piece.useOf("UB"); use != nullptr && use->bytesPerSlot > use->capacity)
                add(buffers, stage.id);
            if (!isBaseline(stage)) add(baseVector, stage.id);
            if (mostPieces(m_plan, stage) >= kMostPieces) add(pieces, stage.id);
            if (std::any_of(stage.ops.begin(), stage.ops.end(), [&](const VectorOp& op) { return stretchesTwo(op); }))
                add(stretched, stage.id);
        };
        const auto lookAtCube = [&](const CubeStage& stage) {
            for (const auto* tile : {&stage.tile.m, &stage.tile.k, &stage.tile.n}) {
                for (std::size_t i = 1; i < tile->size(); ++i)
                    if ((*tile)[0] < 1 || (*tile)[i] < (*tile)[0] || (*tile)[i] % (*tile)[0] != 0)
                        add(relation, stage.id);
                for (const std::int64_t each : *tile)
                    if (each % 16 != 0) add(fractal, stage.id);
            }
            if (!isBaseline(stage)) add(base, stage.id);
        };
        // A table that follows the factor of an unrolled loop sets several tiles: each of them counts.
        forEach<VectorStage>(lookAtVector);
        forEach<CubeStage>([&](const Piece&, const CubeStage& stage) { lookAtCube(stage); });
        box("the last axis of a vector tile that is cut holds whole blocks of 32 bytes", align);
        box("each vector tile has as many values as its operations have axes, or more", rank);
        box("what an operation needs of UB fits", buffers);
        box("tiles times operands of every operation stay below 18000", pieces);
        box("no operand is stretched along several axes at once", stretched);
        box("L0 <= L1 and L1 % L0 == 0 on each cube axis", relation);
        box("cube tiles are multiples of 16", fractal);
        box("every stage sets its own tile", "");
        box("tile values are literals of the kernel", "");
        box("cube baseline of 128", base);
        box("vector tiles within 16 to 64", baseVector);
        return out;
    }

    const KernelPlan& m_plan;
    const ChipSpec& m_chip;
    BufferFacts m_facts;
    std::vector<Piece> m_pieces;
};

}  // namespace

std::string tilingSection(const KernelPlan& plan, const ChipSpec& chip) {
    return TilingSection(plan, chip).text();
}

}  // namespace cubist::pypto
