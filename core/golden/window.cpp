// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/window.h"

#include <algorithm>
#include <array>
#include <bit>

namespace cubist::golden {

Axes rightAligned(const std::vector<std::int64_t>& values, std::int64_t filler) {
    Axes axes;
    axes.fill(filler);
    const std::size_t count = std::min<std::size_t>(values.size(), axes.size());
    std::copy_n(values.begin(), count, axes.end() - static_cast<std::ptrdiff_t>(count));
    return axes;
}

void readValues(const HostTensor& tensor, std::int64_t first, std::span<double> out) {
    if (tensor.dtype() != DType::INT64) return tensor.toFloat64(first, out);
    const auto codes = tensor.codes<std::int64_t>().subspan(static_cast<std::size_t>(first), out.size());
    std::transform(codes.begin(), codes.end(), out.begin(),
                   [](std::int64_t code) { return std::bit_cast<double>(code); });
}

void Window::readRow(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t column, std::span<double> out) const {
    std::int64_t count = 0;
    if (i < valid[0] && j < valid[1] && k < valid[2])
        count = std::clamp<std::int64_t>(valid[3] - column, 0, static_cast<std::int64_t>(out.size()));
    const std::span<double> present = out.first(static_cast<std::size_t>(count));
    if (count > 0) {
        const std::int64_t row = ((offset[0] + i) * base[1] + offset[1] + j) * base[2] + offset[2] + k;
        const std::int64_t first = row * base[3] + offset[3] + column;
        if (tensor != nullptr)
            readValues(*tensor, first, present);
        else
            std::copy_n(values->begin() + first, count, present.begin());
        if (scaling != nullptr) scaling->apply(k, column, present);
    }
    std::fill(out.begin() + count, out.end(), 0.0);
}

std::size_t Window::restart() {
    base = shape;
    offset = {0, 0, 0, 0};
    if (shape[0] * shape[1] == 1) base[2] = std::clamp<std::int64_t>(valid[2], 0, shape[2]);
    return static_cast<std::size_t>(rowsOf(base) * base[3]);
}

bool Window::inside() const {
    for (std::size_t axis = 0; axis < base.size(); ++axis)
        if (offset[axis] < 0 || offset[axis] > base[axis] || valid[axis] > base[axis] - offset[axis]) return false;
    return true;
}

bool Window::sameAs(const Window& other) const {
    if ((scaling == nullptr) != (other.scaling == nullptr)) return false;
    if (scaling != nullptr &&
        (scaling->kIsRow != other.scaling->kIsRow || scaling->pairsFirst != other.scaling->pairsFirst ||
         !scaling->scales.sameAs(other.scaling->scales)))
        return false;
    return !changing && !other.changing && tensor == other.tensor && values == other.values && base == other.base &&
           offset == other.offset && shape == other.shape && valid == other.valid;
}

void Scaling::apply(std::int64_t row, std::int64_t column, std::span<double> values) const {
    constexpr std::int64_t kGroup = 32;
    const auto factorOf = [&](std::int64_t line, std::int64_t k) {
        const std::int64_t group = k / kGroup;
        double factor = 0;
        scales.readRow(0, pairsFirst ? group / 2 : line, pairsFirst ? line : group / 2, group % 2,
                       std::span(&factor, 1));
        return factor;
    };
    const auto count = static_cast<std::int64_t>(values.size());
    const bool adjacent = kIsRow && pairsFirst && scales.tensor != nullptr && scales.base[3] == 2 &&
                          scales.valid[3] == 2 && row / (2 * kGroup) < scales.valid[1] &&
                          column + count <= scales.valid[2];
    if (adjacent) {
        // The scales of neighbouring lines lie side by side, each with that of the pair's other group.
        constexpr std::int64_t kLines = 128;
        std::array<double, 2 * kLines> factors;
        const auto bit = static_cast<std::size_t>(row / kGroup % 2);
        const std::int64_t pair = scales.offset[0] * scales.base[1] + scales.offset[1] + row / (2 * kGroup);
        for (std::int64_t done = 0; done < count; done += kLines) {
            const auto lines = static_cast<std::size_t>(std::min(kLines, count - done));
            const std::int64_t first = (pair * scales.base[2] + scales.offset[2] + column + done) * 2;
            readValues(*scales.tensor, first, std::span(factors).first(2 * lines));
            for (std::size_t i = 0; i < lines; ++i) values[static_cast<std::size_t>(done) + i] *= factors[2 * i + bit];
        }
        return;
    }
    double factor = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t at = column + static_cast<std::int64_t>(i);
        if (kIsRow)
            factor = factorOf(at, row);
        else if (i == 0 || at % kGroup == 0)
            factor = factorOf(row, at);
        values[i] *= factor;
    }
}

void RowCut::cut(Axes& shape, Axes& valid) const {
    if (shape[axis] != full) return;
    shape[axis] = count;
    valid[axis] = std::clamp<std::int64_t>(valid[axis] - first, 0, count);
}

void RowCut::cut(Window& window) const {
    if (window.shape[axis] == full) window.offset[axis] += first;
    cut(window.shape, window.valid);
}

}  // namespace cubist::golden
