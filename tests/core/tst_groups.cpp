// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>
#include <numeric>
#include <utility>

#include "core/design/integer_list.h"
#include "core/design/resolve.h"
#include "core/golden/reference.h"
#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

using Values = std::vector<std::int64_t>;

const GeneratorSpec kSmallIntegers{Distribution::Integers, -2.0, 2.0};

/// A design of blocks on a given set of tensors, lists and symbols, each the inside of its JSON value.
Design design(const std::string& head, const std::string& tensors, const std::string& blocks) {
    return designText(R"j({"cubist": 1, "name": "groups", "chip": "Ascend910B1", "skeleton": {"variant": "B"}, )j" +
                      head + R"j(, "tensors": [)j" + tensors + R"j(], "blocks": [)j" + blocks + "]}");
}

const std::string kCube = R"j("out_dtype": "FP32", "tile": {"m": [16, 16], "k": [16, 32], "n": [16, 16]}})j";

/// x [M, 32] in groups of rows, each with its own w[g] [32, 16].
const std::string kRowTensors = R"j({"id": "x", "role": "input", "dtype": "FP32", "shape": ["M", 32]},
    {"id": "w", "role": "input", "dtype": "FP32", "shape": ["G", 32, 16]},
    {"id": "y", "role": "output", "dtype": "FP32", "shape": ["M", 16]})j";

std::string rowHead(const std::string& form, const std::string& values) {
    return R"j("symbols": [{"id": "M", "value": 30}, {"id": "G", "value": 3}],
        "lists": [{"id": "gl", "form": ")j" +
           form + R"j(", "value": )j" + values + R"j(, "total": "M"}])j";
}

std::string rowLoop(const std::string& form) {
    return R"j({"kind": "loop", "id": "groups", "index": "g", "axis": "G", "form": ")j" + form + R"j(", "body": [
        {"kind": "view", "id": "vx", "of": "x", "out": "xg", "shape": [32, 32], "offset": ["start(gl, g)", 0],
         "valid": ["count(gl, g)", 32]},
        {"kind": "view", "id": "vw", "of": "w", "out": "wg", "shape": [32, 16], "offset": ["g", 0, 0]},
        {"kind": "cube", "id": "mm", "a": "xg", "b": "wg", "out": "acc", )j" +
           kCube + R"j(,
        {"kind": "store", "id": "put", "from": "acc", "to": "y", "offset": ["start(gl, g)", 0]}]})j";
}

/// The same, the rows of a group in tiles of 8.
const std::string kNestedLoop = R"j({"kind": "loop", "id": "groups", "index": "g", "axis": "len(gl)", "body": [
    {"kind": "loop", "id": "rows", "index": "t", "axis": "count(gl, g)", "tile": 8, "body": [
        {"kind": "view", "id": "vx", "of": "x", "out": "xg", "shape": [8, 32], "offset": ["start(gl, g) + t * 8", 0],
         "valid": ["min(count(gl, g) - t * 8, 8)", 32]},
        {"kind": "view", "id": "vw", "of": "w", "out": "wg", "shape": [32, 16], "offset": ["g", 0, 0]},
        {"kind": "cube", "id": "mm", "a": "xg", "b": "wg", "out": "acc", )j" +
                                kCube + R"j(,
        {"kind": "vector", "id": "act", "tile": [8, 16], "ops": [{"op": "mul", "in": ["acc", 2.0], "out": "twice"}]},
        {"kind": "store", "id": "put", "from": "twice", "to": "y", "offset": ["start(gl, g) + t * 8", 0]}]}]})j";

/// Groups along K: mm[g] = a[K_g]^T b[K_g] into a workspace, then y += mm.
Design kGroups(const std::string& list, const std::string& tail) {
    return design(R"j("symbols": [{"id": "K", "value": 32}],
        "lists": [{"id": "ends", "form": "prefix_sums", "value": )j" +
                      list + R"j(, "total": "K"}])j",
                  R"j({"id": "a", "role": "input", "dtype": "BF16", "shape": ["K", 16]},
        {"id": "b", "role": "input", "dtype": "BF16", "shape": ["K", 16]},
        {"id": "mm", "role": "workspace", "dtype": "FP32", "shape": ["len(ends)", 16, 16]},
        {"id": "y", "role": "inout", "dtype": "FP32", "shape": ["len(ends)", 16, 16]})j",
                  R"j({"kind": "loop", "id": "groups", "index": "g", "axis": "len(ends)", "parallel": true, "body": [
        {"kind": "view", "id": "va", "of": "a", "out": "ag", "shape": [16, 16], "offset": ["start(ends, g)", 0],
         "valid": ["count(ends, g)", 16]},
        {"kind": "view", "id": "vb", "of": "b", "out": "bg", "shape": [16, 16], "offset": ["start(ends, g)", 0],
         "valid": ["count(ends, g)", 16]},
        {"kind": "cube", "id": "c", "a": "ag", "a_trans": true, "b": "bg", "out": "acc", )j" +
                      kCube + R"j(,
        {"kind": "store", "id": "keep", "from": "acc", "to": "mm", "offset": ["g", 0, 0]}]})j" +
                      tail);
}

const std::string kAddTail = R"j(, {"kind": "vector", "id": "add", "tile": [1, 16, 16],
    "ops": [{"op": "add", "in": ["y", "mm"], "out": "sum"}]},
    {"kind": "store", "id": "put", "from": "sum", "to": "y"})j";

Design unrolled() {
    return design(R"j("symbols": [{"id": "T", "value": 75}])j",
                  R"j({"id": "x", "role": "input", "dtype": "FP32", "shape": ["T", 32]},
        {"id": "w", "role": "input", "dtype": "FP32", "shape": [32, 16]},
        {"id": "y", "role": "output", "dtype": "FP32", "shape": ["T", 16]})j",
                  R"j({"kind": "loop", "id": "rows", "form": "unroll", "axis": "T", "unroll": [64, 8], "body": [
        {"kind": "view", "id": "vx", "of": "x", "out": "xt", "shape": ["factor", 32], "offset": ["i", 0]},
        {"kind": "cube", "id": "mm", "a": "xt", "b": "w", "out": "acc", )j" +
                      kCube + R"j(,
        {"kind": "store", "id": "put", "from": "acc", "to": "y", "offset": ["i", 0]}]})j");
}

/// y = three copies of 3 * x, stored in a loop that the product is not in.
Design copies() {
    return design(R"j("symbols": [{"id": "N", "value": 3}])j",
                  R"j({"id": "x", "role": "input", "dtype": "FP32", "shape": [4, 16]},
                     {"id": "y", "role": "output", "dtype": "FP32", "shape": ["N * 4", 16]})j",
                  R"j({"kind": "vector", "id": "v", "tile": [4, 16],
                      "ops": [{"op": "mul", "in": ["x", 3.0], "out": "r"}]},
                     {"kind": "loop", "id": "rows", "axis": "N", "body": [
                         {"kind": "store", "id": "put", "from": "r", "to": "y", "offset": ["i * 4", 0]}]})j");
}

/// Everything that says what a design computes.
struct Computed {
    Program program;
    std::vector<HostTensor> inputs;
    EmulatedValues values;
    GoldenSet golden;
    std::vector<double> output;

    [[nodiscard]] double input(std::size_t tensor, std::int64_t at) const { return inputs[tensor].at(at); }
};

Computed compute(const Design& given, const Overrides& overrides = {}, const std::string& output = "y") {
    Computed out;
    const auto binding = bindWith(given, {}, overrides);
    if (!binding) qFatal("%s", binding.error().message.c_str());
    const auto resolved = resolve(given, *binding);
    if (!resolved) qFatal("%s at %s", resolved.error().message.c_str(), resolved.error().where.c_str());
    out.program = lowered(given, *binding, chipFile("Ascend910B1"));
    out.inputs = generated(out.program, kSmallIntegers, 7);
    out.values = emulated(out.program, out.inputs);
    std::map<std::string, const HostTensor*> named;
    std::size_t next = 0;
    for (const GmTensor& tensor : out.program.tensors)
        if (tensor.initial == InitialState::Data) named[tensor.name] = &out.inputs[next++];
    auto golden = computeGolden(*resolved, named, GoldenKind::Ideal, {});
    if (!golden) qFatal("%s", golden.error().message.c_str());
    out.golden = std::move(*golden);
    const HostTensor& tensor = tensorNamed(out.program, out.values, output);
    out.output.resize(static_cast<std::size_t>(tensor.count()));
    tensor.toFloat64(0, out.output);
    return out;
}

/// y[r] = x[r] * w[group of r] * factor; rows of no group stay zero.
std::vector<double> groupedRows(const Computed& run, const Values& counts, std::int64_t rows, double factor = 1) {
    std::vector<double> y(static_cast<std::size_t>(rows * 16), 0.0);
    std::int64_t row = 0;
    for (std::size_t g = 0; g < counts.size(); ++g)
        for (std::int64_t i = 0; i < counts[g]; ++i, ++row)
            for (std::int64_t n = 0; n < 16; ++n)
                for (std::int64_t k = 0; k < 32; ++k)
                    y[static_cast<std::size_t>(row * 16 + n)] +=
                        factor * run.input(0, row * 32 + k) *
                        run.input(1, (static_cast<std::int64_t>(g) * 32 + k) * 16 + n);
    return y;
}

/// The design with its loop written out and windows of exactly what they have in each copy.
Design exactCopies(Design given) {
    Loop& loop = std::get<Loop>(given.blocks[0].content);
    loop.form = LoopKind::Static;
    loop.parallel = false;
    for (Block& block : loop.body)
        if (auto* view = std::get_if<View>(&block.content); view != nullptr && !view->valid.empty())
            view->shape = std::exchange(view->valid, {});
    return given;
}

/// A list of group ends as a tensor that the host reads, beside the rows.
Design hostRead() {
    return design(rowHead("prefix_sums", "[10, 25, 30]"),
                  kRowTensors + R"j(, {"id": "ends", "role": "input", "dtype": "INT64", "shape": ["len(gl)"],
                                      "data": {"list": "gl"}})j",
                  rowLoop("runtime"));
}

}  // namespace

class TestGroups : public QObject {
    Q_OBJECT

private slots:
    void theFormSaysWhereGroupsBegin_data() {
        QTest::addColumn<int>("form");
        QTest::addColumn<Values>("values");
        QTest::newRow("counts") << static_cast<int>(ListForm::Counts) << Values{2, 0, 3};
        QTest::newRow("prefix sums") << static_cast<int>(ListForm::PrefixSums) << Values{2, 2, 5};
        QTest::newRow("rows") << static_cast<int>(ListForm::Rows) << Values{0, 0, 2, 2, 2};
    }

    void theFormSaysWhereGroupsBegin() {
        QFETCH(int, form);
        QFETCH(Values, values);
        const IntegerList list = makeList(static_cast<ListForm>(form), values);
        QCOMPARE(list.groups(), 3);
        QCOMPARE(list.starts, (Values{0, 2, 2, 5}));
        QCOMPARE(list.count(1), 0);
        QCOMPARE(list.count(2), 3);
        QCOMPARE(list.sum(), 5);
    }

    void writtenOutGroupsAreCutExactly_data() {
        QTest::addColumn<Values>("counts");
        QTest::newRow("more than a tile") << Values{17, 10, 3};
        QTest::newRow("one has all") << Values{0, 30, 0};
        QTest::newRow("one row") << Values{1, 29, 0};
        QTest::newRow("single rows") << Values{1, 1, 1};
        QTest::newRow("all empty") << Values{0, 0, 0};
    }

    void writtenOutGroupsAreCutExactly() {
        QFETCH(Values, counts);
        const auto list = [&] {
            QStringList entries;
            for (const std::int64_t count : counts) entries += QString::number(count);
            return "[" + entries.join(", ").toStdString() + "]";
        };
        const Design given = exactCopies(design(rowHead("counts", list()), kRowTensors, rowLoop("static")));
        const std::int64_t largest = std::max<std::int64_t>(1, *std::max_element(counts.begin(), counts.end()));
        const auto resolved = resolve(given, bound(given));
        QVERIFY(resolved);
        QVERIFY(resolved->problems.empty());
        QCOMPARE(resolved->value(ValueId("xg"))->shape, (Values{largest, 32}));
        for (std::size_t g = 0; g < counts.size(); ++g)
            QCOMPARE(*validShape(*resolved, ValueId("xg"), {{"g", static_cast<std::int64_t>(g)}}),
                     (Values{counts[g], 32}));
        const Computed run = compute(given);
        QCOMPARE(run.output, groupedRows(run, counts, 30));
        QCOMPARE(run.golden.outputs.at("y").values, run.output);
        // One task for each 16 rows of a group, none for a group without rows.
        std::size_t tasks = 0;
        for (const std::int64_t count : counts) tasks += static_cast<std::size_t>((count + 15) / 16);
        QCOMPARE(run.program.tasks.size(), tasks);
    }

    void writtenOutGroupsAlongKAreCutExactly() {
        const Design windows = kGroups("[8, 16, 16, 32]", kAddTail);
        const Design slices = exactCopies(windows);
        const auto resolved = resolve(slices, bound(slices));
        QVERIFY(resolved && resolved->problems.empty());
        QCOMPARE(resolved->value(ValueId("ag"))->shape, (Values{16, 16}));
        QCOMPARE(compute(slices).output, compute(windows).output);
        const Design large = exactCopies(kGroups("[0, 31, 32]", kAddTail));
        const Computed run = compute(large);
        QCOMPARE(run.golden.outputs.at("y").values, run.output);
        QCOMPARE(resolve(large, bound(large))->value(ValueId("bg"))->shape, (Values{31, 16}));
    }

    void anIndexOfARunTimeLoopIsNoConstant() {
        Design given = exactCopies(design(rowHead("counts", "[17, 10, 3]"), kRowTensors, rowLoop("static")));
        std::get<Loop>(given.blocks[0].content).form = LoopKind::Runtime;
        const auto resolved = resolve(given, bound(given));
        QVERIFY(resolved);
        QCOMPARE(resolved->problems.size(), std::size_t{1});
        QVERIFY(resolved->problems[0].kind == ShapeProblem::Kind::NotConstant);
        QCOMPARE(resolved->problems[0].where, "/blocks/0/body/0/shape/0");
        std::get<View>(std::get<Loop>(given.blocks[0].content).body[0].content).shape[0] = Expression("rows");
        const auto unknown = resolve(given, bound(given));
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().where, "/blocks/0/body/0/shape/0");
    }

    void formsConvertWithoutLoss() {
        using enum ListForm;
        const Values counts{10, 15, 0, 5}, ends{10, 25, 25, 30};
        QCOMPARE(*convertGroups(counts, Counts, PrefixSums), ends);
        QCOMPARE(*convertGroups(ends, PrefixSums, Counts), counts);
        const Values odd{3, -7, 0};  // broken values survive too
        QCOMPARE(*convertGroups(*convertGroups(odd, Counts, PrefixSums), PrefixSums, Counts), odd);
        const auto rows = convertGroups({2, 0, 1, 0}, Counts, Rows);
        QCOMPARE(*rows, (Values{0, 0, 2}));
        QCOMPARE(*convertGroups(*rows, Rows, Counts, 4), (Values{2, 0, 1, 0}));
        QCOMPARE(*convertGroups(*rows, Rows, PrefixSums), (Values{2, 2, 3}));
        QVERIFY(!convertGroups({0, 2, 1}, Rows, Counts));
        QVERIFY(!convertGroups({3, -1}, Counts, Rows));
    }

    void routedCountsAddUp() {
        const auto even = moeCounts(1, 8, 1003, 0);
        QCOMPARE(*even, (Values{126, 126, 126, 125, 125, 125, 125, 125}));
        const auto skewed = moeCounts(1, 64, 4096, 3);
        QCOMPARE(std::accumulate(skewed->begin(), skewed->end(), std::int64_t{0}), std::int64_t{4096});
        QVERIFY(*std::max_element(skewed->begin(), skewed->end()) > 3 * 64);
        QCOMPARE(*moeCounts(1, 64, 4096, 3), *skewed);
        QVERIFY(*moeCounts(2, 64, 4096, 3) != *skewed);
        QVERIFY(!moeCounts(1, 0, 4, 0));
    }

    void rowsAreMultipliedByTheirGroupsMatrix_data() {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("values");
        QTest::addColumn<Values>("counts");
        QTest::newRow("counts") << "counts"
                                << "[10, 15, 5]" << Values{10, 15, 5};
        QTest::newRow("prefix sums") << "prefix_sums"
                                     << "[10, 25, 30]" << Values{10, 15, 5};
        QTest::newRow("empty groups") << "counts"
                                      << "[0, 30, 0]" << Values{0, 30, 0};
        QTest::newRow("rows left over") << "counts"
                                        << "[3, 0, 4]" << Values{3, 0, 4};
        QTest::newRow("all empty") << "counts"
                                   << "[0, 0, 0]" << Values{0, 0, 0};
        QTest::newRow("rows") << "rows"
                              << "[0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]" << Values{10, 20, 0};
    }

    void rowsAreMultipliedByTheirGroupsMatrix() {
        QFETCH(QString, form);
        QFETCH(QString, values);
        QFETCH(Values, counts);
        const std::string head = rowHead(form.toStdString(), values.toStdString());
        for (const std::string loop : {"runtime", "static"}) {
            const Computed run = compute(design(head, kRowTensors, rowLoop(loop)));
            const std::vector<double> wanted = groupedRows(run, counts, 30);
            QCOMPARE(run.output, wanted);
            QCOMPARE(run.golden.outputs.at("y").values, wanted);
            const auto filled = std::count_if(counts.begin(), counts.end(), [](std::int64_t n) { return n > 0; });
            // All groups of a static loop are one root; an empty group has none of its own.
            QCOMPARE(run.program.roots.size(),
                     loop == "static" ? std::min<std::size_t>(1, std::size_t(filled)) : std::size_t(filled));
        }
    }

    void aLongGroupRunsInTiles() {
        const Design given = design(rowHead("counts", "[10, 0, 20]"), kRowTensors, kNestedLoop);
        const Computed run = compute(given);
        QCOMPARE(run.output, groupedRows(run, {10, 0, 20}, 30, 2));
        QCOMPARE(run.golden.outputs.at("y").values, run.output);
        // 2 tiles of group 0, none of group 1, 3 of group 2.
        QCOMPARE(run.program.roots.size(), std::size_t(5));
        QCOMPARE(run.program.roots.back().index, (Values{2, 2}));
        const auto resolved = resolve(given, *bind(given, {}));
        QCOMPARE(resolved->executions(resolved->blocks.back()), 5);
        QCOMPARE(resolved->loops[1].iterations, 3);
        QCOMPARE(resolved->execution({0, 1}, {2, 1}), 3);
        const auto size = estimate(given, *bind(given, {}), chipFile("Ascend910B1"));
        QVERIFY(size);
        QCOMPARE(size->tasks, std::int64_t(run.program.tasks.size()));
        QCOMPARE(size->macs * 2, run.program.flops());
        QCOMPARE(size->workspaceBytes, 5 * 8 * 16 * 4);
    }

    void unrolledLoopsTakeTheLargestFactorThatFits() {
        const Computed run = compute(unrolled());
        Values factors, indices;
        for (const Root& root : run.program.roots) {
            factors.push_back(root.factor);
            indices.push_back(root.index.front());
        }
        QCOMPARE(factors, (Values{64, 8, 1, 1, 1}));
        QCOMPARE(indices, (Values{0, 64, 72, 73, 74}));
        std::vector<double> wanted(75 * 16, 0.0);
        for (std::int64_t t = 0; t < 75; ++t)
            for (std::int64_t n = 0; n < 16; ++n)
                for (std::int64_t k = 0; k < 32; ++k)
                    wanted[static_cast<std::size_t>(t * 16 + n)] += run.input(0, t * 32 + k) * run.input(1, k * 16 + n);
        QCOMPARE(run.output, wanted);
        QCOMPARE(run.golden.outputs.at("y").values, wanted);
        const auto size = estimate(unrolled(), *bind(unrolled(), {}), chipFile("Ascend910B1"));
        QCOMPARE(size->tasks, std::int64_t(run.program.tasks.size()));
    }

    void onlyRunTimeLoopsAreParallel() {
        Design given = unrolled();
        auto& loop = std::get<Loop>(given.blocks.front().content);
        loop.parallel = true;
        for (const Root& root : compute(given).program.roots) {
            QCOMPARE(root.parallelGroup, Root::kSerial);
            QVERIFY(!root.parallelIndex);
        }
    }

    /// Groups 0 and 3 are empty: their products are zero, and y is left as it was.
    void groupsAlongKAddIntoAnInoutTensor() {  // FC-24
        const Computed run = compute(kGroups("[0, 8, 16, 16, 32]", kAddTail));
        std::vector<double> wanted(5 * 256);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = run.input(2, std::int64_t(i));
        const Values ends{0, 8, 16, 16, 32};
        std::vector<double> products(wanted.size(), 0.0);
        for (std::size_t g = 0; g < 5; ++g)
            for (std::int64_t k = g == 0 ? 0 : ends[g - 1]; k < ends[g]; ++k)
                for (std::size_t m = 0; m < 16; ++m)
                    for (std::size_t n = 0; n < 16; ++n)
                        products[g * 256 + m * 16 + n] +=
                            run.input(0, k * 16 + std::int64_t(m)) * run.input(1, k * 16 + std::int64_t(n));
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += products[i];
        QCOMPARE(run.output, wanted);
        QCOMPARE(run.golden.outputs.at("y").values, wanted);
        const HostTensor& mm = tensorNamed(run.program, run.values, "mm");
        std::vector<double> stored(products.size());
        mm.toFloat64(0, stored);
        QCOMPARE(stored, products);
        // One parallel group of five iterations; the code after the loop is serial.
        QCOMPARE(run.program.roots.size(), std::size_t(6));
        QCOMPARE(run.program.roots[4].parallelGroup, 1U);
        QCOMPARE(*run.program.roots[4].parallelIndex, std::int64_t(4));
        QCOMPARE(run.program.roots[5].parallelGroup, Root::kSerial);
        // Every task of the sum waits for the product that it reads, and for no other.
        for (const Task& task : run.program.tasks)
            if (run.program.members[task.firstMember].stage.value == 1) QCOMPARE(task.predecessors, 1U);
    }

    void aBarrierStandsBeforeTheFirstRootOfItsLoop() {
        Design given = design(rowHead("counts", "[0, 15, 5]"), kRowTensors, rowLoop("runtime"));
        std::get<Loop>(given.blocks.front().content).submitBeforeLoop = true;
        const Computed run = compute(given);
        QCOMPARE(run.program.roots.size(), std::size_t(2));
        QVERIFY(run.program.roots[0].submitBefore && !run.program.roots[1].submitBefore);
        QCOMPARE(run.program.roots[0].index, Values{1});
    }

    void aResultIsStoredInAnInnerLoop() {
        const Design given = copies();
        const Computed run = compute(given);
        std::vector<double> wanted;
        for (int copy = 0; copy < 3; ++copy)
            for (std::int64_t i = 0; i < 64; ++i) wanted.push_back(3 * run.input(0, i));
        QCOMPARE(run.output, wanted);
        QCOMPARE(run.golden.outputs.at("y").values, wanted);
    }

    void aFileReplacesTheListThatItsTensorHolds() {
        RunRequest request = requestFor(hostRead());
        request.inputs["ends"] = TensorFile("ends.npy");
        Values given{4, 4, 30};
        request.readers.input = [&](const TensorFile&, const TensorTarget& target) -> Result<HostTensor> {
            auto tensor = HostTensor::zeros(target.dtype, target.shape);
            std::copy(given.begin(), given.end(), tensor->writableCodes<std::int64_t>().begin());
            return tensor;
        };
        const auto report = run(request, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->ran);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QCOMPARE(*report->lists.find("gl"), given);
        QCOMPARE(report->program->roots.size(), std::size_t(2));
        request.lists.set("gl", {1, 2, 3});
        const auto twice = run(request, {});
        QVERIFY(!twice && twice.error().code == ErrorCode::BadValue);
    }

    void wrongGroupListsAreNamed_data() {
        QTest::addColumn<QString>("form");
        QTest::addColumn<Values>("values");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("text");
        QTest::newRow("counts that are ends") << "counts" << Values{10, 25, 30} << "GRP-05"
                                              << "add up to 65, not M = 30";
        QTest::newRow("asks") << "counts" << Values{10, 25, 30} << "GRP-05"
                              << "look like prefix sums - switch?";
        QTest::newRow("ends that are counts") << "prefix_sums" << Values{10, 15, 5} << "GRP-05"
                                              << "look like counts";
        QTest::newRow("rows that are counts") << "rows" << Values{10, 15, 5} << "GRP-05"
                                              << "look like counts";
        QTest::newRow("decreasing") << "prefix_sums" << Values{10, 8, 30} << "GRP-02"
                                    << "decreasing at 1";
        QTest::newRow("too few") << "prefix_sums" << Values{10, 25, 29} << "GRP-10"
                                 << "the last end is 29, not M = 30";
        QTest::newRow("negative") << "prefix_sums" << Values{-1, 25, 30} << "GRP-01"
                                  << "negative at 0";
        QTest::newRow("too many") << "prefix_sums" << Values{10, 25, 31} << "GRP-04"
                                  << "31, more than M = 30";
        QTest::newRow("negative count") << "counts" << Values{-5, 15, 20} << "GRP-01"
                                        << "negative at 0";
        QTest::newRow("empty group") << "counts" << Values{0, 25, 5} << "GRP-06"
                                     << "1 of 3 groups";
        QTest::newRow("all empty") << "counts" << Values{0, 0, 0} << "GRP-07"
                                   << "nothing is computed";
    }

    void wrongGroupListsAreNamed() {  // FC-26, FC-27
        QFETCH(QString, form);
        QFETCH(Values, values);
        QFETCH(QString, rule);
        QFETCH(QString, text);
        RunRequest request = requestFor(design(rowHead(form.toStdString(), "[]"), kRowTensors, rowLoop("runtime")));
        request.lists.set("gl", values);
        const auto report = run(request, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        // A design this small also fills few cores, which is a hint of another rule.
        const auto found =
            std::ranges::find_if(report->findings, [&](const Finding& f) { return f.ruleId == rule.toStdString(); });
        QVERIFY(found != report->findings.end());
        const Finding& finding = *found;
        for (const Finding& other : report->findings)
            QVERIFY2(&other == &finding || other.ruleId.starts_with("PERF-"), other.message.c_str());
        QVERIFY2(finding.message.find(text.toStdString()) != std::string::npos, finding.message.c_str());
        QCOMPARE(report->ran, finding.severity != Severity::Error);
        if (report->ran) QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        // A form that is switched makes the run whole; values of this run cannot be converted in the design.
        QCOMPARE(finding.fixes.size(), std::size_t(rule == QStringLiteral("GRP-05") ? 1 : 0));
    }

    /// Nothing runs, and there is nothing to say about stages.
    void loopsOverEmptyGroupsAloneLeaveZeros() {
        RunRequest request = requestFor(design(rowHead("counts", "[0, 0, 0]"), kRowTensors, kNestedLoop));
        const auto report = run(request, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->ran);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QVERIFY(report->stageErrors.empty() || report->stageErrors[0].added == 0.0);
        for (std::int64_t e = 0; e < 30 * 16; ++e) QCOMPARE(report->outputs.at("y").at(e), 0.0);
    }

    void overridesReplaceTheCasesLists() {
        Design given = design(rowHead("counts", "[10, 15, 5]"), kRowTensors, rowLoop("runtime"));
        Case few;
        few.id = CaseId("few");
        few.lists.set("gl", {1, 2, 3});
        given.cases.push_back(few);
        QCOMPARE(bind(given, "few")->lists.find("gl")->values, (Values{1, 2, 3}));
        Overrides overrides;
        overrides.lists.set("gl", {7, 7, 7});
        QCOMPARE(bindWith(given, "few", overrides)->lists.find("gl")->sum(), 21);
        overrides.lists.set("M", {1});
        QVERIFY(!bindWith(given, "few", overrides));
        QCOMPARE(bindWith(given, "few", overrides).error().code, ErrorCode::WrongType);
        Dictionary<std::int64_t> number;
        number.set("gl", 3);
        QCOMPARE(bind(given, "few", number).error().code, ErrorCode::WrongType);
    }
};

QTEST_GUILESS_MAIN(TestGroups)
#include "tst_groups.moc"
