// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/integer_list.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/integer_math.h"
#include "core/base/random.h"

namespace cubist {
namespace {

/// Most groups that a list of rows may name, so that one absurd row does not cost memory.
constexpr std::int64_t kMaxNamedGroups = std::int64_t{1} << 20;
constexpr std::int64_t kMaxRows = std::int64_t{1} << 24;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
    return checkedAdd(a, b).value_or(b < 0 ? std::numeric_limits<std::int64_t>::min() : kMost);
}

std::vector<std::int64_t> startsOfRows(const std::vector<std::int64_t>& rows) {
    std::int64_t groups = 0;
    for (const std::int64_t group : rows)
        if (group < kMaxNamedGroups) groups = std::max(groups, group + 1);
    std::vector<std::int64_t> starts(static_cast<std::size_t>(groups) + 1, 0);
    for (const std::int64_t group : rows)
        if (group >= 0 && group < groups) ++starts[static_cast<std::size_t>(group) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return starts;
}

std::string at(std::size_t index) {
    return " at index " + std::to_string(index);
}

Unexpected cannotConvert(const std::string& why) {
    return unexpected(ErrorCode::BadValue, "these groups cannot be written in that form: " + why);
}

Result<std::vector<std::int64_t>> countsOf(const std::vector<std::int64_t>& values, ListForm from,
                                           std::int64_t groups) {
    if (from == ListForm::Counts) return values;
    std::vector<std::int64_t> counts;
    if (from == ListForm::PrefixSums) {
        std::int64_t before = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::int64_t count = 0;
            if (__builtin_sub_overflow(values[i], before, &count))
                return cannotConvert("the difference" + at(i) + " does not fit 64 bits");
            counts.push_back(count);
            before = values[i];
        }
        return counts;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < 0 || values[i] >= kMaxNamedGroups)
            return cannotConvert("the row" + at(i) + " is in group " + std::to_string(values[i]));
        if (i > 0 && values[i] < values[i - 1]) return cannotConvert("the groups of the rows decrease" + at(i));
    }
    const std::int64_t named = values.empty() ? 0 : values.back() + 1;
    if (groups != 0 && groups < named)
        return cannotConvert("a row is in group " + std::to_string(named - 1) + " of " + std::to_string(groups));
    counts.assign(static_cast<std::size_t>(std::max(groups, named)), 0);
    for (const std::int64_t group : values) ++counts[static_cast<std::size_t>(group)];
    return counts;
}

}  // namespace

std::int64_t IntegerList::groups() const {
    return starts.empty() ? 0 : static_cast<std::int64_t>(starts.size()) - 1;
}

std::int64_t IntegerList::start(std::int64_t g) const {
    if (starts.empty()) return 0;
    return starts[static_cast<std::size_t>(std::clamp(g, std::int64_t{0}, groups()))];
}

std::int64_t IntegerList::sum() const {
    if (form != ListForm::Plain) return starts.back();
    return std::accumulate(values.begin(), values.end(), std::int64_t{0}, saturatingSum);
}

IntegerList makeList(ListForm form, std::vector<std::int64_t> values) {
    IntegerList list;
    list.form = form;
    if (form == ListForm::Rows) list.starts = startsOfRows(values);
    if (form == ListForm::Counts || form == ListForm::PrefixSums) {
        list.starts.push_back(0);
        for (const std::int64_t value : values) {
            const std::int64_t before = list.starts.back();
            list.starts.push_back(form == ListForm::Counts ? saturatingSum(before, std::max<std::int64_t>(value, 0))
                                                           : std::max(before, value));
        }
    }
    list.values = std::move(values);
    return list;
}

Result<std::vector<std::int64_t>> convertGroups(const std::vector<std::int64_t>& values, ListForm from, ListForm to,
                                                std::int64_t groups) {
    if (from == ListForm::Plain || to == ListForm::Plain)
        return unexpected(ErrorCode::BadValue, "a plain list has no groups");
    if (from == to) return values;
    CUBIST_TRY(const std::vector<std::int64_t> counts, countsOf(values, from, groups));
    if (to == ListForm::Counts) return counts;
    std::vector<std::int64_t> out;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto sum = checkedAdd(total, counts[i]);
        if (!sum) return cannotConvert("the sum" + at(i) + " does not fit 64 bits");
        total = *sum;
        if (to == ListForm::PrefixSums) {
            out.push_back(total);
            continue;
        }
        if (counts[i] < 0) return cannotConvert("the count" + at(i) + " is " + std::to_string(counts[i]));
        if (total > kMaxRows)
            return unexpected(ErrorCode::DoesNotFit, "the groups have more than " + std::to_string(kMaxRows) + " rows");
        out.resize(static_cast<std::size_t>(total), static_cast<std::int64_t>(i));
    }
    return out;
}

Result<std::vector<std::int64_t>> moeCounts(std::uint64_t seed, std::int64_t groups, std::int64_t total, int skew) {
    if (groups < 1 || groups > 65536)
        return unexpected(ErrorCode::BadValue, "the number of groups is 1 to 65536, not " + std::to_string(groups));
    if (total < 0 || total > 0x7FFFFFFF)
        return unexpected(ErrorCode::BadValue, "the number of rows is 0 to 2147483647, not " + std::to_string(total));
    if (skew < 0 || skew > 16)
        return unexpected(ErrorCode::BadValue, "the skew is 0 to 16, not " + std::to_string(skew));
    const RandomStream stream = randomStream(seed, "group list");
    // Weights of at most 2^31 keep weight times total inside 64 bits, and 65536 of them their sum.
    constexpr std::uint64_t kOne = std::uint64_t{1} << 31;
    std::vector<std::uint64_t> weights(static_cast<std::size_t>(groups), kOne);
    std::uint64_t sum = 0;
    for (std::size_t g = 0; g < weights.size(); ++g) {
        for (int draw = 0; draw < skew; ++draw) {
            const auto words =
                philox4x32({static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(draw / 4),
                            static_cast<std::uint32_t>(stream.tensor), static_cast<std::uint32_t>(stream.tensor >> 32)},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
            weights[g] = (weights[g] * words[static_cast<std::size_t>(draw % 4)]) >> 32;
        }
        sum += std::max<std::uint64_t>(weights[g], 1);
        weights[g] = std::max<std::uint64_t>(weights[g], 1);
    }
    std::vector<std::int64_t> counts;
    std::vector<std::uint64_t> rests;
    std::int64_t left = total;
    for (const std::uint64_t weight : weights) {
        const std::uint64_t share = weight * static_cast<std::uint64_t>(total);
        counts.push_back(static_cast<std::int64_t>(share / sum));
        rests.push_back(share % sum);
        left -= counts.back();
    }
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rests[a] > rests[b]; });
    for (std::size_t i = 0; left > 0; ++i, --left) ++counts[order[i]];
    return counts;
}

}  // namespace cubist
