// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/golden_finder.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/accuracy/compare.h"
#include "core/base/enum_table.h"
#include "core/exchange/design_json.h"
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

constexpr std::int64_t kMostFlops = std::int64_t{1} << 36;  // of one run
constexpr std::int64_t kMostFlopsOfAll = 8 * kMostFlops;

/// Inputs that come from files, as the run reads them.
std::map<std::string, TensorFile> inputFiles(const RunRequest& request) {
    std::map<std::string, TensorFile> files = request.inputs;
    for (const Tensor& tensor : request.design->tensors)
        if (tensor.data.file)
            files.try_emplace(tensor.id.text, (std::filesystem::path(request.baseFolder) / *tensor.data.file).string());
    return files;
}

/// Types whose codes lie in the same bytes as those of `dtype`.
std::vector<DType> typesOfSameBytes(DType dtype) {
    std::vector<DType> types;
    for (const auto& [type, name] : EnumTable<DType>::entries)
        if (type != dtype && bitsPerElement(type) == bitsPerElement(dtype)) types.push_back(type);
    return types;
}

/// The file of an input and the place of its tensor.
struct GivenFile {
    std::size_t tensor = 0;
    TensorFile file;
};

/// What is tried for files of inputs of one type: another reading of them all, then another type of their tensors,
/// whose codes the files would hold.
struct InputTry {
    OtherReading reading;
    std::vector<GivenFile> files;  ///< as they are read then
    std::shared_ptr<const Design> design;
};

/// One of `readings` for each of the files.
InputTry readingOf(const RunRequest& request, std::vector<GivenFile> readings) {
    const std::string first = request.design->tensors[readings[0].tensor].id.text;
    InputTry attempt{{first, readings[0].file, {}, {}}, std::move(readings), request.design};
    for (const GivenFile& each : attempt.files)
        attempt.reading.option += (attempt.reading.option.empty() ? "" : " --input ") +
                                  tensorOption(request.design->tensors[each.tensor].id.text, each.file);
    return attempt;
}

/// The tensors declared as `type`; nothing where the design does not take that.
std::optional<InputTry> redeclaredAs(const RunRequest& request, const std::vector<GivenFile>& files, DType type) {
    const std::string first = request.design->tensors[files[0].tensor].id.text;
    InputTry attempt{{first, files[0].file, {}, {}}, files, request.design};
    attempt.reading.file.stored = type;
    for (const GivenFile& each : files) {
        if (each.file.stored || each.file.float64) return std::nullopt;  // known to hold something else
        const std::string path = "/tensors/" + std::to_string(each.tensor) + "/dtype";
        const std::string value = "\"" + std::string(toText(type)) + "\"";
        Result<Design> changed = setAt(*attempt.design, path, value);
        if (!changed) return std::nullopt;
        attempt.design = std::make_shared<const Design>(*std::move(changed));
        attempt.reading.redeclared += (attempt.reading.redeclared.empty() ? "" : " --set ") + path + "='" + value + "'";
    }
    return attempt;
}

std::vector<InputTry> triesOf(const RunRequest& request, const std::vector<GivenFile>& files) {
    const DType declared = request.design->tensors[files[0].tensor].dtype;
    std::vector<InputTry> tries;
    const auto read = [&](const auto& change) {
        std::vector<GivenFile> readings = files;
        for (GivenFile& each : readings) change(each.file);
        tries.push_back(readingOf(request, std::move(readings)));
    };
    read([](TensorFile& file) { file.nz = !file.nz; });
    for (const TensorFile& reading : otherReadings(files[0].file, declared))
        if (reading.nz == files[0].file.nz)
            read([&](TensorFile& file) {
                file.stored = reading.stored;
                file.float64 = reading.float64;
            });
    for (const DType type : typesOfSameBytes(declared))
        if (std::optional<InputTry> attempt = redeclaredAs(request, files, type)) tries.push_back(*std::move(attempt));
    return tries;
}

/// Each file alone, then those of tensors of one type together: who confuses two types does it for both operands.
std::vector<std::vector<GivenFile>> groupsOf(const RunRequest& request) {
    const std::map<std::string, TensorFile> files = inputFiles(request);
    std::vector<std::vector<GivenFile>> groups;
    std::map<DType, std::vector<GivenFile>> byType;
    for (std::size_t i = 0; i < request.design->tensors.size(); ++i) {
        const Tensor& tensor = request.design->tensors[i];
        const auto found = files.find(tensor.id.text);
        if (found == files.end()) continue;
        groups.push_back({{i, found->second}});
        byType[tensor.dtype].push_back({i, found->second});
    }
    for (const auto& [type, together] : byType)
        if (together.size() > 1) groups.push_back(together);
    return groups;
}

/// The input as a reading of its file gives it; nothing where it cannot be read so.
std::optional<HostTensor> inputOf(const RunRequest& request, const RunReport& report, const Tensor& tensor,
                                  const TensorFile& file) {
    const Shape* const shape = report.tensorShapes.find(tensor.id.text);
    if (shape == nullptr || !request.readers.input) return std::nullopt;
    Result<HostTensor> read = request.readers.input(file, {tensor.id.text, tensor.dtype, *shape});
    if (!read) return std::nullopt;
    return *std::move(read);
}

/// Can all files be read so, and does one give other elements? Otherwise a run would fail, or give what it gave.
bool givesOthers(const RunRequest& request, const RunReport& report, const std::vector<GivenFile>& given,
                 const std::vector<GivenFile>& files) {
    bool others = false;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Tensor& tensor = request.design->tensors[files[i].tensor];
        const std::optional<HostTensor> now = inputOf(request, report, tensor, files[i].file);
        if (!now) return false;
        const std::optional<HostTensor> before = inputOf(request, report, tensor, given[i].file);
        if (!before || before->byteCount() != now->byteCount()) return false;
        others = others || std::memcmp(before->data(), now->data(), now->byteCount()) != 0;
    }
    return others;
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
        if (fits) return std::optional<OtherReading>(OtherReading{output, reading, tensorOption(output, reading), {}});
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
    std::int64_t spent = 0;
    for (const std::vector<GivenFile>& group : groupsOf(request)) {
        for (InputTry& attempt : triesOf(request, group)) {
            if (context.cancelled()) return cancelledError();
            RunRequest again = request;
            again.golden = again.timing = again.whatIf = again.keepStages = again.checked = false;
            again.design = attempt.design;
            if (attempt.reading.redeclared.empty()) {
                if (!givesOthers(request, report, group, attempt.files)) continue;
                for (const GivenFile& each : attempt.files)
                    again.inputs[request.design->tensors[each.tensor].id.text] = each.file;
            }
            spent += report.flops;
            if (spent > kMostFlopsOfAll) return std::optional<OtherReading>();
            const Result<RunReport> other = run(again, context);
            if (!other) {
                if (other.error().code == ErrorCode::Cancelled) return cancelledError();
                continue;
            }
            const auto found = other->outputs.find(output);
            if (found == other->outputs.end() || found->second.dtype() != actual.dtype()) continue;
            CUBIST_TRY(const bool fits, matches(request, output, found->second, *values, context));
            if (fits) return std::optional<OtherReading>(std::move(attempt.reading));
        }
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
    const auto noteInput = [&](const std::string& output, const OtherReading& input) {
        const std::string type(input.file.stored ? toText(*input.file.stored) : kFloat64Name);
        if (!input.redeclared.empty()) {
            const std::string option = "--set " + input.redeclared;
            note(placeOf(input.tensor),
                 "the golden of " + output + " matches with " + option + ": the file " + input.file.path + " holds " +
                     type,
                 "使用 " + option + " 时，" + output + " 与 golden 一致：文件 " + input.file.path + " 中的元素为 " +
                     type);
            return;
        }
        const std::map<std::string, TensorFile> files = inputFiles(request);
        const auto given = files.find(input.tensor);
        const bool order = given == files.end() || given->second.nz != input.file.nz;
        std::string said, saidZh;
        if (order) {
            said = input.file.nz ? "elements lie in NZ order" : "elements do not lie in NZ order";
            saidZh = input.file.nz ? "按 NZ 排布" : "不按 NZ 排布";
        } else {
            said = "elements are " + type;
            saidZh = "为 " + type;
        }
        note(placeOf(input.tensor),
             "the golden of " + output + " matches with --input " + input.option + ": the file's " + said,
             "使用 --input " + input.option + " 时，" + output + " 与 golden 一致：文件中的元素" + saidZh);
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
        noteInput(output.name, *input);
    }
    return {};
}

}  // namespace cubist
