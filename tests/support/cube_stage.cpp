// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cube_stage.h"

#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/base/random.h"
#include "tests/support/emulation.h"

namespace cubist::test {
namespace {

using Sizes = std::vector<std::int64_t>;

Tensor tensorOf(const std::string& id, TensorRole role, DType dtype, const Sizes& shape) {
    Tensor tensor;
    tensor.id = TensorId(id);
    tensor.role = role;
    tensor.dtype = dtype;
    for (const std::int64_t extent : shape) tensor.shape.emplace_back(extent);
    return tensor;
}

Sizes withMatrix(Sizes batch, std::int64_t rows, std::int64_t cols) {
    batch.push_back(rows);
    batch.push_back(cols);
    return batch;
}

Sizes resultBatch(const CubeStageKnobs& knobs) {
    Sizes batch;
    for (std::size_t i = 0; i < knobs.batchA.size(); ++i) batch.push_back(std::max(knobs.batchA[i], knobs.batchB[i]));
    return batch;
}

}  // namespace

Design cubeStageDesign(const CubeStageKnobs& knobs) {
    Design design;
    design.name = "stage";
    design.chip = ChipId("Ascend950PR_958x");
    design.skeleton.variant = Variant::A;
    const std::int64_t pairs = (knobs.k + 63) / 64;
    design.tensors.push_back(tensorOf(
        "a", TensorRole::Input, knobs.a,
        knobs.aTrans ? withMatrix(knobs.batchA, knobs.k, knobs.m) : withMatrix(knobs.batchA, knobs.m, knobs.k)));
    design.tensors.push_back(tensorOf(
        "b", TensorRole::Input, knobs.b,
        knobs.bTrans ? withMatrix(knobs.batchB, knobs.n, knobs.k) : withMatrix(knobs.batchB, knobs.k, knobs.n)));
    design.tensors.back().format = knobs.formatB;
    CubeStage stage;
    stage.id = BlockId("C1");
    stage.a = ValueId("a");
    stage.b = ValueId("b");
    stage.aTrans = knobs.aTrans;
    stage.bTrans = knobs.bTrans;
    stage.out = ValueId("acc");
    stage.outDType = knobs.out;
    stage.tile = knobs.tile;
    if (knobs.scaled) {
        stage.op = CubeOp::ScaledMm;
        stage.scaleA = ValueId("sa");
        stage.scaleB = ValueId("sb");
        stage.scaleATrans = knobs.scaleATrans;
        stage.scaleBTrans = knobs.scaleBTrans;
        design.tensors.push_back(tensorOf("sa", TensorRole::Input, DType::FP8E8M0,
                                          knobs.scaleATrans ? Sizes{pairs, knobs.m, 2} : Sizes{knobs.m, pairs, 2}));
        design.tensors.push_back(tensorOf("sb", TensorRole::Input, DType::FP8E8M0,
                                          knobs.scaleBTrans ? Sizes{knobs.n, pairs, 2} : Sizes{pairs, knobs.n, 2}));
    }
    if (!knobs.bias.empty()) {
        stage.bias = ValueId("bias");
        design.tensors.push_back(tensorOf("bias", TensorRole::Input, knobs.biasType, knobs.bias));
    }
    if (!knobs.channelScales.empty()) {
        stage.scaleTensor = ValueId("scales");
        design.tensors.push_back(tensorOf("scales", TensorRole::Input, knobs.channelScaleType, knobs.channelScales));
    }
    if (knobs.change) knobs.change(stage);
    design.tensors.push_back(
        tensorOf("c", TensorRole::Output, stage.outDType, withMatrix(resultBatch(knobs), knobs.m, knobs.n)));
    Store store;
    store.id = BlockId("write");
    store.from = ValueId("acc");
    store.to = TensorId("c");
    design.blocks = {Block{stage}, Block{store}};
    return design;
}

CubeRig::CubeRig(const CubeStageKnobs& knobs, const std::string& chip)
    : m_knobs(knobs), m_design(cubeStageDesign(knobs)), m_program(lowered(m_design, bound(m_design), chipFile(chip))) {
    m_inputs = generated(m_program, {Distribution::Constant, 0.0, 0.0}, 0);
    for (const GmTensor& tensor : m_program.tensors)
        if (tensor.role == GmRole::Input) m_names.push_back(tensor.name);
}

void CubeRig::fillIntegers(std::int64_t low, std::int64_t high, std::uint64_t seed) {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        HostTensor& tensor = m_inputs[i];
        const GeneratorSpec spec{Distribution::Integers, static_cast<double>(low), static_cast<double>(high)};
        const RandomStream stream = randomStream(seed, m_names[i]);
        for (std::int64_t e = 0; e < tensor.count(); ++e) {
            const double value = generateElement(spec, stream, e);
            if (tensor.dtype() == DType::FP8E8M0)
                tensor.writableCodes<std::uint8_t>()[static_cast<std::size_t>(e)] =
                    static_cast<std::uint8_t>(127 + value);
            else
                tensor.set(e, value);
        }
    }
}

void CubeRig::fillUniform(double low, double high, std::uint64_t seed) {
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (m_inputs[i].dtype() != DType::FP8E8M0 && m_inputs[i].dtype() != DType::INT64)
            if (!fillTensor(m_inputs[i], {Distribution::Uniform, low, high}, randomStream(seed, m_names[i]), {}))
                qFatal("cannot fill %s", m_names[i].c_str());
}

bool CubeRig::has(const std::string& name) const {
    return std::find(m_names.begin(), m_names.end(), name) != m_names.end();
}

const HostTensor& CubeRig::tensor(const std::string& name) const {
    const auto found = std::find(m_names.begin(), m_names.end(), name);
    if (found == m_names.end()) qFatal("no input %s", name.c_str());
    return m_inputs[static_cast<std::size_t>(found - m_names.begin())];
}

HostTensor& CubeRig::input(const std::string& name) {
    return const_cast<HostTensor&>(tensor(name));
}

EmulatedValues CubeRig::runAll(const EmulatorOptions& options, int threads) const {
    return emulated(m_program, m_inputs, options, threads);
}

HostTensor CubeRig::run(const EmulatorOptions& options, int threads) const {
    const EmulatedValues values = runAll(options, threads);
    auto copy = tensorNamed(m_program, values, "c").clone();
    if (!copy) qFatal("no memory");
    return std::move(copy).value();
}

std::vector<double> CubeRig::golden(GoldenKind kind) const {
    auto resolved = resolve(m_design, bound(m_design));
    if (!resolved) qFatal("%s", resolved.error().message.c_str());
    std::map<std::string, const HostTensor*> inputs;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) inputs[m_names[i]] = &m_inputs[i];
    auto set = computeGolden(*resolved, inputs, kind, {});
    if (!set) qFatal("%s", set.error().message.c_str());
    return set->outputs.at("c").values.toVector();
}

std::int64_t CubeRig::matrices() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : resultBatch(m_knobs)) count *= extent;
    return count;
}

std::int64_t CubeRig::matrixOf(const Sizes& batch, std::int64_t matrix) const {
    const Sizes result = resultBatch(m_knobs);
    std::int64_t place = 0, stride = 1;
    for (std::size_t axis = result.size(); axis-- > 0;) {
        const std::int64_t at = matrix % result[axis];
        matrix /= result[axis];
        if (batch[axis] != 1) place += at * stride;
        stride *= batch[axis];
    }
    return place;
}

double CubeRig::elementA(std::int64_t matrix, std::int64_t row, std::int64_t k) const {
    const std::int64_t at = m_knobs.aTrans ? k * m_knobs.m + row : row * m_knobs.k + k;
    const double value = tensor("a").at(matrixOf(m_knobs.batchA, matrix) * m_knobs.m * m_knobs.k + at);
    if (!m_knobs.scaled) return value;
    const std::int64_t pairs = (m_knobs.k + 63) / 64;
    const std::int64_t pair = m_knobs.scaleATrans ? (k / 64) * m_knobs.m + row : row * pairs + k / 64;
    return value * tensor("sa").at(2 * pair + k / 32 % 2);
}

double CubeRig::elementB(std::int64_t matrix, std::int64_t k, std::int64_t column) const {
    const std::int64_t at = m_knobs.bTrans ? column * m_knobs.k + k : k * m_knobs.n + column;
    const double value = tensor("b").at(matrixOf(m_knobs.batchB, matrix) * m_knobs.n * m_knobs.k + at);
    if (!m_knobs.scaled) return value;
    const std::int64_t pairs = (m_knobs.k + 63) / 64;
    const std::int64_t pair = m_knobs.scaleBTrans ? column * pairs + k / 64 : (k / 64) * m_knobs.n + column;
    return value * tensor("sb").at(2 * pair + k / 32 % 2);
}

double CubeRig::bias(std::int64_t matrix, std::int64_t column) const {
    if (m_knobs.bias.empty()) return 0.0;
    const bool batched = m_knobs.bias.size() == 3 && m_knobs.bias[0] > 1;
    return tensor("bias").at((batched ? matrix : 0) * m_knobs.n + column);
}

std::vector<double> CubeRig::sums() const {
    std::vector<double> out;
    for (std::int64_t matrix = 0; matrix < matrices(); ++matrix)
        for (std::int64_t row = 0; row < m_knobs.m; ++row)
            for (std::int64_t column = 0; column < m_knobs.n; ++column) {
                double sum = bias(matrix, column);
                for (std::int64_t k = 0; k < m_knobs.k; ++k)
                    sum += elementA(matrix, row, k) * elementB(matrix, k, column);
                out.push_back(sum);
            }
    return out;
}

float CubeRig::chain(std::int64_t matrix, std::int64_t row, std::int64_t column, std::int64_t first, std::int64_t end,
                     float start) const {
    float sum = start;
    for (std::int64_t k = first; k < end; ++k)
        sum = std::fma(static_cast<float>(elementA(matrix, row, k)), static_cast<float>(elementB(matrix, k, column)),
                       sum);
    return sum;
}

}  // namespace cubist::test
