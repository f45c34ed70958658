// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/sample_titles.h"

#include <utility>

#include "core/exchange/field_reader.h"
#include "core/exchange/json_text.h"
#include "core/exchange/migrate.h"

namespace cubist {
namespace {

constexpr const char* kVersionKey = "cubist_titles";

}  // namespace

Result<SampleTitles> readSampleTitles(std::string_view text) {
    CUBIST_TRY(JsonValue document, parseJson(text));
    const FormatHistory history{kVersionKey, SampleTitles::kFormatVersion, {}};
    CUBIST_TRY(const JsonValue current, migrate(std::move(document), history));
    ReadState state;
    SampleTitles titles;
    (void)readStruct(state, current, titles, {kVersionKey});
    if (state.failed()) return unexpected(*std::move(state.error));
    return titles;
}

}  // namespace cubist
