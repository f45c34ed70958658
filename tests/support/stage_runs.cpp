// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/stage_runs.h"

#include <QtGlobal>

#include "core/design/resolve.h"
#include "core/golden/reference.h"
#include "tests/support/emulation.h"

namespace cubist::test {

std::string text(const Shape& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return out + "]";
}

std::string tensor(const std::string& id, const std::string& role, const std::string& dtype, const Shape& shape) {
    return "{\"id\": \"" + id + "\", \"role\": \"" + role + "\", \"dtype\": \"" + dtype +
           "\", \"shape\": " + text(shape) + "}";
}

Design designOf(const std::string& tensors, const std::string& blocks, const std::string& chip) {
    return designText(
        "{\"cubist\": 1, \"name\": \"v\", \"chip\": \"" + chip +
        "\", \"skeleton\": {\"variant\": \"A\"}, \"symbols\": [{\"id\": \"T\", \"value\": 5}], \"tensors\": [" +
        tensors + "], \"blocks\": [" + blocks + "]}");
}

std::string stage(const std::string& ops, const Shape& tile, const std::string& id) {
    return "{\"kind\": \"vector\", \"id\": \"" + id + "\", \"ops\": [" + ops + "], \"tile\": " + text(tile) + "}";
}

std::string store(const std::string& from, const std::string& to, const std::string& more) {
    return "{\"kind\": \"store\", \"id\": \"w_" + from + "_" + to + "\", \"from\": \"" + from + "\", \"to\": \"" + to +
           "\"" + more + "}";
}

HostTensor made(DType dtype, const Shape& shape, const Values& values) {
    HostTensor out = std::move(HostTensor::zeros(dtype, shape)).value();
    for (std::int64_t i = 0; i < out.count(); ++i) out.set(i, values[static_cast<std::size_t>(i) % values.size()]);
    return out;
}

/// Multiples of 1/16 in -8..8, different ones everywhere.
HostTensor noise(DType dtype, const Shape& shape, std::uint32_t seed) {
    HostTensor out = std::move(HostTensor::zeros(dtype, shape)).value();
    for (std::int64_t i = 0; i < out.count(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        out.set(i, (static_cast<double>(seed >> 24) - 128.0) / 16.0);
    }
    return out;
}

HostTensor indices(const Shape& shape, std::int64_t limit, DType dtype, std::uint32_t seed) {
    HostTensor out = std::move(HostTensor::zeros(dtype, shape)).value();
    for (std::int64_t i = 0; i < out.count(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        out.set(i, static_cast<double>((seed >> 16) % static_cast<std::uint32_t>(limit)));
    }
    return out;
}

namespace {

std::vector<const HostTensor*> pointers(const std::vector<HostTensor>& tensors) {
    std::vector<const HostTensor*> out;
    for (const HostTensor& tensor : tensors) out.push_back(&tensor);
    return out;
}

}  // namespace

/// Emulates in both modes, which must agree, and computes both goldens.
Run run(const Design& design, std::vector<HostTensor> inputs) {
    Run result;
    result.program = lowered(design, bound(design), chipFile(design.chip.text));
    result.inputs = std::move(inputs);
    EmulatedValues fast = emulated(result.program, result.inputs);
    const EmulatedValues checked = emulated(result.program, result.inputs, {.checked = true}, 2);
    const auto resolved = resolve(design, bound(design));
    std::map<std::string, const HostTensor*> named;
    std::size_t next = 0;
    for (const GmTensor& tensor : result.program.tensors) {
        if (tensor.initial == InitialState::Data) named[tensor.name] = &result.inputs[next++];
        if (tensor.role == GmRole::Input) continue;
        const HostTensor& value = tensorNamed(result.program, fast, tensor.name);
        if (tensor.role == GmRole::Output && !sameBits(value, tensorNamed(result.program, checked, tensor.name)))
            qFatal("checked mode gives other bits");
        result.out.emplace(tensor.name, std::move(value.clone()).value());
    }
    for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework}) {
        auto golden = computeGolden(*resolved, named, kind, {});
        if (!golden) qFatal("%s: %s", golden.error().where.c_str(), golden.error().message.c_str());
        for (auto& [name, tensor] : golden->outputs)
            (kind == GoldenKind::Ideal ? result.ideal : result.framework)[name] = tensor.values.toVector();
    }
    return result;
}

/// One stage that makes "r" of the inputs x, y and z.
Design oneStage(const std::string& tensors, const std::string& out, const Shape& result, const std::string& ops,
                const Shape& tile, const std::string& chip) {
    return designOf(tensors + "," + tensor("out", "output", out, result), stage(ops, tile) + "," + store("r", "out"),
                    chip);
}

std::string operation(const std::string& op, const std::string& in, const std::string& more) {
    return "{\"op\": \"" + op + "\", \"in\": [" + in + "], \"out\": \"r\"" + more + "}";
}

std::string out2(const std::string& name) {
    return ", \"out2\": \"" + name + "\"";
}

/// An error of the emulator.
Error failure(const Design& design, const std::vector<HostTensor>& inputs) {
    const Program program = lowered(design, bound(design), chipFile(design.chip.text));
    auto values = emulate(program, pointers(inputs), {}, {});
    if (values) qFatal("no error");
    return values.error();
}

}  // namespace cubist::test
