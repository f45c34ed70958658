// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <string>

#include "core/design/binding.h"
#include "tests/support/designs.h"
#include "views/canvas/auto_layout.h"
#include "views/canvas/canvas_content.h"
#include "views/canvas/layer_assignment.h"
#include "views/canvas/stage_text.h"

using namespace cubist;
using namespace cubist::test;

namespace {

struct Canvas {
    CanvasContent content;
    std::vector<geometry::NodePicture> pictures;
    CanvasLayout layout;

    [[nodiscard]] std::size_t index(const std::string& id) const {
        for (std::size_t i = 0; i < content.nodes.size(); ++i)
            if (content.nodes[i].element.id == id) return i;
        qFatal("no node of this id");
    }
    [[nodiscard]] QRectF area(std::size_t node) const { return {layout.places[node], pictures[node].size}; }
    [[nodiscard]] QRectF area(const std::string& id) const { return area(index(id)); }
    [[nodiscard]] const CanvasNode& node(const std::string& id) const { return content.nodes[index(id)]; }
};

Canvas canvasOf(const Design& design) {
    Canvas canvas;
    const auto binding = cubist::bind(design, {});
    const auto resolved = binding ? resolve(design, *binding) : Result<ResolvedDesign>(ResolvedDesign{});
    canvas.content = buildCanvasContent(design, resolved ? &*resolved : nullptr, nullptr, {}, {});
    for (const CanvasNode& node : canvas.content.nodes) canvas.pictures.push_back(geometry::nodePicture(node));
    canvas.layout = autoLayout(canvas.content, canvas.pictures);
    return canvas;
}

Block cube(const std::string& id, const std::string& a, const std::string& b) {
    CubeStage stage;
    stage.id = BlockId(id);
    stage.a = ValueId(a);
    stage.b = ValueId(b);
    stage.out = ValueId(id + "_out");
    return Block{stage};
}

Tensor input(const std::string& id) {
    Tensor tensor;
    tensor.id = TensorId(id);
    tensor.shape = {64, 64};
    return tensor;
}

/// Two matmuls side by side, one that takes both results, and one that takes a weight from far left.
Design diamond() {
    Design design;
    design.tensors = {input("x"), input("w1"), input("w2"), input("w3")};
    design.blocks = {cube("gate", "x", "w1"), cube("up", "x", "w2"), cube("join", "gate_out", "up_out"),
                     cube("down", "join_out", "w3")};
    return design;
}

Design chain(int stages) {
    Design design;
    design.tensors = {input("x"), input("w")};
    std::string from = "x";
    for (int i = 0; i < stages; ++i) {
        const std::string id = "s" + std::to_string(i);
        design.blocks.push_back(cube(id, from, "w"));
        from = id + "_out";
    }
    return design;
}

}  // namespace

class TestCanvasLayout : public QObject {
    Q_OBJECT

private slots:
    void everyWireGoesRight_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("one matmul") << 0;
        QTest::newRow("GLMGate") << 1;
        QTest::newRow("C then V") << 2;
        QTest::newRow("diamond") << 3;
        QTest::newRow("chain of 20") << 4;
    }

    void everyWireGoesRight() {
        QFETCH(int, which);
        const Design designs[] = {matmulDesign(), glmGate(), rowScale(), diamond(), chain(20)};
        const Canvas canvas = canvasOf(designs[which]);
        QVERIFY(!canvas.content.wires.empty());
        for (const CanvasWire& wire : canvas.content.wires) {
            const QRectF from = canvas.area(static_cast<std::size_t>(wire.from));
            const QRectF to = canvas.area(static_cast<std::size_t>(wire.to));
            QVERIFY2(from.right() < to.left(), qPrintable(wire.toolTip));
        }
        for (std::size_t a = 0; a < canvas.pictures.size(); ++a) {
            QCOMPARE(geometry::snapped(canvas.layout.places[a]), canvas.layout.places[a]);
            for (std::size_t b = a + 1; b < canvas.pictures.size(); ++b)
                QVERIFY2(!canvas.area(a).intersects(canvas.area(b)), qPrintable(canvas.content.nodes[a].title));
        }
    }

    void theSameContentGivesTheSamePlaces() {
        const Canvas first = canvasOf(rowScale());
        const Canvas second = canvasOf(rowScale());
        QVERIFY(first.layout.places == second.layout.places);
        QVERIFY(first.layout.waypoints == second.layout.waypoints);
    }

    void mainWiresRunLevel() {
        const Canvas canvas = canvasOf(glmGate());
        for (const CanvasWire& wire : canvas.content.wires) {
            const auto from = static_cast<std::size_t>(wire.from);
            const auto to = static_cast<std::size_t>(wire.to);
            if (!canvas.layout.waypoints[static_cast<std::size_t>(&wire - canvas.content.wires.data())].empty())
                continue;
            const double start = canvas.layout.places[from].y() + canvas.pictures[from].output->y();
            const double end =
                canvas.layout.places[to].y() + canvas.pictures[to].inputs[static_cast<std::size_t>(wire.toPort)].y();
            QCOMPARE(start, end);
        }
    }

    void longWiresPassBetweenCards() {
        const Canvas canvas = canvasOf(diamond());
        bool any = false;
        for (std::size_t wire = 0; wire < canvas.content.wires.size(); ++wire)
            for (const QPointF& point : canvas.layout.waypoints[wire]) {
                any = true;
                for (std::size_t node = 0; node < canvas.pictures.size(); ++node)
                    QVERIFY(!canvas.area(node).adjusted(1, 1, -1, -1).contains(point));
            }
        QVERIFY(any);
    }

    void stagesSideBySideShareAColumn() {
        const Canvas canvas = canvasOf(diamond());
        QCOMPARE(canvas.area("gate").left(), canvas.area("up").left());
        QVERIFY(canvas.area("gate").bottom() < canvas.area("up").top());
        // The one that reads both is halfway between.
        const double middle = (canvas.area("gate").center().y() + canvas.area("up").center().y()) / 2;
        QVERIFY(std::abs(canvas.area("join").center().y() - middle) <= 16.0);
    }

    void loopsDoNotShareColumns() {
        Design design = glmGate();
        Block second = design.blocks.front();
        auto& loop = std::get<Loop>(second.content);
        loop.id = BlockId("again");
        for (Block& block : loop.body)
            std::visit(
                [](auto& content) {
                    content.id = BlockId(content.id.text + "2");
                    if constexpr (requires { content.out; }) content.out = ValueId(content.out.text + "2");
                },
                block.content);
        design.blocks.push_back(second);
        const CanvasContent content = buildCanvasContent(design, nullptr, nullptr, {}, {});
        const std::vector<std::size_t> layers = assignLayers(content);
        std::size_t lastOfFirst = 0;
        std::size_t firstOfSecond = 1000;
        for (std::size_t i = 0; i < content.nodes.size(); ++i) {
            if (content.nodes[i].frame == 0) lastOfFirst = std::max(lastOfFirst, layers[i]);
            if (content.nodes[i].frame == 1) firstOfSecond = std::min(firstOfSecond, layers[i]);
        }
        QVERIFY(lastOfFirst < firstOfSecond);
    }

    void resultsInBetweenHaveTheirWire() {
        Design design;
        design.tensors = {input("x")};
        VectorStage two = relu("two", "x", "h");
        VectorOp second = two.ops.front();
        second.in.front() = Operand{ValueId("h")};
        second.out = ValueId("y");
        two.ops.push_back(second);
        design.blocks = {Block{two}, Block{relu("inner", "h", "z")}, Block{relu("last", "y", "w")}};
        const Canvas canvas = canvasOf(design);
        QCOMPARE(canvas.content.wires.size(), std::size_t(3));
        for (const char* reader : {"inner", "last"})
            QVERIFY2(std::any_of(canvas.content.wires.begin(), canvas.content.wires.end(),
                                 [&](const CanvasWire& wire) {
                                     return wire.from == static_cast<int>(canvas.index("two")) &&
                                            wire.to == static_cast<int>(canvas.index(reader));
                                 }),
                     reader);
    }

    void aCircleIsLaidOutAnyway() {
        Design design;
        design.tensors = {input("w")};
        design.blocks = {cube("a", "b_out", "w"), cube("b", "a_out", "w")};
        const Canvas canvas = canvasOf(design);
        QVERIFY(!canvas.area("a").intersects(canvas.area("b")));
    }

    void aDesignThatCannotBeResolvedIsDrawnAsWritten() {
        Design design = glmGate();
        cubeOf(design).b = ValueId("nobody");
        const Canvas canvas = canvasOf(design);
        const CanvasNode& stage = canvas.node(cubeOf(design).id.text);
        QCOMPARE(stage.line1, QString::fromStdString(cubeOf(design).a.text + " @ nobody"));
        QVERIFY(canvas.node(design.tensors.front().id.text).line1.startsWith(QStringLiteral("T×")));
    }

    void formulasAreWrittenInPlace() {
        VectorStage stage;
        const auto value = [](const char* name) { return Operand{ValueId(name)}; };
        const auto op = [](VectorOpCode code, std::vector<Operand> in, const char* out) {
            VectorOp made;
            made.op = code;
            made.in = std::move(in);
            made.out = ValueId(out);
            return made;
        };
        stage.ops = {op(VectorOpCode::Relu, {value("g")}, "r"), op(VectorOpCode::Add, {value("r"), Operand{1.5}}, "s"),
                     op(VectorOpCode::Mul, {value("s"), value("u")}, "p"), op(VectorOpCode::Cast, {value("p")}, "h")};
        stage.ops[3].dtype = DType::BF16;
        QCOMPARE(formulaText(stage), QStringLiteral("cast((relu(g) + 1.5) * u, BF16)"));
        // What is read twice keeps its name.
        stage.ops[2].in[1] = value("s");
        QCOMPARE(formulaText(stage), QStringLiteral("cast(s * s, BF16)"));
        QCOMPARE(formulaText(VectorStage{}), QString());

        // What an operation has besides its operands.
        const auto alone = [](const VectorOp& made) {
            VectorStage single;
            single.ops = {made};
            return formulaText(single);
        };
        VectorOp sum = op(VectorOpCode::Sum, {value("x")}, "y");
        QCOMPARE(alone(sum), QStringLiteral("sum(x, dim=-1)"));
        sum.dim = 0;
        sum.keepDim = true;
        QCOMPARE(alone(sum), QStringLiteral("sum(x, dim=0, keepdim)"));
        QCOMPARE(alone(op(VectorOpCode::Where, {value("c"), value("a"), Operand{0.0}}, "y")),
                 QStringLiteral("where(c, a, 0)"));
        QCOMPARE(alone(op(VectorOpCode::Le, {value("a"), value("b")}, "y")), QStringLiteral("a <= b"));
        VectorOp slice = op(VectorOpCode::Slice, {value("x")}, "y");
        slice.shape = {64, 24};
        slice.offset = {0, 24};
        QCOMPARE(alone(slice), QStringLiteral("x[:64, 24:48]"));
        VectorOp turned = op(VectorOpCode::Transpose, {value("x")}, "y");
        turned.dims = {0, 1};
        QCOMPARE(alone(turned), QStringLiteral("transpose(x, 0, 1)"));
        VectorOp reshaped = op(VectorOpCode::Reshape, {value("x")}, "y");
        reshaped.shape = {4, 16};
        QCOMPARE(alone(reshaped), QStringLiteral("reshape(x, [4, 16])"));
        VectorOp norm = op(VectorOpCode::RmsNorm, {value("x"), value("gamma")}, "y");
        norm.epsilon = 1e-5;
        QCOMPARE(alone(norm), QStringLiteral("rms_norm(x, gamma, epsilon=1e-05)"));
    }

    void slicesAreWrittenLikePython() {
        const std::vector<QString> whole{"64", "128"};
        QCOMPARE(sliceText({Expression("i*32"), 0}, {"32", "128"}, whole), QStringLiteral("[i*32 : +32, :]"));
        QCOMPARE(sliceText({0, 0}, {"32", "16"}, whole), QStringLiteral("[:32, :16]"));
        QCOMPARE(sliceText({}, {"64", "128"}, whole), QStringLiteral("[:, :]"));
        QCOMPARE(sliceText({}, {"64"}, {}), QStringLiteral("[:64]"));
    }

    void textsAreCutToTheirRoom() {
        CanvasNode node;
        node.kind = NodeKind::Cube;
        node.title = QString(80, QLatin1Char('w'));
        node.line1 = QString(200, QLatin1Char('1'));
        node.live.text = QStringLiteral("123.4 us");
        const geometry::NodePicture picture = geometry::nodePicture(node);
        for (const geometry::TextRun& run : picture.texts) {
            const double right = run.baseline.x() + QFontMetricsF(Theme::font(run.font)).horizontalAdvance(run.text);
            QVERIFY2(right <= picture.size.width(), qPrintable(run.text));
        }
        QVERIFY(picture.texts.front().text.endsWith(QStringLiteral("…")));
    }

    void aThousandStagesAreLaidOutQuickly() {
        const Design design = chain(1000);
        QElapsedTimer timer;
        timer.start();
        const Canvas canvas = canvasOf(design);
        QVERIFY(canvas.layout.places.size() == 1002);
        // Ten times what it takes on a slow machine.
        QVERIFY2(timer.elapsed() < 30000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_MAIN(TestCanvasLayout)
#include "tst_canvas_layout.moc"
