// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/index_entries.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

namespace cubist::rules {

std::optional<EqualEntries> equalEntries(const std::vector<double>& index, std::size_t entries) {
    if (entries == 0) return std::nullopt;
    const std::size_t axes = index.size() / entries;
    const auto before = [&](std::size_t a, std::size_t b) {
        for (std::size_t axis = 0; axis < axes; ++axis)
            if (index[axis * entries + a] != index[axis * entries + b])
                return index[axis * entries + a] < index[axis * entries + b];
        return false;
    };
    std::vector<std::size_t> order(entries);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), before);
    const auto found =
        std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return !before(a, b); });
    if (found == order.end()) return std::nullopt;
    return EqualEntries{*found, *(found + 1)};
}

Text repeatedText(const Store& store, const EqualEntries& pair) {
    const std::string first = text(static_cast<std::int64_t>(pair.first));
    const std::string second = text(static_cast<std::int64_t>(pair.second));
    return {"entries " + first + " and " + second + " of '" + store.index.text + "' are equal: which slice '" +
                store.to.text + "' keeps is undefined; the compiler stays silent",
            "'" + store.index.text + "' 的第 " + first + " 与第 " + second + " 个元素相同：'" + store.to.text +
                "' 保留哪个切片不确定；编译器不会报错"};
}

}  // namespace cubist::rules
