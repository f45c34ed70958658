// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/base/number_formats.h"
#include "core/base/random.h"

using namespace cubist;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<RoundMode> kModes = {RoundMode::None, RoundMode::Rint,  RoundMode::Round, RoundMode::Floor,
                                       RoundMode::Ceil, RoundMode::Trunc, RoundMode::Odd};
const std::vector<Saturation> kSaturations = {Saturation::Off, Saturation::On, Saturation::OnKeepNan};
/// Sign, exponent and mantissa fields of fixed width.
const std::vector<DType> kFixedFormats = {DType::FP16,    DType::BF16,    DType::FP8E4M3,
                                          DType::FP8E5M2, DType::FP4E2M1, DType::FP4E1M2};

struct Layout {
    DType type;
    int exponentBits;
    int mantissaBits;
    int bias;
    bool infinity;
    bool nan;
    std::uint32_t largest;  ///< code of the largest finite value
};

constexpr Layout kLayouts[] = {
    {DType::FP16, 5, 10, 15, true, true, 0x7BFF}, {DType::BF16, 8, 7, 127, true, true, 0x7F7F},
    {DType::FP8E4M3, 4, 3, 7, false, true, 0x7E}, {DType::FP8E5M2, 5, 2, 15, true, true, 0x7B},
    {DType::FP4E2M1, 2, 1, 1, false, false, 0x7}, {DType::FP4E1M2, 1, 2, 1, false, false, 0x7},
};

const Layout& layoutOf(DType type) {
    return *std::find_if(std::begin(kLayouts), std::end(kLayouts),
                         [&](const Layout& layout) { return layout.type == type; });
}

std::uint32_t signBit(DType type) {
    return 1u << (layoutOf(type).exponentBits + layoutOf(type).mantissaBits);
}

/// Value of a code by the definition of the format; the exponent is not bounded, so codes past the largest finite one
/// give what an unbounded format would hold there.
double unboundedValue(DType type, std::uint32_t magnitude) {
    const Layout layout = layoutOf(type);
    const std::uint32_t field = magnitude >> layout.mantissaBits;
    const double fraction = (magnitude & ((1u << layout.mantissaBits) - 1)) * std::ldexp(1.0, -layout.mantissaBits);
    return field == 0 ? std::ldexp(fraction, 1 - layout.bias)
                      : std::ldexp(1.0 + fraction, static_cast<int>(field) - layout.bias);
}

std::uint32_t largestCode(DType type) {
    return layoutOf(type).largest;
}

std::uint32_t infinityCode(DType type) {
    return type == DType::FP8E4M3 ? 0x7Fu : layoutOf(type).infinity ? largestCode(type) + 1 : largestCode(type);
}

bool isNanCode(DType type, std::uint32_t code) {
    const std::uint32_t magnitude = code & (signBit(type) - 1);
    return layoutOf(type).nan && (type == DType::FP8E4M3 ? magnitude == 0x7F : magnitude > largestCode(type) + 1);
}

/// The code of x, which lies between the values of `lower` and `lower + 1` (magnitudes).
std::uint32_t roundBetween(DType type, std::uint32_t lower, double x, RoundMode mode, Saturation saturation) {
    const double magnitude = std::fabs(x);
    const double below = unboundedValue(type, lower), above = unboundedValue(type, lower + 1);
    const bool negative = x < 0;
    const double toBelow = magnitude - below, toAbove = above - magnitude;  // exact: few bits, close together
    bool up = false;
    switch (mode) {
        case RoundMode::None:
        case RoundMode::Rint: up = toAbove < toBelow || (toAbove == toBelow && (lower & 1) != 0); break;
        case RoundMode::Round: up = toAbove <= toBelow; break;
        case RoundMode::Floor: up = negative && toBelow > 0; break;
        case RoundMode::Ceil: up = !negative && toBelow > 0; break;
        case RoundMode::Trunc: break;
        case RoundMode::Odd: up = toBelow > 0 && (lower & 1) == 0; break;
    }
    if (toAbove == 0) up = true;
    std::uint32_t code = lower + (up ? 1 : 0);
    if (code > largestCode(type)) {
        // Past the end; modes towards zero never round up to it from below, and stop there from above.
        const bool towardsZero = mode == RoundMode::Trunc || mode == RoundMode::Odd ||
                                 (mode == RoundMode::Floor && !negative) || (mode == RoundMode::Ceil && negative);
        code = saturation != Saturation::Off || towardsZero ? largestCode(type) : infinityCode(type);
    }
    return code | (negative ? signBit(type) : 0);
}

std::uint32_t rowEncode(DType type, double value, bool asFloat, RoundMode mode, Saturation saturation) {
    std::uint32_t code = 0;
    if (asFloat) {
        const auto single = static_cast<float>(value);
        encodeRow(type, std::span<const float>(&single, 1), &code, mode, saturation);
    } else {
        encodeRow(type, std::span<const double>(&value, 1), &code, mode, saturation);
    }
    return code;
}

/// HF8 by its bits as text: sign, prefix, sign and magnitude of the exponent, mantissa.
double hf8Value(std::uint32_t code) {
    const std::string bits = std::bitset<8>(code).to_string();
    if (bits == "10000000") return kNan;
    const double sign = bits[0] == '1' ? -1.0 : 1.0;
    if (bits.substr(1) == "1101111") return sign * kInf;
    const std::vector<std::pair<std::string, std::size_t>> prefixes = {
        {"11", 4}, {"10", 3}, {"01", 2}, {"001", 1}, {"0001", 0}};
    for (const auto& [prefix, width] : prefixes) {
        if (bits.substr(1, prefix.size()) != prefix) continue;
        const std::string exponentField = bits.substr(1 + prefix.size(), width);
        const std::string mantissaField = bits.substr(1 + prefix.size() + width);
        int exponent = 0;
        if (width > 0) {
            exponent = static_cast<int>(std::bitset<4>("1" + exponentField.substr(1)).to_ulong());
            if (exponentField[0] == '1') exponent = -exponent;
        }
        const double mantissa = static_cast<double>(std::bitset<3>(mantissaField).to_ulong());
        return sign * std::ldexp(1.0 + std::ldexp(mantissa, -static_cast<int>(mantissaField.size())), exponent);
    }
    const auto mantissa = static_cast<int>(code & 7u);
    return mantissa == 0 ? 0.0 : sign * std::ldexp(1.0, mantissa - 23);
}

}  // namespace

class TestNumberFormats : public QObject {
    Q_OBJECT

private:
    static void addFormats(const std::vector<DType>& types) {
        QTest::addColumn<int>("type");
        for (const DType type : types) QTest::addRow("%s", toText(type).data()) << static_cast<int>(type);
    }

private slots:
    void everyCodeDecodesByItsDefinition_data() { addFormats(kFixedFormats); }
    void everyCodeDecodesByItsDefinition() {
        QFETCH(int, type);
        const auto format = static_cast<DType>(type);
        for (std::uint32_t code = 0; code < 2 * signBit(format); ++code) {
            const std::uint32_t magnitude = code & (signBit(format) - 1);
            const float value = decode(format, code);
            if (isNanCode(format, code)) {
                QCOMPARE(std::bit_cast<std::uint32_t>(value), 0x7FC00000u);
                continue;
            }
            double want = layoutOf(format).infinity && magnitude == infinityCode(format)
                              ? kInf
                              : unboundedValue(format, magnitude);
            if (code != magnitude) want = -want;
            QCOMPARE(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(static_cast<float>(want)));
        }
    }

    void everyCodeComesBackInEveryMode_data() { addFormats(kFixedFormats); }
    void everyCodeComesBackInEveryMode() {
        QFETCH(int, type);
        const auto format = static_cast<DType>(type);
        for (std::uint32_t code = 0; code < 2 * signBit(format); ++code) {
            if (isNanCode(format, code) || std::isinf(decode(format, code))) continue;
            for (const RoundMode mode : kModes)
                for (const Saturation saturation : kSaturations) {
                    QCOMPARE(encode(format, static_cast<double>(decode(format, code)), mode, saturation), code);
                    QCOMPARE(rowEncode(format, static_cast<double>(decode(format, code)), true, mode, saturation),
                             code);
                }
        }
    }

    void everyGapRoundsAsTheModeSays_data() { addFormats(kFixedFormats); }
    void everyGapRoundsAsTheModeSays() {
        QFETCH(int, type);
        const auto format = static_cast<DType>(type);
        for (std::uint32_t lower = 0; lower <= largestCode(format); ++lower) {
            const double below = unboundedValue(format, lower), above = unboundedValue(format, lower + 1);
            const double middle = below + (above - below) / 2;
            const auto middleFloat = static_cast<float>(middle);
            std::vector<double> points = {middle,
                                          std::nextafter(middle, 0.0),
                                          std::nextafter(middle, kInf),
                                          std::nextafter(below, kInf),
                                          std::nextafter(above, 0.0),
                                          below + (above - below) * 0.25};
            // BF16's gaps may be too fine for a float neighbour only below 2^-126, where FP32 has 16 more bits.
            points.push_back(static_cast<double>(std::nextafter(middleFloat, 0.0f)));
            points.push_back(static_cast<double>(std::nextafter(middleFloat, 2 * middleFloat)));
            for (const double magnitude : points) {
                if (!(magnitude > below && magnitude < above)) continue;
                const bool single = static_cast<double>(static_cast<float>(magnitude)) == magnitude;
                for (const double x : {magnitude, -magnitude})
                    for (const RoundMode mode : kModes)
                        for (const Saturation saturation : {Saturation::Off, Saturation::On}) {
                            const std::uint32_t want = roundBetween(format, lower, x, mode, saturation);
                            if (encode(format, x, mode, saturation) != want ||
                                rowEncode(format, x, false, mode, saturation) != want ||
                                (single && rowEncode(format, x, true, mode, saturation) != want))
                                QFAIL(qPrintable(
                                    QString("%1 in mode %2").arg(x, 0, 'g', 17).arg(static_cast<int>(mode))));
                        }
            }
        }
    }

    void specialValuesOfEveryFormat_data() { addFormats(kFixedFormats); }
    void specialValuesOfEveryFormat() {
        QFETCH(int, type);
        const auto format = static_cast<DType>(type);
        const std::uint32_t sign = signBit(format), largest = largestCode(format);
        for (const RoundMode mode : kModes) {
            QCOMPARE(encode(format, 0.0, mode), 0u);
            QCOMPARE(encode(format, -0.0, mode), sign);
            QCOMPARE(encode(format, kInf, mode), infinityCode(format));
            QCOMPARE(encode(format, -kInf, mode), sign | infinityCode(format));
            QCOMPARE(encode(format, kInf, mode, Saturation::On), largest);
            QCOMPARE(encode(format, -kInf, mode, Saturation::OnKeepNan), sign | largest);
            QCOMPARE(encode(format, kNan, mode, Saturation::On), 0u);
            for (const bool asFloat : {false, true}) {
                QCOMPARE(rowEncode(format, kNan, asFloat, mode, Saturation::On), 0u);
                QCOMPARE(rowEncode(format, -kInf, asFloat, mode, Saturation::On), sign | largest);
                QCOMPARE(rowEncode(format, -kInf, asFloat, mode, Saturation::Off), sign | infinityCode(format));
                QCOMPARE(rowEncode(format, -0.0, asFloat, mode, Saturation::Off), sign);
            }
            const std::uint32_t nan = encode(format, -kNan, mode);
            QCOMPARE(nan, encode(format, kNan, mode, Saturation::OnKeepNan));
            QCOMPARE(nan, rowEncode(format, -kNan, true, mode, Saturation::Off));
            QCOMPARE(std::isnan(decode(format, nan)), layoutOf(format).nan);
            QVERIFY(nan < sign);
            QCOMPARE(encode(format, 1e300, RoundMode::Rint), infinityCode(format));
            QCOMPARE(encode(format, -1e300, RoundMode::Trunc), sign | largest);
            QCOMPARE(encode(format, 1e-300, RoundMode::Rint), 0u);
            QCOMPARE(encode(format, 1e-300, RoundMode::Ceil), 1u);
            QCOMPARE(encode(format, -1e-300, RoundMode::Odd), sign | 1u);
        }
        QVERIFY(largestValue(format) == unboundedValue(format, largest));
    }

    void fp8OverflowIsDecidedAfterRounding() {
        QCOMPARE(encode(DType::FP8E4M3, 464.0), 0x7Eu);
        QCOMPARE(encode(DType::FP8E4M3, std::nextafter(464.0, 1000.0)), 0x7Fu);
        QCOMPARE(encode(DType::FP8E4M3, 465.0, RoundMode::Rint, Saturation::On), 0x7Eu);
        QCOMPARE(encode(DType::FP8E4M3, -465.0, RoundMode::Rint, Saturation::On), 0xFEu);
        QCOMPARE(encode(DType::FP8E4M3, 464.0, RoundMode::Round), 0x7Fu);
        QCOMPARE(encode(DType::FP8E4M3, 449.0, RoundMode::Ceil), 0x7Fu);
        QCOMPARE(encode(DType::FP8E4M3, 1000.0, RoundMode::Floor), 0x7Eu);
        QCOMPARE(encode(DType::FP8E4M3, -1000.0, RoundMode::Floor), 0xFFu);
        QCOMPARE(encode(DType::FP8E5M2, 61440.0), 0x7Cu);
        QCOMPARE(encode(DType::FP8E5M2, std::nextafter(61440.0, 0.0)), 0x7Bu);
        QCOMPARE(encode(DType::FP16, 65520.0), 0x7C00u);
        QCOMPARE(encode(DType::FP16, std::nextafter(65520.0, 0.0)), 0x7BFFu);
    }

    void doublesAreRoundedOnceNotTwice() {
        // Half-way in BF16 plus less than FP32 can hold: rounding to FP32 first would make a tie of it.
        const double x = 1.0 + 0x1p-8 + 0x1p-40;
        QCOMPARE(encode(DType::BF16, x), 0x3F81u);
        QCOMPARE(rowEncode(DType::BF16, x, false, RoundMode::Rint, Saturation::Off), 0x3F81u);
        QCOMPARE(rowEncode(DType::BF16, -x, false, RoundMode::Rint, Saturation::Off), 0xBF81u);
        QCOMPARE(rowEncode(DType::FP8E4M3, 1.0 + 0x1p-4 - 0x1p-45, false, RoundMode::Rint, Saturation::Off), 0x38u);
        const std::int64_t big = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
        QCOMPARE(encodeInteger(DType::BF16, big), encode(DType::BF16, 0x1p62) + 1);
        QCOMPARE(encodeInteger(DType::FP32, (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1),
                 std::bit_cast<std::uint32_t>(0x1p60f) + 1);
    }

    void fp32RoundsDoublesInEveryMode() {
        QCOMPARE(encode(DType::FP32, 1.0 + 0x1p-24), std::bit_cast<std::uint32_t>(1.0f));
        QCOMPARE(encode(DType::FP32, 1.0 + 0x1p-24, RoundMode::Round), std::bit_cast<std::uint32_t>(1.0f) + 1);
        QCOMPARE(encode(DType::FP32, 1.0 + 0x1p-50, RoundMode::Ceil), std::bit_cast<std::uint32_t>(1.0f) + 1);
        QCOMPARE(encode(DType::FP32, -1.0 - 0x1p-50, RoundMode::Ceil), std::bit_cast<std::uint32_t>(-1.0f));
        QCOMPARE(encode(DType::FP32, 1e39), 0x7F800000u);
        QCOMPARE(encode(DType::FP32, 1e39, RoundMode::Rint, Saturation::On), 0x7F800000u);
        QCOMPARE(encode(DType::FP32, -kNan), 0x7FC00000u);
        QCOMPARE(encode(DType::FP32, 0x1p-149 * 0.75), 1u);
        for (std::uint64_t i = 0; i < 20000; ++i) {
            const auto words = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {1, 2});
            const double x = std::bit_cast<double>((std::uint64_t{words[0]} << 32 | words[1]) & 0xFFFFFFFFFFFFFFFFull);
            if (std::isnan(x)) continue;
            QCOMPARE(encode(DType::FP32, x), std::bit_cast<std::uint32_t>(static_cast<float>(x)));
        }
    }

    void theExponentFormatHoldsPowersOfTwo() {
        for (std::uint32_t code = 0; code < 255; ++code) {
            const float value = decode(DType::FP8E8M0, code);
            QVERIFY(static_cast<double>(value) == std::ldexp(1.0, static_cast<int>(code) - 127));
            QCOMPARE(encode(DType::FP8E8M0, static_cast<double>(value)), code);
            QCOMPARE(encode(DType::FP8E8M0, static_cast<double>(value) * 1.9), code);
        }
        QVERIFY(std::isnan(decode(DType::FP8E8M0, 255)));
        QCOMPARE(encode(DType::FP8E8M0, kNan), 255u);
        QCOMPARE(encode(DType::FP8E8M0, kInf), 254u);
        QCOMPARE(encode(DType::FP8E8M0, 1e300), 254u);
        QCOMPARE(encode(DType::FP8E8M0, 0.0), 0u);
        QCOMPARE(encode(DType::FP8E8M0, 1e-300), 0u);
        QCOMPARE(encode(DType::FP8E8M0, 1.5, RoundMode::Ceil), 128u);
        QCOMPARE(encode(DType::FP8E8M0, 1.5, RoundMode::Round), 128u);
        QCOMPARE(encode(DType::FP8E8M0, 1.4999, RoundMode::Rint), 127u);
    }

    void hf8FollowsItsPrefixCode() {
        std::vector<std::pair<double, std::uint32_t>> finite;
        for (std::uint32_t code = 0; code < 256; ++code) {
            const double want = hf8Value(code);
            const auto value = static_cast<double>(decode(DType::HF8, code));
            QCOMPARE(std::isnan(value), std::isnan(want));
            if (std::isnan(want)) continue;
            QVERIFY(value == want);
            QCOMPARE(encode(DType::HF8, want), code);
            if (code < 128 && std::isfinite(want)) finite.emplace_back(want, code);
        }
        QCOMPARE(finite.size(), std::size_t{127});
        std::sort(finite.begin(), finite.end());
        QVERIFY(finite.back().first == 32768.0);
        for (std::size_t i = 0; i + 1 < finite.size(); ++i) {
            // Half away from zero, also where the step changes.
            const double middle = (finite[i].first + finite[i + 1].first) / 2;
            QCOMPARE(encode(DType::HF8, middle), finite[i + 1].second);
            QCOMPARE(encode(DType::HF8, std::nextafter(middle, 0.0)), finite[i].second);
            QCOMPARE(encode(DType::HF8, -middle), finite[i + 1].second | 0x80u);
        }
        QCOMPARE(encode(DType::HF8, std::nextafter(40960.0, 0.0)), finite.back().second);
        QCOMPARE(encode(DType::HF8, 40960.0), 0x6Fu);
        QCOMPARE(encode(DType::HF8, 1e9, RoundMode::Round, Saturation::On), finite.back().second);
        QCOMPARE(encode(DType::HF8, -kInf), 0xEFu);
        QCOMPARE(encode(DType::HF8, kNan), 0x80u);
        QCOMPARE(encode(DType::HF8, -0.0), 0u);
        QCOMPARE(encode(DType::HF8, -1e-30), 0u);
    }

    void floatsBecomeIntegersAsPyPtoSays_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("saturate");
        QTest::addColumn<qlonglong>("want");
        const auto row = [](const char* name, double value, DType type, RoundMode mode, bool saturate,
                            std::int64_t want) {
            QTest::newRow(name) << value << static_cast<int>(type) << static_cast<int>(mode) << saturate
                                << qlonglong{want};
        };
        row("truncates by default", 2.9, DType::INT32, RoundMode::None, false, 2);
        row("truncates towards zero", -2.9, DType::INT32, RoundMode::None, false, -2);
        row("even down", 2.5, DType::INT32, RoundMode::Rint, false, 2);
        row("even up", 3.5, DType::INT32, RoundMode::Rint, false, 4);
        row("half away", 2.5, DType::INT32, RoundMode::Round, false, 3);
        row("half away below", -2.5, DType::INT32, RoundMode::Round, false, -3);
        row("just below half", 0.49999999999999994, DType::INT32, RoundMode::Round, false, 0);
        row("floor", -0.1, DType::INT32, RoundMode::Floor, false, -1);
        row("ceiling", 0.1, DType::INT32, RoundMode::Ceil, false, 1);
        row("wraps", 300.0, DType::INT8, RoundMode::None, false, 44);
        row("wraps below", -129.0, DType::INT8, RoundMode::None, false, 127);
        row("clamps", 300.0, DType::INT8, RoundMode::None, true, 127);
        row("clamps below", -300.0, DType::INT8, RoundMode::None, true, -128);
        row("unsigned wraps", -1.0, DType::UINT8, RoundMode::None, false, 255);
        row("unsigned clamps", -1.0, DType::UINT8, RoundMode::None, true, 0);
        row("four bits wrap", 9.0, DType::INT4, RoundMode::None, false, -7);
        row("four bits clamp", 9.0, DType::INT4, RoundMode::None, true, 7);
        row("INT16 wraps", 40000.0, DType::INT16, RoundMode::None, false, 40000 - 65536);
        row("INT32 keeps low bits", 0x1p32 + 5.0, DType::INT32, RoundMode::None, false, 5);
        row("INT32 keeps low bits of the huge", 0x1.000002p60, DType::INT32, RoundMode::None, false, 0);
        row("beyond 64 bits", 0x1p100, DType::INT64, RoundMode::None, false, 0);
        row("beyond 64 bits clamps", -0x1p100, DType::INT64, RoundMode::None, true,
            std::numeric_limits<std::int64_t>::min());
        row("2^63 wraps", 0x1p63, DType::INT64, RoundMode::None, false, std::numeric_limits<std::int64_t>::min());
        row("2^63 clamps", 0x1p63, DType::INT64, RoundMode::None, true, std::numeric_limits<std::int64_t>::max());
        row("-2^63 fits", -0x1p63, DType::INT64, RoundMode::Rint, true, std::numeric_limits<std::int64_t>::min());
        row("infinity", kInf, DType::INT16, RoundMode::None, false, 32767);
        row("minus infinity", -kInf, DType::INT16, RoundMode::None, false, -32768);
        row("NaN", kNan, DType::INT16, RoundMode::None, false, 0);
        row("true", 0.25, DType::BOOL, RoundMode::None, false, 1);
        row("false", -0.0, DType::BOOL, RoundMode::None, false, 0);
    }
    void floatsBecomeIntegersAsPyPtoSays() {
        QFETCH(double, value);
        QFETCH(int, type);
        QFETCH(int, mode);
        QFETCH(bool, saturate);
        QFETCH(qlonglong, want);
        QCOMPARE(qlonglong{toInteger(static_cast<DType>(type), value, static_cast<RoundMode>(mode),
                                     saturate ? Saturation::On : Saturation::Off)},
                 want);
    }

    void integersBecomeNarrowerOnes() {
        QCOMPARE(narrowInteger(DType::INT8, 200), std::int64_t{-56});
        QCOMPARE(narrowInteger(DType::INT8, 200, Saturation::On), std::int64_t{127});
        QCOMPARE(narrowInteger(DType::INT16, -40000), std::int64_t{25536});
        QCOMPARE(narrowInteger(DType::INT16, -40000, Saturation::On), std::int64_t{-32768});
        QCOMPARE(narrowInteger(DType::INT4, 8), std::int64_t{-8});
        QCOMPARE(narrowInteger(DType::UINT8, -1), std::int64_t{255});
        QCOMPARE(narrowInteger(DType::BOOL, 256), std::int64_t{1});
    }

    void rowsConvertLikeElements_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        for (const auto& [from, fromName] : EnumTable<DType>::entries)
            for (const auto& [to, toName] : EnumTable<DType>::entries)
                QTest::addRow("%s to %s", fromName.data(), toName.data())
                    << static_cast<int>(from) << static_cast<int>(to);
    }
    void rowsConvertLikeElements() {
        QFETCH(int, from);
        QFETCH(int, to);
        const auto source = static_cast<DType>(from), target = static_cast<DType>(to);
        constexpr std::size_t kCount = 600;
        std::vector<std::uint64_t> storage(kCount), result(kCount, 0);
        auto* codes = reinterpret_cast<std::byte*>(storage.data());
        const auto bytes = static_cast<std::size_t>(hostBytesPerElement(source));
        std::vector<std::int64_t> integers(kCount);
        std::vector<double> floats(kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            const auto words = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {7, 7});
            if (isFloat(source)) {
                const std::uint32_t code =
                    words[0] & static_cast<std::uint32_t>((std::uint64_t{1} << bitsPerElement(source)) - 1);
                std::memcpy(codes + i * bytes, &code, bytes);
                floats[i] = static_cast<double>(decode(source, code));
            } else {
                integers[i] = narrowInteger(
                    source, static_cast<std::int64_t>(std::uint64_t{words[0]} << 32 | words[1]) >> (i % 64));
                std::memcpy(codes + i * bytes, &integers[i], bytes);
            }
        }
        for (const RoundMode mode : {RoundMode::None, RoundMode::Floor, RoundMode::Round})
            for (const Saturation saturation : kSaturations) {
                convertRow(source, codes, target, result.data(), kCount, mode, saturation);
                const auto targetBytes = static_cast<std::size_t>(hostBytesPerElement(target));
                for (std::size_t i = 0; i < kCount; ++i) {
                    std::uint64_t got = 0, want = 0;
                    std::memcpy(&got, reinterpret_cast<const std::byte*>(result.data()) + i * targetBytes, targetBytes);
                    if (source == target)
                        std::memcpy(&want, codes + i * bytes, bytes);
                    else if (isFloat(target))
                        want = isFloat(source) ? encode(target, floats[i], mode, saturation)
                                               : encodeInteger(target, integers[i], mode, saturation);
                    else
                        want = static_cast<std::uint64_t>(isFloat(source)
                                                              ? toInteger(target, floats[i], mode, saturation)
                                                              : narrowInteger(target, integers[i], saturation));
                    if (targetBytes < 8) want &= (std::uint64_t{1} << (8 * targetBytes)) - 1;
                    QCOMPARE(got, want);
                }
            }
    }

    void rowsDecodeLikeElements() {
        for (const DType type : {DType::FP16, DType::BF16}) {
            std::vector<std::uint16_t> codes(65536);
            for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
            std::vector<float> single(codes.size());
            std::vector<double> twice(codes.size());
            decodeRow(type, codes.data(), single);
            decodeRow(type, codes.data(), twice);
            for (std::size_t i = 0; i < codes.size(); ++i) {
                QCOMPARE(std::bit_cast<std::uint32_t>(single[i]), std::bit_cast<std::uint32_t>(decode(type, codes[i])));
                QVERIFY(twice[i] == static_cast<double>(single[i]) || (std::isnan(twice[i]) && std::isnan(single[i])));
            }
        }
    }

    void hf32KeepsTheBitsAsked() {
        QVERIFY(roundHf32(1.0f + 0x1p-11f, 11) == 1.0f + 0x1p-11f);
        QVERIFY(roundHf32(1.0f + 0x1p-12f, 11) == 1.0f);
        QVERIFY(roundHf32(1.0f + 0x1p-12f, 11, true) == 1.0f + 0x1p-11f);
        QVERIFY(roundHf32(1.0f + 0x3p-12f, 11) == 1.0f + 0x2p-11f);
        QVERIFY(roundHf32(-1.0f - 0x1p-11f, 10, true) == -1.0f - 0x1p-10f);
        QVERIFY(roundHf32(std::numeric_limits<float>::max(), 10) == std::numeric_limits<float>::infinity());
        QVERIFY(std::isnan(roundHf32(std::numeric_limits<float>::quiet_NaN(), 10)));
        QVERIFY(roundHf32(-std::numeric_limits<float>::infinity(), 10) == -std::numeric_limits<float>::infinity());
    }
};

QTEST_APPLESS_MAIN(TestNumberFormats)
#include "tst_number_formats.moc"
