// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/dtype.h"
#include "core/design/design.h"

/// The accuracy criteria that people around PyPTO judge kernels by. Source: F-34, F-36 .. F-39.
namespace cubist {

enum class Verdict : std::uint8_t { Pass, Fail, None };

template <>
struct EnumTable<Verdict> {
    static constexpr std::string_view name = "verdict";
    static constexpr std::array entries{std::pair{Verdict::Pass, std::string_view{"pass"}},
                                        std::pair{Verdict::Fail, std::string_view{"fail"}},
                                        std::pair{Verdict::None, std::string_view{"none"}}};
};

/// What one element adds to a verdict. For the ratio metrics normal elements and small ones are kept apart.
struct CriterionCounts {
    std::int64_t outside = 0;  ///< beyond the tolerance; two_threshold: beyond the warning threshold
    std::int64_t failing = 0;  ///< two_threshold: beyond the failure threshold
    std::int64_t nonZero = 0;  ///< elements where output or golden is not 0
    std::int64_t normal = 0;   ///< three_way: elements with |golden| at or above the type's threshold
    /// Relative errors of the normal elements and the number of small elements that are off, for the output [0] and
    /// the benchmark [1].
    struct Ratios {
        double largest = 0, sum = 0, squares = 0;
        double errorSquares = 0;  ///< of the errors themselves
        std::int64_t smallErrors = 0;
        std::int64_t notFinite = 0;  ///< NaN or infinity against another golden
    };
    std::array<Ratios, 2> ratios{};
    std::int64_t integersOff = 0;  ///< three_way: integers further off than their type may be
    /// three_way: what the benchmark is off by, and by how much more than its share of the golden explains.
    double benchmarkError = 0, benchmarkExcess = 0;
    double goldenSquares = 0;       ///< three_way: of the finite goldens
    std::int64_t goldenFinite = 0;  ///< three_way: how many those are

    void add(const CriterionCounts& other);
};

/// Ratios of the output's errors to those of a benchmark of the same precision. Source: F-38.
struct ThreeWayResult {
    double mare = 0, mere = 0;  ///< of the largest and the mean relative error
    double rmse = 0;            ///< of the root mean square error, absolute or relative, whichever is worse
    double smallErrors = 0;     ///< of the number of small elements that are off
};

/// What any order of a sum may give, see `orderLimits`. Source: F-39.
struct OrderLimits {
    double bound = 0;                   ///< largest error of a finite result
    bool above = false, below = false;  ///< may be +infinity, -infinity
    bool notANumber = false;            ///< may be NaN although the golden is not
};

/// Where a type ends: numbers beyond become infinity, or NaN in FP8E4M3, which has no infinity.
struct TypeEnd {
    double size = 0;     ///< the smallest magnitude that is infinite; FP8E4M3: the largest that is not NaN
    bool isNan = false;  ///< FP8E4M3
    [[nodiscard]] bool beyond(double magnitude) const { return isNan ? magnitude > size : magnitude >= size; }
};
/// Half a step beyond the largest value. Types that have neither (integers, FP4, FP8E8M0) end nowhere.
[[nodiscard]] TypeEnd typeEnd(DType type);

struct CriterionVerdict {
    Verdict verdict = Verdict::None;
    std::int64_t allowed = 0;  ///< elements that may be outside
    std::optional<ThreeWayResult> threeWay;
    std::string reason;  ///< why it failed, in one sentence; empty when it passed
};

/// Limits that the output's type gave, because the design states none.
struct LimitsByType {
    bool rtol = false, atol = false;
    bool operator==(const LimitsByType&) const = default;
};

/// allclose:        |a - g| <= atol + rtol * |g| for every element (the golden is the reference)
/// allclose_actual: the same with the output as reference
/// two_threshold:   warn = (|a| + |g|) * rtol / 2 + atol, fail = 128 * warn; none beyond fail, and no more beyond warn
///                  than min(max(16, floor(sqrt(n)) / 2), n * min(rtol, atol)), n elements not both 0
/// error_ratio:     no NaN or infinity in the output; allclose but for round(maxErrorRatio * elements), halves to even
/// three_way:       relative errors at most 10, 5 or 2 (largest), 2, 1.5 or 1.2 (mean, rms) times those of a benchmark
///                  of the same precision at level L0, L1 or L2; at most twice as many small elements off; a
///                  benchmark that does not agree with the golden itself makes no ratio and no pass. Integers of more
///                  than 8 bits and BOOL are exact and have no ratios; narrower ones may besides be off by at most 1
/// exact:           every element is the golden rounded to the type
/// Under each of them infinity is right where the golden is beyond the type, and so is NaN of FP8E4M3, which has no
/// infinity; error_ratio takes none all the same.
/// order_bound:     |a - g| <= what any order of the sum may give; infinities and NaN as `OrderLimits` says, see F-39
class ElementJudge {
public:
    ElementJudge(const Tolerance& tolerance, DType type);

    /// The tolerance with rtol and atol in any case: the type's own where the design states none. Source: F-36
    [[nodiscard]] const Tolerance& limits() const { return m_limits; }
    [[nodiscard]] double rtol() const { return m_rtol; }
    [[nodiscard]] double atol() const { return m_atol; }
    /// Which of the two follow from the type.
    [[nodiscard]] LimitsByType byType() const { return m_byType; }

    /// Counts an element. `error` is |actual - golden|, 0 for equal infinities and NaNs; `ulps` its distance in steps
    /// of the type. `benchmark` is what three_way compares with, `order` what order_bound allows; both are unused
    /// otherwise. Returns whether the element is outside.
    bool count(double actual, double golden, double error, double ulps, double benchmark, const OrderLimits& order,
               CriterionCounts& counts) const;

    /// May some order of the sum give `actual`? A golden that is NaN itself takes NaN only. Source: F-39
    [[nodiscard]] static bool withinBound(double actual, double error, const OrderLimits& order);

    [[nodiscard]] CriterionVerdict decide(const CriterionCounts& counts, std::int64_t elements,
                                          std::int64_t notFinite) const;

private:
    /// Limits of the type's own never fail the golden rounded to the type: 8-bit and integer outputs hold nothing
    /// nearer.
    [[nodiscard]] bool asGoodAsTheType(double ulps) const { return m_byType.rtol && m_byType.atol && ulps == 0; }
    bool countThreeWay(double actual, double golden, double error, double benchmark, CriterionCounts& counts) const;
    /// Is the value the infinity (FP8E4M3: the NaN) that a golden has in the type?
    [[nodiscard]] bool overflows(double value, double golden) const;
    Tolerance m_limits;
    LimitsByType m_byType;
    double m_rtol = 0, m_atol = 0;
    double m_normalFrom = 0, m_smallLimit = 0;
    TypeEnd m_end;
    /// three_way: how far integers may be off, and whether ratios are taken of them. Nothing for floats.
    std::optional<double> m_integerLimit;
    bool m_ratios = true;
    double m_agreementShare = 0, m_agreementFloor = 0;  ///< of a benchmark with its golden
};

/// rtol and atol by type. Source: F-36.
struct TypeTolerance {
    double rtol = 0, atol = 0;
};
[[nodiscard]] TypeTolerance typeTolerance(DType type);

}  // namespace cubist
