// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/pypto_import.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/exchange/case_settings.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/exchange/json_text.h"
#include "core/exchange/pypto/import/ascii_names.h"
#include "core/exchange/pypto/import/design_merge.h"
#include "core/exchange/pypto/import/kernel_reader.h"
#include "core/exchange/pypto/import/python_process.h"
#include "core/exchange/pypto/import/sibling_modules.h"
#include "core/exchange/pypto/import/simplify.h"
#include "core/exchange/pypto/pypto_export.h"

namespace cubist {
namespace {

using namespace pypto;

/// The syntax tree of a source, as a document; `renamed`: what was not written in ASCII.
Result<JsonValue> syntaxTree(std::string_view source, std::map<std::string, std::string>& renamed,
                             std::vector<ImportNote>& guesses, const ModuleFinder& find = {}) {
    CUBIST_TRY(const std::string text, syntaxTreeText(source));
    JsonLimits limits;
    limits.depth = 300;  // the script's own limit on nested nodes, twice: nodes lie in lists
    auto parsed = parseJson(text, limits);
    if (!parsed)
        return unexpected(ErrorCode::DoesNotFit, "the file is too large to be read: " + parsed.error().message);
    JsonValue tree = *std::move(parsed);
    const JsonValue* error = tree.find("error");
    if (error == nullptr) {
        renamed = spellInAscii(tree);
        addSiblings(tree, find, guesses);
        simplifyModule(tree, guesses);
        return tree;
    }
    const auto part = [&](const char* key) {
        const JsonValue* value = error->find(key);
        return value == nullptr || value->kind == JsonValue::Kind::Null ? std::string() : value->text;
    };
    const std::string line = part("line");
    const bool limit = part("kind") == "limit";
    return unexpected(limit ? ErrorCode::DoesNotFit : ErrorCode::Syntax,
                      (line.empty() ? "" : "line " + line + ": ") + part("message"));
}

Result<ReadKernel> readSource(std::string_view source, const JsonValue& tree, const std::string& name) {
    std::vector<AstNode> module;
    if (const JsonValue* body = tree.find("body"))
        for (const JsonValue& item : body->items) module.emplace_back(&item);
    return readKernel(module, source, name);
}

struct Record {
    Design design;
    PyptoExportRequest request;
};

std::string memberText(const JsonValue& object, const char* key) {
    const JsonValue* value = object.find(key);
    return value != nullptr && value->isString() ? value->text : std::string();
}

/// How the file was exported; nothing when the record is damaged.
std::optional<Record> recordOf(const std::string& text) {
    const auto parsed = parseJson(text);
    if (!parsed) return std::nullopt;
    const JsonValue* design = parsed->find("design");
    if (design == nullptr) return std::nullopt;
    auto loaded = readDesign(compactJson(*design));
    if (!loaded) return std::nullopt;
    Record record;
    record.design = loaded->design;
    record.request.design = std::make_shared<const Design>(record.design);
    record.request.chip.id = ChipId(memberText(*parsed, "chip"));
    record.request.caseName = memberText(*parsed, "case");
    record.request.keys = fromText<KeyDialect>(memberText(*parsed, "keys")).value_or(KeyDialect::Labels);
    const auto number = [](const JsonValue& value) {
        std::int64_t out = 0;
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), out);
        return out;
    };
    if (const JsonValue* symbols = parsed->find("symbols"))
        for (const JsonMember& each : symbols->members)
            record.request.overrides.symbols.set(each.key, number(each.value));
    if (const JsonValue* lists = parsed->find("lists"))
        for (const JsonMember& each : lists->members) {
            std::vector<std::int64_t> values;
            for (const JsonValue& item : each.value.items) values.push_back(number(item));
            record.request.overrides.lists.set(each.key, std::move(values));
        }
    return record;
}

std::string implementationOf(const PyptoExport& files) {
    for (const auto& [name, text] : files.files)
        if (name.ends_with("_impl.py")) return text;
    return {};
}

template <class Stage>
const Stage* stageOf(const std::vector<Block>& blocks, const BlockId& id) {
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content))
            if (const Stage* found = stageOf<Stage>(loop->body, id)) return found;
        if (const auto* stage = std::get_if<Stage>(&block.content); stage != nullptr && stage->id == id) return stage;
    }
    return nullptr;
}

/// A kernel has one row of a tile table that follows the shape: where that was changed, it is the tile for every shape.
void endTables(std::vector<Block>& blocks, const Design& before, const Design& now) {
    const auto end = [&](auto& stage) {
        using Stage = std::decay_t<decltype(stage)>;
        const Stage* old = stageOf<Stage>(before.blocks, stage.id);
        const Stage* changed = stageOf<Stage>(now.blocks, stage.id);
        if (!stage.tileBy || old == nullptr || changed == nullptr || changed->tileBy || old->tile == changed->tile)
            return;
        stage.tile = changed->tile;
        stage.tileBy.reset();
    };
    for (Block& block : blocks) {
        if (auto* loop = std::get_if<Loop>(&block.content)) endTables(loop->body, before, now);
        if (auto* cube = std::get_if<CubeStage>(&block.content)) end(*cube);
        if (auto* vector = std::get_if<VectorStage>(&block.content)) end(*vector);
    }
}

/// The recorded design with what was changed in the kernel since; nothing when the record does not belong to it.
/// Guesses that the record answers are dropped.
Result<std::optional<Design>> fromRecord(ReadKernel& kernel) {
    const std::optional<Record> record = recordOf(kernel.record);
    if (!record) return std::optional<Design>();
    const auto again = exportPypto(record->request);
    if (!again || again->files.empty()) return std::optional<Design>();
    const std::string source = implementationOf(*again);
    std::map<std::string, std::string> renamed;
    std::vector<ImportNote> guesses;
    CUBIST_TRY(const JsonValue tree, syntaxTree(source, renamed, guesses));
    auto base = readSource(source, tree, record->design.name);
    if (!base) return std::optional<Design>();
    base->guesses.insert(base->guesses.end(), guesses.begin(), guesses.end());
    // A value that the case sets would win over one that was changed in the kernel.
    const auto ofCase = designOfCase(record->design, record->request.caseName);
    CUBIST_TRY(const JsonValue own, parseJson(writeDesign(ofCase ? *ofCase : record->design)));
    CUBIST_TRY(const JsonValue before, parseJson(writeDesign(base->design)));
    CUBIST_TRY(const JsonValue now, parseJson(writeDesign(kernel.design)));
    // What the export as it was written says too, the record answers.
    const auto answered = [](const std::vector<ImportNote>& known) {
        return [&known](const ImportNote& each) {
            return std::any_of(known.begin(), known.end(),
                               [&](const ImportNote& old) { return old.message == each.message; });
        };
    };
    std::erase_if(kernel.guesses, answered(base->guesses));
    std::erase_if(kernel.notes, answered(base->notes));
    if (before == now) return std::optional(record->design);
    auto read = readDesign(compactJson(merged(own, before, now)));
    if (!read) return std::optional<Design>();
    endTables(read->design.blocks, base->design, kernel.design);
    return std::optional(read->design);
}

}  // namespace

ModuleFinder modulesBeside(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
    return [folder](const std::string& module) -> std::optional<std::string> {
        std::string file = module;
        for (char& c : file) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            if (!letter && c != '.') return std::nullopt;
            if (c == '.') c = '/';
        }
        constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
        auto source = readFile(folder + file + ".py", kMaxBytes);
        return source ? std::optional(*std::move(source)) : std::nullopt;
    };
}

Result<PyptoImport> importPypto(std::string_view source, const std::string& name, const ModuleFinder& find) {
    std::map<std::string, std::string> renamed;
    std::vector<ImportNote> guesses;
    CUBIST_TRY(const JsonValue tree, syntaxTree(source, renamed, guesses, find));
    CUBIST_TRY(ReadKernel kernel, readSource(source, tree, name));
    kernel.guesses.insert(kernel.guesses.begin(), guesses.begin(), guesses.end());
    for (const auto& [from, to] : renamed)
        kernel.guesses.push_back({0, "designs have names in ASCII: " + from + " is called " + to, true});
    PyptoImport out;
    const auto takeNotes = [&] {
        std::vector<ImportNote> notes = kernel.notes;
        notes.insert(notes.end(), kernel.guesses.begin(), kernel.guesses.end());
        std::stable_sort(notes.begin(), notes.end(),
                         [](const ImportNote& a, const ImportNote& b) { return a.line < b.line; });
        return notes;
    };
    if (!kernel.record.empty()) {
        CUBIST_TRY(std::optional<Design> recorded, fromRecord(kernel));
        if (recorded) {
            out.design = *std::move(recorded);
            out.fromExport = true;
            out.notes = takeNotes();
            return out;
        }
        out.notes = takeNotes();
        out.notes.insert(out.notes.begin(), {0,
                                             "the record of the export is damaged or of another version; only what "
                                             "the kernel says is read"});
    } else {
        out.notes = takeNotes();
    }
    out.design = std::move(kernel.design);
    // What the design format does not hold must not become a file that nothing opens.
    if (const auto opened = readDesign(writeDesign(out.design)); !opened)
        return unexpected(ErrorCode::Unsupported, "what was read is no design that can be opened: " +
                                                      opened.error().where + ": " + opened.error().message);
    return out;
}

}  // namespace cubist
