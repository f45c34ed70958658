// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/block_pool.h"
#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/emulator/cube_arithmetic.h"
#include "core/emulator/cube_kernel.h"
#include "core/emulator/cube_product.h"
#include "core/emulator/gm_memory.h"
#include "core/emulator/task_part.h"
#include "core/lowering/program.h"

namespace cubist {

/// Runs load/move/mmad/fix tasks as products over their whole panels, straight from global memory. The bits are those
/// of the interpreter, because the order along K does not depend on the steps. Tasks that run together share their
/// panels: each row panel of A and column panel of B is decoded once for all of them. Memory: at most some 128 MiB of
/// panels, and an accumulator for each thread.
class FastCube {
public:
    /// Called once per finished part, on any thread.
    using Done = std::function<void(TaskPart part, int worker, const ValueLosses& losses)>;

    /// `blocks`: where memory of panels comes from; null: from the system.
    FastCube(const CubeKernel& kernel, const GmMemory& gm, const Program& program, int threads, BlockPool* blocks);

    [[nodiscard]] bool handles(LeafIndex leaf) const { return m_products[leaf.value].has_value(); }

    /// Runs parts that do not depend on each other and whose leaves it handles. Errors: DoesNotFit, Cancelled.
    [[nodiscard]] Result<void> run(std::span<const TaskPart> parts, const RunContext& context, const Done& done);

private:
    /// A panel as tasks name it: which elements of which tensor, how they are stored, with which scales and math.
    struct PanelKey {
        std::uint32_t tensor = 0;
        Extent4 offset{};
        bool outerIsRow = true;
        std::int64_t count = 0, k = 0;
        std::optional<std::uint32_t> scales;
        Extent4 scaleOffset{};
        bool scalePairsFirst = false;
        int mantissaBits = 0;
        bool tiesAway = false;
        auto operator<=>(const PanelKey&) const = default;
    };

    struct Panel {
        CubeOperand operand;
        CubeMath math;
        std::int64_t count = 0, k = 0;
        std::uint32_t uses = 0;
        std::int64_t floats = 0;  ///< packed
        std::uint32_t chunk = 0, slot = 0;
        std::int64_t at = 0;  ///< of its chunk's memory, in floats

        [[nodiscard]] std::int64_t bytes() const { return floats * static_cast<std::int64_t>(sizeof(float)); }
    };

    /// All panels of one side of the tasks at hand, in chunks that are packed together.
    struct Side {
        explicit Side(CubeSide side) : which(side) {}

        CubeSide which;
        std::vector<Panel> panels;
        std::map<PanelKey, std::uint32_t> numbers;
        std::vector<PackedOperand> slots;                ///< of the chunk that is packed
        std::vector<std::vector<std::uint32_t>> chunks;  ///< panels by chunk
        std::optional<std::uint32_t> packed;             ///< which chunk that is
        std::shared_ptr<std::byte> memory;               ///< of that chunk's panels
        std::int64_t memoryBytes = 0;

        void clear();
        [[nodiscard]] bool cut(std::int64_t mostBytes, BlockPool* blocks);
        [[nodiscard]] std::int64_t bytes() const;
    };

    struct Job {
        TaskPart part;
        std::uint32_t a = 0, b = 0;
    };

    /// What one thread owns.
    struct Worker {
        std::vector<float> floats;
        std::vector<std::int32_t> integers;
        CubeScratch scratch;
        std::vector<std::int64_t> channelScales;
        std::vector<float> row;
    };

    [[nodiscard]] const LeafProduct& product(TaskPart part) const;
    std::uint32_t addPanel(Side& side, const ProductOperand& operand, std::span<const Box> boxes, std::int64_t count,
                           const LeafProduct& product);
    Result<void> runAlone(std::span<const Job> jobs, const RunContext& context, const Done& done);
    Result<void> runInWaves(std::vector<Job>& jobs, const RunContext& context, const Done& done);
    Result<void> pack(std::uint32_t chunkA, std::uint32_t chunkB, const RunContext& context);
    template <class C>
    void start(const LeafProduct& product, std::span<const Box> boxes, std::vector<C>& sums) const;
    void store(const LeafProduct& product, const ProductStore& store, std::span<const Box> boxes, const void* sums,
               Worker& worker, ValueLosses& losses) const;
    template <class Multiply>
    Result<ValueLosses> runPart(TaskPart part, Worker& worker, const Multiply& multiply) const;

    const CubeKernel& m_kernel;
    const GmMemory& m_gm;
    const Program& m_program;
    BlockPool* m_blocks;
    std::vector<std::optional<LeafProduct>> m_products;  ///< by leaf
    std::vector<Worker> m_workers;
    Side m_a = Side(CubeSide::A), m_b = Side(CubeSide::B);
};

}  // namespace cubist
