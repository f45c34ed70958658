// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/run_summary.h"

#include <charconv>
#include <limits>
#include <utility>

#include "core/exchange/files.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

/// Takes members of one object; the first problem stays.
class ObjectReader {
public:
    ObjectReader(const JsonValue& object, std::string where, std::optional<Error>& error)
        : m_object(object), m_where(std::move(where)), m_error(error) {
        if (!object.isObject()) fail(ErrorCode::WrongType, m_where, "an object is wanted, not " + describe(object));
    }

    void take(std::string_view key, std::string& out) {
        const JsonValue* const value = member(key);
        if (value == nullptr) return;
        if (!value->isString()) return wrong(key, "a string", *value);
        out = value->text;
    }
    void takeOrNull(std::string_view key, std::string& out) {
        const JsonValue* const value = member(key);
        if (value != nullptr && value->kind != JsonValue::Kind::Null) take(key, out);
    }
    void take(std::string_view key, double& out) {
        const JsonValue* const value = member(key);
        if (value == nullptr) return;
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (value->isString() && value->text == "inf")
            out = kInfinity;
        else if (value->isString() && value->text == "-inf")
            out = -kInfinity;
        else if (value->isString() && value->text == "nan")
            out = std::numeric_limits<double>::quiet_NaN();
        else if (!value->isNumber() || !number(value->text, out))
            wrong(key, "a number", *value);
    }
    void take(std::string_view key, std::int64_t& out) {
        const JsonValue* const value = member(key);
        if (value != nullptr && (!value->isNumber() || !number(value->text, out))) wrong(key, "an integer", *value);
    }
    /// Calls `read(reader of the element)` for each element of a list.
    template <class Read>
    void list(std::string_view key, const Read& read) {
        const JsonValue* const value = member(key);
        if (value == nullptr) return;
        if (!value->isArray()) return wrong(key, "a list", *value);
        for (std::size_t i = 0; i < value->items.size() && !m_error; ++i) {
            ObjectReader element(value->items[i], place(key) + "/" + std::to_string(i), m_error);
            read(element);
        }
    }
    [[nodiscard]] const JsonValue* member(std::string_view key) {
        if (m_error) return nullptr;
        const JsonValue* const value = m_object.find(key);
        if (value == nullptr) fail(ErrorCode::MissingKey, m_where, "the key '" + std::string(key) + "' is missing");
        return value;
    }
    [[nodiscard]] std::string place(std::string_view key) const { return m_where + "/" + escapePointerStep(key); }

private:
    template <class T>
    static bool number(const std::string& text, T& out) {
        const char* const last = text.data() + text.size();
        const auto [end, status] = std::from_chars(text.data(), last, out);
        return status == std::errc() && end == last;
    }
    void wrong(std::string_view key, const std::string& wanted, const JsonValue& found) {
        fail(ErrorCode::WrongType, place(key), wanted + " is wanted, not " + describe(found));
    }
    void fail(ErrorCode code, std::string where, std::string message) {
        if (!m_error) m_error = Error{code, std::move(message), std::move(where), {}};
    }

    const JsonValue& m_object;
    std::string m_where;
    std::optional<Error>& m_error;
};

OutputSummary outputFrom(ObjectReader& reader) {
    OutputSummary output;
    reader.take("name", output.name);
    reader.take("dtype", output.dtype);
    reader.take("verdict", output.verdict);
    reader.take("max_abs", output.maxAbs);
    reader.take("max_rel", output.maxRel);
    reader.take("rmse", output.rmse);
    reader.take("outside", output.outside);
    return output;
}

StageSummary stageFrom(ObjectReader& reader) {
    StageSummary stage;
    reader.take("id", stage.id);
    reader.take("kind", stage.kind);
    reader.take("span_us", stage.spanUs);
    reader.take("busy_us", stage.busyUs);
    reader.take("critical_us", stage.criticalUs);
    reader.take("tasks", stage.tasks);
    return stage;
}

TimingSummary timingFrom(const JsonValue& json, std::optional<Error>& error) {
    TimingSummary timing;
    ObjectReader reader(json, "/timing", error);
    reader.take("kernel_us", timing.kernelUs);
    reader.take("end_to_end_us", timing.endToEndUs);
    reader.take("utilisation", timing.utilisation);
    reader.take("bound", timing.bound);
    reader.list("stages", [&](ObjectReader& stage) { timing.stages.push_back(stageFrom(stage)); });
    const JsonValue* const pipes = reader.member("pipes");
    if (pipes == nullptr) return timing;
    for (const JsonMember& member : pipes->members) {
        PipeSummary pipe{member.key, 0, 0};
        ObjectReader values(member.value, "/timing/pipes/" + escapePointerStep(member.key), error);
        values.take("busy_us", pipe.busyUs);
        values.take("wait_us", pipe.waitUs);
        timing.pipes.push_back(std::move(pipe));
    }
    return timing;
}

}  // namespace

Result<RunSummary> readRunSummary(std::string_view text) {
    CUBIST_TRY(const JsonValue json, parseJson(text));
    RunSummary run;
    std::optional<Error> error;
    ObjectReader head(json, "", error);
    head.take("design", run.design);
    head.take("chip", run.chip);
    head.takeOrNull("case", run.caseName);
    head.take("seed", run.seed);
    head.take("launch", run.launch);
    head.take("profile", run.profile);
    if (const JsonValue* const settings = json.find("settings")) run.settings = settingsIn(*settings);
    head.list("findings", [&](ObjectReader& finding) {
        std::string severity;
        finding.take("severity", severity);
        if (severity == "error") ++run.errors;
        if (severity == "warning") ++run.warnings;
    });
    if (const JsonValue* const value = head.member("accuracy")) {
        ObjectReader accuracy(*value, "/accuracy", error);
        accuracy.take("verdict", run.verdict);
        accuracy.take("criterion", run.criterion);
        accuracy.list("outputs", [&](ObjectReader& output) { run.outputs.push_back(outputFrom(output)); });
    }
    const JsonValue* const timing = head.member("timing");
    if (timing != nullptr && timing->kind != JsonValue::Kind::Null) run.timing = timingFrom(*timing, error);
    if (error) return unexpected(*std::move(error));
    return run;
}

Result<RunSummary> loadRunSummary(const std::string& path) {
    CUBIST_TRY(const std::string text, readFile(path, JsonLimits{}.bytes));
    Result<RunSummary> run = readRunSummary(text);
    if (run) return run;
    Error error = std::move(run).error();
    error.where = path + (error.where.empty() ? "" : ": " + error.where);
    if (error.hint.empty()) error.hint = "a file of cubist-cli run --json is wanted";
    return unexpected(std::move(error));
}

}  // namespace cubist
