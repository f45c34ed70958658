// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>
#include <utility>

#include "core/exchange/pypto/import/python_nodes.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {

/// Annotations, and the values of parameters that are no tensors: their default, or that of their class.
void Simplifier::takeParameters(JsonValue& function, const std::map<std::string, int>& assigned) {
    JsonValue* arguments = function.find("args");
    if (arguments == nullptr) return;
    auto& list = listIn(*arguments, "args");
    const auto& defaults = fieldList(*arguments, "defaults");
    KnownValues values;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string name(fieldText(list[i], "arg"));
        JsonValue* annotation = list[i].find("annotation");
        if (annotation != nullptr && annotation->isObject()) {
            const std::string kind = dottedName(*annotation);
            if (!kind.empty())
                for (auto it = m_constants.lower_bound(kind + ".");
                     it != m_constants.end() && it->first.starts_with(kind + "."); ++it)
                    values[name + it->first.substr(kind.size())] = it->second;
            expression(*annotation);
            // x.shape[0] and x.dtype of a parameter
            takeLengths(name, *annotation);
            if (isNode(*annotation, "Call") && dottedName(*annotation->find("func")).starts_with("pypto."))
                if (const auto& given = fieldList(*annotation, "args"); given.size() > 1 && isConstantNode(given[1]))
                    values[name + ".dtype"] = given[1];
        }
        if (i + defaults.size() < list.size()) continue;
        JsonValue given = defaults[i + defaults.size() - list.size()];
        expression(given);
        if ((isConstantNode(given) || isCollectionNode(given)) && assigned.count(name) == 0)
            values[name] = std::move(given);
    }
    for (const JsonValue& each : list) m_constants.erase(std::string(fieldText(each, "arg")));
    std::erase_if(list, [&](const JsonValue& each) {  // numbers and texts are no parameters of a design
        const auto given = values.find(std::string(fieldText(each, "arg")));
        return given != values.end() && fieldText(given->second, "kind") != "none";
    });
    for (auto& [name, value] : values) m_constants[name] = std::move(value);
}

void Simplifier::takeLengths(const std::string& name, const JsonValue& annotation) {
    const bool call = isNode(annotation, "Call") && dottedName(*annotation.find("func")) == "pypto.Tensor";
    const JsonValue* shape = nullptr;
    if (const auto& given = fieldList(annotation, "args"); call && !given.empty()) shape = &given[0];
    if (isNode(annotation, "Subscript") && dottedName(*annotation.find("value")) == "pypto.Tensor")
        if (const auto& given = fieldList(*annotation.find("slice"), "elts"); !given.empty()) shape = &given[0];
    if (shape == nullptr || !isCollectionNode(*shape)) return;
    m_tensors.insert(name);
    m_notNone.insert(name);
    std::vector<std::int64_t> lengths;
    for (const JsonValue& each : fieldList(*shape, "elts")) {
        if (fieldText(each, "kind") == "ellipsis") return;  // more axes than are written
        const auto length = numberIn(each);
        lengths.push_back(length && length->isInteger ? length->integer : 0);
    }
    m_lengths[name] = std::move(lengths);
}

/// `return y` of a kernel whose results are annotated: parameters that are written.
void Simplifier::returnedValues(JsonValue& function) {
    Statements& body = listIn(function, "body");
    if (body.empty() || !isNode(body.back(), "Return")) return;
    const JsonValue statement = body.back();
    const JsonValue *value = statement.find("value"), *annotation = function.find("returns");
    JsonValue* arguments = function.find("args");
    if (value == nullptr || !value->isObject()) {
        body.pop_back();
        return;
    }
    if (annotation == nullptr || !annotation->isObject() || arguments == nullptr) return;
    const auto parts = [](const JsonValue& node) {
        return isNode(node, "Tuple") || isNode(node, "List") ? fieldList(node, "elts") : Statements{node};
    };
    const Statements values = parts(*value), kinds = parts(*annotation);
    if (values.size() != kinds.size()) return;
    std::set<std::string> taken = m_assigned;
    for (const JsonValue& each : fieldList(*arguments, "args")) taken.emplace(fieldText(each, "arg"));
    body.pop_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::string name = values.size() == 1 ? "result" : "result_" + std::to_string(i);
        while (taken.count(name) != 0) name += "_out";
        JsonValue parameter = nodeLike(kinds[i], "arg");
        parameter.add("arg", JsonValue::fromString(name));
        parameter.add("annotation", kinds[i]);
        listIn(*arguments, "args").push_back(std::move(parameter));
        JsonValue place = nodeLike(statement, "Subscript");
        place.add("value", nameNode(statement, name));
        place.add("slice", nodeLike(statement, "Slice"));
        listIn(function, "body").push_back(assignNode(statement, std::move(place), values[i]));
    }
}

}  // namespace cubist::pypto
