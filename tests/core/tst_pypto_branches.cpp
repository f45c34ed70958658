// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/design/resolve.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "tests/support/import_kernels.h"

using namespace cubist;
using namespace cubist::test;

/// Conditions and operands of kernels that people write.
class TestPyptoBranches : public QObject {
    Q_OBJECT

private slots:
    /// A condition of a run stands for nothing only where what it guards does nothing without it.
    void conditionsOfARunAreListed_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<int>("line");
        const QString value =
            "        v = pypto.view(x, [32, 64], [e * 32, 0], valid_shape=[(n - e * 32).min(32), 64])\n"
            "        w = v * 2.0\n";
        const QString then = "            w = v * 3.0\n        y[e * 32:, :] = w\n";
        for (const char* test : {"e > 0", "e != 0", "e % 2 > 0", "n - 33 > 0", "n // 64 > 0", "gl[e] > 0", "0 < e",
                                 "e >= 1", "e", "not e == 0", "e > 0 and n > 0"})
            QTest::newRow(test) << value + "        if " + test + ":\n" + then << 9;
        QTest::newRow("a place") << "        lo = 0\n        if e > 0:\n            lo = gl[e - 1]\n"
                                    "        v = pypto.view(x, [32, 64], [lo, 0])\n        y[lo:, :] = v * 2.0\n"
                                 << 8;
        QTest::newRow("the last axis of a matmul is no row")
            << "        a = pypto.view(x, [64, 64], [0, 0], valid_shape=[64, gl[e]])\n"
               "        if gl[e] > 0:\n            y[e * 64:, :] = pypto.sum(a, -1, True)\n"
            << 8;
        QTest::newRow("skipped") << value + "        if e == 0:\n            continue\n        y[e * 32:, :] = w\n"
                                 << 9;
        QTest::newRow("another length") << "        r = gl[e]\n        if n > 7:\n"
                                           "            v = pypto.view(x, [32, 64], [e * 32, 0], valid_shape=[r, 64])\n"
                                           "            y[e * 32:, :] = v * 2.0\n"
                                        << 8;
    }
    static std::string inALoop(const QString& lines) {
        return "import pypto\n"
               "@pypto.frontend.jit\n"
               "def k(x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32), gl: pypto.Tensor([3], pypto.DT_INT32), "
               "y: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32)):\n"
               "    n = x.shape[0]\n"
               "    pypto.set_vec_tile_shapes(16, 64)\n"
               "    for e in pypto.loop(3, name=\"e\", idx_name=\"e\"):\n" +
               lines.toStdString();
    }
    void conditionsOfARunAreListed() {
        QFETCH(const QString, lines);
        QFETCH(const int, line);
        const PyptoImport back = imported(inALoop(lines));
        const auto notes = places(back);
        QVERIFY(std::any_of(notes.begin(), notes.end(), [&](const ImportNote& note) {
            return note.line == line && note.message.find("a condition, which designs do not have") == 0;
        }));
        // Nothing that depends on the condition is taken for sure.
        for (const Block& block : back.design.blocks)
            if (const auto* loop = std::get_if<Loop>(&block.content); loop != nullptr && !lines.contains("continue"))
                for (const Block& each : loop->body) QVERIFY(!std::holds_alternative<Store>(each.content));
    }

    void guardsOfWhatIsEmptyAreRead_data() {
        QTest::addColumn<QString>("lines");
        const QString rows =
            "            v = pypto.view(x, [32, 64], [e * 32, 0], valid_shape=[gl[e], 64])\n"
            "            y[e * 32:, :] = pypto.exp(v) / pypto.sum(v, -1, True)\n";
        for (const char* test : {"gl[e] > 0", "gl[e] != 0", "0 < gl[e]", "gl[e] >= 1", "gl[e]", "not gl[e] == 0"})
            QTest::newRow(test) << QString("        if ") + test + ":\n" + rows;
        QTest::newRow("skipped") << "        if gl[e] == 0:\n            continue\n" +
                                        QString(rows).replace("            ", "        ");
        QTest::newRow("a loop over nothing")
            << "        r = gl[e]\n        if r > 0:\n            for t in pypto.loop((r + 31) // 32):\n"
               "                v = pypto.view(x, [32, 64], [t * 32, 0])\n                y[t * 32:, :] = v * 2.0\n";
        QTest::newRow("ends of a group")
            << "        if gl[e] < gl[e + 1]:\n"
               "            v = pypto.view(x, [32, 64], [gl[e], 0], valid_shape=[gl[e + 1] - gl[e], 64])\n"
               "            y[gl[e]:, :] = v * 2.0\n";
    }
    void guardsOfWhatIsEmptyAreRead() {
        QFETCH(const QString, lines);
        const PyptoImport back = imported(inALoop(lines));
        const auto notes = places(back);
        for (const ImportNote& note : notes)
            QVERIFY2(note.message.find("condition") == std::string::npos, note.message.c_str());
        QCOMPARE(back.design.blocks.size(), std::size_t{1});
        const auto& body = std::get<Loop>(back.design.blocks[0].content).body;
        QVERIFY(!body.empty());
        QVERIFY(std::holds_alternative<Store>(body.back().content) ||
                std::holds_alternative<Loop>(body.back().content));
    }

    /// Windows and matmuls as operands get blocks of their own, in front of the operation.
    void operandsMayBeBlocks_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("blocks");
        QTest::newRow("a slice by the index") << "    for i in pypto.loop(2):\n"
                                                 "        f = pypto.cast(x[i * 32:i * 32 + 32, :], pypto.DT_BF16)\n"
                                                 "        y[i * 32:, :] = pypto.concat([f, f], -1)\n"
                                              << "view vector store";
        QTest::newRow("a view by the index")
            << "    for i in pypto.loop(2):\n"
               "        y[i * 32:, 0:256] = pypto.view(x, [32, 256], [i * 32, 0]) * x[i * 32:i * 32 + 32, :]\n"
            << "view view vector store";
        QTest::newRow("an entry of a list")
            << "    for i in range(2):\n        y[G[i]:, 0:256] = x[G[i]:G[i] + 32, :] + w[G[i]:G[i] + 32, 768:]\n"
            << "view view vector store";
        QTest::newRow("matmuls") << "    for i in pypto.loop(1):\n"
                                    "        y[:] = pypto.matmul(x, w[:, :512], pypto.DT_FP32) + "
                                    "pypto.matmul(x * 2.0, w[:, 512:], pypto.DT_FP32)\n"
                                 << "view cube vector view cube vector store";
        QTest::newRow("a sum of matmuls")
            << "    for i in pypto.loop(1):\n        acc = h[:, :512]\n"
               "        acc += pypto.matmul(x, w[:, 512:], pypto.DT_FP32)\n        y[:] = acc\n"
            << "vector view cube vector store";
        QTest::newRow("from the end") << "    for i in pypto.loop(1):\n        y[-32:, 0:256] = x[-32:, :] * 2.0\n"
                                      << "view vector store";
    }
    void operandsMayBeBlocks() {
        QFETCH(const QString, lines);
        QFETCH(const QString, blocks);
        const PyptoImport back = imported("G = [0, 32]\n" + afterMatmul(lines.toStdString()));
        const auto notes = places(back);
        QVERIFY2(notes.empty(), notes.empty() ? "" : notes[0].message.c_str());
        constexpr std::array<const char*, 5> kNames{"view", "cube", "vector", "store", "loop"};
        QStringList read;
        for (const Block& block : std::get<Loop>(back.design.blocks.back().content).body)
            read << kNames.at(block.content.index());
        QCOMPARE(read.join(QLatin1Char(' ')), blocks);
        QVERIFY(resolve(back.design, *bind(back.design, {})));
        if (QTest::currentDataTag() != std::string("from the end")) return;
        const auto& body = std::get<Loop>(back.design.blocks.back().content).body;
        QCOMPARE(std::get<View>(body[0].content).offset.at(0).text(), std::string("32"));
        QCOMPARE(std::get<Store>(body[2].content).offset.at(0).text(), std::string("32"));
    }

    void numbersOfShapesAreNumbers_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<double>("value");
        QTest::newRow("divided") << "    y[:] = h[:, :512] * (1.0 / h.shape[1])\n" << 1.0 / 1024;
        QTest::newRow("named") << "    mean = 1 / x.shape[1]\n    y[:] = h[:, :512] * mean\n" << 1.0 / 256;
        QTest::newRow("a root") << "    y[:] = h[:, :512] * (1.0 / math.sqrt(x.shape[-1]))\n" << 1.0 / 16;
        QTest::newRow("an integer") << "    d = x.shape[0]\n    y[:] = h[:, :512] * d\n" << 64.0;
    }
    void numbersOfShapesAreNumbers() {
        QFETCH(const QString, lines);
        QFETCH(const double, value);
        const PyptoImport back = imported(afterMatmul(lines.toStdString()));
        QVERIFY2(back.notes.empty(), back.notes.empty() ? "" : back.notes[0].message.c_str());
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<VectorStage>(&block.content)) {
                QCOMPARE(stage->ops.back().op, VectorOpCode::Mul);
                QVERIFY(stage->ops.back().in.at(1) == Operand{value});
            }
    }

    void conditionsOnEntriesOfAListAreDecided() {
        for (const char* test : {"G[g + 1] > G[g]", "F[g] > 0", "F[g]"}) {
            const PyptoImport back = imported(
                "import pypto\nG = [0, 20, 20, 52]\nF = [1, 0, 1]\n"
                "@pypto.frontend.jit\n"
                "def k(x: pypto.Tensor([52, 64], pypto.DT_FP32), y: pypto.Tensor([52, 64], pypto.DT_FP32)):\n"
                "    pypto.set_vec_tile_shapes(16, 64)\n"
                "    for g in range(3):\n"
                "        if " +
                std::string(test) +
                ":\n"
                "            v = x[G[g]:G[g + 1], :]\n"
                "            y[G[g]:G[g + 1], :] = v * 2.0\n");
            QVERIFY2(back.notes.empty(), back.notes.empty() ? "" : back.notes[0].message.c_str());
            QStringList offsets;
            for (const Block& block : back.design.blocks)
                if (const auto* view = std::get_if<View>(&block.content))
                    offsets << QString::fromStdString(view->offset.at(0).text() + "+" + view->shape.at(0).text());
            QCOMPARE(offsets, QStringList({"0+20", "20+32"}));
        }
    }

    void keywordOnlyArgumentsAreArguments() {
        const PyptoImport back = imported(
            "import pypto\n"
            "def scaled(v, by=2.0, *, more=False):\n"
            "    if more:\n"
            "        v = v * 7.0\n"
            "    return v * by\n"
            "def make(rows=32, *, twice=True):\n"
            "    @pypto.frontend.jit\n"
            "    def k(x: pypto.Tensor([96, 64], pypto.DT_FP32), y: pypto.Tensor([96, 64], pypto.DT_FP32)):\n"
            "        pypto.set_vec_tile_shapes(16, 64)\n"
            "        v = x * 3.0\n"
            "        if twice:\n"
            "            v = scaled(v, more=True)\n"
            "        y[:] = v\n"
            "    return k\n"
            "k = make()\n");
        QVERIFY2(places(back).empty(), places(back).empty() ? "" : places(back)[0].message.c_str());
        std::vector<double> factors;
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                for (const VectorOp& op : stage->ops)
                    for (const double each : {2.0, 3.0, 7.0})
                        if (op.in.at(1) == Operand{each}) factors.push_back(each);
        QCOMPARE(factors, (std::vector<double>{3.0, 7.0, 2.0}));
    }

    void helpersAndNumbersOfTurnsAreWrittenOut_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("read");
        QTest::newRow("early, constant") << "    y[:] = early(x, 0) + 1.0\n"
                                         << "add 1";
        QTest::newRow("late, constant") << "    y[:] = early(x, 3)\n"
                                        << "mul 3";
        QTest::newRow("several ways") << "    y[:] = several(x, 2)\n"
                                      << "mul 7, add 2";
        QTest::newRow("more arguments") << "    y[:] = more(x, 2.0, 3.0, 4.0, flag=True)\n"
                                        << "mul 2, add 3, add 4";
        QTest::newRow("none of them") << "    y[:] = more(x, 5.0)\n"
                                      << "add 5";
        QTest::newRow("numbers of turns")
            << "    for i in range(2):\n        y[i * 32:, :] = x[i * 32:i * 32 + 32, :] * "
               "(i + 0.5)\n"
            << "mul 0.5, mul 1.5";
        QTest::newRow("entries as numbers")
            << "    for i in range(2):\n        y[i * 32:, :] = x[i * 32:i * 32 + 32, :] * float(G[i + 1] - G[i])\n"
            << "mul 3, mul 5";
        QTest::newRow("none yet") << "    best = None\n    for i in range(3):\n        p = x + float(i)\n"
                                     "        best = p if best is None else pypto.maximum(best, p)\n"
                                     "    y[:] = best\n"
                                  << "add 0, add 1, maximum, add 2, maximum";
        QTest::newRow("a list that is changed")
            << "    p = [x[0:16, :], x[16:32, :], x[32:64, :]]\n    p[0], p[2] = p[2], p[0]\n"
               "    for i, q in enumerate(p):\n        y[i * 16:, :] = q * (i + 1.0)\n"
            << "mul 1, mul 2, mul 3";
        QTest::newRow("sorted in place") << "    f = [3.0, 1.0]\n    f.sort()\n    y[:] = x * f[0]\n"
                                         << "mul 1";
        QTest::newRow("an element less") << "    f = [3.0, 1.0]\n    del f[0]\n    y[:] = x * f[0]\n"
                                         << "mul 1";
        QTest::newRow("more of a list") << "    f = [3.0]\n    f += [4.0]\n    y[:] = x * f[-1]\n"
                                        << "mul 4";
        QTest::newRow("another entry") << "    c = {'a': 3.0}\n    c.update(a=5.0)\n    y[:] = x * c['a']\n"
                                       << "mul 5";
        QTest::newRow("of a pattern") << "    match G[1]:\n        case 3:\n            f = 7.0\n        case _:\n"
                                         "            f = 9.0\n    y[:] = x * f\n"
                                      << "mul 7";
        QTest::newRow("turned around") << "    f = [3.0, 4.0]\n    for v in f[::-1]:\n        x = x * v\n    y[:] = x\n"
                                       << "mul 4, mul 3";
        QTest::newRow("left early") << "    for i in range(3):\n        if i * 32 >= x.shape[0]:\n            break\n"
                                       "        y[i * 32:, :] = x[i * 32:i * 32 + 32, :] * (i + 1.0)\n"
                                    << "mul 1, mul 2";
        QTest::newRow("a closure")
            << "    f = 3.0\n    def by(v):\n        return v * f\n    f = 5.0\n    y[:] = by(x)\n"
            << "mul 5";
        QTest::newRow("axes before") << "    y[..., 0:64] = x[..., 0:64] * 2.0\n"
                                     << "mul 2";
    }
    void helpersAndNumbersOfTurnsAreWrittenOut() {
        QFETCH(const QString, lines);
        QFETCH(const QString, read);
        const PyptoImport back = imported(
            "import pypto\n"
            "G = [0, 3, 8]\n"
            "def early(v, k):\n"
            "    if k == 0:\n"
            "        return v\n"
            "    return v * 3.0\n"
            "def several(v, k):\n"
            "    if k > 1:\n"
            "        v = v * 7.0\n"
            "        if k > 2:\n"
            "            return v\n"
            "    elif k == 1:\n"
            "        return v + 9.0\n"
            "    return v + 2.0\n"
            "def more(v, by, *rest, flag=False):\n"
            "    v = v * by if flag else v + by\n"
            "    for each in rest:\n"
            "        v = v + each\n"
            "    return v\n"
            "@pypto.frontend.jit\n"
            "def k(x: pypto.Tensor([64, 64], pypto.DT_FP32), y: pypto.Tensor([64, 64], pypto.DT_FP32)):\n"
            "    pypto.set_vec_tile_shapes(16, 64)\n" +
            lines.toStdString());
        QVERIFY2(places(back).empty(), places(back).empty() ? "" : places(back)[0].message.c_str());
        QStringList ops;
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                for (const VectorOp& op : stage->ops) {
                    QString text = QString::fromUtf8(toText(op.op).data());
                    for (const double each : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 9.0})
                        if (op.in.at(1) == Operand{each}) text += QLatin1Char(' ') + QString::number(each);
                    ops << text;
                }
        QCOMPARE(ops.join(QStringLiteral(", ")), read);
        if (QTest::currentDataTag() != std::string("a list that is changed")) return;
        std::map<std::string, std::string> from;
        QStringList rows;
        for (const Block& block : back.design.blocks) {
            if (const auto* view = std::get_if<View>(&block.content)) from[view->out.text] = view->offset.at(0).text();
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                rows << QString::fromStdString(from[stage->ops.at(0).in.at(0).value()->text]);
        }
        QCOMPARE(rows, QStringList({"32", "16", "0"}));
    }

    void whatIsNotKnownOfAMatmulLeavesItOut_data() {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<bool>("read");
        QTest::newRow("a call") << "extend_params=dict(relu_type=pypto.ReLuType.RELU)" << true;
        QTest::newRow("a copy") << "extend_params=EP.copy()" << true;
        QTest::newRow("spread") << "extend_params={**EP}" << true;
        QTest::newRow("an unknown call") << "extend_params=made()" << false;
        QTest::newRow("an unknown key") << "extend_params={\"other\": 1}" << false;
        QTest::newRow("an unknown value") << "extend_params={\"relu_type\": flag}" << false;
        QTest::newRow("keywords") << "**KW" << false;
    }
    void whatIsNotKnownOfAMatmulLeavesItOut() {
        QFETCH(const QString, arguments);
        QFETCH(const bool, read);
        const PyptoImport back = imported(
            "EP = {\"relu_type\": pypto.ReLuType.RELU}\n" +
            afterMatmul("    y[:] = pypto.matmul(x, w[:, 512:], pypto.DT_FP32, " + arguments.toStdString() + ")\n"));
        std::vector<bool> relus;
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<CubeStage>(&block.content)) relus.push_back(stage->relu);
        QCOMPARE(relus, read ? std::vector<bool>({false, true}) : std::vector<bool>({false}));
        QCOMPARE(places(back).empty(), read);
    }

    void whatALoopSetsEndsWithIt() {
        const PyptoImport back =
            imported(afterMatmul("    for i in pypto.loop(2):\n"
                                 "        pypto.set_cube_tile_shapes([32, 32], [32, 64], [32, 32])\n"
                                 "        pypto.set_semantic_label(\"inner\")\n"
                                 "        pypto.set_pass_options(cube_nbuffer_setting={\"DEFAULT\": 4})\n"
                                 "        a = pypto.matmul(x[i * 32:i * 32 + 32, :], w[:, :512], pypto.DT_FP32)\n"
                                 "        y[i * 32:, :] = a\n"
                                 "    for i in pypto.loop(2):\n"
                                 "        b = pypto.matmul(x[i * 32:i * 32 + 32, :], w[:, 512:], pypto.DT_FP32)\n"
                                 "        y[i * 32:, :] = b\n"));
        const auto notes = places(back);
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(notes[0].line, std::int64_t{12});
        const auto& body = std::get<Loop>(back.design.blocks.back().content).body;
        const auto stage = std::find_if(body.begin(), body.end(), [](const Block& block) {
            return std::holds_alternative<CubeStage>(block.content);
        });
        QVERIFY(stage != body.end());
        QCOMPARE(std::get<CubeStage>(stage->content).tile.m, (std::vector<std::int64_t>{64, 64}));
        QCOMPARE(std::get<CubeStage>(stage->content).label, std::string("up"));
    }

    void entriesOfListsWithoutANameAreRead() {
        const PyptoImport back =
            imported(afterMatmul("    for i in range(2):\n"
                                 "        size = (32, 16)[i]\n        start = ((0, 9), (32,))[i][0]\n"
                                 "        v = pypto.view(x, [32, 256], [start, 0], valid_shape=[size, 256])\n"
                                 "        y[start:, 0:256] = v * 2.0\n"));
        QVERIFY2(places(back).empty(), places(back).empty() ? "" : places(back)[0].message.c_str());
        const auto& body = std::get<Loop>(back.design.blocks.back().content).body;
        const View& view = std::get<View>(body.at(0).content);
        QCOMPARE(back.design.lists.size(), std::size_t{2});
        QCOMPARE(view.valid.at(0).text(), std::string("sizes[i]"));
        QCOMPARE(view.offset.at(0).text(), std::string("sizes_2[i * 2]"));
    }

    /// A value that nobody follows is unknown, and the line that reads it is listed.
    void whatNobodyFollowsIsUnknown_data() {
        QTest::addColumn<QString>("lines");
        QTest::newRow("two names") << "    a = [2.0]\n    b = a\n    b += [3.0]\n    y[:] = h[:, :512] * a[-1]\n";
        QTest::newRow("a list in a list")
            << "    a = [2.0]\n    b = [a]\n    a.append(3.0)\n    y[:] = h[:, :512] * b[0][-1]\n";
        QTest::newRow("an element")
            << "    a = [[2.0]]\n    b = a[0]\n    b[0] = 3.0\n    y[:] = h[:, :512] * a[0][0]\n";
        QTest::newRow("turns")
            << "    a = [[2.0]]\n    for b in a:\n        b.append(3.0)\n    y[:] = h[:, :512] * a[0][-1]\n";
        QTest::newRow("a function") << "    a = [2.0]\n    unknown(a)\n    y[:] = h[:, :512] * a[0]\n";
        QTest::newRow("an order") << "    a = [2.0, 1.0]\n    a.sort(key=unknown)\n    y[:] = h[:, :512] * a[0]\n";
        QTest::newRow("numbers") << "    a = [2, 1]\n    a.sort(key=unknown)\n    y[:] = h[:, :512] * a[0]\n";
        QTest::newRow("a pattern") << "    a = 2.0\n    match h.shape:\n        case (_, a):\n            pass\n"
                                      "    y[:] = h[:, :512] * a\n";
        QTest::newRow("an exception") << "    a = 2.0\n    try:\n        a = unknown()\n    except KeyError:\n"
                                         "        a = 3.0\n    y[:] = h[:, :512] * a\n";
        QTest::newRow("of the module") << "    y[:] = h[:, :512] * S['a']\n";
    }
    void whatNobodyFollowsIsUnknown() {
        QFETCH(const QString, lines);
        const std::string source =
            "S = {'a': 2.0}\ndef change():\n    S['a'] = 3.0\nchange()\n" + afterMatmul(lines.toStdString());
        const auto notes = places(imported(source));
        const std::int64_t last = std::count(source.begin(), source.end(), '\n');
        QVERIFY(std::any_of(notes.begin(), notes.end(), [&](const ImportNote& note) { return note.line == last; }));
    }

    void aListWithTwoNamesIsNotTakenForTwo() {
        const auto notes =
            places(imported(afterMatmul("    a = [1.0, 2.0]\n    b = a\n    b.append(4.0)\n"
                                        "    y[:] = h[:, :512] * float(len(a))\n")));
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const ImportNote& note) { return note.line == 11; }));
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const ImportNote& note) { return note.line == 12; }));
    }

    void numbersThatGrowAreNotWrittenOut() {
        const auto notes =
            places(imported(afterMatmul("    n = 1\n    for i in range(100):\n        n = n * n + 7\n"
                                        "    a = pypto.view(x, [n, 64], [0, 0])\n    y[:] = h[:, :512] * 2.0\n")));
        QVERIFY(!notes.empty());
        QVERIFY(
            std::all_of(notes.begin(), notes.end(), [](const ImportNote& note) { return note.message.size() < 1000; }));
    }

    void aReturnUnderAConditionOfARunIsListed() {
        const PyptoImport back =
            imported("import pypto\ndef early(v, k):\n    if k > 1:\n        return v\n    return v * 3.0\n" +
                     inALoop("        v = pypto.view(x, [32, 64], [e * 32, 0])\n"
                             "        y[e * 32:, :] = early(v, e)\n"));
        const auto notes = places(back);
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const ImportNote& note) {
            return note.message.find("a condition, which designs do not have") == 0;
        }));
        QVERIFY(std::any_of(notes.begin(), notes.end(), [](const ImportNote& note) {
            return note.message.find("a write whose value or place is not known") == 0;
        }));
    }

    void theElseOfALoopIsReadOrListed() {
        const QString loop =
            "        for i in pypto.loop(3):\n            a = pypto.view(x, [32, 64], [i * 32, 0])\n%1"
            "            y[i * 32:, :] = a * 2.0\n"
            "        else:\n            b = pypto.view(x, [32, 64], [64, 0])\n            y[0:32, :] = b * 9.0\n";
        const PyptoImport back = imported(inALoop(loop.arg(QString())));
        QVERIFY(std::none_of(back.notes.begin(), back.notes.end(), [](const ImportNote& note) {
            return !note.guess && note.message.find("left out") != std::string::npos;
        }));
        const auto& body = std::get<Loop>(back.design.blocks.at(0).content).body;
        QCOMPARE(body.size(), std::size_t{4});  // the loop, and a view, a stage and a store behind it
        const auto notes =
            places(imported(inALoop(loop.arg(QStringLiteral("            if i > n:\n                break\n")))));
        QCOMPARE(std::count_if(notes.begin(), notes.end(),
                               [](const ImportNote& note) { return note.line == 13 || note.line == 14; }),
                 std::ptrdiff_t{2});
    }
};

QTEST_APPLESS_MAIN(TestPyptoBranches)
#include "tst_pypto_branches.moc"
