// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/design/design.h"
#include "core/exchange/pypto/import/kernel_scope.h"

namespace cubist::pypto {

/// Lists that a kernel reads from its tensors when it runs. Only the caller knows what stands in them; a design wants
/// values, so they are guessed from how the kernel uses them: groups of equal size where an entry is the bound or the
/// length of a group, else zeros.
class HostLists {
public:
    /// Of a design whose blocks and shapes are read.
    HostLists(const Design& design, const KernelScope& scope);

    /// What a symbol is taken to be: a few groups, or many rows.
    [[nodiscard]] std::int64_t sizeOf(const std::string& symbol) const;
    /// Adds the lists and says what was guessed about which tensor.
    void addTo(Design& design, const std::function<void(const std::string&, const std::string&)>& guess) const;

private:
    struct Use {
        bool bounds = false;    ///< the difference of two neighbours is used
        bool sizes = false;     ///< an entry is the length of a loop or the valid part of a view
        std::int64_t last = 0;  ///< the largest entry that is read
        std::int64_t rows = 0;  ///< of the axis along which the entries lie; 0: not known
    };
    struct OpenLoop {
        const Loop* loop = nullptr;
        std::int64_t last = 0;  ///< its largest index
    };

    void walk(const std::vector<Block>& blocks);
    void look(const SymbolicPtr& tree, bool size, const Tensor* tensor, std::size_t axis);
    void look(const std::vector<Expression>& list, bool size, const std::string& tensor);
    [[nodiscard]] std::int64_t valueOf(const SymbolicPtr& tree) const;

    const Design& m_design;
    std::map<std::string, std::string> m_tensors;  ///< by list
    std::map<std::string, Use> m_uses;
    std::set<std::string> m_groupSymbols;
    std::vector<OpenLoop> m_loops;
};

}  // namespace cubist::pypto
