// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/connection_rules.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/rules/checker.h"
#include "views/canvas/stage_fit.h"
#include "views/qt_text.h"

namespace cubist {
namespace {

class Text {
    Q_DECLARE_TR_FUNCTIONS(cubist::ConnectionRules)
};

/// Rules that judge what an operand is; all others judge tiles, options and the design as a whole.
bool judgesOperands(std::string_view ruleId) {
    constexpr std::array<std::string_view, 6> kOthers{"TILE", "CAP", "STR", "OPT", "NAME", "TAIL"};
    constexpr std::array<std::string_view, 8> kSingle{"VEC-01", "VEC-02", "VEC-03",  "VEC-04",
                                                      "VEC-05", "VEC-06", "CUBE-09", "CUBE-12"};
    const std::string_view family = ruleId.substr(0, ruleId.find('-'));
    return std::find(kOthers.begin(), kOthers.end(), family) == kOthers.end() &&
           std::find(kSingle.begin(), kSingle.end(), ruleId) == kSingle.end() && family != "LOOP" && family != "GRP";
}

Tensor tensorLike(const std::string& name, const std::vector<std::int64_t>& shape, DType dtype, Format format) {
    Tensor tensor;
    tensor.id = TensorId(name);
    tensor.dtype = dtype;
    tensor.format = format;
    for (const std::int64_t extent : shape) tensor.shape.emplace_back(extent);
    return tensor;
}

QString shapeOf(const ResolvedValue& value) {
    QStringList extents;
    for (const std::int64_t extent : value.shape) extents << QString::number(extent);
    return QStringLiteral("[%1] %2").arg(extents.join(QLatin1String(", ")), qText(toText(value.dtype)));
}

/// One block and the operands that are known, as a design of its own.
class Bench {
public:
    Bench(const Design& design, const KnownDesign& known, const Block& reader) : m_known(known), m_reader(reader) {
        m_bench.name = "bench";
        m_bench.chip = design.chip;
        m_bench.skeleton.variant = Variant::A;
        if (const auto* view = std::get_if<View>(&reader.content)) {
            View plain = *view;
            plain.offset.assign(plain.offset.size(), Expression(0));
            plain.valid.clear();
            m_reader.content = plain;
        }
    }

    /// False when there is not enough to try.
    bool build(const std::string& connected) {
        for (const InputPort& port : inputPorts(m_reader)) {
            if (!port.value.empty() && m_known.value(port.value)) {
                add(port.value.text, *m_known.value(port.value));
                if (port.key == connected) m_connected = m_known.value(port.value);
            }
        }
        if (m_connected == nullptr) return false;
        return std::visit([this](auto& content) { return complete(content); }, m_reader.content);
    }

    [[nodiscard]] Design take() {
        m_bench.blocks.push_back(m_reader);
        return std::move(m_bench);
    }

private:
    void add(const std::string& name, const ResolvedValue& value) {
        const Format format =
            value.tensor != nullptr && value.kind == ResolvedValue::Kind::Tensor ? value.tensor->format : Format::ND;
        add(tensorLike(name, value.shape, value.dtype, format));
    }
    void add(Tensor tensor) {
        if (findTensor(m_bench, tensor.id) == nullptr) m_bench.tensors.push_back(std::move(tensor));
    }
    [[nodiscard]] bool has(const ValueId& value) const {
        return !value.empty() && findTensor(m_bench, TensorId(value.text)) != nullptr;
    }

    bool complete(View&) { return true; }
    bool complete(Loop&) { return false; }
    bool complete(Store&) { return false; }

    /// The missing factor of a matmul is made up so that it fits.
    bool complete(CubeStage& cube) {
        if (cube.op == CubeOp::ScaledMm && (!has(cube.scaleA) || !has(cube.scaleB))) {
            cube.op = CubeOp::Matmul;
            cube.scaleA = cube.scaleB = {};
        }
        if (!has(cube.a) && !has(cube.b)) return false;
        const bool madeA = !has(cube.a);
        if (has(cube.a) && has(cube.b)) return true;
        const Tensor* there = findTensor(m_bench, TensorId((madeA ? cube.b : cube.a).text));
        const std::size_t rank = there->shape.size();
        std::vector<std::int64_t> shape;
        for (const Expression& extent : there->shape) shape.push_back(extent.literal().value_or(1));
        if (rank < 2) {
            // Too few axes, which is then what the rules say.
            add(tensorLike("bench_operand", {shape.front(), 16}, there->dtype, Format::ND));
            (madeA ? cube.a : cube.b) = ValueId("bench_operand");
            return true;
        }
        const std::int64_t k =
            madeA ? shape[cube.bTrans ? rank - 1 : rank - 2] : shape[cube.aTrans ? rank - 2 : rank - 1];
        const bool turned = madeA ? cube.aTrans : cube.bTrans;
        shape[rank - 2] = madeA == turned ? k : 16;
        shape[rank - 1] = madeA == turned ? 16 : k;
        add(tensorLike("bench_operand", shape, there->dtype, Format::ND));
        (madeA ? cube.a : cube.b) = ValueId("bench_operand");
        return true;
    }

    /// Open operands are made up like the one that is connected.
    bool complete(VectorStage& stage) {
        for (VectorOp& op : stage.ops)
            for (Operand& operand : op.in) {
                auto* value = std::get_if<ValueId>(&operand.source);
                if (value == nullptr || !value->empty()) continue;
                add(tensorLike("bench_operand", m_connected->shape, m_connected->dtype, Format::ND));
                *value = ValueId("bench_operand");
            }
        stage.tile.assign(std::max<std::size_t>(1, m_connected->shape.size()), 64);
        return true;
    }

    const KnownDesign& m_known;
    Block m_reader;
    Design m_bench;
    const ResolvedValue* m_connected = nullptr;
};

WireVerdict impossible(const QString& reason) {
    return {WireVerdict::Kind::Impossible, reason};
}

WireVerdict impossible(const Error& error) {
    QString reason = qText(error.message);
    if (!error.hint.empty()) reason += QStringLiteral("; ") + qText(error.hint);
    return impossible(reason);
}

}  // namespace

Result<Design> withWire(const Design& design, const WireSource& source, const WireTarget& target) {
    if (target.element.isTensor()) {
        if (const Block* maker = source.element.isBlock() ? findBlock(design, source.element.block()) : nullptr)
            if (maker->kind() == BlockKind::Store)
                return connectStore(design, source.element.block(), target.element.tensor());
        return storeValue(design, source.value, target.element.tensor());
    }
    return connectPort(design, target.element.block(), target.port, source.value);
}

WireVerdict ConnectionRules::judge(const WireSource& source, const WireTarget& target) const {
    if (source.element == target.element) return impossible(Text::tr("A stage cannot read its own result."));
    const bool fromStore = source.element.isBlock() && source.value.empty();
    if (fromStore && !target.element.isTensor())
        return impossible(Text::tr("A store writes into a tensor; nothing else can follow it."));
    const Result<Design> edited = withWire(m_design, source, target);
    if (!edited) return impossible(edited.error());
    if (target.element.isTensor()) return judgeStore(source, target.element.tensor());
    // As it would be after the edit: a new stage takes its types from what it reads.
    const BlockId reader = target.element.block();
    const QString problem = typeProblem(fittedTo(*edited, reader, m_known), reader, target.port);
    if (!problem.isEmpty()) return {WireVerdict::Kind::Wrong, problem};
    return {};
}

WireVerdict ConnectionRules::judgeStore(const WireSource& source, const TensorId& tensor) const {
    ValueId value = source.value;
    if (value.empty() && source.element.isBlock())
        if (const Block* block = findBlock(m_design, source.element.block()))
            if (const auto* store = std::get_if<Store>(&block->content)) value = store->from;
    const ResolvedValue* from = value.empty() ? nullptr : m_known.value(value);
    const ResolvedValue* to = m_known.value(ValueId(tensor.text));
    if (from == nullptr || to == nullptr) return {};
    if (from->dtype != to->dtype)
        return {WireVerdict::Kind::Wrong,
                Text::tr("%1 is %2, %3 is %4: cast before the store.")
                    .arg(qText(value.text), qText(toText(from->dtype)), qText(tensor.text), qText(toText(to->dtype)))};
    bool fits = from->shape.size() <= to->shape.size();
    for (std::size_t axis = 1; fits && axis <= from->shape.size(); ++axis)
        fits = from->shape[from->shape.size() - axis] <= to->shape[to->shape.size() - axis];
    if (!fits)
        return {WireVerdict::Kind::Wrong, Text::tr("%1 does not fit into %2.").arg(shapeOf(*from), shapeOf(*to))};
    return {};
}

QString ConnectionRules::typeProblem(const Design& edited, const BlockId& reader, const std::string& port) const {
    const Block* block = findBlock(edited, reader);
    if (const auto* store = std::get_if<Store>(&block->content)) {
        if (port != "from" || store->to.empty()) return {};
        return judgeStore({Element(reader), store->from}, store->to).reason;
    }
    Bench bench(edited, m_known, *block);
    if (!bench.build(port)) return {};
    const Design design = bench.take();
    const auto binding = cubist::bind(design, {});
    if (!binding) return {};
    const auto resolved = resolve(design, *binding);
    if (!resolved) {
        // A missing name is not this wire's fault.
        return resolved.error().code == ErrorCode::UnknownName ? QString() : qText(resolved.error().message);
    }
    if (m_chip == nullptr) return resolved->problems.empty() ? QString() : qText(resolved->problems.front().message);
    const DesignCheck check(*resolved, *m_chip, m_design.profile);
    for (const Finding& finding : check.findings())
        if (finding.severity == Severity::Error && finding.block == reader && judgesOperands(finding.ruleId)) {
            QString message = qText(finding.message);
            return message.replace(QStringLiteral("bench_operand"), Text::tr("the other operand"));
        }
    return resolved->problems.empty() ? QString() : qText(resolved->problems.front().message);
}

}  // namespace cubist
