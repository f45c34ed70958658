// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

namespace cubist {

/// Large blocks of memory for calls that follow each other: the first touch of a block costs more than its use, up to a
/// quarter of a large matrix product on a virtual machine. Owned by who makes the calls; any thread may take and give
/// back. Blocks outlive the pool.
class BlockPool {
public:
    /// `mostWaiting`: bytes that may wait to be taken again; what is given back beyond them goes to the system.
    explicit BlockPool(std::size_t mostWaiting = std::size_t{64} << 20);

    /// Memory with any content, aligned as that of largeBlock; at most twice as large as asked for. The last owner
    /// gives it back. Empty when it cannot be had.
    [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t bytes);

    /// Bytes that wait to be taken.
    [[nodiscard]] std::size_t waiting() const;

private:
    class Store;
    std::shared_ptr<Store> m_store;
};

}  // namespace cubist
