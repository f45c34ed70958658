// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <functional>
#include <limits>

#include "core/design/edit_ops.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

using Edit = std::function<Result<Design>(const Design&)>;
using Change = std::function<void(Design&)>;

QString text(const Design& design) {
    return QString::fromStdString(writeDesign(design));
}

}  // namespace

Q_DECLARE_METATYPE(Edit)
Q_DECLARE_METATYPE(Change)
Q_DECLARE_METATYPE(cubist::ErrorCode)

class TestEditOps : public QObject {
    Q_OBJECT

private slots:
    void anEditChangesOnlyItsField_data() {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<Change>("change");
        const auto row = [](const char* name, const Edit& edit, const Change& change) {
            QTest::newRow(name) << edit << change;
        };
        const Design sample = rowScale();
        Design copy = sample;
        const BlockId loop = loopOf(copy).id;
        const BlockId cube = cubeOf(copy).id;
        const BlockId vector = vectorOf(copy).id;
        const TensorId tensor = copy.tensors.front().id;
        const SymbolId symbol = copy.symbols.front().id;

        row(
            "title", [](const Design& d) { return setTitle(d, "a title"); }, [](Design& d) { d.title = "a title"; });
        row(
            "notes", [](const Design& d) { return setNotes(d, "a note"); }, [](Design& d) { d.notes = "a note"; });
        row(
            "chip", [](const Design& d) { return setChip(d, ChipId("other")); },
            [](Design& d) { d.chip = ChipId("other"); });
        row(
            "variant", [](const Design& d) { return setVariant(d, Variant::A); },
            [](Design& d) { d.skeleton.variant = Variant::A; });
        row(
            "profile", [](const Design& d) { return setProfile(d, RuleProfile::Documented); },
            [](Design& d) { d.profile = RuleProfile::Documented; });
        row(
            "seed", [](const Design& d) { return setSeed(d, 17); }, [](Design& d) { d.seed = 17; });
        row(
            "options",
            [](const Design& d) {
                Options options = d.options;
                options.deviceSchedMode = 3;
                return setOptions(d, options);
            },
            [](Design& d) { d.options.deviceSchedMode = 3; });
        row(
            "tolerance",
            [](const Design& d) {
                Tolerance tolerance = d.tolerance;
                tolerance.rtol = 0.25;
                return setTolerance(d, tolerance);
            },
            [](Design& d) { d.tolerance.rtol = 0.25; });
        row(
            "symbol", [=](const Design& d) { return setSymbolValue(d, symbol, 77); },
            [](Design& d) { d.symbols.front().value = 77; });
        row(
            "tensor type", [=](const Design& d) { return setTensorDType(d, tensor, DType::INT8); },
            [=](Design& d) { tensorOf(d, tensor.text).dtype = DType::INT8; });
        row(
            "tensor format", [=](const Design& d) { return setTensorFormat(d, tensor, Format::NZ); },
            [=](Design& d) { tensorOf(d, tensor.text).format = Format::NZ; });
        row(
            "tensor shape",
            [=](const Design& d) {
                return setTensorShape(d, tensor, {Expression("T * 2"), 8});
            },
            [=](Design& d) {
                tensorOf(d, tensor.text).shape = {Expression("T * 2"), 8};
            });
        row(
            "data source",
            [=](const Design& d) {
                DataSource source;
                source.generator = Generator::Arange;
                return setTensorData(d, tensor, source);
            },
            [=](Design& d) {
                tensorOf(d, tensor.text).data = DataSource{};
                tensorOf(d, tensor.text).data.generator = Generator::Arange;
            });
        row(
            "loop axis", [=](const Design& d) { return setLoopAxis(d, loop, Expression("T + 1")); },
            [](Design& d) { loopOf(d).axis = Expression("T + 1"); });
        row(
            "loop tile", [=](const Design& d) { return setLoopTile(d, loop, 16); },
            [](Design& d) { loopOf(d).tile = 16; });
        row(
            "parallel loop", [=](const Design& d) { return setLoopParallel(d, loop, true); },
            [](Design& d) { loopOf(d).parallel = true; });
        row(
            "cube tile",
            [=](const Design& d) {
                CubeTile tile;
                tile.m = {0, -5};
                return setCubeTile(d, cube, tile);
            },
            [](Design& d) {
                cubeOf(d).tile = CubeTile{};
                cubeOf(d).tile.m = {0, -5};
            });
        row(
            "result type", [=](const Design& d) { return setOutDType(d, cube, DType::BF16); },
            [](Design& d) { cubeOf(d).outDType = DType::BF16; });
        row(
            "vector tile",
            [=](const Design& d) {
                return setVectorTile(d, vector, {1, 2, 3});
            },
            [](Design& d) {
                vectorOf(d).tile = {1, 2, 3};
            });
        row(
            "slots of a cube stage", [=](const Design& d) { return setSlots(d, cube, 1); },
            [](Design& d) { cubeOf(d).slotCount = 1; });
        row(
            "slots of a vector stage", [=](const Design& d) { return setSlots(d, vector, 2); },
            [](Design& d) { vectorOf(d).slotCount = 2; });
        row(
            "label", [=](const Design& d) { return setLabel(d, vector, "scale"); },
            [](Design& d) { vectorOf(d).label = "scale"; });
        row(
            "notes of a loop", [=](const Design& d) { return setBlockNotes(d, loop, "why"); },
            [](Design& d) { loopOf(d).notes = "why"; });
        row(
            "places",
            [=](const Design& d) {
                return setPlacements(d, {{cube.text, 8, -16}, {tensor.text, 0.5, 0}});
            },
            [=](Design& d) {
                d.layout.set(cube.text, Position{8, -16, 0, 0, {}});
                d.layout.set(tensor.text, Position{0.5, 0, 0, 0, {}});
            });
    }

    void anEditChangesOnlyItsField() {
        QFETCH(Edit, edit);
        QFETCH(Change, change);
        const Design original = rowScale();
        const Design untouched = original;
        Design wanted = original;
        change(wanted);
        QVERIFY(wanted != original);

        const Result<Design> edited = edit(original);
        QVERIFY(edited.has_value());
        QCOMPARE(text(*edited), text(wanted));
        QVERIFY(*edited == wanted);
        QVERIFY(original == untouched);
    }

    void whatCannotBeDoneIsAnError_data() {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Edit& edit, ErrorCode code, const char* says) {
            QTest::newRow(name) << edit << code << QString::fromUtf8(says);
        };
        Design copy = rowScale();
        const std::string cube = cubeOf(copy).id.text;
        const BlockId loop = loopOf(copy).id;
        const BlockId vector = vectorOf(copy).id;
        const TensorId tensor = copy.tensors.front().id;
        const SymbolId symbol = copy.symbols.front().id;

        row(
            "misspelt block", [=](const Design& d) { return setOutDType(d, BlockId(cube + "x"), DType::FP32); },
            ErrorCode::UnknownName, "x'");
        row(
            "block of another kind", [=](const Design& d) { return setCubeTile(d, loop, {}); }, ErrorCode::WrongType,
            "is a loop block, not a cube stage");
        row(
            "slots of a loop", [=](const Design& d) { return setSlots(d, loop, 1); }, ErrorCode::WrongType,
            "not a stage");
        row(
            "no slot", [=](const Design& d) { return setSlots(d, vector, 0); }, ErrorCode::BadValue, "at least 1 slot");
        row(
            "unknown tensor", [](const Design& d) { return setTensorDType(d, TensorId("nobody"), DType::FP32); },
            ErrorCode::UnknownName, "'nobody'");
        row(
            "a loop that is no tensor",
            [=](const Design& d) { return setTensorDType(d, TensorId(loop.text), DType::FP32); },
            ErrorCode::UnknownName, "no tensor");
        row(
            "no axes", [=](const Design& d) { return setTensorShape(d, tensor, {}); }, ErrorCode::BadValue,
            "1 to 4 axes");
        row(
            "five axes",
            [=](const Design& d) {
                return setTensorShape(d, tensor, {1, 1, 1, 1, 1});
            },
            ErrorCode::BadValue, "not 5");
        row(
            "axis that does not parse", [=](const Design& d) { return setLoopAxis(d, loop, Expression("T +")); },
            ErrorCode::Syntax, "");
        row(
            "symbol of 0", [=](const Design& d) { return setSymbolValue(d, symbol, 0); }, ErrorCode::BadValue,
            "at least 1, not 0");
        row(
            "unknown symbol", [](const Design& d) { return setSymbolValue(d, SymbolId("Q"), 2); },
            ErrorCode::UnknownName, "no symbol 'Q'");
        row(
            "unknown case", [=](const Design& d) { return setCaseSymbol(d, CaseId("big"), symbol, 2); },
            ErrorCode::UnknownName, "no case 'big'");
        row(
            "unknown default case", [](const Design& d) { return setDefaultCase(d, CaseId("big")); },
            ErrorCode::UnknownName, "no case 'big'");
        row(
            "place of nobody",
            [](const Design& d) {
                return setPlacements(d, {{"nobody", 1, 2}});
            },
            ErrorCode::UnknownName, "no element 'nobody'");
        row(
            "place at infinity",
            [=](const Design& d) {
                return setPlacements(d, {{cube, std::numeric_limits<double>::infinity(), 0}});
            },
            ErrorCode::BadValue, "not a finite number");
        row(
            "negative tolerance",
            [](const Design& d) {
                Tolerance tolerance;
                tolerance.atol = -1;
                return setTolerance(d, tolerance);
            },
            ErrorCode::BadValue, "at least 0");
    }

    void whatCannotBeDoneIsAnError() {
        QFETCH(Edit, edit);
        QFETCH(ErrorCode, code);
        QFETCH(QString, says);
        const Result<Design> edited = edit(rowScale());
        QVERIFY(!edited.has_value());
        QCOMPARE(edited.error().code, code);
        const QString message = QString::fromStdString(edited.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
    }

    void aNearNameIsSuggested() {
        Design design = rowScale();
        const std::string cube = cubeOf(design).id.text;
        const Result<Design> edited = setLabel(design, BlockId(cube + "s"), "label");
        QVERIFY(!edited.has_value());
        QCOMPARE(QString::fromStdString(edited.error().hint), QString::fromStdString("did you mean '" + cube + "'?"));
    }

    void blocksInLoopsAreFound() {
        Design design = glmGate();
        const BlockId cube = cubeOf(design).id;
        const Block* block = findBlock(design, cube);
        QVERIFY(block);
        QCOMPARE(block->id().text, cube.text);
        QCOMPARE(block->kind(), BlockKind::Cube);
        QVERIFY(!findBlock(design, BlockId("nobody")));
        QVERIFY(findTensor(design, design.tensors.back().id) == &design.tensors.back());
    }

    void aMovedElementKeepsUnknownKeysOfItsPlace() {
        Design design = glmGate();
        const std::string id = design.tensors.front().id.text;
        design.layout.set(id, Position{1, 2, 0, 0, {{"pinned", "true"}}});
        const Result<Design> moved = setPlacements(design, {{id, 3, 4}});
        QVERIFY(moved.has_value());
        const Position* place = moved->layout.find(id);
        QVERIFY(place);
        QCOMPARE(place->x, 3.0);
        QCOMPARE(place->unknown.size(), std::size_t(1));
        const Result<Design> cleared = clearPlacements(*moved);
        QVERIFY(cleared.has_value() && cleared->layout.empty());
    }

    void namesFollowIntoExpressions() {
        Design design = glmGate();
        const SymbolId symbol = design.symbols.front().id;
        design.cases = {Case{}};
        design.cases[0].symbols.set(symbol.text, 7);
        const Result<Design> renamed = renameSymbol(design, symbol, "tokens");
        QVERIFY(renamed.has_value());
        QCOMPARE(renamed->cases[0].symbols.entries[0].key, std::string("tokens"));
        QCOMPARE(renamed->tensors[0].shape[0].text(), std::string("tokens"));
        const Loop& loop = std::get<Loop>(renamed->blocks.front().content);
        QCOMPARE(loop.axis.text(), std::string("tokens"));
        const Result<Design> both = renameLoopIndex(*renamed, loop.id, "row");
        QVERIFY(both.has_value());
        const Loop& edited = std::get<Loop>(both->blocks.front().content);
        const View& view = std::get<View>(edited.body.front().content);
        QCOMPARE(edited.index, std::string("row"));
        QCOMPARE(view.offset[0].text(), std::string("row * 32"));
        QCOMPARE(view.valid[0].text(), std::string("min(tokens - row * 32, 32)"));
        QVERIFY(!renameSymbol(design, symbol, "9x") && !renameSymbol(design, symbol, "i"));
        QVERIFY(!renameLoopIndex(design, BlockId("nothing"), "row"));
    }

    void aListChangesItsFormWithoutChangingItsGroups() {
        Design design = glmGate();
        List list;
        list.id = ListId("gl");
        list.form = ListForm::Counts;
        list.value = {10, 15, 5};
        design.lists = {list};
        design.cases = {Case{}};
        design.cases[0].lists.set("gl", {1, 0, 2});
        const Result<Design> ends = setListForm(design, list.id, ListForm::PrefixSums);
        QVERIFY(ends.has_value());
        QCOMPARE(ends->lists[0].value, (std::vector<std::int64_t>{10, 25, 30}));
        QCOMPARE(*ends->cases[0].lists.find("gl"), (std::vector<std::int64_t>{1, 1, 3}));
        QVERIFY(*setListForm(*ends, list.id, ListForm::Counts) == design);
        const Result<Design> renamed = renameList(design, list.id, "groups_of_rows");
        QVERIFY(renamed.has_value());
        QVERIFY(renamed->cases[0].lists.find("groups_of_rows") != nullptr);
    }

    void aCaseTakesANewValueOfItsSymbol() {
        Design design = glmGate();
        design.cases = {Case{CaseId("small"), {}, {}, {}, {}, {}, {}}};
        const SymbolId symbol = design.symbols.front().id;
        const Result<Design> edited = setCaseSymbol(design, CaseId("small"), symbol, 5);
        QVERIFY(edited.has_value());
        QCOMPARE(*edited->cases.front().symbols.find(symbol.text), std::int64_t(5));
        const Result<Design> chosen = setDefaultCase(*edited, CaseId("small"));
        QVERIFY(chosen.has_value());
        QCOMPARE(chosen->defaultCase.text, std::string("small"));
    }
};

QTEST_APPLESS_MAIN(TestEditOps)
#include "tst_edit_ops.moc"
