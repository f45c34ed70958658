// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/request.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/design_library.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/tensor_files.h"
#include "core/exchange/zip_archive.h"

namespace cubist::cli {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// JSON pointer of the stage with this id; `known` collects the ids of all stages.
std::optional<std::string> stagePointer(const std::vector<Block>& blocks, const std::string& where,
                                        const std::string& id, std::vector<std::string>& known) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::string place = where + "/" + std::to_string(i);
        if (const auto* loop = std::get_if<Loop>(&blocks[i].content)) {
            if (auto found = stagePointer(loop->body, place + "/body", id, known)) return found;
            continue;
        }
        const BlockKind kind = blocks[i].kind();
        if (kind != BlockKind::Cube && kind != BlockKind::Vector) continue;
        known.push_back(blocks[i].id().text);
        if (known.back() == id) return place;
    }
    return std::nullopt;
}

/// Sets the tile of one stage; of a cube tile only the keys that are given change.
Result<Design> withTile(const Design& design, const std::string& stage, const std::string& json) {
    std::vector<std::string> known;
    const auto pointer = stagePointer(design.blocks, "/blocks", stage, known);
    if (!pointer) return unexpected(unknownSpelling(OptionId::Tile, stage, known));
    CUBIST_TRY(const Design own, setAt(design, *pointer + "/tile_by", "null"));  // this tile, whatever the shape
    const Result<JsonValue> tile = parseJson(json);
    if (!tile || !tile->isObject()) return setAt(own, *pointer + "/tile", json);
    Design edited = own;
    for (const JsonMember& member : tile->members) {
        CUBIST_TRY(edited,
                   setAt(edited, *pointer + "/tile/" + escapePointerStep(member.key), compactJson(member.value)));
    }
    return edited;
}

Result<Design> editedDesign(const Arguments& arguments, Design design) {
    CUBIST_TRY(const Pairs settings, namedOptions(arguments, OptionId::Set, true));
    for (const auto& [path, json] : settings) {
        CUBIST_TRY(design, setAt(design, path, json));
    }
    CUBIST_TRY(const Pairs tiles, namedOptions(arguments, OptionId::Tile, false));
    for (const auto& [stage, json] : tiles) {
        CUBIST_TRY(design, withTile(design, stage, json));
    }
    return design;
}

Result<std::vector<std::int64_t>> listValue(const std::string& name, const std::string& text) {
    const auto refused = [&](const std::string& why) {
        return unexpected(ErrorCode::BadValue, "--sym " + name + " takes a list of integers: " + why);
    };
    const Result<JsonValue> list = parseJson(text);
    if (!list) return refused(list.error().message);
    std::vector<std::int64_t> values;
    ReadState state;
    if (!readValue(state, *list, values)) return refused(state.error->message + " at " + state.error->where);
    return values;
}

/// Values of symbols and lists: NAME=64, NAME=[7, 9].
Result<void> readSymbols(const Arguments& arguments, RunRequest& run) {
    CUBIST_TRY(const Pairs pairs, namedOptions(arguments, OptionId::Sym, false));
    for (const auto& [name, text] : pairs) {
        if (text.starts_with('[')) {
            CUBIST_TRY(std::vector<std::int64_t> values, listValue(name, text));
            run.lists.set(name, std::move(values));
            continue;
        }
        CUBIST_TRY(const std::int64_t value, integerOption("--sym " + name, text));
        run.symbols.set(name, value);
    }
    return {};
}

/// TENSOR=FILE, TENSOR:nz=FILE, TENSOR:FP32=FILE.bin, TENSOR:FP64=FILE.
Result<std::map<std::string, TensorFile>> tensorFiles(const Arguments& arguments, OptionId id) {
    std::map<std::string, TensorFile> files;
    CUBIST_TRY(const Pairs pairs, namedOptions(arguments, id, false));
    for (const auto& [option, file] : pairs) {
        TensorFile tensor(file);
        std::string name = option;
        for (std::size_t colon = name.rfind(':'); colon != std::string::npos; colon = name.rfind(':')) {
            const std::string word = name.substr(colon + 1);
            const std::optional<DType> type = fromText<DType>(word);
            const bool typed = tensor.stored || tensor.float64;
            if (word == "nz" && !tensor.nz)
                tensor.nz = true;
            else if (word == kFloat64Name && !typed)
                tensor.float64 = true;
            else if (type && !typed)
                tensor.stored = type;
            else
                break;
            name.resize(colon);
        }
        if (!files.emplace(name, std::move(tensor)).second)
            return unexpected(ErrorCode::BadValue, std::string(optionSpec(id).name) + " " + name + " is given twice");
    }
    return files;
}

/// "pypto", "bare", "bare:grid=6x4".
Result<void> launchOption(const std::string& text, RunRequest& run) {
    const std::size_t colon = text.find(':');
    CUBIST_TRY(run.launch, enumOption<LaunchProfile>(OptionId::Launch, text.substr(0, colon)));
    if (colon == std::string::npos) return {};
    if (run.launch != LaunchProfile::Bare)
        return unexpected(ErrorCode::BadValue, "--launch: only 'bare' has an order of blocks");
    const std::string order = text.substr(colon + 1);
    const std::size_t equals = order.find('=');
    CUBIST_TRY(run.order.kind, enumOption<OrderKind>(OptionId::Launch, order.substr(0, equals)));
    std::vector<std::int64_t> sizes;
    if (equals != std::string::npos) {
        const std::string list = order.substr(equals + 1);
        for (std::size_t at = 0; at <= list.size();) {
            const std::size_t end = std::min(list.find('x', at), list.size());
            CUBIST_TRY(const std::int64_t size, integerOption("--launch", list.substr(at, end - at)));
            sizes.push_back(size);
            at = end + 1;
        }
    }
    std::vector<std::int64_t*> fields;
    switch (run.order.kind) {
        case OrderKind::RoundRobin:
        case OrderKind::LoopNM: break;
        case OrderKind::Grid: fields = {&run.order.a, &run.order.b}; break;
        case OrderKind::Blocks:
        case OrderKind::Jobs: fields = {&run.order.m, &run.order.n}; break;
        case OrderKind::Swizzle: fields = {&run.order.offset, &run.order.direction}; break;
        case OrderKind::Window: fields = {&run.order.rows}; break;
    }
    if (sizes.size() != fields.size())
        return unexpected(ErrorCode::BadValue, "--launch: the order '" + order + "' has " +
                                                   std::to_string(sizes.size()) + " sizes, it takes " +
                                                   std::to_string(fields.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) *fields[i] = sizes[i];
    return {};
}

/// Options that say how to run, apart from the design.
Result<void> applySettings(const Arguments& arguments, DesignRequest& request) {
    RunRequest& run = request.run;
    if (const auto launch = arguments.value(OptionId::Launch)) {
        CUBIST_CHECK_OK(launchOption(*launch, run));
    }
    if (const auto profile = arguments.value(OptionId::Profile)) {
        CUBIST_TRY(run.profile, enumOption<RuleProfile>(OptionId::Profile, *profile));
    }
    if (const auto seed = arguments.value(OptionId::Seed)) {
        CUBIST_TRY(run.seed, integerOption("--seed", *seed));
    }
    if (const auto isa = arguments.value(OptionId::Isa)) {
        CUBIST_TRY(run.isa, enumOption<Isa>(OptionId::Isa, *isa));
        if (const auto usable = resolveIsa(run.isa); !usable) return unexpected(usable.error());
    }
    if (const auto size = arguments.value(OptionId::MaxMemory)) {
        CUBIST_TRY(run.maxMemoryBytes, sizeOption(OptionId::MaxMemory, *size));
    }
    request.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (const auto threads = arguments.value(OptionId::Threads)) {
        CUBIST_TRY(const std::int64_t count, integerOption("--threads", *threads, 1, 1024));
        request.threads = static_cast<int>(count);
    }
    run.force = run.force || arguments.has(OptionId::Force);
    if (const auto caseName = arguments.value(OptionId::Case)) run.caseName = *caseName;
    return {};
}

Result<ChipSpec> chosenChip(const Arguments& arguments, const Session& session, const Design& design) {
    const ChipLibrary library = loadChips(session.paths);
    for (const Error& problem : library.problems()) printWarning(errorLine(problem));
    const auto named = arguments.value(OptionId::Chip);
    Result<ChipSpec> chip = library.find(named.value_or(design.chip.text));
    if (chip || named) return chip;
    Error error = std::move(chip).error();
    error.where = "/chip";
    return unexpected(std::move(error));
}

}  // namespace

Result<DesignRequest> makeRequest(const Arguments& arguments, const Session& session) {
    DesignRequest request;
    std::error_code failed;
    const std::string& operand = arguments.operand();
    if (std::filesystem::is_regular_file(operand, failed) && looksLikeZip(operand)) {
        CUBIST_TRY(request.bundle, openBundle(operand));
        request.run = requestOf(*request.bundle);
        request.designFile = operand;
    } else {
        CUBIST_TRY(OpenedDesign opened, openDesign(session.paths, operand));
        request.designFile = opened.file;
        request.run.baseFolder = opened.folder;
        request.run.documentFindings = std::move(opened.loaded.warnings);
        request.run.design = std::make_shared<const Design>(std::move(opened.loaded.design));
    }
    CUBIST_CHECK_OK(applySettings(arguments, request));
    if (arguments.has(OptionId::Case)) {  // a bundle's are those of its own case
        request.run.symbols = {};
        request.run.lists = {};
    }
    CUBIST_CHECK_OK(readSymbols(arguments, request.run));
    using Files = std::map<std::string, TensorFile>;
    CUBIST_TRY(const Files inputs, tensorFiles(arguments, OptionId::Input));
    CUBIST_TRY(const Files goldens, tensorFiles(arguments, OptionId::Golden));
    for (const auto& [tensor, file] : inputs) request.run.inputs[tensor] = file;
    for (const auto& [tensor, file] : goldens) request.run.goldens[tensor] = file;
    request.run.readers = tensorReaders();

    const std::vector<Finding>& warnings = request.run.documentFindings;
    if (!warnings.empty() && arguments.has(OptionId::Strict)) {
        const Finding& first = warnings.front();
        return unexpected(ErrorCode::BadValue, first.ruleId + " " + first.message, first.where, "--strict");
    }
    for (const Finding& warning : warnings) printWarning(warning.where + ": " + warning.ruleId + " " + warning.message);

    CUBIST_TRY(Design ofCase, designOfCase(*request.run.design, request.run.caseName));
    const Design unedited = ofCase;
    CUBIST_TRY(Design design, editedDesign(arguments, std::move(ofCase)));
    if (design == unedited) request.asLoaded = request.run.design;
    if (!request.bundle || arguments.has(OptionId::Chip)) {
        CUBIST_TRY(request.run.chip, chosenChip(arguments, session, design));
    }
    request.run.design = std::make_shared<const Design>(std::move(design));
    constexpr std::array changing{OptionId::Case,   OptionId::Chip, OptionId::Launch, OptionId::Profile,
                                  OptionId::Sym,    OptionId::Set,  OptionId::Tile,   OptionId::Input,
                                  OptionId::Golden, OptionId::Seed, OptionId::Force,  OptionId::GoldenLimit};
    if (std::any_of(changing.begin(), changing.end(), [&](OptionId id) { return arguments.has(id); }))
        request.bundle.reset();
    return request;
}

void protectInputs(const DesignRequest& request, OutputFiles& outputs) {
    outputs.protect(request.designFile);
    for (const auto& [tensor, file] : request.run.inputs) outputs.protect(splitEntry(file.path).file);
    for (const auto& [tensor, file] : request.run.goldens) outputs.protect(splitEntry(file.path).file);
}

RunContext makeContext(const DesignRequest& request, const Session& session) {
    return {session.signals->token(), {}, request.threads};
}

Result<void> finish(OutputFiles& outputs, Session& session) {
    if (!session.signals->beginFinish()) return cancelledError();
    return outputs.commit();
}

void noteTraceLimit(const RunReport& report) {
    const std::int64_t count = report.program ? report.program->instructionCount() : 0;
    if (count <= kMaxTracedInstructions) return;
    printMessage("the trace shows tasks and waits of cores, and pipes of the first tasks: at most " +
                 std::to_string(kMaxTracedInstructions) + " of " + std::to_string(count) +
                 " pipe instructions are written, --explain task:N:I shows the others");
}

void explainFailure(const RunReport& report) {
    if (report.errorCount() > 0 && (!report.ran || report.accuracy.verdict != Verdict::Fail)) {
        const std::int64_t count = report.errorCount();
        const auto first = std::find_if(report.findings.begin(), report.findings.end(),
                                        [](const Finding& finding) { return finding.severity == Severity::Error; });
        const std::string head =
            count == 1 ? "1 finding is an error: " : std::to_string(count) + " findings are errors, the first: ";
        printError({ErrorCode::BadValue, head + first->ruleId + " " + first->where + ": " + first->message});
        return;
    }
    for (const OutputMetrics& output : report.accuracy.outputs)
        if (output.verdict == Verdict::Fail)
            printError({ErrorCode::BadValue, "accuracy verdict fail: " + output.name + ": " + output.reason + " (" +
                                                 std::string(toText(output.limits.criterion)) + ", " +
                                                 std::to_string(output.elements) + " elements)"});
}

}  // namespace cubist::cli
