// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/emulation.h"

#include <QtTest>
#include <cstring>

#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/lowering/lower.h"
#include "core/run/run.h"

namespace cubist::test {
namespace {

template <class T>
T orFail(Result<T> result) {
    if (!result) qFatal("%s: %s", result.error().where.c_str(), result.error().message.c_str());
    return std::move(result).value();
}

}  // namespace

Design designFile(const std::string& path) {
    return orFail(loadDesign(path)).design;
}

Design designText(const std::string& text) {
    return orFail(readDesign(text)).design;
}

ChipSpec chipFile(const std::string& id) {
    return orFail(loadChip(CUBIST_SOURCE_DIR "/resources/chips/" + id + ".json")).chip;
}

Binding bound(const Design& design, const std::string& caseName, const Dictionary<std::int64_t>& symbols) {
    return orFail(bind(design, caseName, symbols));
}

Program lowered(const Design& design, const Binding& binding, const ChipSpec& chip) {
    return orFail(lower(design, binding, chip));
}

std::vector<HostTensor> generated(const Program& program, const GeneratorSpec& spec, std::uint64_t seed) {
    std::vector<HostTensor> out;
    for (const GmTensor& tensor : program.tensors) {
        if (tensor.initial != InitialState::Data) continue;
        HostTensor data =
            orFail(HostTensor::zeros(tensor.dtype, Shape(tensor.shape.end() - tensor.rank, tensor.shape.end())));
        if (const auto filled = fillTensor(data, spec, randomStream(seed, tensor.name), {}); !filled)
            qFatal("%s", filled.error().message.c_str());
        out.push_back(std::move(data));
    }
    return out;
}

EmulatedValues emulated(const Program& program, const std::vector<HostTensor>& inputs, const EmulatorOptions& options,
                        int threads) {
    std::vector<const HostTensor*> pointers;
    for (const HostTensor& input : inputs) pointers.push_back(&input);
    RunContext context;
    context.threads = threads;
    return orFail(emulate(program, pointers, options, context));
}

const HostTensor& tensorNamed(const Program& program, const EmulatedValues& values, const std::string& name) {
    std::size_t at = 0;
    for (const GmTensor& tensor : program.tensors) {
        if (tensor.role == GmRole::Input) continue;
        if (tensor.name == name) return values.tensors[at];
        ++at;
    }
    qFatal("no tensor %s", name.c_str());
    return values.tensors.front();
}

bool sameBits(const HostTensor& a, const HostTensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.byteCount()) == 0;
}

RunRequest requestFor(Design design) {
    RunRequest request;
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(std::move(design));
    return request;
}

}  // namespace cubist::test
