// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/valid_memo.h"

#include <algorithm>
#include <utility>

namespace cubist {

NamedPlaces placesOf(const std::vector<std::string>& names, const IndexValues& indices) {
    NamedPlaces places;
    places.reserve(names.size());
    for (const std::string& name : names) {
        const auto found = indices.find(name);
        places.push_back(found == indices.end() ? std::nullopt : std::optional(found->second));
    }
    return places;
}

Result<std::vector<std::int64_t>> ValidMemo::of(const ValueId& name, const IndexValues& indices) {
    const ResolvedValue* value = m_design->value(name);
    if (value == nullptr || value->kind == ResolvedValue::Kind::Tensor) return validShape(*m_design, name, indices);
    CUBIST_TRY(Known* const entry, known(*value));
    NamedPlaces at = placesOf(entry->names, indices);
    if (!entry->valid || at != entry->at) {
        if (m_indices != indices) {
            m_indices = indices;
            m_shapes.clear();
        }
        CUBIST_TRY(entry->valid, m_shapes.of(name));
        entry->at = std::move(at);
    }
    return *entry->valid;
}

Result<std::vector<std::string>> ValidMemo::namesOf(const ValueId& name) {
    const ResolvedValue* value = m_design->value(name);
    if (value == nullptr) return std::vector<std::string>{};
    CUBIST_TRY(const Known* const entry, known(*value));
    return entry->names;
}

Result<void> ValidMemo::addNames(const std::vector<Expression>& expressions, std::vector<std::string>& names) const {
    for (const Expression& expression : expressions) {
        CUBIST_TRY(const std::vector<std::string> used, expression.names());
        names.insert(names.end(), used.begin(), used.end());
    }
    return {};
}

Result<void> ValidMemo::addOperand(const ValueId& operand, std::vector<std::string>& names) {
    const ResolvedValue* value = m_design->value(operand);
    if (value == nullptr) return {};
    CUBIST_TRY(const Known* const entry, known(*value));
    names.insert(names.end(), entry->names.begin(), entry->names.end());
    return {};
}

Result<ValidMemo::Known*> ValidMemo::known(const ResolvedValue& value) {
    if (const auto found = m_known.find(&value); found != m_known.end()) return &found->second;
    std::vector<std::string> names;
    if (value.kind == ResolvedValue::Kind::View) {
        CUBIST_CHECK_OK(addNames(value.view->shape, names));
        CUBIST_CHECK_OK(addNames(value.view->valid, names));
    } else if (value.kind == ResolvedValue::Kind::CubeResult) {
        const auto& stage = std::get<CubeStage>(m_design->blocks[value.block].block->content);
        CUBIST_CHECK_OK(addOperand(stage.a, names));
        CUBIST_CHECK_OK(addOperand(stage.b, names));
    } else if (value.kind == ResolvedValue::Kind::OpResult) {
        const auto& stage = std::get<VectorStage>(m_design->blocks[value.block].block->content);
        for (const Operand& operand : stage.ops[value.op].in)
            if (const ValueId* id = operand.value()) CUBIST_CHECK_OK(addOperand(*id, names));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return &m_known.emplace(&value, Known{std::move(names), {}, {}}).first->second;
}

}  // namespace cubist
