// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/chip_json.h"

#include <cstdint>
#include <utility>

#include "core/chip/formulas.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/field_writer.h"
#include "core/exchange/files.h"
#include "core/exchange/json_text.h"
#include "core/exchange/migrate.h"

namespace cubist {
namespace {

constexpr const char* kVersionKey = "cubist_chip";
constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

/// What a constant may be. Source: readChip's Range.
struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t denominator = 1;  ///< the value is a multiple of 1 / denominator
    bool lowIncluded = true;
};

/// The operation of a rate: "add" of "add:number".
std::string_view withoutNumber(std::string_view op) {
    if (op.ends_with(kNumberForm)) op.remove_suffix(kNumberForm.size());
    return op;
}

Range rangeOf(std::string_view key) {
    const auto endsWith = [&](std::string_view end) { return key.ends_with(end); };
    if (endsWith("_count")) return {1, 4096};
    if (endsWith("_mhz")) return {1, 100'000};
    if (endsWith("_bytes")) return {1, std::int64_t{1} << 50};
    if (endsWith("_per_second")) return {1, 10'000'000'000'000'000};
    const bool mayBeZero = endsWith("overhead") || key == "l0c_to_ub_bytes_per_cycle" || key == "aicpu_start" ||
                           key == "scalar_issue" || key.starts_with("ub_bank_");
    return {0, 10'000, 1000, mayBeZero};
}

/// A visitor that looks at the constants only.
class RangeChecker {
public:
    RangeChecker(ReadState& state, const JsonValue& file) : m_state(state), m_file(file) {}

    void required(std::string_view key, const Constant& constant) {
        const Range range = rangeOf(key);
        const Rational& value = constant.value;
        const bool inside = value <= Rational(range.high) && value >= Rational(range.low) &&
                            (range.lowIncluded || value > Rational(range.low));
        if (inside && range.denominator % value.denominator() == 0) return;
        const PathStep step(m_state, key);
        const PathStep valueStep(m_state, "value");
        m_state.fail(ErrorCode::BadValue,
                     value.toText() + " is out of range: " + (range.denominator == 1 ? "an integer " : "") +
                         (range.lowIncluded ? "from " : "above ") + std::to_string(range.low) + " up to " +
                         std::to_string(range.high) + (range.denominator == 1 ? "" : " with at most 3 decimals"));
    }
    void required(std::string_view key, const std::vector<CubeRate>& rates) {
        const PathStep step(m_state, key);
        if (rates.empty()) m_state.fail(ErrorCode::BadValue, "a chip needs at least one cube type");
        for (std::size_t i = 0; i < rates.size(); ++i) {
            const PathStep rateStep(m_state, i);
            required("repeat", rates[i].repeat);
            constexpr std::int64_t kMaxFractal = 4096;
            if (rates[i].k0 < 1 || rates[i].k0 > kMaxFractal)
                m_state.fail(ErrorCode::BadValue, "k0 is " + std::to_string(rates[i].k0) + "; it must be 1 to 4096");
            for (std::size_t j = 0; j < i; ++j)
                if (rates[j].dtype == rates[i].dtype)
                    m_state.fail(ErrorCode::BadValue,
                                 "the type " + std::string(toText(rates[i].dtype)) + " is listed twice");
        }
    }
    void optional(std::string_view key, const std::vector<VectorRate>& rates) {
        const PathStep step(m_state, key);
        for (std::size_t i = 0; i < rates.size(); ++i) {
            const PathStep rateStep(m_state, i);
            for (const std::string& op : rates[i].ops)
                if (!fromText<VectorOpCode>(withoutNumber(op)))
                    m_state.fail(ErrorCode::BadValue, "'" + op + "' is not a vector operation");
            required("overhead", rates[i].overhead);
            required("cycles_16", rates[i].cycles16);
            required("cycles_32", rates[i].cycles32);
        }
    }
    /// One that earlier versions do not have.
    void optional(std::string_view key, const Constant& constant, const Constant& /*fallback*/) {
        if (m_file.find(key) != nullptr) return required(key, constant);
        const PathStep step(m_state, key);
        const std::string taken = constant.value.toText() + " " + constant.unit;
        m_state.warnMissing(taken + " (" + std::string(toText(constant.confidence)) + ") is taken", "取 " + taken);
    }
    template <class T>
    void required(std::string_view /*key*/, const T& /*value*/) {}
    template <class T>
    void optional(std::string_view /*key*/, const T& /*value*/) {}
    void unknown(const UnknownFields& /*fields*/) {}

private:
    ReadState& m_state;
    const JsonValue& m_file;
};

}  // namespace

Result<LoadedChip> readChip(std::string_view text) {
    CUBIST_TRY(JsonValue document, parseJson(text));
    const FormatHistory history{kVersionKey, ChipSpec::kFormatVersion, {}};
    CUBIST_TRY(const JsonValue current, migrate(std::move(document), history));
    ReadState state;
    LoadedChip loaded;
    if (readStruct(state, current, loaded.chip, {kVersionKey})) {
        RangeChecker checker(state, current);
        ChipSpec::visitFields(std::as_const(loaded.chip), checker);
        {
            const PathStep step(state, "arch");
            const std::string& arch = loaded.chip.arch;
            if (arch != "2201" && arch != "3510")
                state.fail(ErrorCode::BadValue, "the architecture '" + arch + "' is not known: 2201 or 3510");
        }
        const PathStep step(state, "id");
        if (loaded.chip.id.empty()) state.fail(ErrorCode::BadValue, "a chip needs an id");
    }
    if (state.failed()) return unexpected(*std::move(state.error));
    loaded.warnings = std::move(state.warnings);
    return loaded;
}

std::string writeChip(const ChipSpec& chip) {
    JsonValue root = JsonValue::object();
    root.add(kVersionKey, JsonValue::fromInteger(ChipSpec::kFormatVersion));
    addFields(root, chip, Defaults::Omit);
    return prettyJson(root);
}

Result<LoadedChip> loadChip(const std::string& path) {
    CUBIST_TRY(const std::string text, readFile(path, kMaxFileBytes));
    Result<LoadedChip> loaded = readChip(text);
    if (loaded) return loaded;
    Error error = std::move(loaded).error();
    if (!error.where.empty()) error.message = error.where + ": " + error.message;
    error.where = path;
    return unexpected(std::move(error));
}

}  // namespace cubist
