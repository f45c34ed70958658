// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <set>

#include "core/exchange/fidelity.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"

namespace cubist {
namespace {

/// Reads the fields of one object, remembers the first problem and which fields were used.
class Fields {
public:
    Fields(const JsonValue& object, std::string& problem) : m_object(object), m_problem(problem) {
        if (!object.isObject()) fail("not an object");
    }

    [[nodiscard]] bool has(const char* key) const { return m_object.find(key) != nullptr; }

    std::string text(const char* key, std::string missing = {}) {
        const JsonValue* value = take(key);
        if (value == nullptr) return missing;
        if (!value->isString()) fail(std::string(key) + " is not a text");
        return value->text;
    }
    double number(const char* key) {
        const JsonValue* value = take(key);
        double out = 0;
        if (value == nullptr || !value->isNumber() ||
            std::from_chars(value->text.data(), value->text.data() + value->text.size(), out).ec != std::errc())
            fail(std::string(key) + " is not a number");
        return out;
    }
    std::int64_t integer(const char* key, std::int64_t missing = 0) {
        const JsonValue* value = take(key);
        return value == nullptr ? missing : integerOf(*value, key);
    }
    bool flag(const char* key) {
        const JsonValue* value = take(key);
        if (value == nullptr) return false;
        if (value->kind != JsonValue::Kind::Bool) fail(std::string(key) + " is neither true nor false");
        return value->boolean;
    }
    std::vector<std::int64_t> integers(const char* key) {
        std::vector<std::int64_t> out;
        const JsonValue* value = take(key);
        if (value == nullptr || !value->isArray()) {
            fail(std::string(key) + " is not a list");
            return out;
        }
        for (const JsonValue& item : value->items) out.push_back(integerOf(item, key));
        return out;
    }
    /// A nested object; nullptr when it is missing.
    const JsonValue* object(const char* key) { return take(key); }
    void ignore(const char* key) { (void)take(key); }

    /// Fields that nobody asked for.
    void finish(const std::string& where) {
        for (const JsonMember& member : m_object.members)
            if (!m_used.contains(member.key)) fail("unknown field '" + where + member.key + "'");
    }
    void fail(const std::string& text) {
        if (m_problem.empty()) m_problem = text;
    }
    std::string& problem() { return m_problem; }

private:
    const JsonValue* take(const char* key) {
        m_used.insert(key);
        return m_object.find(key);
    }
    std::int64_t integerOf(const JsonValue& value, const char* key) {
        std::int64_t out = 0;
        const char* end = value.text.data() + value.text.size();
        if (!value.isNumber() || std::from_chars(value.text.data(), end, out).ptr != end)
            fail(std::string(key) + " is not an integer");
        return out;
    }

    const JsonValue& m_object;
    std::string& m_problem;
    std::set<std::string> m_used;
};

struct OperandType {
    DType dtype = DType::FP16;
    bool scaled = false;
};

std::optional<OperandType> operandType(const std::string& text) {
    if (text == "MXFP8") return OperandType{DType::FP8E4M3, true};
    if (text == "MXFP4") return OperandType{DType::FP4E2M1, true};
    if (const auto dtype = fromText<DType>(text)) return OperandType{*dtype, false};
    return std::nullopt;
}

DType plainType(Fields& fields, const char* key) {
    const std::string text = fields.text(key);
    const auto type = operandType(text);
    if (!type || type->scaled) fields.fail(std::string(key) + " '" + text + "' is not a type");
    return type ? type->dtype : DType::FP16;
}

BlockOrder orderOf(Fields& row) {
    BlockOrder order;
    const JsonValue* value = row.object("order");
    if (value == nullptr) {
        row.fail("order is missing");
        return order;
    }
    Fields fields(*value, row.problem());
    const std::string kind = fields.text("kind");
    const auto known = fromText<OrderKind>(kind);
    if (!known) {
        row.fail("unknown block order '" + kind + "'");
        return order;
    }
    order.kind = *known;
    switch (order.kind) {
        case OrderKind::RoundRobin:
        case OrderKind::LoopNM: break;
        case OrderKind::Blocks:
            order.m = fields.integer("m");
            order.n = fields.integer("n");
            break;
        case OrderKind::Grid:
            order.a = fields.integer("a");
            order.b = fields.integer("b");
            order.mPasses = fields.integer("m_passes", 1);
            break;
        case OrderKind::Swizzle:
            order.offset = fields.integer("offset");
            order.direction = fields.integer("direction");
            break;
        case OrderKind::Window:
            order.rows = fields.integer("rows");
            order.serpentine = fields.flag("serpentine");
            order.splitTail = fields.flag("split_tail");
            break;
        case OrderKind::Jobs:
            order.m = fields.integer("M");
            order.n = fields.integer("N");
            if (fields.integer("K") < row.integer("K")) row.fail("jobs that cut K are not supported");
            break;
    }
    fields.finish("order.");
    return order;
}

void readTile(Fields& row, BareMatmul& matmul) {
    const JsonValue* value = row.object("tile");
    if (value == nullptr) return row.fail("tile is missing");
    Fields fields(*value, row.problem());
    const auto m = fields.integers("m");
    const auto k = fields.integers("k");
    const auto n = fields.integers("n");
    fields.finish("tile.");
    if (m.empty() || m.size() > 2 || n.empty() || n.size() > 2 || k.size() < 2 || k.size() > 3)
        return row.fail("a tile has m [mL0, mL1], k [kL0, kL1] or [kL0, kAL1, kBL1], n [nL0, nL1]");
    matmul.mTile = m[0];
    matmul.nTile = n[0];
    matmul.kL0 = k[0];
    matmul.kAL1 = k[1];
    matmul.kBL1 = k.back();
}

void readSlots(Fields& row, BareMatmul& matmul) {
    const JsonValue* value = row.object("slots");
    if (value == nullptr) return;
    Fields fields(*value, row.problem());
    matmul.l1Slots = fields.integer("l1");
    matmul.l0aSlots = fields.integer("l0a");
    matmul.l0bSlots = fields.integer("l0b");
    if (fields.has("l0c")) matmul.l0cSlots = fields.integer("l0c");
    fields.finish("slots.");
}

bool nzFormat(Fields& row, const char* key) {
    const std::string text = row.text(key, "ND");
    if (text != "ND" && text != "NZ") row.fail(std::string(key) + " '" + text + "' is not a format");
    return text == "NZ";
}

void readMatmul(Fields& row, FidelityCase& out) {
    BareMatmul matmul;
    matmul.m = row.integer("M");
    matmul.k = row.integer("K");
    matmul.n = row.integer("N");
    const std::string type = row.text("dtype");
    if (const auto operand = operandType(type)) {
        matmul.operand = operand->dtype;
        matmul.scaled = operand->scaled;
    } else {
        row.fail("dtype '" + type + "' is not a type");
    }
    matmul.out = plainType(row, "out_dtype");
    readTile(row, matmul);
    matmul.aTrans = row.flag("a_trans");
    matmul.bTrans = row.flag("b_trans");
    matmul.aNz = nzFormat(row, "a_format");
    matmul.bNz = nzFormat(row, "b_format");
    readSlots(row, matmul);
    matmul.unitFlag = row.flag("unit_flag");
    const std::string path = row.text("out_path", "fixpipe");
    if (path != "fixpipe" && path != "ub") row.fail("out_path '" + path + "' is not known");
    matmul.throughUb = path == "ub";
    matmul.order = orderOf(row);
    matmul.cores = row.integer("cores");
    const std::string launch = row.text("launch");
    if (launch != "bare" && launch != "pypto") row.fail("launch '" + launch + "' is not known");
    matmul.runtime = launch == "pypto";
    if (!row.has("slots")) out.assumed.emplace_back("slots: two where two fit");
    if (!row.has("unit_flag")) out.assumed.emplace_back("unit_flag: off");
    out.matmul = matmul;
}

void readCopy(Fields& row, FidelityCase& out) {
    BareCopy copy;
    copy.rows = row.integer("rows");
    copy.columns = row.integer("cols");
    copy.dtype = plainType(row, "dtype");
    const auto tile = row.integers("tile");
    if (tile.size() != 2) row.fail("the tile of a copy is [rows, columns]");
    if (tile.size() == 2) {
        copy.tileRows = tile[0];
        copy.tileColumns = tile[1];
    }
    const std::string path = row.text("path");
    if (path != "gm_ub" && path != "gm_l1_nd2nz") row.fail("path '" + path + "' is not known");
    copy.toL1 = path == "gm_l1_nd2nz";
    copy.passes = row.integer("passes", 1);
    const std::string region = row.text("region", "whole");
    if (region != "whole" && region != "quarter") row.fail("region '" + region + "' is not known");
    copy.parts = region == "quarter" ? 4 : 1;
    copy.cores = row.integer("cores");
    if (row.text("launch") != "bare") row.fail("a copy is launched bare");
    out.assumed.emplace_back("cores take bands of rows in turn");
    out.copy = copy;
}

FidelityCase readCase(const JsonValue& json) {
    FidelityCase out;
    Fields row(json, out.reason);
    out.id = row.text("id");
    out.op = row.text("op");
    out.chip = row.text("chip");
    out.source = row.text("source");
    out.quantityText = row.text("quantity");
    out.measuredMicroseconds = row.number("measured_us");
    row.ignore("pipes_us");
    row.ignore("task_us");
    if (!(out.measuredMicroseconds > 0)) row.fail("measured_us is not above 0");
    if (out.quantityText == "task")
        out.quantity = MeasuredQuantity::Task;
    else if (out.quantityText == "aicore")
        out.quantity = MeasuredQuantity::Aicore;
    else if (out.quantityText == "kernel")
        out.quantity = MeasuredQuantity::Kernel;
    else
        row.fail("quantity '" + out.quantityText + "' is not known");
    if (out.op == "matmul")
        readMatmul(row, out);
    else if (out.op == "copy")
        readCopy(row, out);
    else
        row.fail("op '" + out.op + "' is not known");
    row.finish("");
    return out;
}

}  // namespace

Result<std::vector<FidelityCase>> readFidelityCases(std::string_view text) {
    CUBIST_TRY(const JsonValue document, parseJson(text));
    const JsonValue* version = document.find("version");
    const JsonValue* rows = document.find("cases");
    if (rows == nullptr || !rows->isArray())
        return unexpected(ErrorCode::WrongType, "a file of measured cases has a list of them", "/cases");
    if (version == nullptr || !version->isNumber() || version->text != "1")
        return unexpected(ErrorCode::BadValue, "only version 1 of the file of measured cases is known", "/version");
    std::vector<FidelityCase> cases;
    std::set<std::string> seen;
    for (const JsonValue& row : rows->items) {
        cases.push_back(readCase(row));
        if (!seen.insert(cases.back().id).second)
            return unexpected(ErrorCode::DuplicateKey, "two cases have the id '" + cases.back().id + "'", "/cases");
    }
    return cases;
}

}  // namespace cubist
