// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/skeleton/skeleton_index.h"

namespace cubist {

/// What decides which skeleton an operator belongs to, asked before there is a design.
enum class SkeletonQuestion : std::uint8_t {
    HasMatmul,
    GateAndExperts,   ///< SK-07; without a matmul SK-12
    RunningSoftmax,   ///< SK-01
    WholeSoftmax,     ///< SK-02
    NormBetween,      ///< SK-04
    NormAndLinear,    ///< SK-03
    OnlySwiglu,       ///< SK-06
    HeavyVector,      ///< SK-15
    CarriedState,     ///< SK-10; asked without a matmul
    SeveralAxes,      ///< SK-09; asked without a matmul
    ElementWiseOnly,  ///< SK-08; asked without a matmul
};
inline constexpr std::size_t kSkeletonQuestions = 11;

struct SkeletonAnswers {
    std::array<bool, kSkeletonQuestions> yes{true};  ///< as an operator of SK-14 has them

    [[nodiscard]] bool operator[](SkeletonQuestion question) const { return yes[static_cast<std::size_t>(question)]; }
    void set(SkeletonQuestion question, bool answer) { yes[static_cast<std::size_t>(question)] = answer; }
};

/// A statement to agree with: "It has at least one matmul".
[[nodiscard]] BilingualText statementOf(SkeletonQuestion question);
/// Whether the answer matters, given the others: some are for operators without a matmul only, the rest for those with.
[[nodiscard]] bool isAsked(SkeletonQuestion question, const SkeletonAnswers& answers);

struct SkeletonAdvice {
    std::string skeleton;  ///< "SK-14", or the one that fits better
    BilingualText reason;  ///< the answer that decided
};

/// The same order as `evaluateChecklist`: the most special skeleton first.
/// Source: hicann/pypto-gym, skeleton index and card SK-14.
[[nodiscard]] SkeletonAdvice adviceFor(const SkeletonAnswers& answers);

}  // namespace cubist
