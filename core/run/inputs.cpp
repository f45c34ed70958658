// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/inputs.h"

#include <algorithm>
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

Result<HostTensor> makeInput(const RunRequest& request, const Tensor& tensor, const std::string& where,
                             const GmTensor& target, std::int64_t seed, const RunContext& context) {
    const Shape shape = logicalShape(target);
    if (const auto given = request.inputs.find(tensor.id.text); given != request.inputs.end())
        return readInput(request, given->second, {tensor.id.text, target.dtype, shape});
    if (tensor.data.file)
        return readInput(request, besideDesign(request.baseFolder, *tensor.data.file),
                         {tensor.id.text, target.dtype, shape});

    const GeneratorSpec spec{distributionOf(tensor.data.generator), tensor.data.low, tensor.data.high};
    if (const auto usable = checkGenerator(spec); !usable) {
        Error error = usable.error();
        error.where = where + "/data";
        return unexpected(std::move(error));
    }
    CUBIST_TRY(HostTensor values, HostTensor::uninitialised(target.dtype, shape));
    const RandomStream stream = randomStream(static_cast<std::uint64_t>(seed), tensor.id.text);
    CUBIST_CHECK_OK(fillTensor(values, spec, stream, context));
    return values;
}

Result<void> checkNames(const Design& design, const std::map<std::string, TensorFile>& files, TensorRole role) {
    std::vector<std::string> names;
    for (const Tensor& tensor : design.tensors)
        if (tensor.role == role) names.push_back(tensor.id.text);
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

Shape logicalShape(const GmTensor& tensor) {
    return Shape(tensor.shape.end() - tensor.rank, tensor.shape.end());
}

Result<void> checkTensorNames(const RunRequest& request) {
    CUBIST_CHECK_OK(checkNames(*request.design, request.inputs, TensorRole::Input));
    return checkNames(*request.design, request.goldens, TensorRole::Output);
}

Result<std::vector<HostTensor>> makeInputs(const RunRequest& request, const Program& program, std::int64_t seed,
                                           const RunContext& context) {
    std::vector<HostTensor> inputs;
    const std::vector<Tensor>& tensors = request.design->tensors;
    for (const GmTensor& target : program.tensors) {
        if (target.role != GmRole::Input) continue;
        const auto tensor = std::find_if(tensors.begin(), tensors.end(),
                                         [&](const Tensor& candidate) { return candidate.id.text == target.name; });
        if (tensor == tensors.end())
            return unexpected(ErrorCode::Internal, "the program reads '" + target.name + "', which the design lacks");
        const std::string where = "/tensors/" + std::to_string(tensor - tensors.begin());
        CUBIST_TRY(HostTensor values, makeInput(request, *tensor, where, target, seed, context));
        context.report(static_cast<double>(inputs.size() + 1) / static_cast<double>(program.tensors.size()), "inputs");
        inputs.push_back(std::move(values));
        if (context.cancelled()) return cancelledError();
    }
    return inputs;
}

}  // namespace cubist
