// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <limits>

#include "core/run/figures.h"
#include "core/run/memory.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

RunRequest smallGate(std::int64_t rows = 40) {
    return requestFor(glmGate({.rows = rows, .k = 256, .n = 48, .kTile = {64, 128}}));
}

}  // namespace

class TestRun : public QObject {
    Q_OBJECT

private slots:
    void computesValuesVerdictAndTime() {
        const auto report = run(smallGate(), {});
        QVERIFY(report);
        QVERIFY(report->ran);
        QCOMPARE(report->errorCount(), 0);
        QCOMPARE(report->exitStatus(), 0);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QCOMPARE(report->accuracy.outputs.size(), std::size_t{1});
        QCOMPARE(report->accuracy.outputs[0].elements, 40 * 48);
        QCOMPARE(report->outputs.size(), std::size_t{1});
        QCOMPARE(report->outputs.begin()->second.shape(), (Shape{40, 48}));
        QCOMPARE(report->flops, 2 * 40 * 256 * 48);
        QVERIFY(report->trace);
        QVERIFY(report->trace->kernel.value > 0);
        QCOMPARE(report->symbols.entries.size(), std::size_t{1});
        QCOMPARE(report->symbols.entries[0].value, 40);
        // The tile grid of the error map is that of the stage: 32 rows by 16 columns.
        QCOMPARE(report->accuracy.outputs[0].map.tileRows, 32);
        QCOMPARE(report->accuracy.outputs[0].map.tileCols, 16);
    }

    void withoutAnyOutputThereIsNoVerdict() {
        Design design = glmGate({.rows = 40, .k = 256, .n = 48, .kTile = {64, 128}});
        std::get<Loop>(design.blocks[0].content).body.clear();
        for (Tensor& tensor : design.tensors) tensor.role = TensorRole::Input;
        const auto report = run(requestFor(design), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->accuracy.outputs.empty());
        QCOMPARE(report->accuracy.verdict, Verdict::None);
    }

    void errorFindingsStopTheRun() {
        RunRequest request = requestFor(glmGate({.rows = 32, .kTile = {20, 1024}}));
        const auto report = run(request, {});
        QVERIFY(report);
        QVERIFY(!report->ran);
        QVERIFY(report->errorCount() > 0);
        QCOMPARE(report->exitStatus(), 1);
        QCOMPARE(report->accuracy.verdict, Verdict::None);
        QVERIFY(!report->trace);
        QVERIFY(report->outputs.empty());
        const auto predicted = predictOnly(request, {});
        QVERIFY(predicted);
        QVERIFY(!predicted->trace);
    }

    void forceRunsAndKeepsTheFindings() {
        RunRequest request = requestFor(glmGate({.rows = 32, .nTile = {16, 24}}));
        const auto stopped = run(request, {});
        QVERIFY(stopped);
        QCOMPARE(stopped->exitStatus(), 1);
        request.force = true;
        const auto report = run(request, {});
        QVERIFY(report);
        QVERIFY(report->ran);
        QVERIFY(report->errorCount() > 0);
        QCOMPARE(report->exitStatus(), 0);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
    }

    void failedVerdictIsStatusOne() {
        Design design = glmGate({.rows = 32, .k = 256, .n = 48, .kTile = {64, 128}});
        design.tolerance.rtol = 0;
        design.tolerance.atol = 0;
        const auto report = run(requestFor(std::move(design)), {});
        QVERIFY(report);
        QCOMPARE(report->accuracy.verdict, Verdict::Fail);
        QCOMPARE(report->exitStatus(), 1);
    }

    void repeatsTheFindingsOfTheFileFirst() {
        RunRequest request = smallGate();
        Finding finding;
        finding.ruleId = "DOC-01";
        finding.severity = Severity::Warning;
        request.documentFindings = {finding};
        const auto report = checkOnly(request, {});
        QVERIFY(report);
        QVERIFY(!report->findings.empty());
        QCOMPARE(report->findings[0].ruleId, std::string("DOC-01"));
        QVERIFY(!report->ran);
        QCOMPARE(report->exitStatus(), 0);
    }

    void refusesWhatDoesNotFitBeforeAllocating() {
        RunRequest request = requestFor(glmGate());
        request.symbols.set("T", 1'000'000'000'000);
        QElapsedTimer timer;
        timer.start();
        const auto report = run(request, {});
        QVERIFY(timer.elapsed() < 10000);  // the bar is one second
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::DoesNotFit);
        QCOMPARE(report.error().where, std::string("/tensors/0/shape"));
        // 10^12 x 5120 x 4 B = 18.19 PiB.
        QVERIFY(report.error().message.find("18.2 PiB") != std::string::npos);
        QVERIFY(report.error().hint.find("T = 1000000000000") != std::string::npos);
    }

    void keepsToTheMemoryThatIsAllowed() {
        // x 64*5120 and w 160*5120 FP32 values are read in place, y 64*160 counts three times (values, their golden,
        // what is compared); then the tasks and 256 MiB.
        const std::int64_t stored = 4 * (64 * 5120 + 160 * 5120 + 3 * 64 * 160);
        RunRequest request = requestFor(glmGate());
        request.maxMemoryBytes = stored + (256 << 20);
        const auto refused = run(request, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::DoesNotFit);
        request.maxMemoryBytes += 1 << 20;
        QVERIFY(run(request, {}));
        // Without values there are no tensors.
        request.maxMemoryBytes = (256 << 20) + (1 << 20);
        QVERIFY(!run(request, {}));
        QVERIFY(predictOnly(request, {}));
    }

    void writesSizesShort_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing") << qint64{0} << "0 bytes";
        QTest::newRow("bytes") << qint64{1023} << "1023 bytes";
        QTest::newRow("one KiB") << qint64{1024} << "1 KiB";
        QTest::newRow("fraction") << qint64{1536} << "1.5 KiB";
        QTest::newRow("no four digits before the point") << qint64{1023} * 1024 << "0.999 MiB";
        QTest::newRow("MiB") << qint64{256} * 1024 * 1024 << "256 MiB";
        QTest::newRow("largest") << std::numeric_limits<qint64>::max() << "8 EiB";
    }
    void writesSizesShort() {
        QFETCH(const qint64, bytes);
        QFETCH(const QString, text);
        QCOMPARE(QString::fromStdString(sizeText(bytes)), text);
    }

    void namesThatAreNoTensorsAreErrors() {
        RunRequest request = smallGate();
        request.inputs["nothing"] = "x.npy";
        const auto report = run(request, {});
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::UnknownName);
        request.inputs.clear();
        request.symbols.set("Q", 3);
        QCOMPARE(run(request, {}).error().code, ErrorCode::UnknownName);
        request.symbols = {};
        request.caseName = "nowhere";
        QCOMPARE(run(request, {}).error().code, ErrorCode::UnknownName);
    }

    void readsInputsAndGoldensThroughTheReaders() {
        RunRequest request = smallGate(32);
        std::string input, output;
        for (const Tensor& tensor : request.design->tensors) {
            if (tensor.role == TensorRole::Output) output = tensor.id.text;
            if (tensor.role == TensorRole::Input && input.empty()) input = tensor.id.text;
        }
        request.inputs[input] = "ones.npy";
        const auto unread = run(request, {});
        QVERIFY(!unread);
        QCOMPARE(unread.error().code, ErrorCode::Unsupported);
        QCOMPARE(unread.error().where, std::string("ones.npy"));

        request.readers.input = [](const TensorFile&, const TensorTarget& target) -> Result<HostTensor> {
            return HostTensor::zeros(target.dtype, target.shape);
        };
        const auto zeros = run(request, {});
        QVERIFY(zeros);
        QCOMPARE(zeros->outputs.at(output).at(7), 0.0);

        request.goldens[output] = "golden.npy";
        request.readers.golden = [](const TensorFile& file, const TensorTarget& target) -> Result<std::vector<double>> {
            if (file.path != "golden.npy" || target.shape != Shape{32, 48})
                return unexpected(ErrorCode::BadFile, "wrong call");
            return std::vector<double>(32 * 48, 3.0);
        };
        const auto judged = run(request, {});
        QVERIFY(judged);
        QCOMPARE(judged->accuracy.verdict, Verdict::Fail);
        QCOMPARE(judged->accuracy.outputs[0].maxAbs, 3.0);
    }

    void looksForDataFilesBesideTheDesign() {
        Design design = glmGate({.rows = 32, .k = 256, .n = 48, .kTile = {64, 128}});
        design.tensors[0].data.file = "data/x.npy";
        RunRequest request = requestFor(std::move(design));
        request.baseFolder = "/designs";
        std::string asked;
        request.readers.input = [&](const TensorFile& file, const TensorTarget& target) -> Result<HostTensor> {
            asked = file.path;
            return HostTensor::zeros(target.dtype, target.shape);
        };
        QVERIFY(run(request, {}));
        QCOMPARE(asked, std::string("/designs/data/x.npy"));
    }

    void givesEqualBitsForAnyThreads() {
        const RunRequest request = smallGate(200);
        RunContext context;
        const auto one = run(request, context);
        context.threads = 5;
        const auto five = run(request, context);
        QVERIFY(one && five);
        const auto& [name, values] = *one->outputs.begin();
        QVERIFY(sameBits(values, five->outputs.at(name)));
        QCOMPARE(one->accuracy.outputs[0].rmse, five->accuracy.outputs[0].rmse);
        QCOMPARE(one->trace->kernel, five->trace->kernel);
        QCOMPARE(five->host.threads, 5);
    }

    void seedChangesTheGeneratedInputs() {
        RunRequest request = smallGate();
        const auto first = run(request, {});
        request.seed = 1;
        const auto second = run(request, {});
        QVERIFY(first && second);
        QCOMPARE(second->seed, 1);
        QVERIFY(!sameBits(first->outputs.begin()->second, second->outputs.begin()->second));
    }

    void saysWhichStageAddsTheError() {
        const auto report = run(requestFor(rowScale({.rows = 100})), {});
        QVERIFY(report);
        QCOMPARE(report->stageErrors.size(), std::size_t{2});
        const StageError& cube = report->stageErrors[0];
        const StageError& vector = report->stageErrors[1];
        QCOMPARE(cube.inherited, 0.0);
        QVERIFY(cube.added > 0 && cube.added < 1e-6);
        // Rounding to 8 bits of mantissa errs by up to 2^-9, uniformly: about 2^-9 / sqrt(3) relative to the value.
        QVERIFY(vector.added > 0.5 * std::ldexp(1.0, -9) / std::sqrt(3.0));
        QVERIFY(vector.added < 2.0 * std::ldexp(1.0, -9) / std::sqrt(3.0));
        // Scaling each row hands the error of the product on as it is.
        QVERIFY(vector.inherited > 0.5 * cube.added && vector.inherited < 2.0 * cube.added);
        // Together they are the error of the output.
        const double total = report->accuracy.outputs[0].rmse;
        QVERIFY(total > 0);
    }

    void utilisationIsFlopsByPeakAndTime() {
        const auto report = predictOnly(requestFor(glmGate()), {});
        QVERIFY(report);
        QVERIFY(report->outputs.empty());
        QCOMPARE(report->accuracy.verdict, Verdict::None);
        // FP32 on the 910B1: 16 x 16 x 8 multiply-adds every 2 cycles on each of 24 cores.
        const double peakCycles = 64.0 * 160 * 5120 / (24.0 * 16 * 16 * 8 / 2);
        const double cycles = static_cast<double>(report->trace->kernel.value) / 1024.0;
        QVERIFY(std::abs(report->utilisation - peakCycles / cycles) < 1e-12);
    }

    void progressNeverGoesBack() {
        double last = 0;
        bool rising = true;
        QStringList phases;
        RunContext context;
        context.progress = [&](double fraction, std::string_view phase) {
            rising = rising && fraction >= last && fraction <= 1.0;
            last = fraction;
            const QString name = QString::fromUtf8(phase.data(), static_cast<qsizetype>(phase.size()));
            if (phases.isEmpty() || phases.last() != name) phases << name;
        };
        QVERIFY(run(requestFor(rowScale({.rows = 100})), context));
        QVERIFY(rising);
        QCOMPARE(last, 1.0);
        QVERIFY2(phases.contains("inputs") && phases.contains("golden"), qPrintable(phases.join(", ")));
    }

    void stopsSoonInEveryPhase_data() {
        QTest::addColumn<QString>("phase");
        QTest::addColumn<Isa>("isa");
        QTest::addColumn<qint64>("rows");
        QTest::newRow("before it begins") << "" << Isa::Auto << qint64{64};
        QTest::newRow("checks") << "checks" << Isa::Auto << qint64{64};
        QTest::newRow("program") << "program" << Isa::Auto << qint64{64};
        QTest::newRow("inputs") << "inputs" << Isa::Auto << qint64{4096};
        QTest::newRow("values, portable") << "values" << Isa::Portable << qint64{4096};
        QTest::newRow("values, fast") << "values" << Isa::Auto << qint64{4096};
        QTest::newRow("golden") << "golden" << Isa::Auto << qint64{1024};
        QTest::newRow("compare") << "compare" << Isa::Auto << qint64{64};
    }
    void stopsSoonInEveryPhase() {
        QFETCH(const QString, phase);
        QFETCH(const Isa, isa);
        QFETCH(const qint64, rows);
        RunRequest request = requestFor(glmGate({.rows = rows}));
        request.isa = isa;
        std::stop_source source;
        RunContext context;
        context.stop = source.get_token();
        context.threads = 2;
        if (phase.isEmpty()) source.request_stop();
        QElapsedTimer timer;
        timer.start();
        context.progress = [&](double, std::string_view name) {
            if (source.stop_requested() || QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) != phase)
                return;
            source.request_stop();
            timer.restart();
        };
        const auto report = run(request, context);
        QVERIFY(source.stop_requested());
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed()) + " ms"));  // the bar is 100 ms
    }
};

QTEST_APPLESS_MAIN(TestRun)
#include "tst_run.moc"
