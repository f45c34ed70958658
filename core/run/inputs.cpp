// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/inputs.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/random.h"
#include "core/design/resolve.h"

namespace cubist {
namespace {

Distribution distributionOf(Generator generator) {
    switch (generator) {
        case Generator::Uniform: return Distribution::Uniform;
        case Generator::Normal: return Distribution::Normal;
        case Generator::Integers: return Distribution::Integers;
        case Generator::Constant: return Distribution::Constant;
        case Generator::Arange: return Distribution::Arange;
    }
    return Distribution::Uniform;
}

Result<HostTensor> readInput(const RunRequest& request, const TensorFile& file, const TensorTarget& target) {
    if (!request.readers.input) return unexpected(ErrorCode::Unsupported, "no reader for tensor files", file.path);
    return request.readers.input(file, target);
}

std::string besideDesign(const std::string& folder, const std::string& file) {
    return file.starts_with('/') || folder.empty() ? file : folder + "/" + file;
}

template <class Code>
Result<HostTensor> filled(DType dtype, const Shape& shape, const std::vector<std::int64_t>& values) {
    CUBIST_TRY(HostTensor tensor, HostTensor::uninitialised(dtype, shape));
    const std::span<Code> codes = tensor.writableCodes<Code>();
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!std::in_range<Code>(values[i]))
            return unexpected(ErrorCode::BadValue, "entry " + std::to_string(i) + " of the list is " +
                                                       std::to_string(values[i]) + ", which " +
                                                       std::string(toText(dtype)) + " cannot hold");
        codes[i] = static_cast<Code>(values[i]);
    }
    return tensor;
}

/// The raw values of a list as a tensor.
Result<HostTensor> tensorOfList(const std::vector<std::int64_t>& values, DType dtype, const Shape& shape) {
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    if (count != static_cast<std::int64_t>(values.size()))
        return unexpected(ErrorCode::BadValue, "the list has " + std::to_string(values.size()) +
                                                   " entries, the tensor " + std::to_string(count) + " elements");
    if (dtype == DType::INT64) return filled<std::int64_t>(dtype, shape, values);
    if (dtype == DType::INT32) return filled<std::int32_t>(dtype, shape, values);
    if (dtype == DType::INT16) return filled<std::int16_t>(dtype, shape, values);
    if (dtype == DType::INT8) return filled<std::int8_t>(dtype, shape, values);
    if (dtype == DType::UINT8) return filled<std::uint8_t>(dtype, shape, values);
    return unexpected(ErrorCode::WrongType,
                      "a list is kept in INT8 to INT64 or UINT8, not in " + std::string(toText(dtype)));
}

template <class Code>
std::vector<std::int64_t> integers(const HostTensor& tensor) {
    const std::span<const Code> codes = tensor.codes<Code>();
    return {codes.begin(), codes.end()};
}

Result<std::vector<std::int64_t>> listOfTensor(const HostTensor& tensor) {
    const DType dtype = tensor.dtype();
    if (dtype == DType::INT64) return integers<std::int64_t>(tensor);
    if (dtype == DType::INT32) return integers<std::int32_t>(tensor);
    if (dtype == DType::INT16) return integers<std::int16_t>(tensor);
    if (dtype == DType::INT8) return integers<std::int8_t>(tensor);
    if (dtype == DType::UINT8) return integers<std::uint8_t>(tensor);
    return unexpected(ErrorCode::WrongType,
                      "a list is read from INT8 to INT64 or UINT8, not from " + std::string(toText(dtype)));
}

Unexpected placed(Error error, const std::string& where) {
    if (error.where.empty()) error.where = where;
    return unexpected(std::move(error));
}

Result<HostTensor> makeInput(const RunRequest& request, const Binding& binding, const Tensor& tensor,
                             const std::string& where, const GmTensor& target, std::int64_t seed,
                             const RunContext& context) {
    const Shape shape = logicalShape(target);
    if (!tensor.data.list.empty()) {
        const IntegerList* const list = binding.lists.find(tensor.data.list.text);
        if (list == nullptr)
            return unexpected(ErrorCode::UnknownName, "the design has no list '" + tensor.data.list.text + "'",
                              where + "/data/list");
        Result<HostTensor> values = tensorOfList(list->values, target.dtype, shape);
        if (!values) return placed(std::move(values).error(), where + "/data/list");
        return values;
    }
    if (const auto given = request.inputs.find(tensor.id.text); given != request.inputs.end())
        return readInput(request, given->second, {tensor.id.text, target.dtype, shape});
    if (tensor.data.file)
        return readInput(request, besideDesign(request.baseFolder, *tensor.data.file),
                         {tensor.id.text, target.dtype, shape});

    CUBIST_TRY(const GeneratorSpec spec, generatorOf(tensor.data, binding, where + "/data"));
    if (const auto usable = checkGenerator(spec); !usable) {
        return placed(usable.error(), where + "/data");
    }
    CUBIST_TRY(HostTensor values, HostTensor::uninitialised(target.dtype, shape));
    const RandomStream stream = randomStream(static_cast<std::uint64_t>(seed), tensor.id.text);
    CUBIST_CHECK_OK(fillTensor(values, spec, stream, context));
    return values;
}

/// `other` is a second role that will do.
Result<void> checkNames(const Design& design, const std::map<std::string, TensorFile>& files, TensorRole role,
                        TensorRole other) {
    std::vector<std::string> names;
    for (const Tensor& tensor : design.tensors)
        if (tensor.role == role || tensor.role == other) names.push_back(tensor.id.text);
    for (const auto& [name, file] : files) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        std::string hint;
        for (const std::string& known : names) hint += (hint.empty() ? "there are: " : ", ") + known;
        return unexpected(ErrorCode::UnknownName,
                          "'" + name + "' is not an " + std::string(toText(role)) + " of the design", {}, hint);
    }
    return {};
}

}  // namespace

Result<GeneratorSpec> generatorOf(const DataSource& data, const Binding& binding, const std::string& where) {
    GeneratorSpec spec{distributionOf(data.generator), data.low, data.high};
    CUBIST_TRY(const Shape modulo, evaluateAll({data.modulo}, 1, binding.lookup(), where + "/modulo"));
    spec.modulo = modulo.front();
    return spec;
}

Shape logicalShape(const GmTensor& tensor) {
    return Shape(tensor.shape.end() - tensor.rank, tensor.shape.end());
}

Result<void> checkTensorNames(const RunRequest& request) {
    CUBIST_CHECK_OK(checkNames(*request.design, request.inputs, TensorRole::Input, TensorRole::InOut));
    return checkNames(*request.design, request.goldens, TensorRole::Output, TensorRole::InOut);
}

Result<Binding> bindRequest(const RunRequest& request) {
    const Design& design = *request.design;
    Overrides overrides{request.symbols, request.lists};
    CUBIST_TRY(Binding binding, bindWith(design, request.caseName, overrides));
    bool replaced = false;
    for (std::size_t i = 0; i < design.tensors.size(); ++i) {
        const Tensor& tensor = design.tensors[i];
        const auto given = request.inputs.find(tensor.id.text);
        if (tensor.data.list.empty() || given == request.inputs.end()) continue;
        const std::string& list = tensor.data.list.text;
        if (overrides.lists.find(list) != nullptr)
            return unexpected(ErrorCode::BadValue, "the list '" + list + "' is given twice", given->second.path,
                              "give its values, or the file of '" + tensor.id.text + "', not both");
        const std::string where = "/tensors/" + std::to_string(i) + "/shape";
        CUBIST_TRY(const Shape shape, evaluateAll(tensor.shape, tensor.shape.size(), binding.lookup(), where));
        CUBIST_TRY(const HostTensor values, readInput(request, given->second, {tensor.id.text, tensor.dtype, shape}));
        Result<std::vector<std::int64_t>> integers = listOfTensor(values);
        if (!integers) return placed(std::move(integers).error(), "/tensors/" + std::to_string(i) + "/dtype");
        overrides.lists.set(list, std::move(*integers));
        replaced = true;
    }
    if (replaced) return bindWith(design, request.caseName, overrides);
    return binding;
}

Result<std::vector<HostTensor>> makeInputs(const RunRequest& request, const Binding& binding, const Program& program,
                                           std::int64_t seed, const RunContext& context) {
    std::vector<HostTensor> inputs;
    const std::vector<Tensor>& tensors = request.design->tensors;
    for (const GmTensor& target : program.tensors) {
        if (target.initial != InitialState::Data) continue;
        const auto tensor = std::find_if(tensors.begin(), tensors.end(),
                                         [&](const Tensor& candidate) { return candidate.id.text == target.name; });
        if (tensor == tensors.end())
            return unexpected(ErrorCode::Internal, "the program reads '" + target.name + "', which the design lacks");
        const std::string where = "/tensors/" + std::to_string(tensor - tensors.begin());
        CUBIST_TRY(HostTensor values, makeInput(request, binding, *tensor, where, target, seed, context));
        context.report(static_cast<double>(inputs.size() + 1) / static_cast<double>(program.tensors.size()), "inputs");
        inputs.push_back(std::move(values));
        if (context.cancelled()) return cancelledError();
    }
    return inputs;
}

}  // namespace cubist
