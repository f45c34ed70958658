// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/cli/output_files.h"
#include "app/cli/request.h"
#include "app/design_library.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/json_text.h"

namespace cubist::cli {
namespace {

/// null, a number, or a list of numbers.
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
    return name.substr(0, name.find('.'));
}

Result<Design> fromSkeleton(const Arguments& arguments, const Session& session) {
    const auto variant = arguments.value(OptionId::Variant);
    if (!variant) return unexpected(ErrorCode::BadValue, "new wants --variant", {}, "available: C");
    DesignList skeletons = loadSkeletons(session.paths);
    for (const Error& problem : skeletons.problems) printWarning(errorLine(problem));
    const std::string wanted = *variant == "B'" ? "Bs" : *variant;
    std::vector<std::string> known;
    for (const Catalogue::Entry& entry : skeletons.entries) known.push_back(entry.id);
    const auto found = std::find(known.begin(), known.end(), wanted);
    if (found == known.end()) {
        Error error = unknownSpelling(OptionId::Variant, *variant, known);
        if (fromText<Variant>(*variant) || wanted == "Bs") {
            error.code = ErrorCode::Unsupported;
            error.message = "there is no skeleton of variant " + *variant + " yet";
            error.hint = availableText(known);
        }
        return unexpected(std::move(error));
    }
    Design design = std::move(skeletons.entries[static_cast<std::size_t>(found - known.begin())].design);

    if (const auto text = arguments.value(OptionId::Pattern)) {
        CUBIST_TRY(const std::vector<std::int64_t> pattern, patternOption(*text));
        if (pattern != design.skeleton.pattern)
            return unexpected(ErrorCode::Unsupported,
                              "there is no skeleton of variant " + *variant + " with pattern " + *text, {},
                              "leave --pattern out to get the one there is");
    }
    if (const auto name = arguments.value(OptionId::Chip)) {
        CUBIST_TRY(const ChipSpec chip, loadChips(session.paths).find(*name));
        design.chip = chip.id;
    }
    return design;
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
