// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/sibling_modules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/json_text.h"
#include "core/exchange/pypto/import/ascii_names.h"
#include "core/exchange/pypto/import/ast_node.h"
#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/python_process.h"

namespace cubist::pypto {
namespace {

constexpr std::size_t kModules = 4;

using Statements = std::vector<JsonValue>;

void placeAt(JsonValue& node, const JsonValue& place) {
    for (const char* key : {"l", "c"}) {
        const JsonValue* value = place.find(key);
        if (value != nullptr && node.isObject() && node.find(key) != nullptr) setField(node, key, *value);
    }
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) placeAt(member.value, place);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) placeAt(item, place);
    }
}

/// h.f becomes f.
void dropModule(JsonValue& node, const std::string& module, const std::set<std::string>& names) {
    if (isNode(node, "Attribute")) {
        const std::string field(fieldText(node, "attr"));
        if (dottedName(*node.find("value")) == module && names.count(field) != 0) {
            node = nameNode(node, field);
            return;
        }
    }
    for (JsonMember& member : node.members) {
        if (member.value.isObject()) dropModule(member.value, module, names);
        for (JsonValue& item : member.value.items)
            if (item.isObject()) dropModule(item, module, names);
    }
}

/// What a statement defines at the top of a module; empty: nothing that another file could use.
std::string definedBy(const JsonValue& node) {
    if (isNode(node, "FunctionDef") || isNode(node, "ClassDef")) return std::string(fieldText(node, "name"));
    const auto& targets = fieldList(node, "targets");
    const JsonValue* target = isNode(node, "AnnAssign") ? node.find("target")
                              : targets.size() == 1     ? &targets[0]
                                                        : nullptr;
    return target != nullptr && isNode(*target, "Name") ? std::string(fieldText(*target, "id")) : std::string();
}

bool isKernel(const JsonValue& node) {
    for (const JsonValue& each : fieldList(node, "decorator_list")) {
        const JsonValue* called = isNode(each, "Call") ? each.find("func") : &each;
        if (called != nullptr && dottedName(*called).ends_with("jit")) return true;
    }
    return false;
}

std::optional<Statements> parsed(const std::string& source, std::string& why) {
    auto text = syntaxTreeText(source);
    if (!text) {
        why = text.error().message;
        return std::nullopt;
    }
    JsonLimits limits;
    limits.depth = 300;
    auto tree = parseJson(*text, limits);
    if (!tree || tree->find("error") != nullptr) {
        const JsonValue* error = tree ? tree->find("error") : nullptr;
        why = error == nullptr ? "it is too large" : std::string(fieldText(*error, "message"));
        return std::nullopt;
    }
    (void)spellInAscii(*tree);
    JsonValue* body = tree->find("body");
    if (body == nullptr) return std::nullopt;
    return std::move(body->items);
}

}  // namespace

/// Does an import name this? (Under another name it brings that one.)
bool brings(const std::vector<JsonValue>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](const JsonValue& each) {
        const std::string_view given = fieldText(each, "asname");
        return (given.empty() ? fieldText(each, "name") : given) == name;
    });
}

/// What the file has given names before an import brings them again: then Python takes what the import brings.
class HiddenNames {
public:
    explicit HiddenNames(const Statements& module) {
        for (std::size_t i = 0; i < module.size(); ++i)
            if (const std::string name = definedBy(module[i]); !name.empty()) m_last[name] = {i, &module[i]};
    }

    /// Does the import at this place of the module hide the file's own value of a name?
    [[nodiscard]] bool hides(std::size_t import, const std::string& name) const {
        const auto found = m_last.find(name);
        return found != m_last.end() && found->second.first < import && !isNode(*found->second.second, "FunctionDef") &&
               !isNode(*found->second.second, "ClassDef");
    }
    /// What a module that is not known may bring: each name becomes something that is not known either.
    void takeUnknown(const JsonValue& node, std::size_t import, Statements& later,
                     std::vector<ImportNote>& notes) const {
        const std::string module(fieldText(node, "module"));
        for (const JsonValue& each : fieldList(node, "names")) {
            const std::string given(fieldText(each, "asname")), name(fieldText(each, "name"));
            for (const auto& [own, place] : m_last)
                if ((name == "*" || own == (given.empty() ? name : given)) && hides(import, own)) {
                    notes.push_back({AstNode(&node).line(),
                                     "the module " + module + " is not known, and may give " + own + " another value"});
                    later.push_back(assignNode(node, nameNode(node, own),
                                               attributeNode(node, nameNode(node, "module_" + module), own)));
                }
        }
    }

private:
    std::map<std::string, std::pair<std::size_t, const JsonValue*>> m_last;
};

void addSiblings(JsonValue& tree, const ModuleFinder& find, std::vector<ImportNote>& notes) {
    JsonValue* body = tree.find("body");
    if (!find || body == nullptr || !body->isArray()) return;
    std::set<std::string> own;
    for (const JsonValue& node : body->items) own.insert(definedBy(node));
    std::map<std::string, std::set<std::string>> spelled;  // names of modules in the file: what they define
    Statements found;
    const HiddenNames hidden(body->items);
    std::map<std::size_t, Statements> later;  // after the import at this place
    std::size_t modules = 0;
    for (std::size_t at = 0; at < body->items.size(); ++at) {
        const JsonValue& node = body->items[at];
        const bool from = isNode(node, "ImportFrom");
        if (!from && !isNode(node, "Import")) continue;
        const auto& names = fieldList(node, "names");
        Statements parts;
        if (from)
            parts.push_back(node);
        else
            parts = names;
        for (const JsonValue& part : parts) {
            const std::string module(fieldText(part, from ? "module" : "name")), given(fieldText(part, "asname"));
            const auto source = module.empty() || modules >= kModules ? std::nullopt : find(module);
            const bool pypto = module == "pypto" || module.starts_with("pypto.");
            if (!source) {
                if (from && !pypto) hidden.takeUnknown(node, at, later[at], notes);
                continue;
            }
            ++modules;
            std::string why;
            auto statements = parsed(*source, why);
            if (!statements) {
                if (from) hidden.takeUnknown(node, at, later[at], notes);
                notes.push_back({AstNode(&node).line(), "the module " + module + " cannot be read: " + why});
                continue;
            }
            std::map<std::string, std::string> renamed;
            if (from)
                for (const JsonValue& each : names)
                    if (const std::string other(fieldText(each, "asname")); !other.empty())
                        renamed[std::string(fieldText(each, "name"))] = other;
            for (JsonValue& each : *statements) {
                const bool import = isNode(each, "Import") || isNode(each, "ImportFrom");
                std::string name = definedBy(each);
                if ((!import && name.empty()) || isKernel(each) || name == "CUBIST") continue;
                placeAt(each, node);
                if (!name.empty() && !from) spelled[given.empty() ? module : given].insert(name);
                if (const auto other = renamed.find(name); other != renamed.end()) {
                    name = other->second;
                    if (each.find("name") != nullptr)
                        setField(each, "name", JsonValue::fromString(name));
                    else if (own.insert(name).second) {
                        JsonValue value = *each.find("value");
                        found.push_back(assignNode(each, nameNode(each, name), std::move(value)));
                        continue;
                    }
                }
                if (import || own.insert(name).second)
                    found.push_back(std::move(each));
                else if (from && hidden.hides(at, name) && (brings(names, "*") || brings(names, name)))
                    later[at].push_back(std::move(each));
                else if (isNode(each, "FunctionDef") && name != "main" && !name.starts_with("test"))
                    notes.push_back(
                        {AstNode(&node).line(),
                         "the function " + name + " of " + module + " is taken as the one that is known already",
                         true});
            }
        }
    }
    for (const auto& [module, names] : spelled) dropModule(tree, module, names);
    for (auto place = later.rbegin(); place != later.rend(); ++place) {
        const auto after = body->items.begin() + static_cast<std::ptrdiff_t>(place->first) + 1;
        body->items.insert(after, place->second.begin(), place->second.end());
    }
    body->items.insert(body->items.begin(), found.begin(), found.end());
}

}  // namespace cubist::pypto
