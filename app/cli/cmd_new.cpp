// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/cli/output_files.h"
#include "app/cli/request.h"
#include "app/design_library.h"
#include "core/design/python_names.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/json_text.h"

namespace cubist::cli {
namespace {

/// null (no wish), a number, or a list of numbers.
Result<std::vector<std::int64_t>> patternOption(const std::string& text) {
    const Result<JsonValue> json = parseJson(text);
    ReadState state;
    std::vector<std::int64_t> pattern;
    bool read = json.has_value();
    if (read && json->isArray())
        read = readValue(state, *json, pattern);
    else if (read && json->isNumber())
        read = readValue(state, *json, pattern.emplace_back());
    else
        read = read && json->kind == JsonValue::Kind::Null;
    if (!read) return unexpected(ErrorCode::BadValue, "--pattern wants null, a number or a list, not '" + text + "'");
    return pattern;
}

std::string designName(const std::string& file) {
    std::string name = std::filesystem::path(file).filename().string();
    return nearestPythonName(name.substr(0, name.find('.')));
}

Result<Design> fromSkeleton(const Arguments& arguments, const Session& session) {
    const SkeletonLibrary library = loadSkeletons(session.paths);
    for (const Error& problem : library.problems()) printWarning(errorLine(problem));
    std::vector<std::string> variants;
    for (const auto& [variant, spelling] : EnumTable<Variant>::entries) variants.emplace_back(spelling);
    const auto text = arguments.value(OptionId::Variant);
    if (!text) return unexpected(ErrorCode::BadValue, "new wants --variant", {}, availableText(variants));
    TemplateQuery query;
    const auto variant = *text == "Bs" ? Variant::BStatic : fromText<Variant>(*text);
    if (!variant) return unexpected(unknownSpelling(OptionId::Variant, *text, variants));
    query.variant = *variant;
    if (const auto pattern = arguments.value(OptionId::Pattern)) {
        CUBIST_TRY(query.pattern, patternOption(*pattern));
    }
    query.kind = arguments.value(OptionId::Kind).value_or("");
    ChipSpec chip;
    if (const auto name = arguments.value(OptionId::Chip)) {
        CUBIST_TRY(chip, loadChips(session.paths).find(*name));
        query.chip = &chip;
    }
    return library.make(query);
}

}  // namespace

Result<int> newCommand(const Arguments& arguments, Session& session) {
    const auto output = arguments.value(OptionId::Output);
    if (!output) return unexpected(ErrorCode::BadValue, "new wants -o FILE");
    CUBIST_TRY(Design design, fromSkeleton(arguments, session));
    OutputFiles files;
    CUBIST_CHECK_OK(files.announceFile("-o", *output));
    std::error_code failed;
    if (std::filesystem::exists(*output, failed) && !arguments.has(OptionId::Force))
        return unexpected(ErrorCode::BadFile, "the file exists", *output, "--force overwrites it");
    if (const std::string name = designName(*output); *output != "-" && !name.empty()) design.name = name;
    files.add(*output, writeDesign(design));
    CUBIST_CHECK_OK(finish(files, session));
    return 0;
}

}  // namespace cubist::cli
