// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/dtype_tables.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

namespace cubist::rules {

namespace {

using enum DType;

constexpr std::string_view kArch950 = "3510";

using Pair = std::pair<DType, DType>;

constexpr std::array kCasts{
    Pair{FP32, FP16},  Pair{FP32, BF16},  Pair{FP32, INT64},  Pair{FP32, INT32},  Pair{FP32, INT16}, Pair{FP16, FP32},
    Pair{FP16, INT32}, Pair{FP16, INT16}, Pair{FP16, INT8},   Pair{FP16, UINT8},  Pair{FP16, INT4},  Pair{BF16, FP32},
    Pair{BF16, INT32}, Pair{INT32, FP32}, Pair{INT32, INT64}, Pair{INT32, INT16}, Pair{INT32, FP16}, Pair{INT16, FP32},
    Pair{INT16, FP16}, Pair{INT64, FP32}, Pair{INT64, INT32}, Pair{UINT8, FP16},  Pair{INT8, FP16},  Pair{INT4, FP16},
};

constexpr std::array kCasts950{
    Pair{FP32, FP8E4M3}, Pair{FP32, FP8E5M2}, Pair{FP32, HF8},     Pair{FP16, HF8},     Pair{BF16, FP16},
    Pair{FP8E4M3, FP32}, Pair{FP8E5M2, FP32}, Pair{HF8, FP32},     Pair{INT8, INT16},   Pair{INT8, INT32},
    Pair{BF16, FP4E2M1}, Pair{FP4E2M1, BF16}, Pair{BF16, FP4E1M2}, Pair{FP4E1M2, BF16},
};

bool isFp8(DType type) {
    return type == FP8E4M3 || type == FP8E5M2;
}

std::vector<DType> castsFrom(std::string_view arch, DType from) {
    std::vector<DType> to;
    const auto add = [&](const auto& table) {
        for (const auto& [source, target] : table)
            if (source == from) to.push_back(target);
    };
    add(kCasts);
    if (arch == kArch950) add(kCasts950);
    return to;
}

}  // namespace

std::vector<DType> matmulOutputs(std::string_view arch, DType operand, bool scale) {
    const auto with = [scale](std::vector<DType> outputs) {
        if (scale && !outputs.empty()) outputs.push_back(INT8);
        return outputs;
    };
    switch (operand) {
        case FP16: return with({FP16, FP32});
        case BF16: return with({BF16, FP32});
        case FP32: return with({FP32});
        case INT8: return scale ? std::vector{FP16, INT8} : std::vector{INT32};
        case FP8E4M3:
        case FP8E5M2:
        case HF8: return with(arch == kArch950 ? std::vector{FP16, BF16, FP32} : std::vector<DType>{});
        case INT4:  // the cube of A2/A3 multiplies it, the framework's matmul has no such pair
        case FP8E8M0:
        case FP4E2M1:
        case FP4E1M2:
        case INT16:
        case INT32:
        case INT64:
        case UINT8:
        case BOOL: return {};
    }
    return {};
}

std::vector<DType> handWrittenOutputs(const ChipSpec& chip, DType operand, bool scale) {
    if (operand != INT4 || chip.cubeRate(operand) == nullptr) return {};
    return matmulOutputs(chip.arch, INT8, scale);
}

std::vector<DType> biasTypes(std::string_view arch, DType operand) {
    const bool chip950 = arch == kArch950;
    switch (operand) {
        case FP16: return {FP16, FP32};
        case BF16: return chip950 ? std::vector{BF16, FP32} : std::vector{FP32};
        case FP32: return {FP32};
        case INT8:
        case INT4: return {INT32};
        case FP8E4M3:
        case FP8E5M2:
        case HF8:
        case FP4E2M1:
        case FP4E1M2: return chip950 ? std::vector{FP16, BF16, FP32} : std::vector<DType>{};
        case FP8E8M0:
        case INT16:
        case INT32:
        case INT64:
        case UINT8:
        case BOOL: return {};
    }
    return {};
}

bool isMatmulOperand(std::string_view arch, DType type) {
    return !matmulOutputs(arch, type).empty();
}

bool isMatmulPair(DType a, DType b) {
    return a == b || (isFp8(a) && isFp8(b));
}

bool isCastPair(std::string_view arch, DType from, DType to) {
    const std::vector<DType> targets = castsFrom(arch, from);
    return from == to || std::find(targets.begin(), targets.end(), to) != targets.end();
}

std::vector<DType> castPath(std::string_view arch, DType from, DType to) {
    std::map<DType, DType> cameFrom{{from, from}};
    std::deque<DType> open{from};
    while (!open.empty() && !cameFrom.contains(to)) {
        const DType type = open.front();
        open.pop_front();
        for (const DType next : castsFrom(arch, type))
            if (cameFrom.emplace(next, type).second) open.push_back(next);
    }
    if (!cameFrom.contains(to)) return {};
    std::vector<DType> path{to};
    while (path.back() != from) path.push_back(cameFrom.at(path.back()));
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace cubist::rules
