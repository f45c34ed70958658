// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>

#include "core/base/integer_math.h"

namespace cubist {
namespace {

constexpr std::int64_t kFixedBytes = std::int64_t{256} << 20;
constexpr std::int64_t kUnknown = std::int64_t{1} << 62;

std::optional<std::int64_t> numberFromFile(const std::string& path) {
    std::ifstream file(path);
    std::int64_t value = 0;
    if (file >> value) return value;
    return std::nullopt;  // missing, or "max"
}

std::optional<std::int64_t> memAvailable() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::string unit;
    std::int64_t value = 0;
    while (file >> key >> value && std::getline(file, unit))
        if (key == "MemAvailable:") return checkedMul(value, 1024);
    return std::nullopt;
}

std::int64_t saturatingAdd(std::int64_t a, std::int64_t b) {
    return checkedAdd(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

std::int64_t saturatingMul(std::int64_t a, std::int64_t b) {
    return checkedMul(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

/// The tensor that takes most, and how it got that large.
struct Largest {
    std::string where;
    std::string text;
};

Largest largestTensor(const ResolvedDesign& design) {
    Largest largest;
    std::int64_t most = -1;
    const std::vector<Tensor>& tensors = design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const ResolvedValue* value = design.value(ValueId(tensors[i].id.text));
        if (value == nullptr) continue;
        std::int64_t bytes = hostBytesPerElement(value->dtype);
        std::string shape;
        for (const std::int64_t extent : value->shape) {
            bytes = saturatingMul(bytes, extent);
            shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
        }
        if (bytes <= most) continue;
        most = bytes;
        largest.where = "/tensors/" + std::to_string(i) + "/shape";
        largest.text = tensors[i].id.text + " [" + shape + "] alone takes " + sizeText(bytes);
    }
    return largest;
}

std::string symbolsText(const Binding& binding) {
    std::string text;
    for (const auto& symbol : binding.symbols.entries)
        text += (text.empty() ? "" : ", ") + symbol.key + " = " + std::to_string(symbol.value);
    return text;
}

}  // namespace

std::int64_t availableMemoryBytes() {
    std::int64_t available = memAvailable().value_or(kUnknown);
    const auto limit = numberFromFile("/sys/fs/cgroup/memory.max");
    const auto used = numberFromFile("/sys/fs/cgroup/memory.current");
    if (limit && used) available = std::min(available, std::max<std::int64_t>(*limit - *used, 0));
    return available;
}

std::int64_t memoryBound(const Estimate& size, bool values) {
    const std::int64_t computed = values ? saturatingAdd(size.outputBytes, size.workspaceBytes) : 0;
    const std::int64_t tensors = saturatingAdd(values ? size.inputBytes : 0, saturatingMul(computed, 3));
    return saturatingAdd(saturatingAdd(tensors, size.programBytes), kFixedBytes);
}

Result<void> checkMemory(const ResolvedDesign& design, const Estimate& size, bool values, std::int64_t limit) {
    const std::int64_t bound = memoryBound(size, values);
    if (bound <= limit) return {};
    std::string message = "does not fit in memory: ";
    if (values)
        message += sizeText(size.inputBytes) + " inputs + 3 x (" + sizeText(size.outputBytes) + " outputs + " +
                   sizeText(size.workspaceBytes) + " workspaces) + ";
    message += sizeText(size.programBytes) + " for " + std::to_string(size.tasks) + " tasks + " +
               sizeText(kFixedBytes) + " = " + sizeText(bound) + ", allowed are " + sizeText(limit);
    const Largest largest = largestTensor(design);
    if (values && !largest.text.empty()) message += "; " + largest.text;
    std::string hint = symbolsText(design.binding);
    hint = hint.empty() ? "make the shapes smaller" : "make a symbol smaller (" + hint + ")";
    return unexpected(ErrorCode::DoesNotFit, std::move(message), largest.where, hint + " or allow more memory");
}

std::string sizeText(std::int64_t bytes) {
    constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return std::to_string(bytes) + " bytes";
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3).ptr;
    return std::string(text.data(), end) + " " + units[unit];
}

}  // namespace cubist
