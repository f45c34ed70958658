// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/golden_finder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "core/accuracy/compare.h"
#include "core/base/enum_table.h"
#include "core/exchange/numerics_finder.h"
#include "core/exchange/tensor_files.h"

namespace cubist {
namespace {

/// Every reading but the one that was tried. The reader refuses those that the file rules out.
std::vector<TensorFile> otherReadings(const TensorFile& given, DType dtype) {
    std::vector<TensorFile> readings;
    const DType tried = given.stored.value_or(dtype);
    for (const bool nz : {given.nz, !given.nz}) {
        TensorFile reading = given;
        reading.nz = nz;
        if (nz != given.nz) readings.push_back(reading);
        reading.float64 = false;
        for (const auto& [type, name] : EnumTable<DType>::entries) {
            if ((type == tried && !given.float64) || isFloat(type) != isFloat(dtype)) continue;
            reading.stored = type;
            readings.push_back(reading);
        }
        if (given.float64 || !isFloat(dtype)) continue;
        reading.stored.reset();
        reading.float64 = true;
        readings.push_back(reading);
    }
    return readings;
}

/// Does the output match a golden? A criterion that needs more than the golden cannot say so.
Result<bool> matches(const RunRequest& request, const std::string& output, const HostTensor& actual,
                     const std::vector<double>& golden, const RunContext& context) {
    const std::vector<Tensor>& tensors = request.design->tensors;
    const auto declared =
        std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.id.text == output; });
    Tolerance tolerance = request.design->tolerance;
    if (declared != tensors.end() && declared->tolerance) tolerance = *declared->tolerance;
    // A benchmark and a bound on sums belong to the inputs of the run; whether another reading is meant shows without.
    if (tolerance.criterion == Criterion::ThreeWay || tolerance.criterion == Criterion::OrderBound) {
        tolerance.criterion = Criterion::AllClose;
        tolerance.rtol.reset();
        tolerance.atol.reset();
    }
    const auto metrics = compareOutput(output, actual, golden, tolerance, 1, 1, context);
    if (!metrics && metrics.error().code == ErrorCode::Cancelled) return cancelledError();
    return metrics && metrics->verdict == Verdict::Pass;
}

constexpr std::int64_t kMostFlops = std::int64_t{1} << 36;

/// Inputs that come from files, as the run reads them.
std::map<std::string, TensorFile> inputFiles(const RunRequest& request) {
    std::map<std::string, TensorFile> files = request.inputs;
    for (const Tensor& tensor : request.design->tensors)
        if (tensor.data.file)
            files.try_emplace(tensor.id.text, (std::filesystem::path(request.baseFolder) / *tensor.data.file).string());
    return files;
}

}  // namespace

Result<std::optional<OtherReading>> findOtherReading(const RunRequest& request, const RunReport& report,
                                                     const std::string& output, const RunContext& context) {
    const auto given = request.goldens.find(output);
    const auto result = report.outputs.find(output);
    if (given == request.goldens.end() || result == report.outputs.end() || !request.readers.golden)
        return std::optional<OtherReading>();
    const HostTensor& actual = result->second;
    const TensorTarget target{output, actual.dtype(), actual.shape()};
    for (const TensorFile& reading : otherReadings(given->second, actual.dtype())) {
        if (context.cancelled()) return cancelledError();
        const Result<std::vector<double>> values = request.readers.golden(reading, target);
        if (!values) continue;
        CUBIST_TRY(const bool fits, matches(request, output, actual, *values, context));
        if (fits) return std::optional<OtherReading>(OtherReading{reading, tensorOption(output, reading)});
    }
    return std::optional<OtherReading>();
}

Result<std::optional<OtherReading>> findOtherInputReading(const RunRequest& request, const RunReport& report,
                                                          const std::string& output, const RunContext& context) {
    const auto given = request.goldens.find(output);
    const auto result = report.outputs.find(output);
    if (given == request.goldens.end() || result == report.outputs.end() || !request.readers.golden ||
        report.flops > kMostFlops)
        return std::optional<OtherReading>();
    const HostTensor& actual = result->second;
    const auto values = request.readers.golden(given->second, {output, actual.dtype(), actual.shape()});
    if (!values) return std::optional<OtherReading>();
    for (const auto& [name, file] : inputFiles(request)) {
        if (context.cancelled()) return cancelledError();
        RunRequest again = request;
        again.golden = again.timing = again.whatIf = again.keepStages = again.checked = false;
        TensorFile reading = file;
        reading.nz = !file.nz;
        again.inputs[name] = reading;
        const Result<RunReport> other = run(again, context);
        if (!other) {
            if (other.error().code == ErrorCode::Cancelled) return cancelledError();
            continue;
        }
        const auto found = other->outputs.find(output);
        if (found == other->outputs.end()) continue;
        CUBIST_TRY(const bool fits, matches(request, output, found->second, *values, context));
        if (fits) return std::optional<OtherReading>(OtherReading{reading, tensorOption(name, reading)});
    }
    return std::optional<OtherReading>();
}

Result<void> noteOtherReadings(const RunRequest& request, RunReport& report, const RunContext& context) {
    const auto note = [&](std::string where, std::string message, std::string messageZh) {
        Finding finding;
        finding.ruleId = "VAL-11";
        finding.severity = Severity::Hint;
        finding.where = std::move(where);
        finding.message = std::move(message);
        finding.messageZh = std::move(messageZh);
        report.findings.push_back(std::move(finding));
    };
    const auto placeOf = [&](const std::string& tensor) {
        const std::vector<Tensor>& tensors = request.design->tensors;
        const auto declared =
            std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.id.text == tensor; });
        return "/tensors/" + std::to_string(declared - tensors.begin());
    };
    for (const OutputMetrics& output : report.accuracy.outputs) {
        if (output.verdict != Verdict::Fail) continue;
        CUBIST_TRY(const std::optional<OtherReading> golden, findOtherReading(request, report, output.name, context));
        if (golden) {
            note(placeOf(output.name), "the verdict of " + output.name + " is pass with --golden " + golden->option,
                 "使用 --golden " + golden->option + " 时，" + output.name + " 的判定为通过");
            continue;
        }
        CUBIST_TRY(const std::optional<OtherReading> input,
                   findOtherInputReading(request, report, output.name, context));
        if (!input) {
            CUBIST_TRY(const std::optional<OtherNumerics> numerics,
                       findOtherNumerics(request, report, output.name, context));
            if (!numerics) continue;
            const std::string option = "--set " + numerics->path + "='" + numerics->value + "'";
            note(numerics->path, "the golden of " + output.name + " matches with " + option,
                 "使用 " + option + " 时，" + output.name + " 与 golden 一致");
            continue;
        }
        note(placeOf(input->option.substr(0, input->option.find_first_of(":="))),
             "the golden of " + output.name + " matches with --input " + input->option + ": the file's " +
                 (input->file.nz ? "elements lie in NZ order" : "elements do not lie in NZ order"),
             "使用 --input " + input->option + " 时，" + output.name + " 与 golden 一致：文件中的元素" +
                 (input->file.nz ? "按 NZ 排布" : "不按 NZ 排布"));
    }
    return {};
}

}  // namespace cubist
