// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "tests/support/rule_makers.h"

namespace cubist::test {

using namespace making;

namespace {

Make withOption(const std::function<void(Options&)>& change) {
    return changed(kMatmul, [change](Design& design) { change(design.options); });
}

Make merging(const std::vector<std::pair<std::string, std::int64_t>>& entries) {
    return changed(kMatmul, [entries](Design& design) {
        cubeOf(design).label = "gate";
        for (const auto& [key, value] : entries) design.options.cubeL1Reuse.set(key, value);
    });
}

}  // namespace

void addOptionCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto mode = [](std::int64_t value) {
        return withOption([value](Options& options) { options.deviceSchedMode = value; });
    };
    const auto width = [](std::int64_t value) {
        return withOption([value](Options& options) { options.deviceSchedParallelism = value; });
    };
    const Make sideBySide = changed(kGate, [](Design& design) {
        loopOf(design).parallel = true;
        design.options.deviceSchedParallelism = 8;
    });
    const auto stitch = [](std::int64_t value) {
        return withOption([value](Options& options) { options.stitchFunctionMaxNum = value; });
    };
    cases.push_back({"OPT-01", "/options/device_sched_mode", Enforced, mode(4), mode(3)});
    cases.push_back({"OPT-01",
                     "/options/device_sched_parallelism",
                     Enforced,
                     width(0),
                     sideBySide,
                     {},
                     true,
                     "OPT-01 parallelism"});
    cases.push_back({"OPT-03",
                     "/options/device_sched_parallelism",
                     Enforced,
                     width(2),
                     sideBySide,
                     {},
                     true,
                     "OPT-03 parallelism"});
    cases.push_back({"OPT-01",
                     "/options/stitch_function_max_num",
                     Enforced,
                     stitch(1025),
                     stitch(1024),
                     {},
                     true,
                     "OPT-01 stitch"});
    const std::string reuse = "/options/cube_l1_reuse_setting";
    cases.push_back(
        {"OPT-02", reuse, Enforced, merging({{"-1", 1}, {"func8_0", 1}}), merging({{"-1", 1}, {"gate", 1}})});
    const auto mix = [](bool on) { return withOption([on](Options& options) { options.autoMixPartition = on; }); };
    const auto valid = [](bool on) { return withOption([on](Options& options) { options.validShapeOptimize = on; }); };
    cases.push_back({"OPT-03", "/options/auto_mix_partition", Enforced, mix(true), mix(false)});
    cases.push_back({"OPT-03",
                     "/options/valid_shape_optimize",
                     Enforced,
                     valid(true),
                     changed(kGate, [](Design& design) { design.options.validShapeOptimize = true; }),
                     {},
                     true,
                     "OPT-03 valid shapes"});
    cases.push_back({"OPT-04", reuse + "/up", Enforced, merging({{"up", 1}}), merging({{"gate", 1}})});
    cases.push_back({"OPT-05", reuse + "/DEFAULT", Enforced, merging({{"DEFAULT", 0}}), merging({{"DEFAULT", 1}})});
    cases.push_back({"OPT-05", reuse + "/DEFAULT", Enforced, merging({{"DEFAULT", 2'147'483'648}}),
                     merging({{"DEFAULT", 2'147'483'647}})});
    cases.push_back({"OPT-06", reuse + "/-2", Enforced, merging({{"-2", 1}}), merging({{"-1", 1}})});
    const auto vectors = [](const std::vector<std::string>& keys) {
        return withOption([keys](Options& options) {
            for (const std::string& key : keys) options.vecNBuffer.set(key, 1);
        });
    };
    const std::string vec = "/options/vec_nbuffer_setting";
    cases.push_back({"OPT-08", vec, Enforced, vectors({"-1"}), vectors({"-2", "-1"})});
    cases.push_back(
        {"OPT-08", vec, Enforced, vectors({"func8_0"}), vectors({"DEFAULT"}), {}, true, "OPT-08 text keys"});
    const auto manual = [](std::int64_t value) {
        return withOption([value](Options& options) {
            options.vecNBuffer.set("-2", value);
            options.vecNBuffer.set("-1", 2);
        });
    };
    cases.push_back({"OPT-13", vec + "/-2", Enforced, manual(2), manual(1)});
    const auto sides = [](const std::string& key, const std::string& side) {
        return withOption([key, side](Options& options) {
            options.cubeL1Reuse.set("DEFAULT", 2);
            options.cubeL1ReuseSide.set(key, side);
        });
    };
    const std::string side = "/options/cube_l1_reuse_side";
    cases.push_back({"OPT-11", side + "/DEFAULT", Enforced, sides("DEFAULT", "up"), sides("DEFAULT", "left")});
    cases.push_back(
        {"OPT-11", side + "/gate", Enforced, sides("gate", "left"), sides("DEFAULT", "auto"), {}, false, "OPT-11 key"});
    cases.push_back({"OPT-12",
                     "/options/ready_on_host_tensors/0",
                     Enforced,
                     withOption([](Options& options) { options.readyOnHostTensors = {ValueId("zz")}; }),
                     kMatmul,
                     {},
                     false});
    const auto capped = [](std::int64_t stitched) {
        return withOption([stitched](Options& options) {
            options.maxWorkspaceKb = 4096;
            options.stitchFunctionMaxNum = stitched;
        });
    };
    cases.push_back({"OPT-09", "/options/stitch_function_max_num", Enforced, capped(64), capped(128)});
    // acc: 64 x 128 FP32
    const auto cap = [](std::int64_t kb) {
        return changed(kRowScale, [kb](Design& design) { design.options.maxWorkspaceKb = kb; });
    };
    cases.push_back({"OPT-10", "/options/max_workspace_kb", Enforced, cap(31), cap(32)});
}

void addStructureCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    cases.push_back({"STR-01",
                     "/blocks",
                     Enforced,
                     changed(kRowScale,
                             [](Design& design) {
                                 std::erase_if(loopOf(design).body, [](const Block& block) {
                                     return std::holds_alternative<CubeStage>(block.content);
                                 });
                                 vectorOf(design).ops[0].in[0] = Operand{ValueId("x_tile")};
                                 tensorOf(design, "scale").dtype = DType::BF16;
                                 vectorOf(design).ops.pop_back();
                                 storeOf(design).from = ValueId("scaled");
                                 design.tensors.erase(design.tensors.begin() + 1);
                             }),
                     kRowScale,
                     {},
                     false});
    const auto variant = [](Variant value) { return [value](Design& design) { design.skeleton.variant = value; }; };
    cases.push_back({"STR-02", "/skeleton/variant", Enforced, changed(kGate, variant(Variant::D)),
                     changed(kGate, variant(Variant::C))});
    cases.push_back({"STR-03",
                     "/blocks/0/out",
                     Enforced,
                     changed(kMatmul,
                             [](Design& design) {
                                 design.blocks.pop_back();
                                 design.tensors.pop_back();
                             }),
                     kMatmul,
                     {},
                     false});
    const auto drawn = [](double high) {
        return [high](Design& design) {
            tensorOf(design, "a").data.low = 1;
            tensorOf(design, "a").data.high = high;
        };
    };
    cases.push_back(
        {"VAL-18", "/tensors/0/data", Enforced, changed(kMatmul, drawn(1)), changed(kMatmul, drawn(2)), {}, false});
    const auto named = [](const std::string& name) { return [name](Design& design) { design.name = name; }; };
    const auto second = [](const std::string& symbol, const std::string& alias) {
        return [symbol, alias](Design& design) {
            Case first, other;
            first.id = CaseId("first");
            first.aliases = {"one"};
            other.id = CaseId("other");
            other.aliases = {alias};
            if (!symbol.empty()) other.symbols.set(symbol, 2);
            design.cases = {first, other};
        };
    };
    cases.push_back({"DOC-04",
                     "/cases/1/symbols/Q",
                     Enforced,
                     changed(kMatmul, second("Q", "two")),
                     changed(kMatmul, second("", "two")),
                     {},
                     false});
    cases.push_back({"DOC-04",
                     "/cases/1/aliases",
                     Enforced,
                     changed(kMatmul, second("", "one")),
                     changed(kMatmul, second("", "two")),
                     {},
                     false,
                     "DOC-04 of an alias"});
    const auto pattern = [](std::int64_t value) {
        return [value](Design& design) { design.skeleton.pattern = {value}; };
    };
    cases.push_back({"STR-04", "/skeleton/pattern", Enforced, changed(kGate, pattern(5)), kGate});
    cases.push_back(
        {"STR-04", "/skeleton/pattern", Enforced, changed(kGate, pattern(1)), kGate, {}, true, "STR-04 of the flow"});
    cases.push_back({"NAME-01",
                     "/name",
                     Enforced,
                     changed(kMatmul, named("2nd gate")),
                     changed(kMatmul, named("gate_2")),
                     {},
                     false});
    cases.push_back({"NAME-01",
                     "/name",
                     Enforced,
                     changed(kMatmul, named("lambda")),
                     changed(kMatmul, named("Lambda")),
                     {},
                     false,
                     "NAME-01 keyword"});
    cases.push_back({"NAME-01",
                     "/name",
                     Enforced,
                     changed(kMatmul, named("矩阵，乘")),
                     changed(kMatmul, named("矩阵乘")),
                     {},
                     false,
                     "NAME-01 of other scripts"});
}

namespace {

/// Integer inputs without a generator draw zeros and ones, so that they do not trigger VAL-10.
Make withIntegers(Make make) {
    return [make = std::move(make)] {
        Design design = make();
        for (Tensor& tensor : design.tensors)
            if (!isFloat(tensor.dtype) && tensor.data == DataSource{}) tensor.data.generator = Generator::Integers;
        return design;
    };
}

}  // namespace

std::vector<RuleCase> ruleCases() {
    std::vector<RuleCase> cases;
    addTileCases(cases);
    addCapacityCases(cases);
    addTypeCases(cases);
    addCubeCases(cases);
    addVectorCases(cases);
    addShapeCases(cases);
    addLoopAndStoreCases(cases);
    addGroupCases(cases);
    addLoopFormCases(cases);
    addOptionCases(cases);
    addStructureCases(cases);
    addBlockCases(cases);
    addCodingCases(cases);
    addLayoutCases(cases);
    for (RuleCase& entry : cases) {
        if (entry.name.empty()) entry.name = entry.rule;
        if (entry.rule == "VAL-10") continue;
        entry.breaks = withIntegers(std::move(entry.breaks));
        entry.passes = withIntegers(std::move(entry.passes));
    }
    return cases;
}

}  // namespace cubist::test
