// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <filesystem>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/cli/request.h"
#include "app/version.h"
#include "core/exchange/bundle.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/config_export.h"
#include "core/exchange/csv_export.h"
#include "core/exchange/files.h"
#include "core/exchange/mindstudio_trace.h"
#include "core/exchange/pypto/pypto_export.h"
#include "core/exchange/pypto_snippet.h"
#include "core/exchange/pypto_swimlane.h"
#include "core/exchange/zip_archive.h"

namespace cubist::cli {
namespace {

enum class ExportFormat : std::uint8_t { Config, Snippet, Pypto, Perfetto, PyptoSwimlane, MindStudio, Csv, Bundle };

}  // namespace
}  // namespace cubist::cli

template <>
struct cubist::EnumTable<cubist::cli::ExportFormat> {
    static constexpr std::string_view name = "format";
    static constexpr std::array entries{
        std::pair{cli::ExportFormat::Config, std::string_view{"config"}},
        std::pair{cli::ExportFormat::Snippet, std::string_view{"snippet"}},
        std::pair{cli::ExportFormat::Pypto, std::string_view{"pypto"}},
        std::pair{cli::ExportFormat::Perfetto, std::string_view{"perfetto"}},
        std::pair{cli::ExportFormat::PyptoSwimlane, std::string_view{"pypto-swimlane"}},
        std::pair{cli::ExportFormat::MindStudio, std::string_view{"mindstudio"}},
        std::pair{cli::ExportFormat::Csv, std::string_view{"csv"}},
        std::pair{cli::ExportFormat::Bundle, std::string_view{"bundle"}},
    };
};

namespace cubist::cli {
namespace {

Result<ExportFormat> formatOption(const Arguments& arguments) {
    std::vector<std::string> known;
    for (const auto& [format, text] : EnumTable<ExportFormat>::entries) known.emplace_back(text);
    const auto text = arguments.value(OptionId::Format);
    if (!text) return unexpected(ErrorCode::BadValue, "export wants --format", {}, availableText(known));
    return enumOption<ExportFormat>(OptionId::Format, *text);
}

using TraceWriter = Result<void> (*)(const Program&, const Trace&, const TextSink&);

void addTrace(TraceWriter writer, const std::string& output, const RunReport& report, OutputFiles& files) {
    files.addStream(output,
                    [writer, &report](const TextSink& sink) { return writer(*report.program, *report.trace, sink); });
}

void addTables(const std::string& folder, const RunReport& report, OutputFiles& files) {
    files.addFolder(folder);
    for (auto& [name, table] : csvTables(report))
        files.add((std::filesystem::path(folder) / name).string(), std::move(table));
}

/// A data file of the design: beside the design, or the array that its bundle holds.
Result<std::string> dataFile(const DesignRequest& request, const std::string& from) {
    constexpr std::size_t kMostData = std::size_t{1} << 30;
    const std::filesystem::path folder = std::filesystem::path(request.designFile).parent_path();
    for (const Tensor& tensor : request.run.design->tensors) {
        if (tensor.data.file != from) continue;
        const auto given = request.run.inputs.find(tensor.id.text);
        if (given == request.run.inputs.end() || given->second.path != request.designFile) continue;
        CUBIST_TRY(const ZipArchive archive, ZipArchive::open(given->second.path));
        if (const ZipEntry* entry = archive.find(given->second.entry)) return archive.text(*entry, kMostData);
    }
    const std::filesystem::path named(from);
    return readFile((named.is_absolute() ? named : folder / named).string(), kMostData);
}

/// Findings of the export are told like those of the rules. Returns the exit status.
/// What stands in the folder already may have been edited.
Result<int> addPypto(const std::string& folder, const DesignRequest& request, KeyDialect keys, bool overwrite,
                     OutputFiles& files) {
    PyptoExportRequest wanted;
    wanted.design = request.asLoaded ? request.asLoaded : request.run.design;
    wanted.chip = request.run.chip;
    wanted.caseName = request.run.caseName;
    wanted.overrides = {request.run.symbols, request.run.lists};
    wanted.keys = keys;
    wanted.version = versionText();
    CUBIST_TRY(PyptoExport exported, exportPypto(wanted));
    if (!exported.findings.empty()) {
        RunReport report;
        report.findings = std::move(exported.findings);
        explainFailure(report);
        return 1;
    }
    files.addFolder(folder);
    for (auto& [name, text] : exported.files) {
        const std::string path = (std::filesystem::path(folder) / name).string();
        std::error_code failed;
        if (!overwrite && std::filesystem::exists(path, failed)) {
            const auto there = readFile(path, text.size() + 1);
            if (!there || *there != text)
                return unexpected(ErrorCode::BadFile, "the file exists and is another one", path,
                                  "--force overwrites it");
        }
        files.add(path, std::move(text));
    }
    for (const auto& [from, name] : exported.dataFiles) {
        CUBIST_TRY(std::string data, dataFile(request, from));
        files.add((std::filesystem::path(folder) / name).string(), std::move(data));
    }
    return 0;
}

Result<void> addFiles(ExportFormat format, const std::string& output, const DesignRequest& request,
                      const RunReport& report, OutputFiles& files) {
    switch (format) {
        case ExportFormat::Config: {
            CUBIST_TRY(const KernelConfig config, kernelConfig(request.run, report, versionText()));
            files.add(output, kernelConfigText(config));
            break;
        }
        case ExportFormat::Snippet: {
            const Overrides overrides{request.run.symbols, request.run.lists};
            CUBIST_TRY(const Binding binding, bindWith(*request.run.design, request.run.caseName, overrides));
            CUBIST_TRY(const PyptoSnippet snippet, snippetOf(*request.run.design, binding));
            files.add(output, snippetText(snippet));
            break;
        }
        case ExportFormat::Pypto: break;  // needs no run
        case ExportFormat::Perfetto: addTrace(writeChromeTrace, output, report, files); break;
        case ExportFormat::PyptoSwimlane: addTrace(writePyptoSwimlane, output, report, files); break;
        case ExportFormat::MindStudio: addTrace(writeMindStudioTrace, output, report, files); break;
        case ExportFormat::Csv: addTables(output, report, files); break;
        case ExportFormat::Bundle:
            files.add({output}, [&] { return writeBundle(output, request.run, report, versionText()); });
            break;
    }
    return {};
}

}  // namespace

Result<int> exportCommand(const Arguments& arguments, Session& session) {
    CUBIST_TRY(const ExportFormat format, formatOption(arguments));
    const auto output = arguments.value(OptionId::Output);
    if (!output) return unexpected(ErrorCode::BadValue, "export wants -o PATH");

    KeyDialect keys = KeyDialect::Labels;
    if (const auto text = arguments.value(OptionId::Keys)) {
        CUBIST_TRY(keys, enumOption<KeyDialect>(OptionId::Keys, *text));
    }
    CUBIST_TRY(const DesignRequest request, makeRequest(arguments, session));
    OutputFiles files;
    protectInputs(request, files);
    if (format == ExportFormat::Csv || format == ExportFormat::Pypto)
        CUBIST_CHECK_OK(files.announceFolder("-o", *output));
    else
        CUBIST_CHECK_OK(files.announceFile("-o", *output));
    const RunContext context = makeContext(request, session);
    // A bundle holds results; everything else needs the time alone.
    const bool values = format == ExportFormat::Bundle;
    if (values && *output == "-") return unexpected(ErrorCode::BadValue, "a bundle is no text: -o wants a file");
    CUBIST_TRY(const RunReport report, format == ExportFormat::Pypto ? checkOnly(request.run, context)
                                       : values                      ? run(request.run, context)
                                                                     : predictOnly(request.run, context));
    if (report.exitStatus() != 0) {
        explainFailure(report);
        return report.exitStatus();
    }
    if (format == ExportFormat::Pypto) {
        CUBIST_TRY(const int status, addPypto(*output, request, keys, arguments.has(OptionId::Force), files));
        if (status != 0) return status;
    }
    CUBIST_CHECK_OK(addFiles(format, *output, request, report, files));
    CUBIST_CHECK_OK(finish(files, session));
    if (format == ExportFormat::Perfetto) noteTraceLimit(report);
    return 0;
}

}  // namespace cubist::cli
