// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/block_pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "core/base/large_memory.h"

namespace cubist {

class BlockPool::Store {
public:
    explicit Store(std::size_t most) : m_most(most) {}

    /// The smallest block that fits and is not wasted on so little; empty: none.
    std::shared_ptr<std::byte> take(std::size_t bytes, std::size_t& size) {
        const std::lock_guard lock(m_mutex);
        auto best = m_blocks.end();
        for (auto block = m_blocks.begin(); block != m_blocks.end(); ++block)
            if (block->size >= bytes && block->size / 2 <= bytes &&
                (best == m_blocks.end() || block->size < best->size))
                best = block;
        if (best == m_blocks.end()) return {};
        std::shared_ptr<std::byte> memory = std::move(best->memory);
        size = best->size;
        m_waiting -= size;
        m_blocks.erase(best);
        return memory;
    }

    /// Called by owners that end: where there is no memory to remember the block, it goes to the system.
    void giveBack(std::shared_ptr<std::byte> memory, std::size_t size) noexcept try {
        if (size > m_most) return;
        std::vector<Block> dropped;  // goes to the system without the lock
        const std::lock_guard lock(m_mutex);
        dropped.reserve(m_blocks.size());
        m_blocks.reserve(m_blocks.size() + 1);
        // The oldest make room: what was used last is what is wanted next.
        while (m_waiting + size > m_most) {
            m_waiting -= m_blocks.front().size;
            dropped.push_back(std::move(m_blocks.front()));
            m_blocks.erase(m_blocks.begin());
        }
        m_blocks.push_back({std::move(memory), size});
        m_waiting += size;
    } catch (const std::bad_alloc&) {
    }

    [[nodiscard]] std::size_t waiting() const {
        const std::lock_guard lock(m_mutex);
        return m_waiting;
    }

private:
    struct Block {
        std::shared_ptr<std::byte> memory;
        std::size_t size = 0;
    };

    const std::size_t m_most;
    mutable std::mutex m_mutex;
    std::vector<Block> m_blocks;  ///< oldest first
    std::size_t m_waiting = 0;
};

BlockPool::BlockPool(std::size_t mostWaiting) : m_store(std::make_shared<Store>(mostWaiting)) {}

std::shared_ptr<std::byte> BlockPool::take(std::size_t bytes) {
    std::size_t size = bytes;
    std::shared_ptr<std::byte> memory = m_store->take(bytes, size);
    if (!memory) memory = largeBlock(bytes);
    if (!memory) return {};
    std::byte* const begin = memory.get();
    return {begin, [store = m_store, memory = std::move(memory), size](std::byte*) mutable {
                store->giveBack(std::move(memory), size);
            }};
}

std::size_t BlockPool::waiting() const {
    return m_store->waiting();
}

}  // namespace cubist
