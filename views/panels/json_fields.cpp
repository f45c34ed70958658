// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panels/json_fields.h"

#include <utility>

#include "core/exchange/field_reader.h"
#include "core/exchange/field_writer.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

template <class T>
QString textOf(const T& value) {
    return QString::fromStdString(compactJson(jsonOf(value, Defaults::Omit)));
}

template <class T>
bool take(T& value, const QString& text) {
    const Result<JsonValue> json = parseJson(text.trimmed().toStdString());
    if (!json) return false;
    T read;
    ReadState state;
    if (!readValue(state, *json, read) || state.failed() || !state.warnings.empty()) return false;
    value = std::move(read);
    return true;
}

}  // namespace

QString fieldText(const std::optional<TileTable>& table) {
    return table ? textOf(*table) : QString();
}

QString fieldText(const Dictionary<JsonText>& settings) {
    return settings.empty() ? QString() : textOf(settings);
}

bool takeFieldText(std::optional<TileTable>& table, const QString& text) {
    if (text.trimmed().isEmpty()) {
        table.reset();
        return true;
    }
    TileTable read;
    if (!take(read, text)) return false;
    table = std::move(read);
    return true;
}

bool takeFieldText(Dictionary<JsonText>& settings, const QString& text) {
    if (text.trimmed().isEmpty()) {
        settings = {};
        return true;
    }
    return take(settings, text);
}

}  // namespace cubist
