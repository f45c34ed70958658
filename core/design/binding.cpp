// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/binding.h"

#include <algorithm>

#include "core/design/resolve.h"

namespace cubist {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

Unexpected unknownName(const std::string& kind, const std::string& name, const std::vector<std::string>& candidates,
                       std::string where) {
    std::string hint = candidates.empty() ? "the design has none" : "known: " + joined(candidates);
    if (const std::string near = nearestName(name, candidates); !near.empty())
        hint = "did you mean '" + near + "'? " + hint;
    return unexpected(ErrorCode::UnknownName, "unknown " + kind + " '" + name + "'", std::move(where), std::move(hint));
}

Unexpected usedTwice(const std::string& kind, const std::string& name, std::string where) {
    return unexpected(ErrorCode::DuplicateKey, "the " + kind + " '" + name + "' is declared twice", std::move(where));
}

/// Symbols, lists and cases have one name each, and no alias hides the id of another case.
Result<void> checkNamesAreUnique(const Design& design) {
    for (std::size_t i = 0; i < design.symbols.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (design.symbols[i].id == design.symbols[j].id)
                return usedTwice("symbol", design.symbols[i].id.text, "/symbols/" + std::to_string(i) + "/id");
    for (std::size_t i = 0; i < design.lists.size(); ++i) {
        const std::string& name = design.lists[i].id.text;
        const std::string where = "/lists/" + std::to_string(i) + "/id";
        for (std::size_t j = 0; j < i; ++j)
            if (design.lists[j].id.text == name) return usedTwice("list", name, where);
        for (const Symbol& symbol : design.symbols)
            if (symbol.id.text == name)
                return unexpected(ErrorCode::DuplicateKey, "'" + name + "' is a symbol and a list", where);
    }
    for (std::size_t i = 0; i < design.cases.size(); ++i) {
        const Case& own = design.cases[i];
        const std::string where = "/cases/" + std::to_string(i);
        for (std::size_t j = 0; j < design.cases.size(); ++j) {
            if (i == j) continue;
            const std::string& other = design.cases[j].id.text;
            if (j < i && own.id.text == other) return usedTwice("case", other, where + "/id");
            const auto alias = std::find(own.aliases.begin(), own.aliases.end(), other);
            if (alias != own.aliases.end())
                return unexpected(ErrorCode::DuplicateKey, "the alias '" + other + "' is the id of another case",
                                  where + "/aliases/" + std::to_string(alias - own.aliases.begin()));
        }
    }
    return {};
}

Result<void> setSymbol(Binding& binding, const std::string& name, std::int64_t value, const std::string& where) {
    if (binding.symbols.find(name) == nullptr) {
        if (binding.lists.find(name) != nullptr)
            return unexpected(ErrorCode::WrongType, "'" + name + "' is a list, not a symbol", where,
                              "give its values as [" + std::to_string(value) + ", ...]");
        std::vector<std::string> candidates;
        for (const auto& entry : binding.symbols.entries) candidates.push_back(entry.key);
        return unknownName("symbol", name, candidates, where);
    }
    if (value < 1)
        return unexpected(ErrorCode::BadValue,
                          "symbol " + name + " is " + std::to_string(value) + "; it must be 1 or more", where);
    binding.symbols.set(name, value);
    return {};
}

Result<void> setList(Binding& binding, const std::string& name, std::vector<std::int64_t> values,
                     const std::string& where) {
    const IntegerList* const old = binding.lists.find(name);
    if (old == nullptr) {
        if (binding.symbols.find(name) != nullptr)
            return unexpected(ErrorCode::WrongType, "'" + name + "' is a symbol, not a list", where,
                              "give it one integer");
        std::vector<std::string> candidates;
        for (const auto& entry : binding.lists.entries) candidates.push_back(entry.key);
        return unknownName("list", name, candidates, where);
    }
    binding.lists.set(name, makeList(old->form, std::move(values)));
    return {};
}

}  // namespace

Result<const Case*> findCase(const Design& design, const std::string& name) {
    if (name.empty() && design.defaultCase.empty()) return design.cases.empty() ? nullptr : &design.cases.front();
    const std::string& wanted = name.empty() ? design.defaultCase.text : name;
    std::vector<const Case*> matches;
    std::vector<std::string> candidates;
    for (const Case& candidate : design.cases) {
        if (candidate.id.text == wanted) return &candidate;
        candidates.push_back(candidate.id.text);
        candidates.insert(candidates.end(), candidate.aliases.begin(), candidate.aliases.end());
        if (std::find(candidate.aliases.begin(), candidate.aliases.end(), wanted) != candidate.aliases.end())
            matches.push_back(&candidate);
    }
    if (matches.size() == 1) return matches.front();
    if (matches.empty()) return unknownName("case", wanted, candidates, name.empty() ? "/default_case" : "/cases");
    std::vector<std::string> shared;
    for (const Case* match : matches) shared.push_back(match->id.text);
    return unexpected(ErrorCode::BadValue, "several cases are called '" + wanted + "'", "/cases",
                      "use an id: " + joined(shared));
}

Expression::Lookup Binding::lookup() const {
    const auto numbers = [values = symbols](std::string_view name) -> std::optional<std::int64_t> {
        for (const auto& entry : values.entries)
            if (entry.key == name) return entry.value;
        return std::nullopt;
    };
    if (lists.empty()) return numbers;
    return {numbers, [values = lists](std::string_view name) -> const IntegerList* {
                for (const auto& entry : values.entries)
                    if (entry.key == name) return &entry.value;
                return nullptr;
            }};
}

Result<Binding> bind(const Design& design, const std::string& caseName, const Dictionary<std::int64_t>& symbols) {
    return bindWith(design, caseName, Overrides{symbols, {}});
}

Result<Binding> bindWith(const Design& design, const std::string& caseName, const Overrides& overrides) {
    CUBIST_CHECK_OK(checkNamesAreUnique(design));
    CUBIST_TRY(const Case* const chosen, findCase(design, caseName));
    Binding binding;
    for (const Symbol& symbol : design.symbols) binding.symbols.set(symbol.id.text, symbol.value);
    for (const List& list : design.lists) binding.lists.set(list.id.text, makeList(list.form, list.value));
    if (chosen != nullptr) {
        binding.caseId = chosen->id;
        const std::string where = "/cases/" + std::to_string(chosen - design.cases.data());
        if (!chosen->set.empty())
            return unexpected(ErrorCode::BadValue,
                              "the settings of case '" + chosen->id.text + "' have not been applied to the design",
                              where + "/set");
        for (const auto& [name, value] : chosen->symbols.entries)
            CUBIST_CHECK_OK(setSymbol(binding, name, value, where + "/symbols/" + name));
        for (const auto& [name, values] : chosen->lists.entries)
            CUBIST_CHECK_OK(setList(binding, name, values, where + "/lists/" + name));
    }
    for (const auto& [name, value] : overrides.symbols.entries)
        CUBIST_CHECK_OK(setSymbol(binding, name, value, "/symbols"));
    for (const auto& [name, values] : overrides.lists.entries) {
        CUBIST_CHECK_OK(setList(binding, name, values, "/lists"));
        binding.givenLists.push_back(name);
    }
    // Values that neither a case nor an override replaced.
    for (std::size_t i = 0; i < design.symbols.size(); ++i) {
        const std::string& name = design.symbols[i].id.text;
        CUBIST_CHECK_OK(
            setSymbol(binding, name, *binding.symbols.find(name), "/symbols/" + std::to_string(i) + "/value"));
    }
    return binding;
}

}  // namespace cubist
