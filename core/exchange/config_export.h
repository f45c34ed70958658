// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"

namespace cubist {

/// C: a cube stage, V: a vector stage, as kernel authors call them.
enum class ConfigStageKind : std::uint8_t { C, V };

template <>
struct EnumTable<ConfigStageKind> {
    static constexpr std::string_view name = "kind of stage";
    static constexpr std::array entries{std::pair{ConfigStageKind::C, std::string_view{"C"}},
                                        std::pair{ConfigStageKind::V, std::string_view{"V"}}};
};

struct ConfigTensor {
    TensorId id;
    TensorRole role = TensorRole::Input;
    DType dtype = DType::FP32;
    Format format = Format::ND;
    std::vector<std::int64_t> shape;
    bool operator==(const ConfigTensor&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("role", self.role);
        v.required("dtype", self.dtype);
        v.required("format", self.format);
        v.required("shape", self.shape);
    }
};

struct ConfigLoop {
    BlockId id;
    std::string index;
    std::int64_t axis = 0, tile = 1, iterations = 0;
    bool parallel = false;
    bool operator==(const ConfigLoop&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("index", self.index);
        v.required("axis", self.axis);
        v.required("tile", self.tile);
        v.required("iterations", self.iterations);
        v.required("parallel", self.parallel);
    }
};

struct ConfigMatmul {
    std::int64_t m = 0, k = 0, n = 0;  ///< of one execution
    DType aDType = DType::FP32, bDType = DType::FP32, outDType = DType::FP32;
    bool aTrans = false, bTrans = false;
    CubeTile tile;
    // What else changes its values.
    CubeOp op = CubeOp::Matmul;
    ValueId scaleA, scaleB, bias, scaleTensor;
    std::optional<double> scale;
    bool relu = false;
    Fp32Mode fp32Mode = Fp32Mode::Ieee;
    Accumulation accumulation = Accumulation::Element;
    DType partialDType = DType::FP32;
    bool operator==(const ConfigMatmul&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("m", self.m);
        v.required("k", self.k);
        v.required("n", self.n);
        v.required("a_dtype", self.aDType);
        v.required("b_dtype", self.bDType);
        v.required("out_dtype", self.outDType);
        v.required("a_trans", self.aTrans);
        v.required("b_trans", self.bTrans);
        v.required("cube_tile", self.tile);
        v.optional("op", self.op, CubeOp::Matmul);
        v.optional("scale_a", self.scaleA);
        v.optional("scale_b", self.scaleB);
        v.optional("bias", self.bias);
        v.optional("scale_tensor", self.scaleTensor);
        v.optional("scale", self.scale);
        v.optional("relu", self.relu, false);
        v.optional("fp32_mode", self.fp32Mode, Fp32Mode::Ieee);
        v.optional("accumulation", self.accumulation, Accumulation::Element);
        v.optional("partial_dtype", self.partialDType, DType::FP32);
    }
};

struct ConfigVector {
    std::vector<VectorOpCode> ops;
    std::vector<std::int64_t> shape;  ///< of the result of one execution
    DType outDType = DType::FP32;
    std::vector<std::int64_t> tile;
    std::vector<VectorOp> operations;  ///< with roundings, saturation and all else that changes values
    bool operator==(const ConfigVector&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("ops", self.ops);
        v.required("shape", self.shape);
        v.required("out_dtype", self.outDType);
        v.required("vec_tile", self.tile);
        v.optional("operations", self.operations);
    }
};

/// A stage in an unrolled loop, for one of the factors that run.
struct ConfigFactor {
    std::int64_t factor = 1;
    std::int64_t executions = 1;
    std::vector<std::int64_t> shape;    ///< of the result, as far as it is valid in the first of them
    std::optional<CubeTile> cubeTile;   ///< kind C
    std::vector<std::int64_t> vecTile;  ///< kind V
    bool operator==(const ConfigFactor&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("factor", self.factor);
        v.required("executions", self.executions);
        v.required("shape", self.shape);
        v.optional("cube_tile", self.cubeTile);
        v.optional("vec_tile", self.vecTile);
    }
};

/// In an unrolled loop `matmul` and `vector` are those of the largest factor that runs.
struct ConfigStage {
    BlockId id;
    ConfigStageKind kind = ConfigStageKind::C;
    std::string label;
    std::int64_t executions = 1;
    std::optional<ConfigMatmul> matmul;  ///< kind C
    std::optional<ConfigVector> vector;  ///< kind V
    std::vector<ConfigFactor> byFactor;  ///< largest first; empty: not in an unrolled loop, or too many iterations
    bool operator==(const ConfigStage&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("kind", self.kind);
        v.optional("label", self.label);
        v.required("executions", self.executions);
        v.optional("matmul", self.matmul);
        v.optional("vector", self.vector);
        v.optional("by_factor", self.byFactor);
    }
};

struct ConfigPrediction {
    double kernelUs = 0;
    std::int64_t kernelTicks = 0;
    Bound bound = Bound::Cube;
    Confidence confidence = Confidence::Estimate;
    bool operator==(const ConfigPrediction&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("kernel_us", self.kernelUs);
        v.required("kernel_ticks", self.kernelTicks);
        v.required("bound", self.bound);
        v.required("confidence", self.confidence);
    }
};

struct ConfigProvenance {
    std::string tool, version;
    std::string designHash;  ///< "fnv1a64:" and 16 hex digits of the design file's canonical text
    bool operator==(const ConfigProvenance&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("tool", self.tool);
        v.required("version", self.version);
        v.required("design_hash", self.designHash);
    }
};

/// What a build script needs to configure the real kernel: one design, chip and case with all numbers filled in.
struct KernelConfig {
    static constexpr std::int64_t kFormatVersion = 1;

    std::string design;
    ChipId chip;
    CaseId caseId;
    Dictionary<std::int64_t> symbols;
    Dictionary<std::vector<std::int64_t>> lists;
    LaunchProfile launch = LaunchProfile::Pypto;
    std::string blockOrder;  ///< launch `bare`: as `orderText`; else empty
    RuleProfile profile = RuleProfile::Enforced;
    Skeleton skeleton;
    std::vector<ConfigTensor> tensors;
    std::vector<ConfigLoop> loops;
    std::vector<ConfigStage> stages;
    Options options;
    std::optional<ConfigPrediction> predicted;
    ConfigProvenance provenance;
    bool operator==(const KernelConfig&) const = default;

    /// The key "cubist_config" (format version) comes before these.
    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("design", self.design);
        v.required("chip", self.chip);
        v.optional("case", self.caseId);
        v.required("symbols", self.symbols);
        v.optional("lists", self.lists);
        v.required("launch", self.launch);
        v.optional("block_order", self.blockOrder);
        v.required("profile", self.profile);
        v.required("skeleton", self.skeleton);
        v.required("tensors", self.tensors);
        v.required("loops", self.loops);
        v.required("stages", self.stages);
        v.required("options", self.options);
        v.optional("predicted", self.predicted);
        v.required("provenance", self.provenance);
    }
};

/// Errors: everything `bind` and `resolve` report.
[[nodiscard]] Result<KernelConfig> kernelConfig(const RunRequest& request, const RunReport& report,
                                                const std::string& version);

/// As `ConfigProvenance::designHash`. Equal designs have equal hashes whatever their file's layout.
[[nodiscard]] std::string designHash(const Design& design);

/// All fields, those with default values too, ending in a line break.
[[nodiscard]] std::string kernelConfigText(const KernelConfig& config);

/// Reads what `kernelConfigText` wrote. Errors: as the JSON reader; Unsupported for another format version.
[[nodiscard]] Result<KernelConfig> parseKernelConfig(std::string_view text);

}  // namespace cubist
