// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto_snippet.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/design/resolve.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/lowering/merge_settings.h"

namespace cubist {
namespace {

void addStages(const std::vector<Block>& blocks, std::vector<SnippetStage>& stages) {
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) addStages(loop->body, stages);
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            SnippetStage stage{cube->label.empty() ? cube->id.text : cube->label, cube->tile, {}};
            stage.cube->unknown.clear();
            stages.push_back(std::move(stage));
        }
        if (const auto* vector = std::get_if<VectorStage>(&block.content))
            stages.push_back({vector->label.empty() ? vector->id.text : vector->label, std::nullopt, vector->tile});
    }
}

std::string numbers(const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

std::string quoted(const std::string& text) {
    return compactJson(JsonValue::fromString(text));  // JSON's escapes are Python's
}

std::string settingText(const char* name, const Dictionary<std::int64_t>& setting,
                        const Dictionary<std::string>* sides) {
    std::string text;
    for (const auto& entry : setting.entries) {
        const std::string* side = nullptr;
        if (sides != nullptr)
            for (const auto& candidate : sides->entries)
                if (candidate.key == entry.key) side = &candidate.value;
        const std::string count = std::to_string(entry.value);
        // PyPTO takes a text for a label or DEFAULT: numbers are written as such.
        const bool number = parseMergeKey(entry.key).kind == MergeKey::Kind::Integer;
        text += (text.empty() ? "" : ", ") + (number ? entry.key : quoted(entry.key)) + ": " +
                (side == nullptr ? count : "(" + count + ", " + quoted(*side) + ")");
    }
    return std::string(name) + "={" + text + "}";
}

/// One line: a call with Python literals. Lists and tuples become arrays, dictionaries objects.
class CallParser {
public:
    explicit CallParser(std::string_view line) : m_text(line) {}

    struct Call {
        std::string function;
        std::vector<JsonValue> arguments;
        std::vector<JsonMember> named;
    };

    bool read(Call& call) {
        call.function = name();
        if (call.function.empty() || !accept('(')) return false;
        while (!accept(')')) {
            const std::size_t start = m_at;
            const std::string key = name();
            JsonValue value;
            if (!key.empty() && accept('=')) {
                if (!literal(value, 0)) return false;
                for (const JsonMember& each : call.named)
                    if (each.key == key) return false;
                call.named.push_back({key, std::move(value)});
            } else {
                m_at = start;
                if (!call.named.empty() || !literal(value, 0)) return false;
                call.arguments.push_back(std::move(value));
            }
            if (!accept(',') && !peek(')')) return false;
        }
        return true;
    }

private:
    void skipBlanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t')) ++m_at;
    }
    bool peek(char c) {
        skipBlanks();
        return m_at < m_text.size() && m_text[m_at] == c;
    }
    bool accept(char c) {
        if (!peek(c)) return false;
        ++m_at;
        return true;
    }
    std::string name() {
        skipBlanks();
        const std::size_t start = m_at;
        const auto letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        };
        if (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9') return {};
        while (m_at < m_text.size() && letter(m_text[m_at])) ++m_at;
        return std::string(m_text.substr(start, m_at - start));
    }

    bool string(JsonValue& value) {
        const char quote = m_text[m_at];
        const std::size_t start = m_at++;
        for (; m_at < m_text.size() && m_text[m_at] != quote; ++m_at)
            if (m_text[m_at] == '\\') ++m_at;
        if (m_at >= m_text.size()) return false;
        ++m_at;
        const std::string_view inner = m_text.substr(start + 1, m_at - start - 2);
        if (quote == '\'' && inner.find_first_of("\"\\") != std::string_view::npos) return false;
        Result<JsonValue> parsed = parseJson("\"" + std::string(inner) + "\"");
        if (!parsed) return false;
        value = *std::move(parsed);
        return true;
    }

    bool list(JsonValue& value, char end, int depth) {
        value = JsonValue::array();
        while (!accept(end)) {
            JsonValue item;
            if (!literal(item, depth + 1)) return false;
            value.push(std::move(item));
            if (!accept(',') && !peek(end)) return false;
        }
        return true;
    }

    bool dictionary(JsonValue& value, int depth) {
        value = JsonValue::object();
        while (!accept('}')) {
            JsonValue key, item;
            if (!literal(key, depth + 1) || !accept(':') || !literal(item, depth + 1)) return false;
            if (!(key.isString() || key.isNumber()) || value.find(key.text) != nullptr) return false;
            value.add(key.text, std::move(item));
            if (!accept(',') && !peek('}')) return false;
        }
        return true;
    }

    bool literal(JsonValue& value, int depth) {
        constexpr int kMaxDepth = 8;
        skipBlanks();
        if (m_at >= m_text.size() || depth > kMaxDepth) return false;
        if (accept('[')) return list(value, ']', depth);
        if (accept('(')) return list(value, ')', depth);
        if (accept('{')) return dictionary(value, depth);
        if (m_text[m_at] == '"' || m_text[m_at] == '\'') return string(value);
        if (const std::string word = name(); !word.empty()) {
            value = JsonValue::fromBool(word == "True");
            return word == "True" || word == "False";
        }
        std::int64_t number = 0;
        const char* const first = m_text.data() + m_at;
        const auto [end, status] = std::from_chars(first, m_text.data() + m_text.size(), number);
        if (status != std::errc()) return false;
        m_at += static_cast<std::size_t>(end - first);
        value = JsonValue::fromInteger(number);
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

bool integers(const JsonValue& list, std::vector<std::int64_t>& out) {
    if (!list.isArray()) return false;
    for (const JsonValue& item : list.items) {
        std::int64_t& number = out.emplace_back();
        if (!item.isNumber()) return false;
        std::from_chars(item.text.data(), item.text.data() + item.text.size(), number);
    }
    return true;
}

using Call = CallParser::Call;

/// The arguments by the names of a function's parameters; null where one is not given. Nothing when the call gives
/// one that the function has not, or one twice.
std::optional<std::vector<const JsonValue*>> parametersOf(const Call& call, std::initializer_list<const char*> names) {
    if (call.arguments.size() > names.size()) return std::nullopt;
    std::vector<const JsonValue*> out(names.size(), nullptr);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) out[i] = &call.arguments[i];
    for (const JsonMember& named : call.named) {
        const auto place = std::find(names.begin(), names.end(), named.key);
        if (place == names.end()) return std::nullopt;
        const JsonValue*& argument = out[static_cast<std::size_t>(place - names.begin())];
        if (std::exchange(argument, &named.value) != nullptr) return std::nullopt;
    }
    return out;
}

bool takeLabel(const Call& call, std::string& label) {
    const auto given = parametersOf(call, {"label"});
    if (!given || given->at(0) == nullptr || !given->at(0)->isString()) return false;
    label = given->at(0)->text;
    return true;
}

bool takeCubeTile(const Call& call, CubeTile& tile) {
    tile = CubeTile{{}, {}, {}, false, {}};
    const auto given = parametersOf(call, {"m", "k", "n", "enable_split_k"});
    if (!given || given->at(0) == nullptr || given->at(1) == nullptr || given->at(2) == nullptr) return false;
    if (!integers(*given->at(0), tile.m) || !integers(*given->at(1), tile.k) || !integers(*given->at(2), tile.n))
        return false;
    if (const JsonValue* split = given->at(3)) tile.splitK = split->boolean;
    return given->at(3) == nullptr || given->at(3)->kind == JsonValue::Kind::Bool;
}

bool takeVectorTile(const Call& call, std::vector<std::int64_t>& tile) {
    JsonValue list = JsonValue::array();
    list.items = call.arguments;
    return !list.items.empty() && integers(list, tile) && call.named.empty();
}

/// All entries of a setting, or none.
bool takeSetting(const JsonValue& value, std::optional<Dictionary<std::int64_t>>& setting,
                 Dictionary<std::string>* sides) {
    if (!value.isObject()) return false;
    Dictionary<std::int64_t> counts = setting.value_or(Dictionary<std::int64_t>());
    Dictionary<std::string> sidesRead = sides == nullptr ? Dictionary<std::string>() : *sides;
    for (const JsonMember& member : value.members) {
        const bool pair = member.value.isArray() && member.value.items.size() == 2 && sides != nullptr;
        std::vector<std::int64_t> count;
        JsonValue list = JsonValue::array();
        list.push(pair ? member.value.items[0] : member.value);
        if (!integers(list, count)) return false;
        if (pair && !member.value.items[1].isString()) return false;
        counts.set(member.key, count[0]);
        if (pair) sidesRead.set(member.key, member.value.items[1].text);
    }
    setting = std::move(counts);
    if (sides != nullptr) *sides = std::move(sidesRead);
    return true;
}

/// Takes the options that designs have and names the others: `arguments that .. does not take: a, b`.
bool takePassOptions(const Call& call, PyptoSnippet& snippet, std::string& others) {
    bool any = call.named.empty() && call.arguments.empty();
    if (!call.arguments.empty()) others = "one without a name";
    for (const JsonMember& named : call.named) {
        bool taken = false;
        if (named.key == "cube_l1_reuse_setting")
            taken = takeSetting(named.value, snippet.cubeL1Reuse, &snippet.cubeL1ReuseSide);
        if (named.key == "cube_nbuffer_setting") taken = takeSetting(named.value, snippet.cubeNBuffer, nullptr);
        if (named.key == "vec_nbuffer_setting") taken = takeSetting(named.value, snippet.vecNBuffer, nullptr);
        any = any || taken;
        if (!taken) others += (others.empty() ? "" : ", ") + named.key;
    }
    return any;
}

/// One line into the snippet. False: nothing of it was taken. Errors: what of it does not fit; a tile that does not fit
/// uses its label up all the same.
Result<void> takeLine(std::string_view line, PyptoSnippet& snippet, std::string& label, bool& taken) {
    Call call;
    const bool read = CallParser(line).read(call);
    const bool cube = call.function == "pypto.set_cube_tile_shapes";
    const bool vector = call.function == "pypto.set_vec_tile_shapes";
    std::string others;
    SnippetStage stage{cube || vector ? std::exchange(label, {}) : std::string(), std::nullopt, {}};
    if (!read) return unexpected(ErrorCode::Syntax, "not a call with literals: " + quotedForMessage(line));
    if (cube) taken = takeCubeTile(call, stage.cube.emplace());
    if (vector) taken = takeVectorTile(call, stage.vector);
    if (taken) snippet.stages.push_back(std::move(stage));
    if (call.function == "pypto.set_semantic_label") {
        label.clear();
        taken = takeLabel(call, label);
    } else if (call.function == "pypto.set_pass_options") {
        taken = takePassOptions(call, snippet, others);
    } else if (!cube && !vector) {
        return unexpected(ErrorCode::Unsupported, "the call " + quotedForMessage(call.function) +
                                                      " is not one of tiles, labels and pass options");
    }
    if (taken && others.empty()) return {};
    return unexpected(ErrorCode::Syntax,
                      "arguments that " + call.function + " does not take" + (others.empty() ? "" : ": " + others));
}

}  // namespace

PyptoSnippet snippetOf(const Design& design) {
    PyptoSnippet snippet;
    addStages(design.blocks, snippet.stages);
    const Options usual;
    const Options& options = design.options;
    if (options.cubeL1Reuse != usual.cubeL1Reuse) snippet.cubeL1Reuse = options.cubeL1Reuse;
    if (options.cubeNBuffer != usual.cubeNBuffer) snippet.cubeNBuffer = options.cubeNBuffer;
    if (options.vecNBuffer != usual.vecNBuffer) snippet.vecNBuffer = options.vecNBuffer;
    snippet.cubeL1ReuseSide = design.options.cubeL1ReuseSide;
    return snippet;
}

Result<PyptoSnippet> snippetOf(const Design& design, const Binding& binding) {
    CUBIST_TRY(const ResolvedDesign resolved, resolve(design, binding));
    return snippetOf(*resolved.design);
}

std::string snippetText(const PyptoSnippet& snippet) {
    std::string text;
    for (const SnippetStage& stage : snippet.stages) {
        text += "pypto.set_semantic_label(" + quoted(stage.label) + ")\n";
        if (stage.cube)
            text += "pypto.set_cube_tile_shapes([" + numbers(stage.cube->m) + "], [" + numbers(stage.cube->k) + "], [" +
                    numbers(stage.cube->n) + "]" + (stage.cube->splitK ? ", enable_split_k=True" : "") + ")\n";
        else
            text += "pypto.set_vec_tile_shapes(" + numbers(stage.vector) + ")\n";
    }
    std::string options;
    const auto add = [&](const std::string& setting) { options += (options.empty() ? "" : ", ") + setting; };
    if (snippet.cubeL1Reuse) add(settingText("cube_l1_reuse_setting", *snippet.cubeL1Reuse, &snippet.cubeL1ReuseSide));
    if (snippet.cubeNBuffer) add(settingText("cube_nbuffer_setting", *snippet.cubeNBuffer, nullptr));
    if (snippet.vecNBuffer) add(settingText("vec_nbuffer_setting", *snippet.vecNBuffer, nullptr));
    return options.empty() ? text : text + "pypto.set_pass_options(" + options + ")\n";
}

Result<PyptoSnippet> parseSnippet(std::string_view text) {
    PyptoSnippet snippet;
    std::string label;
    std::size_t lineNumber = 0;
    bool any = false;
    std::optional<Error> first;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++lineNumber;
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        if (line.empty() || line[0] == '#') continue;
        bool taken = false;
        const Result<void> fits = takeLine(line, snippet, label, taken);
        any = any || taken;
        if (fits) continue;
        snippet.left.push_back("line " + std::to_string(lineNumber) + ": " + fits.error().message);
        if (!first) first = Error{fits.error().code, snippet.left.back(), {}, {}};
    }
    if (!any && first) return Unexpected(*std::move(first));
    return snippet;
}

}  // namespace cubist
