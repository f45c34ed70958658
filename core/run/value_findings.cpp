// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/value_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "core/base/held_values.h"
#include "core/base/number_formats.h"
#include "core/base/random.h"
#include "core/run/inputs.h"

namespace cubist {
namespace {

struct Beyond {
    std::int64_t count = 0, first = 0;
    double value = 0;

    void add(std::int64_t at, double found) {
        if (count++ > 0) return;
        first = at;
        value = found;
    }
};

/// "[1,5]": an element by its running number.
std::string placeText(const Shape& shape, std::int64_t element) {
    std::string text;
    for (std::size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
        text = std::to_string(element % shape[axis]) + (text.empty() ? "" : ",") + text;
    return "[" + text + "]";
}

Finding findingOf(const RunRequest& request, const std::string& tensor, std::string message, std::string messageZh) {
    Finding finding;
    finding.ruleId = "VAL-17";
    finding.severity = Severity::Warning;
    finding.message = std::move(message);
    finding.messageZh = std::move(messageZh);
    const std::vector<Tensor>& tensors = request.design->tensors;
    const auto declared =
        std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& each) { return each.id.text == tensor; });
    finding.where = "/tensors/" + std::to_string(declared - tensors.begin());
    return finding;
}

/// Those of the first `count` numbers of the tensor's generator that lie beyond [low, high].
Beyond numbersBeyond(const Tensor& tensor, const Binding& binding, std::int64_t seed, std::int64_t count, double low,
                     double high) {
    Beyond beyond;
    const auto spec = generatorOf(tensor.data, binding, {});
    if (!spec) return beyond;
    const RandomStream stream = randomStream(static_cast<std::uint64_t>(seed), tensor.id.text);
    for (std::int64_t i = 0; i < count; ++i)
        if (const double number = generateElement(*spec, stream, i); number < low || number > high)
            beyond.add(i, number);
    return beyond;
}

/// Reals whose integer part the type holds; 2^63 itself is none of INT64.
std::array<double, 2> realsOf(DType type) {
    const bool isUnsigned = type == DType::UINT8;
    const double past = largestValue(type) + (type == DType::INT64 ? 0.0 : 1.0);
    return {std::nextafter(isUnsigned             ? -1.0
                           : type == DType::INT64 ? -past
                                                  : -past - 1.0,
                           0.0),
            std::nextafter(past, 0.0)};
}

/// Could the generator make a number that the type does not hold, or a negative one for FP8E8M0? Constants and ranges
/// are DTYPE-10's.
bool mayOverflow(const DataSource& data, DType type) {
    // Box-Muller of 32 bits ends at 6.7 deviations.
    const double most = data.generator == Generator::Normal ? std::abs(data.low) + 7 * std::abs(data.high)
                                                            : std::max(std::abs(data.low), std::abs(data.high));
    if (type == DType::FP8E8M0)
        return data.low < 0 || data.generator == Generator::Arange ||
               (data.generator == Generator::Normal && data.low < 7 * std::abs(data.high));
    if (isFloat(type)) return !(most <= largestValue(type));
    // Bounds of other generators are DTYPE-10's; a BOOL holds whether the number is 0.
    if (data.generator != Generator::Normal || type == DType::BOOL) return false;
    return !(most <= largestValue(type)) || (type == DType::UINT8 && data.low - 7 * std::abs(data.high) <= -1);
}

}  // namespace

std::vector<Finding> goldenFindings(const RunRequest& request, const std::map<std::string, const HostTensor*>& outputs,
                                    const std::map<std::string, GoldenTensor>& goldens) {
    std::vector<Finding> findings;
    for (const auto& [name, file] : request.goldens) {
        const auto output = outputs.find(name);
        const auto golden = goldens.find(name);
        if (output == outputs.end() || golden == goldens.end() || !isFloat(output->second->dtype())) continue;
        const DType type = output->second->dtype();
        const GoldenValues& values = golden->second.values;
        Beyond beyond;
        for (std::size_t done = 0; done < values.size();) {
            const auto found = firstNotHeld(type, std::span(values).subspan(done));
            if (!found) break;
            beyond.add(static_cast<std::int64_t>(done + *found), values[done + *found]);
            done += *found + 1;
        }
        if (beyond.count == 0) continue;
        const std::string count = std::to_string(beyond.count), place = placeText(golden->second.shape, beyond.first);
        const std::string value = shortestText(beyond.value), typeName(toText(type));
        findings.push_back(findingOf(request, name,
                                     "the golden of '" + name + "' has " + count + " elements that " + typeName +
                                         " does not hold, the first is " + value + " at " + place,
                                     "'" + name + "' 的 golden 有 " + count + " 个元素超出 " + typeName +
                                         " 的范围，首个为 " + place + " 处的 " + value));
    }
    return findings;
}

std::vector<Finding> generatedFindings(const RunRequest& request, const Binding& binding, std::int64_t seed,
                                       const std::map<std::string, const HostTensor*>& inputs) {
    std::vector<Finding> findings;
    for (const Tensor& tensor : request.design->tensors) {
        const auto found = inputs.find(tensor.id.text);
        const bool generated =
            tensor.data.list.empty() && !tensor.data.file && !request.inputs.contains(tensor.id.text);
        if (found == inputs.end() || !generated || !mayOverflow(tensor.data, tensor.dtype)) continue;
        const HostTensor& values = *found->second;
        if (tensor.dtype == DType::FP8E8M0) {
            const Beyond negative = numbersBeyond(tensor, binding, seed, values.count(), 0.0, HUGE_VAL);
            if (negative.count == 0) continue;
            const std::string count = std::to_string(negative.count), value = shortestText(negative.value);
            const std::string place = placeText(values.shape(), negative.first);
            findings.push_back(findingOf(request, tensor.id.text,
                                         "the generated data of '" + tensor.id.text + "' has " + count +
                                             " negative numbers, of which FP8E8M0 keeps the size alone, the first is " +
                                             value + " at " + place,
                                         "'" + tensor.id.text + "' 的生成数据有 " + count +
                                             " 个负数，FP8E8M0 只保留其大小，首个为 " + place + " 处的 " + value));
            continue;
        }
        if (!isFloat(tensor.dtype)) {
            const auto [low, high] = realsOf(tensor.dtype);
            const Beyond beyond = numbersBeyond(tensor, binding, seed, values.count(), low, high);
            if (beyond.count == 0) continue;
            const std::string count = std::to_string(beyond.count), value = shortestText(beyond.value);
            const std::string place = placeText(values.shape(), beyond.first), type(toText(tensor.dtype));
            const std::string name = "'" + tensor.id.text + "'";
            findings.push_back(findingOf(request, tensor.id.text,
                                         "the generated data of " + name + " has " + count + " numbers beyond " + type +
                                             ", which wrap around, the first is " + value + " at " + place,
                                         name + " 的生成数据有 " + count + " 个数超出 " + type +
                                             " 的范围而回绕，首个为 " + place + " 处的 " + value));
            continue;
        }
        Beyond beyond;
        std::array<double, 1024> row{};
        for (std::int64_t first = 0; first < values.count(); first += static_cast<std::int64_t>(row.size())) {
            const std::int64_t left = values.count() - first;
            const auto part = std::span(row).first(std::min(row.size(), static_cast<std::size_t>(left)));
            values.toFloat64(first, part);
            for (std::size_t i = 0; i < part.size(); ++i)
                if (!std::isfinite(part[i])) beyond.add(first + static_cast<std::int64_t>(i), part[i]);
        }
        if (beyond.count == 0) continue;
        const std::string count = std::to_string(beyond.count), place = placeText(values.shape(), beyond.first);
        const std::string type(toText(tensor.dtype)), name = tensor.id.text;
        findings.push_back(findingOf(request, name,
                                     "the generated data of '" + name + "' has " + count + " elements beyond " + type +
                                         ", which are NaN or infinite, the first at " + place,
                                     "'" + name + "' 的生成数据有 " + count + " 个元素超出 " + type +
                                         " 的范围（为 NaN 或无穷大），首个位于 " + place));
    }
    return findings;
}

}  // namespace cubist
