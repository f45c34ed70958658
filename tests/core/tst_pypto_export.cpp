// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTest>
#include <algorithm>
#include <memory>
#include <tuple>

#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/exchange/pypto/pypto_export.h"
#include "core/exchange/pypto/python_writer.h"
#include "core/exchange/pypto/symbolic.h"
#include "core/exchange/pypto/tuner_config.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

PyptoExport exported(Design design, KeyDialect keys = KeyDialect::Labels, const std::string& caseName = {}) {
    PyptoExportRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(std::move(design));
    request.caseName = caseName;
    request.keys = keys;
    auto out = exportPypto(request);
    if (!out) qFatal("%s", out.error().message.c_str());
    return *std::move(out);
}

Design sample(const char* name) {
    auto loaded = loadDesign(std::string(CUBIST_SOURCE_DIR "/samples/") + name + ".cubist.json");
    if (!loaded) qFatal("%s", loaded.error().message.c_str());
    return loaded->design;
}

std::string kernelOf(const PyptoExport& files, const std::string& name) {
    const std::string& text = files.files.at(name + "_impl.py");
    const std::size_t first = text.find("@pypto.frontend.jit");
    return text.substr(first, text.find("\n\n\ndef check_tensor", first) + 1 - first);
}

const char* const kGlmGate =
    "@pypto.frontend.jit\n"
    "def glm_gate_kernel(\n"
    "    hidden_states: pypto.Tensor([pypto.DYNAMIC, 5120], pypto.DT_FP32),\n"
    "    weight: pypto.Tensor([160, 5120], pypto.DT_FP32),\n"
    "    router_logits: pypto.Tensor([pypto.DYNAMIC, 160], pypto.DT_FP32),\n"
    "):\n"
    "    T = hidden_states.shape[0]\n"
    "\n"
    "    for i in pypto.loop((T + 31) // 32, name=\"rows\", idx_name=\"i\"):\n"
    "        i_start = i * 32\n"
    "        i_size = (T - i_start).min(32)\n"
    "        hidden_tile = pypto.view(\n"
    "            hidden_states, [32, 5120], [i_start, 0], valid_shape=[i_size, 5120]\n"
    "        )\n"
    "\n"
    "        pypto.set_semantic_label(\"gate\")\n"
    "        pypto.set_cube_tile_shapes([32, 32], [512, 1024], [16, 16])\n"
    "        logits = pypto.matmul(hidden_tile, weight, pypto.DT_FP32, b_trans=True)\n"
    "        router_logits[i_start:, 0:] = logits\n";

std::vector<std::string> ruleIds(const PyptoExport& files) {
    std::vector<std::string> ids;
    for (const Finding& finding : files.findings) ids.push_back(finding.ruleId);
    return ids;
}

VectorOp operation(VectorOpCode code, std::vector<Operand> operands, const ValueId& out) {
    VectorOp op;
    op.op = code;
    op.in = std::move(operands);
    op.out = out;
    return op;
}

/// Rows in groups that are known when the kernel is compiled, in tiles of 32.
Design groups() {
    std::string text = R"({'cubist': 1, 'name': 't', 'chip': 'Ascend910B1', 'skeleton': {'variant': 'B'},
        'symbols': [{'id': 'T', 'value': 100, 'static': true}],
        'lists': [{'id': 'gl', 'form': 'counts', 'value': [30, 0, 47, 23], 'total': 'T'}],
        'tensors': [{'id': 'x', 'role': 'input', 'dtype': 'BF16', 'shape': ['T', 64]},
                    {'id': 'w', 'role': 'input', 'dtype': 'BF16', 'shape': [64, 48]},
                    {'id': 'y', 'role': 'output', 'dtype': 'FP32', 'shape': ['T', 48]}],
        'blocks': [{'kind': 'loop', 'id': 'groups', 'form': 'static', 'axis': 'len(gl)', 'index': 'g', 'body': [
            {'kind': 'loop', 'id': 'rows', 'form': 'static', 'axis': 'count(gl, g)', 'tile': 32, 'index': 'r', 'body': [
                {'kind': 'view', 'id': 'v', 'of': 'x', 'out': 'x_r', 'shape': [32, 64],
                 'offset': ['start(gl, g) + r * 32', 0], 'valid': ['min(count(gl, g) - r * 32, 32)', 64]},
                {'kind': 'cube', 'id': 'mm', 'a': 'x_r', 'b': 'w', 'out': 'h', 'out_dtype': 'FP32',
                 'tile': {'m': [32, 32], 'k': [64, 64], 'n': [48, 48]}},
                {'kind': 'store', 'id': 's', 'from': 'h', 'to': 'y', 'offset': ['start(gl, g) + r * 32', 0]}]}]}]})";
    std::replace(text.begin(), text.end(), '\'', '"');
    return designText(text);
}

/// A view whose shape takes a min of the unrolled loop's factor.
Design minOfFactor() {
    std::string text = R"({'cubist': 1, 'name': 't', 'chip': 'Ascend910B1', 'skeleton': {'variant': 'D'},
        'symbols': [{'id': 'T', 'value': 75}],
        'tensors': [{'id': 'x', 'role': 'input', 'dtype': 'FP16', 'shape': ['T', 64]},
                    {'id': 'w', 'role': 'input', 'dtype': 'FP16', 'shape': [64, 64]},
                    {'id': 'y', 'role': 'output', 'dtype': 'FP16', 'shape': ['T', 64]}],
        'blocks': [{'kind': 'loop', 'id': 'rows', 'form': 'unroll', 'index': 't', 'axis': 'T', 'unroll': [64, 1],
                    'factor': 'u', 'body': [
            {'kind': 'view', 'id': 'v', 'of': 'x', 'out': 'x_r', 'shape': ['min(u, 64)', 64], 'offset': ['t', 0]},
            {'kind': 'cube', 'id': 'mm', 'a': 'x_r', 'b': 'w', 'out': 'h', 'out_dtype': 'FP16',
             'tile': {'m': [64, 64], 'k': [64, 64], 'n': [64, 64]}},
            {'kind': 'store', 'id': 's', 'from': 'h', 'to': 'y', 'offset': ['t', 0]}]}]})";
    std::replace(text.begin(), text.end(), '\'', '"');
    return designText(text);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

/// Designs as Python.
class TestPyptoExport : public QObject {
    Q_OBJECT

private slots:
    void aKernelReadsAsItIsWrittenByHand() {
        const PyptoExport files = exported(sample("glm_gate"));
        QCOMPARE(kernelOf(files, "glm_gate"), std::string(kGlmGate));
        for (const char* name : {"glm_gate_impl.py", "glm_gate_golden.py", "test_glm_gate.py", "SPEC.md", "DESIGN.md",
                                 "API_REPORT.md", "README.md"})
            QVERIFY2(files.files.count(name) == 1, name);
    }

    void everySampleIsTheSameTwice_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
        for (const QString& file : folder.entryList({"*.cubist.json"}, QDir::Files))
            QTest::newRow(qPrintable(file)) << folder.filePath(file);
    }
    void everySampleIsTheSameTwice() {
        QFETCH(const QString, path);
        const auto loaded = loadDesign(path.toStdString());
        QVERIFY(loaded);
        const PyptoExport files = exported(loaded->design);
        QVERIFY2(files.findings.empty(), files.findings.empty() ? "" : files.findings[0].message.c_str());
        QVERIFY(files.files == exported(loaded->design).files);
        const auto tuner = pypto::parseTunerConfig(files.files.at("config.json"));
        QVERIFY2(tuner, tuner ? "" : tuner.error().message.c_str());
        QVERIFY(!tuner->matmuls.empty());
        QCOMPARE(pypto::tunerConfigText(*tuner), files.files.at("config.json"));
        for (const auto& [name, text] : files.files) {
            QVERIFY2(!has(text, "\t") && !has(text, " \n") && text.ends_with('\n'), name.c_str());
            if (name.ends_with(".py"))
                for (const QString& line : QString::fromStdString(text).split('\n'))
                    QVERIFY2(line.size() <= 100, qPrintable(line));
            QVERIFY2(!has(text, "None)") && !has(text, "= None\n        "), name.c_str());
        }
    }

    void loopsThatPythonCannotNestAreAFinding() {
        const auto nested = [](int loops) {
            Design design = loadDesign(CUBIST_SOURCE_DIR "/samples/matmul_guide.cubist.json").value().design;
            for (int i = 0; i < loops; ++i) {
                Loop loop;
                loop.id = BlockId("nest" + std::to_string(i));
                loop.index = "i" + std::to_string(i);
                loop.form = LoopKind::Static;
                loop.axis = 1;
                loop.tile = 1;
                loop.body = std::move(design.blocks);
                design.blocks.clear();
                design.blocks.push_back({std::move(loop)});
            }
            return design;
        };
        int own = 0;
        const std::vector<Block>* blocks = nullptr;
        const Design plain = nested(0);
        for (blocks = &plain.blocks; !blocks->empty(); ++own) {
            const auto* loop = std::get_if<Loop>(&blocks->front().content);
            if (loop == nullptr) break;
            blocks = &loop->body;
        }
        QVERIFY(exported(nested(20 - own)).findings.empty());
        const PyptoExport refused = exported(nested(21 - own));
        QVERIFY(refused.files.empty());
        QVERIFY(!refused.findings.empty());
        QCOMPARE(refused.findings[0].ruleId, std::string("EXP-04"));
    }

    void groupsOfACompilationAreLiterals() {
        const std::string kernel = kernelOf(exported(sample("gmm_mxfp8"), KeyDialect::Labels, "empty"), "gmm_mxfp8");
        QVERIFY(has(kernel, "    for g in range(4):\n"));
        QVERIFY(has(kernel, "        if g_size > 0:\n") || has(kernel, "        if GROUP_LIST[g] > 0:\n"));
        QVERIFY(has(kernel, "pypto.Tensor([16, 512], pypto.DT_FP8E4M3)"));
        QVERIFY(!has(kernel, "DYNAMIC") && !has(kernel, "valid_shape"));
        QVERIFY(has(kernel, "pypto.view(a, [g_size, 512], [g_start, 0])"));
    }

    void aListOfTheRunIsNoShape() {
        Design design = sample("gmm_mxfp8");
        Loop again = std::get<Loop>(design.blocks.front().content);
        again.id = BlockId("again");
        again.form = LoopKind::Runtime;
        again.index = "r";
        auto& rows = std::get<View>(again.body.front().content);
        std::tie(rows.id, rows.out) = std::pair(BlockId("rows_again"), ValueId("a_r"));
        rows.offset[0] = Expression("start(group_list, r)");
        rows.shape = rows.valid = {16, 512};
        again.body.erase(again.body.begin() + 1, again.body.end());
        design.blocks.push_back(Block{again});
        const std::vector<Finding> list = exported(design).findings;
        QVERIFY(std::any_of(list.begin(), list.end(), [](const Finding& problem) {
            return problem.ruleId == "EXP-04" && problem.block == BlockId("rows_of_group");
        }));
    }

    void keysComeInTwoDialects() {
        const Design design = sample("gmm_mxfp8");
        const std::string labels = kernelOf(exported(design), "gmm_mxfp8");
        QVERIFY(has(labels, "\"cube_nbuffer_setting\": {\"DEFAULT\": 4}"));
        QVERIFY(has(labels, "\"vec_nbuffer_setting\": {\"DEFAULT\": 4}"));
        const std::string integers = kernelOf(exported(design, KeyDialect::Integers), "gmm_mxfp8");
        QVERIFY(has(integers, "\"cube_nbuffer_setting\": {-1: 4}"));
        QVERIFY(has(integers, "\"vec_nbuffer_setting\": {-2: 1, -1: 4}"));
    }

    void anEmptyCubeSettingIsWritten() {
        Design design = sample("glm_gate");
        QVERIFY(!has(kernelOf(exported(design), "glm_gate"), "cube_nbuffer_setting"));
        design.options.cubeNBuffer = {};
        for (const KeyDialect dialect : {KeyDialect::Labels, KeyDialect::Integers})
            QVERIFY(has(kernelOf(exported(design, dialect), "glm_gate"), "\"cube_nbuffer_setting\": {}"));
        const auto back = readDesign(writeDesign(design));
        QVERIFY(back && back->design.options.cubeNBuffer.empty());
    }

    void plainNumbersOfTheVectorSettingAreNoDefault() {
        // DEFAULT cuts whole groups, a number alone only what shares a neighbour.
        Design design = sample("glm_gate");
        design.options.vecNBuffer.set("-1", 4);
        QVERIFY(has(kernelOf(exported(design), "glm_gate"), "\"vec_nbuffer_setting\": {-1: 4}"));
        design.options.vecNBuffer.set("-2", 1);
        QVERIFY(has(kernelOf(exported(design), "glm_gate"), "\"vec_nbuffer_setting\": {\"DEFAULT\": 4}"));
        design.options.vecNBuffer.set("-2", 0);
        QVERIFY(has(kernelOf(exported(design), "glm_gate"), "\"vec_nbuffer_setting\": {-1: 4, -2: 0}"));
    }

    void tailsOfStaticLoopsAreNumbers() {
        // The index of range() is a Python integer, which has no .min.
        Design design = sample("glm_gate");
        design.symbols[0].isStatic = true;
        std::get<Loop>(design.blocks[0].content).form = LoopKind::Static;
        const std::string even = kernelOf(exported(design), "glm_gate");
        QVERIFY(has(even, "    for i in range(2):\n"));
        QVERIFY(has(even, "pypto.view(hidden_states, [32, 5120], [i_start, 0])"));
        QVERIFY(!has(even, "min(") && !has(even, "if "));
        const std::string tail = kernelOf(exported(design, KeyDialect::Labels, "glm_gate_bs1026"), "glm_gate");
        QVERIFY(has(tail, "i_size = 32 - i // 32 * 30\n"));
        QVERIFY(!has(tail, "min(") && !has(tail, "if "));
    }

    void listsAreCheckedEntryByEntry() {
        const auto groups = loadDesign(CUBIST_SOURCE_DIR "/resources/skeletons/B-1.json");
        QVERIFY(groups);
        const std::string host = exported(groups->design).files.at("grouped_two_layers_impl.py");
        QVERIFY(has(host, "    group_list_starts = starts_of_group_list(group_list)\n    if any("));
        QVERIFY(has(host, "a group has less than no rows\")\n    for g in range(4):\n"));
        QVERIFY(has(host, "        if not 0 <= window_size <= 128:\n"));
        QVERIFY(has(host, "        if window_start < 0 or window_start + window_size > T:\n"));
    }

    void unrolledGroupsAreWalkedByTheSameSteps() {
        Design design = groups();
        design.symbols[0].isStatic = false;
        Loop& outer = std::get<Loop>(design.blocks[0].content);
        outer.form = LoopKind::Runtime;
        outer.axis = Expression("4");
        Loop& rows = std::get<Loop>(outer.body[0].content);
        rows.form = LoopKind::Unroll;
        rows.unroll = {16, 4};
        rows.factor = "u";
        rows.tile = Expression("1");
        View& view = std::get<View>(rows.body[0].content);
        view.shape = {Expression("u"), Expression("64")};
        view.offset = {Expression("start(gl, g) + r"), Expression("0")};
        view.valid.clear();
        std::get<Store>(rows.body[2].content).offset = view.offset;
        const std::string host = exported(design).files.at("t_impl.py");
        QVERIFY2(has(host, "def unrolled(length, factors):\n"), host.c_str());
        QVERIFY(has(host,
                    "        for r, u in unrolled(gl_starts[g + 1] - gl_starts[g], [16, 4, 1]):\n"
                    "            window_start = gl_starts[g] + r\n            window_size = u\n"));
    }

    /// A tensor of the design may hold the bounds, and a store may place rows that no view has placed.
    void boundsInATensorAreCheckedOnTheHost() {
        Design design = sample("llada2_grouped_gemm");
        const std::string host = exported(design).files.at("llada2_grouped_gemm_impl.py");
        QVERIFY2(has(host, "def list_of(values):\n") && has(host, "def unrolled(length, factors):\n"), host.c_str());
        QVERIFY2(has(host,
                     "    check_tensor(\"expert_cumsum\", expert_cumsum, [E + 1], (torch.int32,))\n"
                     "    expert_cumsum = list_of(expert_cumsum)\n"
                     "    if any(b < a for a, b in zip(expert_cumsum, expert_cumsum[1:])):\n"
                     "        raise ValueError(\"expert_cumsum: a group has less than no rows\")\n"
                     "    for e in range(E):\n"
                     "        for t, u in unrolled(expert_cumsum[e + 1] - expert_cumsum[e], [64, 32, 16, 8, 4, 2, "
                     "1]):\n"
                     "            window_start = expert_cumsum[e] + t\n"
                     "            window_size = u\n"
                     "            if window_start < 0 or window_start + window_size > T:\n"
                     "                raise ValueError(\n"
                     "                    f\"expert_cumsum: rows from {window_start} on are outside of "
                     "sorted_tokens\"\n                )\n\n\n"),
                 host.c_str());
        design.tensors.back().shape.front() = Expression("T + 8");  // rows of the output's own
        QVERIFY(has(exported(design).files.at("llada2_grouped_gemm_impl.py"),
                    "            if window_start < 0 or window_start + window_size > T + 8:\n"
                    "                raise ValueError(f\"expert_cumsum: rows from {window_start} on are outside of "
                    "out\")\n"));
        // Nothing says that a list of its own length has an entry for each step.
        design = sample("llada2_grouped_gemm");
        Symbol entries;
        entries.id = SymbolId("N");
        design.symbols.push_back(entries);
        for (Case& each : design.cases) each.symbols.set("N", *each.symbols.find("E") + 1);
        design.tensors[3].shape.front() = Expression("N");
        QVERIFY(has(exported(design).files.at("llada2_grouped_gemm_impl.py"),
                    "    if E + 1 > len(expert_cumsum):\n        raise ValueError(\"expert_cumsum: the kernel reads "
                    "an entry for each step of 'experts'\")\n"));
    }

    void wholeWindowsWantWholeLengths() {
        Design design = sample("glm_gate");
        const std::string cut = exported(design).files.at("glm_gate_impl.py");
        QVERIFY(!has(cut, " % 32"));
        design.symbols[0].value = 64;
        viewOf(design).valid.clear();
        QVERIFY(has(exported(design).files.at("glm_gate_impl.py"),
                    "    if T % 32 != 0:\n        raise ValueError(\n            f\"hidden_states: wanted a multiple "
                    "of 32"));
    }

    void reshapedFractalsNameTheirSizes() {
        Design design = groups();
        Loop& rows = std::get<Loop>(std::get<Loop>(design.blocks[0].content).body[0].content);
        View weight;
        weight.id = BlockId("w_view");
        weight.of = ValueId("w");
        weight.out = ValueId("w_g");
        weight.shape = {Expression("64"), Expression("48")};
        weight.offset = {Expression("g"), Expression("0"), Expression("0")};
        design.tensors[1].shape = {Expression("4"), Expression("64"), Expression("48")};
        std::get<CubeStage>(rows.body[1].content).b = weight.out;
        rows.body.insert(rows.body.begin() + 1, Block{weight});
        QVERIFY(!has(exported(design).files.at("t_impl.py"), "set_matrix_size"));
        design.tensors[1].format = Format::NZ;
        QVERIFY(has(exported(design).files.at("t_impl.py"), "pypto.set_matrix_size([r_size, 64, 48])\n"));
    }

    void everyTileOfATableCounts() {
        // The factors of the unrolled loop go down to 1: so do the tiles along M.
        const PyptoExport files = exported(sample("mla_projection"));
        QVERIFY(has(files.files.at("DESIGN.md"), "- [ ] cube tiles are multiples of 16: not in `qa_first`"));
        QVERIFY(has(files.files.at("API_REPORT.md"), "shapes([1, 1], [256, 256], [128, 128])  # qa_first, u = 1\n"));
    }

    void listsArePartOfTheSpecification() {
        const auto loaded = loadDesign(CUBIST_SOURCE_DIR "/resources/skeletons/B-1.json");
        QVERIFY(loaded);
        const std::string spec = exported(loaded->design).files.at("SPEC.md");
        QVERIFY2(has(spec, "\n| group_list | list: "), spec.c_str());
        QVERIFY(has(spec, ", group_list ["));
        // One that no function of the host has is that of its tensor.
        const std::string held = exported(sample("gmm_finalize_routing")).files.at("SPEC.md");
        QVERIFY2(has(held, ", group_list values [176, 176, 176, 176] |"), held.c_str());
    }

    void outputsThatAreNotFilledStartFromZero() {
        Design design = sample("glm_gate");
        QVERIFY(has(exported(design).files.at("glm_gate_impl.py"), "router_logits = torch.empty("));
        std::get<Loop>(design.blocks[0].content).axis = Expression("T - 4");
        QVERIFY(has(exported(design).files.at("glm_gate_impl.py"), "router_logits = torch.zeros("));
    }

    void weightsInBlocksAreDeclared() {
        const std::string kernel = kernelOf(exported(sample("glm_shared_expert_ffn")), "glm_shared_expert_ffn");
        QVERIFY(has(kernel, "pypto.DT_INT8, format=pypto.TileOpFormat.TILEOP_NZ)"));
        QVERIFY(has(kernel, "for t, u in pypto.loop_unroll("));
        QVERIFY(has(kernel, "enable_split_k=True)"));
        QVERIFY(has(kernel, "mode=pypto.CastMode.CAST_TRUNC, satmode=pypto.SaturationMode.ON"));
    }

    void aNumberIsNoFirstOperand() {
        Design design = rowScale();
        VectorStage& stage = vectorOf(design);
        VectorOp cast = operation(VectorOpCode::Cast, {{ValueId("rest")}}, ValueId("y_tile"));
        cast.dtype = DType::BF16;
        stage.ops = {operation(VectorOpCode::Div, {{1.0}, {cubeOf(design).out}}, ValueId("inverse")),
                     operation(VectorOpCode::Sub, {{2.0}, {ValueId("inverse")}}, ValueId("rest")), cast};
        storeOf(design).from = ValueId("y_tile");
        const std::string kernel = kernelOf(exported(design), design.name);
        // As any other number in front: a reciprocal is an operation of its own, with a time of its own.
        QVERIFY2(has(kernel, "inverse = pypto.div(\n            pypto.full("), kernel.c_str());
        QVERIFY(!has(kernel, "reciprocal"));
        QVERIFY(has(kernel, "rest = pypto.add(pypto.neg(inverse), 2.0)\n"));
    }

    void whatPyptoCannotSayIsAFinding() {
        Design design = rowScale();
        VectorStage& stage = vectorOf(design);
        const ValueId out = stage.ops.back().out;
        const Operand x{cubeOf(design).out};
        VectorOp rope = operation(VectorOpCode::Rope, {x, x, x}, out);
        rope.interleaved = true;
        stage.ops = {rope};
        const PyptoExport files = exported(design);
        QCOMPARE(ruleIds(files), std::vector<std::string>{"EXP-03"});
        QVERIFY(files.files.empty());
        QCOMPARE(files.findings[0].block, stage.id);
        QVERIFY(!files.findings[0].messageZh.empty());
    }

    void shapesOfSymbolicScalarsAreFindings() {
        // The factor of an unrolled loop is an int, but PyPTO's min of it is none, and a view's shape wants ints.
        const PyptoExport files = exported(minOfFactor());
        QCOMPARE(ruleIds(files), std::vector<std::string>{"EXP-04"});
        QCOMPARE(files.findings[0].block, BlockId("v"));
    }

    void goldensDivideOnce() {
        // torch takes `number / tensor` as a reciprocal and a product.
        const std::string rounded =
            exported(sample("glm_shared_expert_ffn")).files.at("glm_shared_expert_ffn_golden.py");
        QVERIFY2(has(rounded, "x_scale = torch.div(torch.tensor(127.0, dtype=COMPUTE), x_max)\n"), rounded.c_str());
        QVERIFY(!has(rounded, "127.0 /"));
        QVERIFY(has(exported(sample("pangu_ffn")).files.at("pangu_ffn_golden.py"), "= 1.0 / denominator\n"));
    }

    void theDesignIsToldInTheFormOfTheWorkflow_data() { everySampleIsTheSameTwice_data(); }
    void theDesignIsToldInTheFormOfTheWorkflow() {
        QFETCH(const QString, path);
        const auto loaded = loadDesign(path.toStdString());
        QVERIFY(loaded);
        const PyptoExport files = exported(loaded->design);
        const QString text = QString::fromStdString(files.files.at("DESIGN.md"));
        for (const char* heading :
             {"\n### 0.1 ",    "\n### 0.2 ",    "\n### 0.3 ",    "\n### 0.4 ",    "\n### 0.5 ", "\n### 1.1 ",
              "\n### 1.2 ",    "\n### 1.3 ",    "\n### 2.1 ",    "\n### 2.2 ",    "\n### 2.3 ", "\n### 3.1 ",
              "\n#### 3.2.1 ", "\n#### 3.2.2 ", "\n#### 3.2.4 ", "\n#### 3.2.5 ", "\n### 4.1 ", "\n### 4.2 ",
              "\n### 4.3 ",    "\n### 4.4 ",    "\n## 5. ",      "\n### 6.1 ",    "\n### 6.2 "})
            QVERIFY2(text.contains(heading), heading);
        const QString own = text.section("\n## 5. ", 1).section("\n## 6. ", 0, 0);
        QCOMPARE(own.count("- [x] ") + own.count("- [ ] "), 15);
        QCOMPARE(own.count("\n| ") - (own.contains("| # |") ? 1 : 0), own.count("- [ ] "));
        const QString tiles = text.section("\n#### 3.2.4 ", 1).section("\n#### 3.2.5 ", 0, 0);
        QCOMPARE(tiles.count("- [x] ") + tiles.count("- [ ] "), 11);
        // The pseudocode is the kernel's own: without the notes about types its lines are the implementation's.
        QString kernel;
        for (const auto& [name, content] : files.files)
            if (name.ends_with("_impl.py")) kernel = QString::fromStdString(content);
        const QString body = text.section("\n### 4.2 ", 1).section("```python\n", 1).section("```", 0, 0);
        QVERIFY(!body.isEmpty());
        for (const QString& line : body.split('\n', Qt::SkipEmptyParts))
            QVERIFY2(kernel.contains("    " + line.section("  # SymbolicScalar", 0, 0).section("  # int", 0, 0) + "\n"),
                     qPrintable(line));
        if (!kernel.contains("pypto.DYNAMIC")) QVERIFY(!text.contains("pypto.DYN", Qt::CaseInsensitive));
    }

    void formulasPutShortStepsTogether() {
        const std::string spec = exported(sample("glm_shared_expert_ffn")).files.at("SPEC.md");
        QVERIFY2(
            has(spec,
                "$$\\mathrm{x\\_scale} = \\frac{127}{\\max_{-1}\\left(\\left|\\mathrm{x\\_f}\\right|\\right)}$$\n"),
            spec.c_str());
        QVERIFY(has(spec, "`up` (C, matmul):\n\n$$\\mathrm{up\\_sums} = \\mathrm{x\\_q} \\cdot \\mathrm{w13}$$\n"));
        QVERIFY(!has(spec, "x\\_abs"));
    }

    void castsOfPackedPairsAreFindings() {
        Design design = rowScale();
        VectorOp cast = operation(VectorOpCode::Cast, {{cubeOf(design).out}}, vectorOf(design).ops.back().out);
        cast.dtype = DType::FP4E1M2;
        vectorOf(design).ops = {cast};
        QCOMPARE(ruleIds(exported(design)), std::vector<std::string>{"EXP-03"});
    }

    void tailsOfNestedStaticLoopsAreIntegers() {
        const std::string host = exported(groups()).files.at("t_impl.py");
        QVERIFY2(has(host, "r_size = ((30,), (), (32, 15), (23,))[g][r]\n"), host.c_str());
        QVERIFY(has(host, "pypto.view(x, [r_size, 64], [r_start, 0])"));
        // Every row lies in a group, which is known when the kernel is compiled.
        QVERIFY(has(host, "y = torch.empty("));
        // What is too long to be written out keeps its shape.
        Design longer = groups();
        longer.symbols[0].value = 3300;
        longer.lists[0].value = {1000, 0, 1300, 1000};
        const std::string kernel = exported(longer).files.at("t_impl.py");
        QVERIFY2(has(kernel, "valid_shape=[r_size, 64]"), kernel.c_str());
        QVERIFY(has(kernel, "r_size = pypto.min("));
        QVERIFY(!has(kernel, "[r_size, 64], ["));
        longer.lists[0].value = {1000, 0, 1300, 900};
        QVERIFY(has(exported(longer).files.at("t_impl.py"), "y = torch.zeros("));
    }

    void aStageWithoutLabelIsLabelledWithItsId() {
        Design design = glmGate();
        const std::string id = cubeOf(design).id.text;
        QVERIFY(cubeOf(design).label.empty());
        QVERIFY(has(kernelOf(exported(design), design.name), ("set_semantic_label(\"" + id + "\")").c_str()));
        const Program program = lowered(design, bound(design), chipFile(design.chip.text));
        QCOMPARE(program.stages[0].label, id);
    }

    void outputsKeepTheirCriteria() {
        Design design = rowScale();
        Tensor more = tensorOf(design, "y");
        more.id = TensorId("more");
        more.tolerance = Tolerance();
        more.tolerance->criterion = Criterion::ErrorRatio;
        more.tolerance->maxErrorRatio = 0.1;
        design.tensors.push_back(more);
        Store store = storeOf(design);
        store.id = BlockId("again");
        store.to = more.id;
        loopOf(design).body.push_back({store});
        design.tolerance.criterion = Criterion::TwoThreshold;
        const std::string test = exported(design).files.at("test_" + design.name + ".py");
        QVERIFY(has(test, "def detailed_tensor_compare(") && has(test, "128 * warn"));
        QVERIFY(has(test, "def compare_error_ratio(") && has(test, "actual.isfinite()"));
        QVERIFY(has(test, "COMPARISONS = {\"more\": compare_error_ratio}\n"));
        QVERIFY(has(test, "            COMPARISONS[name](name, "));
        QVERIFY(has(test, "            detailed_tensor_compare(name, "));
    }

    void hostTensorsHaveTheNameOfTheParameter() {
        Design design = glmGate();
        tensorOf(design, "x").id = TensorId("lambda");
        viewOf(design).of = ValueId("lambda");
        design.options.readyOnHostTensors = {ValueId("lambda")};
        const std::string kernel = kernelOf(exported(design), design.name);
        QVERIFY(has(kernel, "    lambda_: pypto.Tensor("));
        QVERIFY(has(kernel, "\"ready_on_host_tensors\": [\"lambda_\"]"));
    }

    void aTensorThatTorchLacksIsAFinding() {
        Design design = glmGate();
        tensorOf(design, cubeOf(design).b.text).dtype = DType::INT4;
        const PyptoExport files = exported(design);
        QCOMPARE(ruleIds(files), std::vector<std::string>{"EXP-07"});
        QVERIFY(files.files.empty());
    }

    void scalesOfColumnsAreWordsOrAFinding() {
        Design design = glmGate();
        Tensor scale = tensorOf(design, cubeOf(design).b.text);
        scale.id = TensorId("column_scale");
        scale.dtype = DType::FP32;
        scale.shape = {Expression(1), Expression(160)};
        design.tensors.insert(design.tensors.begin(), scale);
        cubeOf(design).scaleTensor = ValueId("column_scale");
        const PyptoExport files = exported(design);
        QVERIFY(files.findings.empty());
        const std::string kernel = files.files.at(design.name + "_impl.py");
        QVERIFY(kernel.find("column_scale: pypto.Tensor([1, 160], pypto.DT_INT64)") != std::string::npos);
        QVERIFY(kernel.find("scale_words(column_scale)") != std::string::npos);
        // One that is an operand too cannot be packed.
        cubeOf(design).scaleTensor = cubeOf(design).b;
        QCOMPARE(ruleIds(exported(design)), std::vector<std::string>{"EXP-05"});
    }

    void theTestLoadsDataFiles() {
        Design design = glmGate();
        const std::string input = viewOf(design).of.text;
        tensorOf(design, input).data.file = "data/rows.npy";
        const PyptoExport files = exported(design);
        QCOMPARE(files.dataFiles.size(), std::size_t{1});
        QCOMPARE(files.dataFiles[0].first, std::string("data/rows.npy"));
        QCOMPARE(files.dataFiles[0].second, std::string("rows.npy"));
        QVERIFY(has(files.files.at("test_" + design.name + ".py"), input + " = load_input(\"rows.npy\", "));
        tensorOf(design, input).data.file = "data/rows.bin";
        PyptoExportRequest request;
        request.chip = chipFile("Ascend910B1");
        request.design = std::make_shared<const Design>(design);
        const auto refused = exportPypto(request);
        QVERIFY(!refused && refused.error().code == ErrorCode::Unsupported);
    }

    void readingWhatIsWrittenIsAFinding() {
        Design design = glmGate();
        tensorOf(design, viewOf(design).of.text).role = TensorRole::InOut;
        tensorOf(design, viewOf(design).of.text).dtype = DType::FP32;
        Store store = storeOf(design);
        store.id = BlockId("back");
        store.from = viewOf(design).out;
        store.to = TensorId(viewOf(design).of.text);
        loopOf(design).body.push_back({store});
        QCOMPARE(ruleIds(exported(design)), std::vector<std::string>{"EXP-01"});
    }

    void expressionsKeepTheirMeaning() {
        using namespace cubist::pypto;
        const PythonStyle style{[](const std::string& each) { return each; }, true};
        const auto text = [&](const char* expression) {
            return pythonText(symbolic(Expression(std::string(expression))), style);
        };
        QCOMPARE(text("min(T - i * 32, 32)"), std::string("(T - i * 32).min(32)"));
        QCOMPARE(text("max(1, T)"), std::string("T.max(1)"));
        QCOMPARE(text("ceildiv(T, 32)"), std::string("(T + 31) // 32"));
        QCOMPARE(text("(a - (b - c)) * 2 % 3"), std::string("(a - (b - c)) * 2 % 3"));
        QCOMPARE(text("a - b - c"), std::string("a - b - c"));
        QCOMPARE(text("-(a + 1)"), std::string("-(a + 1)"));
        QCOMPARE(text("a // (b * c)"), std::string("a // (b * c)"));
    }

    void longLinesBreakAtTheirBrackets() {
        PythonWriter writer;
        std::vector<PyExpr> items;
        for (int i = 0; i < 30; ++i) items.emplace_back("argument_" + std::to_string(i));
        writer.assign("x", PyExpr::call("f", {PyExpr::list(items), 2}));
        writer.assign("y", PyExpr::call("f", {1, 2}));
        QVERIFY(has(writer.text(), "x = f(\n    [\n        argument_0,\n"));
        QVERIFY(writer.text().ends_with("    ],\n    2,\n)\ny = f(1, 2)\n"));
        QCOMPARE(pythonString("a\"b"), std::string("'a\"b'"));
        QCOMPARE(pythonString("it's \"\\\n"), std::string("\"it's \\\"\\\\\\n\""));
        QCOMPARE(pythonString("\"it's\""), std::string("'\"it\\'s\"'"));
        QCOMPARE(pythonFloat(1e-6), std::string("1e-06"));
        QCOMPARE(pythonFloat(2), std::string("2.0"));
    }
};

QTEST_APPLESS_MAIN(TestPyptoExport)
#include "tst_pypto_export.moc"
