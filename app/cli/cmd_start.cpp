// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/cli/request.h"
#include "app/design_library.h"
#include "core/exchange/skeleton_json.h"
#include "core/run/skeleton_report.h"

namespace cubist::cli {
namespace {

using Samples = std::vector<Catalogue::Entry>;

const Catalogue::Entry* sampleNamed(const Samples& samples, const std::string& name) {
    const auto found =
        std::find_if(samples.begin(), samples.end(), [&](const Catalogue::Entry& entry) { return entry.id == name; });
    return found == samples.end() ? nullptr : &*found;
}

/// The sample whose shipped values stand beside the design's.
const Catalogue::Entry* nearestSample(const Samples& samples, const Design& design) {
    if (const Catalogue::Entry* same = sampleNamed(samples, design.name)) return same;
    const auto found = std::find_if(samples.begin(), samples.end(), [&](const Catalogue::Entry& entry) {
        return entry.design.skeleton.variant == design.skeleton.variant &&
               entry.design.skeleton.pattern == design.skeleton.pattern;
    });
    return found == samples.end() ? nullptr : &*found;
}

struct Source {
    StartSource kind = StartSource::Table;
    const Catalogue::Entry* sample = nullptr;
};

Result<Source> sourceOption(const std::string& text, const Samples& samples) {
    if (text == toText(StartSource::Table)) return Source{StartSource::Table, nullptr};
    if (text == toText(StartSource::CardTemplate)) return Source{StartSource::CardTemplate, nullptr};
    if (const Catalogue::Entry* sample = sampleNamed(samples, text)) return Source{StartSource::Shipped, sample};
    std::vector<std::string> known{std::string(toText(StartSource::Table)),
                                   std::string(toText(StartSource::CardTemplate))};
    for (const Catalogue::Entry& entry : samples) known.push_back(entry.id);
    return unexpected(unknownSpelling(OptionId::From, text, known));
}

}  // namespace

Result<int> startCommand(const Arguments& arguments, Session& session) {
    CUBIST_TRY(DesignRequest request, makeRequest(arguments, session));
    const SkeletonLibrary library = loadSkeletons(session.paths);
    for (const Error& problem : library.problems()) printWarning(errorLine(problem));
    const Samples samples = loadSamples(session.paths).entries;

    OutputFiles outputs;
    protectInputs(request, outputs);
    const auto json = arguments.value(OptionId::Json);
    const auto output = arguments.value(OptionId::Output);
    const auto from = arguments.value(OptionId::From);
    if (json) CUBIST_CHECK_OK(outputs.announceFile("--json", *json));
    if (output) {
        if (!from) return unexpected(ErrorCode::BadValue, "-o wants --from: the values to apply");
        CUBIST_CHECK_OK(outputs.announceFile("-o", *output));
        std::error_code failed;
        if (std::filesystem::exists(*output, failed) && !arguments.has(OptionId::Force))
            return unexpected(ErrorCode::BadFile, "the file exists", *output, "--force overwrites it");
    }
    Source source{StartSource::Table, nearestSample(samples, *request.run.design)};
    std::vector<StartStep> steps;
    if (from) {
        CUBIST_TRY(const Source chosen, sourceOption(*from, samples));
        source = {chosen.kind, chosen.sample != nullptr ? chosen.sample : source.sample};
        CUBIST_TRY(StartedDesign started, startDesign(request.run, library.index().start, source.kind,
                                                      source.sample == nullptr ? nullptr : &source.sample->design,
                                                      makeContext(request, session)));
        request.run.design = std::make_shared<const Design>(std::move(started.design));
        steps = std::move(started.steps);
    }
    const Design* shipped = source.sample == nullptr ? nullptr : &source.sample->design;
    const std::string name = source.sample == nullptr ? "" : source.sample->id;
    const std::vector<ConfigurationRow> rows =
        compareConfigurations(*request.run.design, library.index().start, shipped);
    if (json) outputs.add(*json, configurationJson(rows, name, steps));
    if (output) outputs.add(*output, writeDesign(*request.run.design));
    CUBIST_CHECK_OK(finish(outputs, session));
    if (!outputs.usesStandardOutput()) CUBIST_CHECK_OK(printResult(configurationText(rows, name, steps)));
    return 0;
}

}  // namespace cubist::cli
