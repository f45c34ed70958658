// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/stage_catalog.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/integer_math.h"
#include "core/design/vector_op_info.h"
#include "views/choice_text.h"
#include "views/qt_text.h"

namespace cubist {
namespace {

class Text {
    Q_DECLARE_TR_FUNCTIONS(cubist::StageCatalog)
};

constexpr std::int64_t kStartRows = 64;
constexpr std::int64_t kStartColumns = 64;

VectorOp operation(VectorOpCode code, std::vector<Operand> in, const std::string& out) {
    VectorOp op;
    op.op = code;
    op.in = std::move(in);
    op.out = ValueId(out);
    return op;
}

Operand open() {
    return {ValueId()};
}

Operand named(const std::string& name) {
    return {ValueId(name)};
}

VectorOp castTo(Operand in, DType dtype, const std::string& out) {
    VectorOp op = operation(VectorOpCode::Cast, {std::move(in)}, out);
    op.dtype = dtype;
    if (dtype != DType::FP32) op.round = RoundMode::Rint;
    return op;
}

/// Fields without which an operation means nothing.
void fillNeeds(VectorOp& op) {
    const OpFields fields = opFields(op.op);
    if (fields.dims) op.dims = {-2, -1};
    if (fields.count) op.count = 1;
    if (fields.range) op.range = {Expression(64)};
    if (fields.shape) op.shape = {kStartRows, kStartColumns};
    if (op.op == VectorOpCode::Cast) op.dtype = DType::FP32;
}

VectorStage stageOf(FreeNames& names, const std::string& id, std::vector<VectorOp> ops) {
    VectorStage stage;
    stage.id = BlockId(names.take(id));
    stage.ops = std::move(ops);
    stage.tile = {kStartRows, kStartColumns};
    return stage;
}

/// Compositions that the library offers beside single operations.
std::optional<VectorStage> composition(const QString& key, FreeNames& names) {
    const auto fresh = [&](const char* name) { return names.take(name); };
    if (key == QLatin1String("vector/dequant")) {
        // out = float(sums) * row scale * column scale; the scales broadcast.
        const std::string value = fresh("sums_f");
        const std::string rows = fresh("rows_f");
        const std::string columns = fresh("columns_f");
        const std::string part = fresh("scaled_rows");
        return stageOf(
            names, "dequant",
            {castTo(open(), DType::FP32, value), castTo(open(), DType::FP32, rows),
             castTo(open(), DType::FP32, columns), operation(VectorOpCode::Mul, {named(value), named(rows)}, part),
             operation(VectorOpCode::Mul, {named(part), named(columns)}, fresh("scaled"))});
    }
    if (key == QLatin1String("vector/swiglu")) {
        const std::string gate = fresh("gate_act");
        return stageOf(names, "swiglu",
                       {operation(VectorOpCode::Silu, {open()}, gate),
                        operation(VectorOpCode::Mul, {named(gate), open()}, fresh("swiglu_out"))});
    }
    if (key == QLatin1String("vector/cast_bf16"))
        return stageOf(names, "cast", {castTo(open(), DType::BF16, fresh("rounded"))});
    if (key == QLatin1String("vector/cast_fp32"))
        return stageOf(names, "cast", {castTo(open(), DType::FP32, fresh("float"))});
    if (key == QLatin1String("vector/cast_fp16"))
        return stageOf(names, "cast", {castTo(open(), DType::FP16, fresh("half"))});
    if (key == QLatin1String("vector/scale")) {
        VectorOp mul = operation(VectorOpCode::Mul, {open(), Operand{1.0}}, fresh("scaled"));
        return stageOf(names, "scale", {std::move(mul)});
    }
    return std::nullopt;
}

std::optional<VectorStage> vectorStage(const QString& key, FreeNames& names) {
    if (auto made = composition(key, names)) return made;
    const QString name = key.section(QLatin1Char('/'), 1);
    for (const auto& [code, spelled] : EnumTable<VectorOpCode>::entries) {
        if (qText(spelled) != name) continue;
        VectorOp op = operation(code, {}, names.take(std::string(spelled) + "_out"));
        const int operands = opInfo(code).minOperands;
        for (int i = 0; i < operands; ++i) op.in.push_back(open());
        fillNeeds(op);
        return stageOf(names, std::string(spelled), {std::move(op)});
    }
    return std::nullopt;
}

Tensor newTensor(FreeNames& names, const std::string& name, TensorRole role) {
    Tensor tensor;
    tensor.id = TensorId(names.take(name));
    tensor.role = role;
    tensor.dtype = DType::BF16;
    tensor.shape = {128, 128};
    return tensor;
}

struct Composed {
    const char* key;
    const char* title;
    const char* subtitle;
    const char* keywords;
    bool inLibrary;
};

constexpr std::array<Composed, 6> kComposed{{
    {"vector/dequant", QT_TRANSLATE_NOOP("cubist::StageCatalog", "Dequant"),
     QT_TRANSLATE_NOOP("cubist::StageCatalog", "cast to FP32, times row and column scales"), "dequantise scale mul",
     true},
    {"vector/swiglu", QT_TRANSLATE_NOOP("cubist::StageCatalog", "SwiGLU"),
     QT_TRANSLATE_NOOP("cubist::StageCatalog", "silu(gate) * up"), "silu glu activation", true},
    {"vector/cast_bf16", QT_TRANSLATE_NOOP("cubist::StageCatalog", "Cast to BF16"),
     QT_TRANSLATE_NOOP("cubist::StageCatalog", "rounds to nearest even"), "round convert", true},
    {"vector/cast_fp32", QT_TRANSLATE_NOOP("cubist::StageCatalog", "Cast to FP32"),
     QT_TRANSLATE_NOOP("cubist::StageCatalog", "exact for shorter types"), "convert float", false},
    {"vector/cast_fp16", QT_TRANSLATE_NOOP("cubist::StageCatalog", "Cast to FP16"),
     QT_TRANSLATE_NOOP("cubist::StageCatalog", "rounds to nearest even"), "convert half", false},
    {"vector/scale", QT_TRANSLATE_NOOP("cubist::StageCatalog", "Scale by a number"),
     QT_TRANSLATE_NOOP("cubist::StageCatalog", "value * 1.0"), "mul factor constant", false},
}};

bool inLibrary(VectorOpCode code) {
    return code == VectorOpCode::Sum || code == VectorOpCode::Quantize || code == VectorOpCode::Softmax ||
           code == VectorOpCode::RmsNorm || code == VectorOpCode::Add || code == VectorOpCode::Mul;
}

QString titleOf(VectorOpCode code, const QString& name) {
    if (code == VectorOpCode::Sum) return Text::tr("Reduce (sum)");
    if (code == VectorOpCode::Quantize) return Text::tr("Quantise");
    if (code == VectorOpCode::RmsNorm) return Text::tr("RMS norm");
    const QString meaning = choiceText(toText(code));
    if (meaning != name) return meaning;
    return name.left(1).toUpper() + name.mid(1).replace(QLatin1Char('_'), QLatin1Char(' '));
}

void addCube(std::vector<CatalogEntry>& entries) {
    using Kind = CatalogEntry::Kind;
    entries.push_back({Kind::Cube, QStringLiteral("cube/matmul"), Text::tr("MatMul"), Text::tr("C stage: a @ b"),
                       QStringLiteral("matmul mm gemm cube multiply"), true});
    entries.push_back({Kind::Cube, QStringLiteral("cube/scaled_mm"), Text::tr("Scaled MatMul (MX)"),
                       Text::tr("C stage with a scale for each 32 elements"),
                       QStringLiteral("scaled_mm mxfp8 mxfp4 matmul"), true});
}

void addVector(std::vector<CatalogEntry>& entries) {
    using Kind = CatalogEntry::Kind;
    for (const Composed& made : kComposed)
        entries.push_back({Kind::Vector, QString::fromLatin1(made.key), Text::tr(made.title), Text::tr(made.subtitle),
                           QString::fromLatin1(made.keywords), made.inLibrary});
    for (const bool shown : {true, false})
        for (const auto& [code, spelled] : EnumTable<VectorOpCode>::entries) {
            if (inLibrary(code) != shown) continue;
            const QString name = qText(spelled);
            CatalogEntry entry{Kind::Vector,
                               QStringLiteral("vector/") + name,
                               titleOf(code, name),
                               Text::tr("V stage: %1").arg(name),
                               name,
                               shown};
            entry.takesValue = opInfo(code).minOperands > 0;
            entries.push_back(std::move(entry));
        }
}

void addOthers(std::vector<CatalogEntry>& entries) {
    using Kind = CatalogEntry::Kind;
    const auto add = [&](Kind kind, const char* key, const QString& title, const QString& subtitle,
                         const char* keywords, bool takes, bool hands) {
        entries.push_back(
            {kind, QString::fromLatin1(key), title, subtitle, QString::fromLatin1(keywords), true, takes, hands});
    };
    add(Kind::Tensor, "tensor/input", Text::tr("Input tensor"), Text::tr("given by the caller"),
        "tensor operand weight", false, true);
    add(Kind::Tensor, "tensor/output", Text::tr("Output tensor"), Text::tr("written by the kernel"), "tensor result",
        true, false);
    add(Kind::Move, "view", Text::tr("Slice"), Text::tr("a window of a tensor"), "view slice cut", true, true);
    add(Kind::Move, "store", Text::tr("Store"), Text::tr("writes a value into a tensor"), "store write assemble", true,
        false);
    add(Kind::Move, "store/index_add", Text::tr("Index add"), Text::tr("adds rows picked by an index"),
        "store scatter index_add", true, false);
    add(Kind::Loop, "loop", Text::tr("Loop"), Text::tr("runs its body for each tile of an axis"), "loop for frame",
        false, false);
    add(Kind::Note, "note", Text::tr("Note"), Text::tr("a text on the canvas"), "note comment text", false, false);
}

}  // namespace

std::vector<CatalogEntry> stageCatalog() {
    std::vector<CatalogEntry> entries;
    addCube(entries);
    addVector(entries);
    addOthers(entries);
    return entries;
}

QString badgeLetter(CatalogEntry::Kind kind) {
    switch (kind) {
        case CatalogEntry::Kind::Cube: return QStringLiteral("C");
        case CatalogEntry::Kind::Vector: return QStringLiteral("V");
        case CatalogEntry::Kind::Tensor: return QStringLiteral("T");
        case CatalogEntry::Kind::Move: return QStringLiteral("M");
        case CatalogEntry::Kind::Loop: return QStringLiteral("L");
        case CatalogEntry::Kind::Note: return QStringLiteral("N");
    }
    return {};
}

Token badgeToken(CatalogEntry::Kind kind) {
    switch (kind) {
        case CatalogEntry::Kind::Cube: return Token::Cube;
        case CatalogEntry::Kind::Vector: return Token::Vector;
        case CatalogEntry::Kind::Move: return Token::Move;
        case CatalogEntry::Kind::Tensor:
        case CatalogEntry::Kind::Loop:
        case CatalogEntry::Kind::Note: return Token::Muted;
    }
    return Token::Muted;
}

int matchScore(const QString& typed, const QString& title, const QString& keywords) {
    const QString wanted = typed.trimmed();
    if (wanted.isEmpty()) return 1;
    if (title.compare(wanted, Qt::CaseInsensitive) == 0) return 100;
    if (title.startsWith(wanted, Qt::CaseInsensitive)) return 80;
    const auto wordStarts = [&](const QString& text) {
        for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts))
            if (word.startsWith(wanted, Qt::CaseInsensitive)) return true;
        return false;
    };
    for (const QString& word : keywords.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (word.compare(wanted, Qt::CaseInsensitive) == 0) return 90;
    if (wordStarts(title)) return 60;
    if (wordStarts(keywords)) return 50;
    if (title.contains(wanted, Qt::CaseInsensitive)) return 30;
    if (keywords.contains(wanted, Qt::CaseInsensitive)) return 20;
    // Several words: each must be found somewhere.
    const QStringList words = wanted.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QString all = title + QLatin1Char(' ') + keywords;
    const bool every = words.size() > 1 && std::all_of(words.begin(), words.end(), [&](const QString& word) {
                           return all.contains(word, Qt::CaseInsensitive);
                       });
    return every ? 10 : 0;
}

NewElement makeElement(const QString& key, FreeNames& names) {
    NewElement made;
    if (key.startsWith(QLatin1String("cube/"))) {
        CubeStage stage;
        stage.id = BlockId(names.take("matmul"));
        stage.op = key == QLatin1String("cube/scaled_mm") ? CubeOp::ScaledMm : CubeOp::Matmul;
        stage.out = ValueId(names.take("product"));
        made.block = Block{std::move(stage)};
        made.input = "a";
    } else if (key.startsWith(QLatin1String("vector/"))) {
        auto stage = vectorStage(key, names);
        if (!stage) return made;
        made.block = Block{*std::move(stage)};
        const std::vector<InputPort> ports = inputPorts(*made.block);
        if (!ports.empty()) made.input = ports.front().key;
    } else if (key == QLatin1String("tensor/input")) {
        made.tensor = newTensor(names, "x", TensorRole::Input);
    } else if (key == QLatin1String("tensor/output")) {
        made.tensor = newTensor(names, "y", TensorRole::Output);
    } else if (key == QLatin1String("view")) {
        View view;
        view.id = BlockId(names.take("slice"));
        view.out = ValueId(names.take("part"));
        view.shape = {kStartRows, kStartColumns};
        view.offset = {0, 0};
        made.block = Block{std::move(view)};
        made.input = "of";
    } else if (key.startsWith(QLatin1String("store"))) {
        Store store;
        store.id = BlockId(names.take("write"));
        if (key == QLatin1String("store/index_add")) store.op = StoreOp::IndexAdd;
        made.block = Block{std::move(store)};
        made.input = "from";
    } else if (key == QLatin1String("loop")) {
        Loop loop;
        loop.id = BlockId(names.take("rows"));
        loop.index = names.take("i");
        loop.axis = Expression(128);
        loop.tile = Expression(64);
        made.block = Block{std::move(loop)};
    }
    return made;
}

std::vector<std::int64_t> startTile(const std::vector<std::int64_t>& shape, DType dtype) {
    std::vector<std::int64_t> tile;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::size_t fromEnd = shape.size() - axis;
        const std::int64_t most = fromEnd == 1 ? 128 : (fromEnd == 2 ? 32 : 2);
        tile.push_back(std::min(shape[axis], most));
    }
    if (!tile.empty()) {
        const std::int64_t block = 32 * 8 / std::max<std::int64_t>(1, bitsPerElement(dtype));
        tile.back() = roundUp(std::max<std::int64_t>(tile.back(), 1), std::max<std::int64_t>(block, 16));
    }
    return tile;
}

CubeTile startTile(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype) {
    // One block of 16, or of 32 bytes along K and N, is the least; the most fits the buffers of every chip twice.
    const std::int64_t bits = bitsPerElement(dtype);
    const std::int64_t block = std::max<std::int64_t>(16, 32 * 8 / bits);
    const std::int64_t rows = std::min<std::int64_t>(roundUp(m, 16), 128);
    const std::int64_t columns = std::min<std::int64_t>(roundUp(n, block), 128);
    const std::int64_t depth = std::min<std::int64_t>(roundUp(k, block), bits <= 8 ? 128 : (bits <= 16 ? 64 : 32));
    CubeTile tile;
    tile.m = {rows, rows};
    tile.n = {columns, columns};
    tile.k = {depth, std::min<std::int64_t>(roundUp(k, depth), 4 * depth)};
    return tile;
}

bool isStartTile(const CubeTile& tile) {
    return tile == CubeTile();
}

}  // namespace cubist
