// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/design/resolve.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// [4, 6] += rows that an index of 5 entries picks.
std::string indexedTensors(const std::string& dtype, const Shape& from, const Shape& to,
                           const std::string& indexType = "INT32", std::int64_t entries = 5) {
    return tensor("x", "input", dtype, from) + "," + tensor("i", "input", indexType, {entries}) + "," +
           tensor("out", "output", dtype, to);
}

/// A matmul of INT8 or FP16 [32, 64] x [64, 32] into "r" in K slices of 32.
std::string product(const std::string& out, bool splitK) {
    return "{\"kind\": \"cube\", \"id\": \"mm\", \"a\": \"x\", \"b\": \"y\", \"out\": \"r\", \"out_dtype\": \"" + out +
           "\", \"tile\": {\"m\": [16, 16], \"k\": [32, 32], \"n\": [32, 32]" + (splitK ? ", \"split_k\": true" : "") +
           "}}";
}

}  // namespace

class TestVectorIndex : public QObject {
    Q_OBJECT

private slots:
    void severalIndicesPickAlongTheFirstAxes_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<Shape>("to");
        QTest::addColumn<int>("indexCount");
        QTest::addColumn<bool>("accumulate");
        for (const bool accumulate : {false, true})
            for (const char* dtype : {"FP32", "BF16", "INT32"}) {
                const char* name = accumulate ? "added" : "put";
                QTest::addRow("%s rows, %s", dtype, name) << dtype << Shape{5, 3, 64} << 2 << accumulate;
                QTest::addRow("%s elements, %s", dtype, name) << dtype << Shape{9, 32} << 2 << accumulate;
                QTest::addRow("%s three of four, %s", dtype, name) << dtype << Shape{2, 3, 4, 32} << 3 << accumulate;
            }
    }
    void severalIndicesPickAlongTheFirstAxes() {
        QFETCH(QString, dtype);
        QFETCH(Shape, to);
        QFETCH(int, indexCount);
        QFETCH(bool, accumulate);
        const DType type = *fromText<DType>(dtype.toStdString());
        const auto count = static_cast<std::size_t>(indexCount);
        constexpr std::int64_t kEntries = 16;
        Shape from(to.begin() + indexCount, to.end());
        from.insert(from.begin(), kEntries);
        std::string tensors = tensor("x", "input", dtype.toStdString(), to), operands = "\"x\"";
        std::vector<HostTensor> in;
        in.push_back(noise(type, to, 1));
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = "i" + std::to_string(i);
            tensors += "," + tensor(name, "input", "INT32", {kEntries});
            operands += ", \"" + name + "\"";
            in.push_back(indices({kEntries}, to[i], DType::INT32, static_cast<std::uint32_t>(40 + i)));
        }
        tensors += "," + tensor("y", "input", dtype.toStdString(), from);
        operands += ", \"y\"";
        in.push_back(noise(type, from, 2));
        const Run result = run(oneStage(tensors, dtype.toStdString(), to,
                                        operation("index_put", operands, accumulate ? ", \"accumulate\": true" : ""),
                                        Shape(to.size(), 16)),
                               std::move(in));
        std::int64_t slice = 1;
        for (std::size_t axis = count; axis < to.size(); ++axis) slice *= to[axis];
        Values want(static_cast<std::size_t>(result["out"].count()));
        result.inputs[0].toFloat64(0, want);
        for (std::int64_t entry = 0; entry < kEntries; ++entry) {
            std::int64_t place = 0;
            for (std::size_t i = 0; i < count; ++i)
                place = place * to[i] + static_cast<std::int64_t>(result.inputs[1 + i].at(entry));
            for (std::int64_t e = 0; e < slice; ++e) {
                double& value = want[static_cast<std::size_t>(place * slice + e)];
                const double source = result.inputs.back().at(entry * slice + e);
                const double sum = accumulate ? value + source : source;
                value = isFloat(type) ? decode(type, encode(type, sum)) : sum;
            }
        }
        for (std::size_t e = 0; e < want.size(); ++e) {
            QCOMPARE(result["out"].at(static_cast<std::int64_t>(e)), want[e]);
            QCOMPARE(result.framework.at("out")[e], want[e]);
        }
    }

    void severalIndicesOutOfRangeAreNamed() {
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {5, 3, 32}, 1));
        in.push_back(made(DType::INT32, {4}, {0, 1, 2, 4}));
        in.push_back(made(DType::INT32, {4}, {0, 1, 3, 2}));  // 3 is no place of the second axis
        in.push_back(noise(DType::FP32, {4, 32}, 2));
        const Error error =
            failure(oneStage(tensor("x", "input", "FP32", {5, 3, 32}) + "," + tensor("i", "input", "INT32", {4}) + "," +
                                 tensor("j", "input", "INT32", {4}) + "," + tensor("y", "input", "FP32", {4, 32}),
                             "FP32", {5, 3, 32}, operation("index_put", "\"x\", \"i\", \"j\", \"y\""), {5, 3, 32}),
                    in);
        QVERIFY2(error.message.find("element [1, 2] of the index is 3, the axis has 3 elements") != std::string::npos,
                 error.message.c_str());
    }

    void storesPickAlongSeveralAxes_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<Shape>("to");
        QTest::addColumn<int>("rows");
        QTest::addColumn<bool>("accumulate");
        QTest::addColumn<bool>("copied");
        for (const bool accumulate : {false, true})
            for (const bool copied : {false, true}) {
                const char* name =
                    copied ? (accumulate ? "added, copied" : "put, copied") : (accumulate ? "added" : "put");
                QTest::addRow("rows, %s", name) << "FP32" << Shape{5, 3, 64} << 2 << accumulate << copied;
                QTest::addRow("elements, %s", name) << "BF16" << Shape{9, 32} << 2 << accumulate << copied;
                QTest::addRow("three of four, %s", name) << "INT32" << Shape{2, 3, 4, 32} << 3 << accumulate << copied;
                QTest::addRow("one row, %s", name) << "FP16" << Shape{7, 32} << 1 << accumulate << copied;
            }
    }

    /// A store with an index of two axes: row r picks along axis r.
    void storesPickAlongSeveralAxes() {
        QFETCH(QString, dtype);
        QFETCH(Shape, to);
        QFETCH(int, rows);
        QFETCH(bool, accumulate);
        QFETCH(bool, copied);
        const DType type = *fromText<DType>(dtype.toStdString());
        constexpr std::int64_t kEntries = 20;
        Shape from(to.begin() + rows, to.end());
        from.insert(from.begin(), kEntries);
        Values places;
        for (int row = 0; row < rows; ++row)
            for (std::int64_t e = 0; e < kEntries; ++e)
                places.push_back(static_cast<double>((e * (3 + row) + row) % to[static_cast<std::size_t>(row)]));
        std::vector<HostTensor> in;
        in.push_back(noise(type, from, 2));
        in.push_back(made(DType::INT32, {rows, kEntries}, places));
        const std::string tensors = tensor("y", "input", dtype.toStdString(), from) + "," +
                                    tensor("i", "input", "INT32", {rows, kEntries}) + "," +
                                    tensor("out", "output", dtype.toStdString(), to);
        const std::string put = store(
            copied ? "y" : "r", "out",
            std::string(", \"op\": \"index_put\", \"index\": \"i\"") + (accumulate ? ", \"accumulate\": true" : ""));
        Shape tile(from.size(), 16);
        const std::string doubled = stage(operation("add", "\"y\", \"y\""), tile) + ",";
        const Run result = run(designOf(tensors, copied ? put : doubled + put), std::move(in));
        std::int64_t slice = 1;
        for (std::size_t axis = static_cast<std::size_t>(rows); axis < to.size(); ++axis) slice *= to[axis];
        Values want(static_cast<std::size_t>(result["out"].count()), 0.0);
        for (std::int64_t e = 0; e < kEntries; ++e) {
            std::int64_t place = 0;
            for (int row = 0; row < rows; ++row)
                place = place * to[static_cast<std::size_t>(row)] +
                        static_cast<std::int64_t>(result.inputs[1].at(row * kEntries + e));
            for (std::int64_t c = 0; c < slice; ++c) {
                double& value = want[static_cast<std::size_t>(place * slice + c)];
                const double source = (copied ? 1 : 2) * result.inputs[0].at(e * slice + c);
                const double sum = accumulate ? value + source : source;
                value = isFloat(type) ? decode(type, encode(type, sum)) : sum;
            }
        }
        for (std::size_t e = 0; e < want.size(); ++e) {
            QCOMPARE(result["out"].at(static_cast<std::int64_t>(e)), want[e]);
            QCOMPARE(result.framework.at("out")[e], want[e]);
        }
    }

    void storesAddByIndex_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<qlonglong>("dim");
        for (const char* dtype : {"FP32", "BF16", "INT32", "INT8"})
            for (const qlonglong dim : {0, 1}) QTest::addRow("%s along %lld", dtype, dim) << dtype << dim;
    }

    void storesAddByIndex() {
        QFETCH(QString, dtype);
        QFETCH(qlonglong, dim);
        const DType type = *fromText<DType>(dtype.toStdString());
        // 40 slices onto 7, in tiles of 16: conflicts within and between tasks.
        const Shape from = dim == 0 ? Shape{40, 64} : Shape{64, 40};
        const Shape to = dim == 0 ? Shape{7, 64} : Shape{64, 7};
        const bool floats = isFloat(type);
        const std::string more = ", \"op\": \"index_add\", \"index\": \"i\", \"dim\": " + std::to_string(dim) +
                                 (floats ? ", \"alpha\": 0.3" : ", \"alpha\": 3");
        std::vector<HostTensor> in;
        in.push_back(noise(type, from, 21));
        in.push_back(indices({40}, 7));
        const Run result =
            run(designOf(indexedTensors(dtype.toStdString(), from, to, "INT32", 40),
                         stage(operation("add", "\"x\", \"x\""), {16, 32}) + "," + store("r", "out", more)),
                std::move(in));
        const auto rounded = [&](double value) {
            if (!floats) return double(narrowInteger(type, static_cast<std::int64_t>(value)));
            return double(decode(type, encode(type, double(float(value)))));
        };
        Values want(7 * 64, 0.0);
        const double alpha = floats ? double(0.3F) : 3.0;
        for (std::int64_t e = 0; e < 40; ++e)
            for (std::int64_t c = 0; c < 64; ++c) {
                const auto target = static_cast<std::int64_t>(result.inputs[1].at(e));
                double& sum = want[static_cast<std::size_t>(dim == 0 ? target * 64 + c : c * 7 + target)];
                const double x = result.inputs[0].at(dim == 0 ? e * 64 + c : c * 40 + e);
                sum = rounded(sum + rounded(rounded(2 * x) * alpha));
            }
        for (std::size_t i = 0; i < want.size(); ++i) QCOMPARE(result["out"].at(static_cast<std::int64_t>(i)), want[i]);
        bool orders = false;
        for (const Edge& edge : result.program.edges) orders = orders || edge.kind == EdgeKind::Order;
        QVERIFY(orders);
        for (const Edge& edge : result.program.edges) QVERIFY(edge.kind == EdgeKind::Order);
    }

    void storesPutByComputedIndex() {
        // Rows T.. of a longer tensor: arange(rows) + offset, as the routing operator has it.
        const std::string tensors =
            tensor("x", "input", "FP32", {6, 16}) + "," + tensor("out", "output", "FP32", {20, 16});
        const std::string ops =
            "{\"op\": \"arange\", \"in\": [], \"out\": \"a\", \"range\": [6]}, {\"op\": \"add\", \"in\": [\"a\", 9], "
            "\"out\": \"rows\"}, {\"op\": \"neg\", \"in\": [\"x\"], \"out\": \"r\"}";
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {6, 16}, 2));
        const Run result = run(designOf(tensors, stage(ops, {4, 16}) + "," +
                                                     store("r", "out", ", \"op\": \"index_put\", \"index\": \"rows\"")),
                               std::move(in));
        for (std::int64_t r = 0; r < 20; ++r)
            for (std::int64_t c = 0; c < 16; ++c) {
                const double want = r >= 9 && r < 15 ? -result.inputs[0].at((r - 9) * 16 + c) : 0.0;
                QCOMPARE(result["out"].at(r * 16 + c), want);
                QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>(r * 16 + c)], want);
            }
    }

    void productsAreStoredByIndex_data() {
        QTest::addColumn<QString>("fields");
        QTest::addColumn<bool>("splitK");
        QTest::newRow("index_add") << ", \"op\": \"index_add\", \"index\": \"i\", \"alpha\": 2" << false;
        QTest::newRow("index_add of split K") << ", \"op\": \"index_add\", \"index\": \"i\", \"alpha\": 2" << true;
        QTest::newRow("index_put") << ", \"op\": \"index_put\", \"index\": \"i\"" << false;
        QTest::newRow("index_put, accumulating")
            << ", \"op\": \"index_put\", \"index\": \"i\", \"accumulate\": true" << false;
    }

    /// A matmul's rows go straight to the places that an index lists.
    void productsAreStoredByIndex() {
        QFETCH(QString, fields);
        QFETCH(bool, splitK);
        const std::string tensors = tensor("x", "input", "FP16", {32, 64}) + "," +
                                    tensor("y", "input", "FP16", {64, 32}) + "," + tensor("i", "input", "INT64", {32}) +
                                    "," + tensor("out", "output", "FP32", {40, 32});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP16, {32, 64}, 2));
        in.push_back(noise(DType::FP16, {64, 32}, 3));
        const bool adds = !fields.contains("index_put\"") || fields.contains("accumulate");
        Values places(32);
        for (std::size_t r = 0; r < 32; ++r) places[r] = adds ? double(r * 7 % 11) : double((r * 7 + 3) % 40);
        in.push_back(made(DType::INT64, {32}, places));
        const Run result = run(
            designOf(tensors, product("FP32", splitK) + "," + store("r", "out", fields.toStdString())), std::move(in));
        const double alpha = fields.contains("alpha") ? 2.0 : 1.0;
        Values want(40 * 32, 0.0);
        for (std::int64_t r = 0; r < 32; ++r)
            for (std::int64_t c = 0; c < 32; ++c) {
                double sum = 0.0;
                for (std::int64_t k = 0; k < 64; ++k)
                    sum += result.inputs[0].at(r * 64 + k) * result.inputs[1].at(k * 32 + c);
                double& to = want[static_cast<std::size_t>(places[static_cast<std::size_t>(r)]) * 32 +
                                  static_cast<std::size_t>(c)];
                to = adds ? to + alpha * sum : sum;
            }
        for (std::size_t e = 0; e < want.size(); ++e) {  // multiples of 1/256: exact
            QCOMPARE(result["out"].at(static_cast<std::int64_t>(e)), want[e]);
            QCOMPARE(result.ideal.at("out")[e], want[e]);
        }
    }

    void aTensorIsStoredByIndexAsItIs() {
        const std::string tensors = tensor("x", "input", "BF16", {9, 16}) + "," + tensor("i", "input", "INT32", {9}) +
                                    "," + tensor("out", "output", "BF16", {4, 16});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::BF16, {9, 16}, 2));
        in.push_back(indices({9}, 4));
        const Run result =
            run(designOf(tensors,
                         "{\"kind\": \"store\", \"id\": \"put\", \"from\": \"x\", \"to\": \"out\", \"op\": "
                         "\"index_add\", \"index\": \"i\"}"),
                std::move(in));
        Values want(64, 0.0);
        for (std::int64_t r = 0; r < 9; ++r)
            for (std::int64_t c = 0; c < 16; ++c)
                want[static_cast<std::size_t>(result.inputs[1].at(r)) * 16 + static_cast<std::size_t>(c)] +=
                    result.inputs[0].at(r * 16 + c);
        for (std::size_t e = 0; e < 64; ++e) QCOMPARE(result["out"].at(static_cast<std::int64_t>(e)), want[e]);
    }

    /// The value is made once, and added in every iteration of a loop behind it.
    void storesAddInAnotherLoopThanTheirStage() {
        const std::string tensors =
            tensor("x", "input", "FP32", {4, 16}) + "," + tensor("out", "output", "FP32", {4, 16});
        const std::string blocks = stage(operation("neg", "\"x\""), {2, 16}) +
                                   ", {\"kind\": \"loop\", \"id\": \"again\", \"axis\": 3, \"body\": [" +
                                   store("r", "out", ", \"op\": \"atomic_add\"") + "]}";
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {4, 16}, 2));
        const Run result = run(designOf(tensors, blocks), std::move(in));
        for (std::int64_t e = 0; e < 64; ++e) QCOMPARE(result["out"].at(e), -3 * result.inputs[0].at(e));
    }

    void atomicStoresAddUp() {
        // Three stages add onto the same rectangle; the last column block stays alone.
        const std::string tensors =
            tensor("x", "input", "FP32", {4, 16}) + "," + tensor("out", "output", "FP32", {4, 16});
        std::string blocks;
        for (const char* name : {"a", "b", "c"}) {
            if (!blocks.empty()) blocks += ",";
            blocks += stage("{\"op\": \"mul\", \"in\": [\"x\", 3], \"out\": \"" + std::string(name) + "\"}", {2, 8},
                            std::string("s") + name) +
                      "," + store(name, "out", ", \"op\": \"atomic_add\"");
        }
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {4, 16}, 2));
        const Run result = run(designOf(tensors, blocks), std::move(in));
        for (std::int64_t i = 0; i < 64; ++i) {
            QCOMPARE(result["out"].at(i), 9 * result.inputs[0].at(i));
            QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>(i)], 9 * result.inputs[0].at(i));
        }
    }

    void productsAddToTheOutput_data() {
        QTest::addColumn<QString>("operand");
        QTest::addColumn<QString>("out");
        QTest::addColumn<bool>("splitK");
        QTest::newRow("FP32") << "FP16"
                              << "FP32" << false;
        QTest::newRow("FP32 split") << "FP16"
                                    << "FP32" << true;
        QTest::newRow("FP16") << "FP16"
                              << "FP16" << false;
        QTest::newRow("INT32") << "INT8"
                               << "INT32" << false;
        QTest::newRow("INT32 split") << "INT8"
                                     << "INT32" << true;
    }

    void productsAddToTheOutput() {
        QFETCH(QString, operand);
        QFETCH(QString, out);
        QFETCH(bool, splitK);
        const DType type = *fromText<DType>(operand.toStdString());
        const DType outType = *fromText<DType>(out.toStdString());
        // Into one output plainly, onto another that holds 2 everywhere.
        const std::string tensors = tensor("x", "input", operand.toStdString(), {32, 64}) + "," +
                                    tensor("y", "input", operand.toStdString(), {64, 32}) + "," +
                                    tensor("sum", "inout", out.toStdString(), {32, 32}) + "," +
                                    tensor("plain", "output", out.toStdString(), {32, 32});
        std::vector<HostTensor> in;
        in.push_back(made(type, {32, 64}, {1, 2, 0, -1, 3}));
        in.push_back(made(type, {64, 32}, {1, 0, 2, -2, 1, 1, 3}));
        in.push_back(made(outType, {32, 32}, {2}));
        const Run result =
            run(designOf(tensors, product(out.toStdString(), splitK) + "," +
                                      store("r", "sum", ", \"op\": \"atomic_add\"") + "," + store("r", "plain")),
                std::move(in));
        for (std::int64_t m = 0; m < 32; ++m)
            for (std::int64_t n = 0; n < 32; ++n) {
                double want = 0;
                for (std::int64_t k = 0; k < 64; ++k)
                    want += result.inputs[0].at(m * 64 + k) * result.inputs[1].at(k * 32 + n);
                QCOMPARE(result["plain"].at(m * 32 + n), want);
                QCOMPARE(result["sum"].at(m * 32 + n), want + 2);
                QCOMPARE(result.ideal.at("sum")[static_cast<std::size_t>(m * 32 + n)], want + 2);
            }
    }

    void rowsOfAMatrixGoIntoABatch() {
        // Two axes onto three: the axis in front counts as 1 and has an offset.
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {5, 8}, 3));
        in.push_back(made(DType::INT32, {5}, {3, 0, 3, 1, 2}));
        in.push_back(made(DType::FP32, {2, 4, 8}, {1}));
        const std::string tensors = tensor("x", "input", "FP32", {5, 8}) + "," + tensor("i", "input", "INT32", {5}) +
                                    "," + tensor("out", "inout", "FP32", {2, 4, 8});
        const std::string more = ", \"op\": \"index_add\", \"index\": \"i\", \"dim\": 1, \"offset\": [1, 0, 0]";
        const Run result = run(
            designOf(tensors, stage(operation("neg", "\"x\""), {2, 8}) + "," + store("r", "out", more)), std::move(in));
        Values want(64, 1.0);
        for (std::int64_t e = 0; e < 5; ++e)
            for (std::int64_t c = 0; c < 8; ++c)
                want[static_cast<std::size_t>(32 + static_cast<std::int64_t>(result.inputs[1].at(e)) * 8 + c)] -=
                    result.inputs[0].at(e * 8 + c);
        for (std::size_t i = 0; i < 64; ++i) {
            QCOMPARE(result["out"].at(static_cast<std::int64_t>(i)), want[i]);
            QCOMPARE(result.ideal.at("out")[i], want[i]);
        }
    }

    void anIndexOutOfRangeIsNamed_data() {
        QTest::addColumn<double>("entry");
        QTest::newRow("beyond") << 7.0;
        QTest::newRow("negative") << -1.0;
    }
    void anIndexOutOfRangeIsNamed() {
        QFETCH(double, entry);
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {40, 16}, 2));
        in.push_back(indices({40}, 7, DType::INT64));
        in[1].set(37, entry);
        const Design design = designOf(indexedTensors("FP32", {40, 16}, {7, 16}, "INT64", 40),
                                       stage(operation("neg", "\"x\""), {8, 16}) + "," +
                                           store("r", "out", ", \"op\": \"index_add\", \"index\": \"i\""));
        const Error error = failure(design, in);
        QCOMPARE(error.code, ErrorCode::BadValue);
        QCOMPARE(QString::fromStdString(error.where), "/blocks/0");
        QCOMPARE(QString::fromStdString(error.message),
                 QString("stage 's': element [37] of the index is %1, the axis has 7 elements").arg(entry));
    }

    void storesRefuseForeignFields_data() {
        QTest::addColumn<QString>("fields");
        QTest::addColumn<QString>("where");
        QTest::newRow("no index") << ", \"op\": \"index_add\""
                                  << "/blocks/1/index";
        QTest::newRow("index of a slice") << ", \"index\": \"i\""
                                          << "/blocks/1/index";
        QTest::newRow("factor") << ", \"op\": \"index_put\", \"index\": \"i\", \"alpha\": 2"
                                << "/blocks/1/alpha";
        QTest::newRow("accumulate") << ", \"op\": \"index_add\", \"index\": \"i\", \"accumulate\": true"
                                    << "/blocks/1/accumulate";
        QTest::newRow("axis") << ", \"op\": \"index_add\", \"index\": \"i\", \"dim\": 2"
                              << "/blocks/1/dim";
    }

    void storesRefuseForeignFields() {
        QFETCH(QString, fields);
        QFETCH(QString, where);
        const Design design =
            designOf(indexedTensors("FP32", {5, 8}, {5, 8}),
                     stage(operation("neg", "\"x\""), {4, 8}) + "," + store("r", "out", fields.toStdString()));
        const auto resolved = resolve(design, bound(design));
        QVERIFY(!resolved.has_value());
        QCOMPARE(QString::fromStdString(resolved.error().where), where);
    }

    void slicesAreUpdatedInOrder() {
        // In a stage: index_add with a factor, duplicates included; BF16 rounds after every addition.
        const std::string tensors = tensor("x", "input", "BF16", {4, 16}) + "," + tensor("i", "input", "INT32", {7}) +
                                    "," + tensor("y", "input", "BF16", {7, 16});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::BF16, {4, 16}, 4));
        in.push_back(made(DType::INT32, {7}, {3, 0, 3, 1, 3, 0, 3}));
        in.push_back(noise(DType::BF16, {7, 16}, 5));
        const std::string more = ", \"dim\": 0, \"alpha\": 0.75";
        const Run result =
            run(oneStage(tensors, "BF16", {4, 16}, operation("index_add", "\"x\", \"i\", \"y\"", more), {4, 16}),
                std::move(in));
        const auto rounded = [](double value) { return double(decode(DType::BF16, encode(DType::BF16, value))); };
        Values want(64);
        for (std::int64_t i = 0; i < 64; ++i) want[static_cast<std::size_t>(i)] = result.inputs[0].at(i);
        for (std::int64_t e = 0; e < 7; ++e)
            for (std::int64_t c = 0; c < 16; ++c) {
                double& target =
                    want[static_cast<std::size_t>(result.inputs[1].at(e)) * 16 + static_cast<std::size_t>(c)];
                target = rounded(target + rounded(0.75 * result.inputs[2].at(e * 16 + c)));
            }
        for (std::size_t i = 0; i < 64; ++i) {
            QCOMPARE(result["out"].at(static_cast<std::int64_t>(i)), want[i]);
            QCOMPARE(result.framework.at("out")[i], want[i]);
        }
    }

    void gatherTakesElements() {
        for (const std::int64_t dim : {0, 1}) {
            const Shape index = dim == 0 ? Shape{7, 16} : Shape{5, 9};
            const std::string tensors =
                tensor("x", "input", "FP16", {5, 16}) + "," + tensor("i", "input", "INT64", index);
            std::vector<HostTensor> in;
            in.push_back(noise(DType::FP16, {5, 16}, 9));
            in.push_back(indices(index, dim == 0 ? 5 : 16, DType::INT64));
            const std::string more = ", \"dim\": " + std::to_string(dim);
            const Run result =
                run(oneStage(tensors, "FP16", index, operation("gather", "\"x\", \"i\"", more), {2, 8}), std::move(in));
            for (std::int64_t r = 0; r < index[0]; ++r)
                for (std::int64_t c = 0; c < index[1]; ++c) {
                    const auto place = static_cast<std::int64_t>(result.inputs[1].at(r * index[1] + c));
                    const double want = result.inputs[0].at(dim == 0 ? place * 16 + c : r * 16 + place);
                    QCOMPARE(result["out"].at(r * index[1] + c), want);
                    QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>(r * index[1] + c)], want);
                }
        }
    }

    void selectionTakesSlices() {
        const std::string tensors =
            tensor("x", "input", "INT32", {6, 10, 8}) + "," + tensor("i", "input", "INT32", {3, 4});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::INT32, {6, 10, 8}, 4));
        in.push_back(indices({3, 4}, 10));
        const Run result = run(oneStage(tensors, "INT32", {6, 3, 4, 8},
                                        operation("index_select", "\"x\", \"i\"", ", \"dim\": 1"), {4, 2, 2, 8}),
                               std::move(in));
        for (std::int64_t a = 0; a < 6; ++a)
            for (std::int64_t e = 0; e < 12; ++e)
                for (std::int64_t c = 0; c < 8; ++c) {
                    const auto place = static_cast<std::int64_t>(result.inputs[1].at(e));
                    QCOMPARE(result["out"].at((a * 12 + e) * 8 + c), result.inputs[0].at((a * 10 + place) * 8 + c));
                    QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>((a * 12 + e) * 8 + c)],
                             result.inputs[0].at((a * 10 + place) * 8 + c));
                }
    }

    void scatterWritesElements_data() {
        QTest::addColumn<QString>("reduce");
        for (const char* reduce : {"none", "add", "multiply"}) QTest::newRow(reduce) << reduce;
    }

    void scatterWritesElements() {
        QFETCH(QString, reduce);
        const std::string tensors = tensor("x", "input", "FP32", {6, 12}) + "," +
                                    tensor("i", "input", "INT32", {4, 10}) + "," +
                                    tensor("y", "input", "FP32", {5, 10});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {6, 12}, 4));
        in.push_back(indices({4, 10}, 6));
        in.push_back(noise(DType::FP32, {5, 10}, 6));
        const std::string more = ", \"dim\": 0, \"reduce\": \"" + reduce.toStdString() + "\"";
        const Run result =
            run(oneStage(tensors, "FP32", {6, 12}, operation("scatter", "\"x\", \"i\", \"y\"", more), {6, 8}),
                std::move(in));
        std::vector<float> want(72);
        for (std::int64_t i = 0; i < 72; ++i) want[static_cast<std::size_t>(i)] = float(result.inputs[0].at(i));
        for (std::int64_t r = 0; r < 4; ++r)
            for (std::int64_t c = 0; c < 10; ++c) {
                float& target =
                    want[static_cast<std::size_t>(result.inputs[1].at(r * 10 + c)) * 12 + static_cast<std::size_t>(c)];
                const auto source = float(result.inputs[2].at(r * 10 + c));
                target = reduce == "none" ? source : reduce == "add" ? target + source : target * source;
            }
        for (std::size_t i = 0; i < 72; ++i) {
            QCOMPARE(result["out"].at(static_cast<std::int64_t>(i)), double(want[i]));
            QCOMPARE(result.framework.at("out")[i], double(want[i]));
        }
    }
};

QTEST_APPLESS_MAIN(TestVectorIndex)
#include "tst_vector_index.moc"
