// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas with 1000 stages: one frame at several zooms, and from an edit to its findings on the cards. Bars: a
// frame < 16 ms, an edit < 30 ms.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QPainter>

#include <memory>
#include <string>

#include "core/design/edit_ops.h"
#include "core/exchange/chip_json.h"
#include "tests/support/designs.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_view.h"
#include "views/document_model.h"
#include "views/selection_model.h"
#include "views/theme.h"

namespace {

using namespace cubist;
using namespace cubist::test;

constexpr int kStages = 1000;
constexpr int kChains = 50;

/// Chains of a matmul and vector stages side by side, each with its output.
Design largeDesign() {
    Design design = matmulDesign();
    const CubeStage product = cubeOf(design);
    const Store write = storeOf(design);
    const Tensor output = tensorOf(design, "c");
    design.blocks.clear();
    design.tensors.pop_back();
    for (int chain = 0; chain < kChains; ++chain) {
        const std::string suffix = std::to_string(chain);
        CubeStage cube = product;
        cube.id = BlockId("product" + suffix);
        cube.out = ValueId("acc" + suffix);
        design.blocks.push_back(Block{cube});
        std::string value = cube.out.text;
        for (int step = 1; step < kStages / kChains; ++step) {
            VectorStage stage;
            stage.id = BlockId("act" + suffix + "_" + std::to_string(step));
            VectorOp op;
            op.op = VectorOpCode::Relu;
            op.in = {Operand{ValueId(value)}};
            value = "h" + suffix + "_" + std::to_string(step);
            op.out = ValueId(value);
            stage.ops.push_back(op);
            stage.tile = {64, 64};
            design.blocks.push_back(Block{stage});
        }
        Tensor out = output;
        out.id = TensorId("c" + suffix);
        Store store = write;
        store.id = BlockId("write" + suffix);
        store.from = ValueId(value);
        store.to = out.id;
        design.tensors.push_back(out);
        design.blocks.push_back(Block{store});
    }
    return design;
}

struct Canvas {
    Theme theme;
    SelectionModel selection;
    DocumentModel document{ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"})};
    std::unique_ptr<CanvasView> view;

    Canvas() {
        theme.install(*qApp);
        view = std::make_unique<CanvasView>(document, selection, theme);
        view->resize(1600, 1000);
        view->show();
        document.newDesign(largeDesign());
        view->fitAll();
        QApplication::processEvents();
    }
};

/// One repaint of everything in sight; the argument is the zoom in percent, 0: all of the design.
void frame(benchmark::State& state) {
    Canvas canvas;
    if (state.range(0) > 0) {
        canvas.view->resetZoom();
        const double factor = static_cast<double>(state.range(0)) / 100.0;
        canvas.view->setTransform(QTransform::fromScale(factor, factor));
        canvas.view->centreAt(canvas.view->canvas().contentRect().center());
    }
    QImage image(canvas.view->viewport()->size(), QImage::Format_ARGB32_Premultiplied);
    for (auto _ : state) canvas.view->viewport()->render(&image);
}

/// A tile is changed: rules, findings and the cards that show them.
void editToFinding(benchmark::State& state) {
    Canvas canvas;
    std::int64_t depth = 20;
    for (auto _ : state) {
        CubeTile tile;
        tile.m = {64, 64};
        tile.k = {depth, 128};
        tile.n = {64, 64};
        depth = depth == 20 ? 64 : 20;
        canvas.document.apply(QStringLiteral("tile"),
                              setCubeTile(*canvas.document.design(), BlockId("product7"), tile));
    }
}

/// A card is moved by one step of the grid.
void nudge(benchmark::State& state) {
    Canvas canvas;
    canvas.selection.select(Element(BlockId("product7")));
    double step = 8.0;
    for (auto _ : state) {
        canvas.view->canvas().nudgeSelection({step, 0.0});
        step = -step;
    }
}

BENCHMARK(frame)->Arg(0)->Arg(35)->Arg(60)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(editToFinding)->Unit(benchmark::kMillisecond);
BENCHMARK(nudge)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariable("QT_QPA_PLATFORM", QStringLiteral("offscreen")).toUtf8());
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
