// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_table.h"

#include <algorithm>
#include <array>

#include "app/cli/commands.h"
#include "core/design/resolve.h"

namespace cubist::cli {
namespace {

using enum OptionId;

constexpr std::array kOptions{
    OptionSpec{Help, "--help", "-h", "", false, "show this help"},
    OptionSpec{Version, "--version", "", "", false, "show the version"},
    OptionSpec{Case, "--case", "", "NAME", false, "case of the design, by id or alias (default: the design's)"},
    OptionSpec{Chip, "--chip", "", "NAME", false, "chip instead of the design's; 'Ascend' may be left out"},
    OptionSpec{
        Launch, "--launch", "", "pypto|bare[:ORDER]", false,
        "task runtime, or a hand-written kernel; ORDER of its blocks: round_robin, loop_n_m, grid=AxB, blocks=MxN, "
        "jobs=MxN, swizzle=OFFSETxDIRECTION, window=ROWS; A, B are cores, the other sizes blocks (mL0 x nL0)"},
    OptionSpec{Profile, "--profile", "", "enforced|documented", false, "which limits the rules apply"},
    OptionSpec{Sym, "--sym", "", "NAME=JSON", true, "value of a symbol or list, over the case's"},
    OptionSpec{Set, "--set", "", "PATH=JSON", true, "any value of the design, by JSON pointer; ids may be steps"},
    OptionSpec{Tile, "--tile", "", "STAGE=JSON", true,
               R"(tile of a stage: {"m":[..],"k":[..],"n":[..]}, or a list for a vector stage)"},
    OptionSpec{Input, "--input", "", "TENSOR=FILE", true,
               "input values: .npy, .npz#NAME, .safetensors#NAME, or elements alone (.bin, .data, .raw); "
               "TENSOR:TYPE=FILE says what the elements are, FP64 too, TENSOR:nz=FILE that they lie in NZ order"},
    OptionSpec{Golden, "--golden", "", "TENSOR=FILE", true,
               "golden values of an output, from the same kinds of file and with the same TENSOR:TYPE:nz; another "
               "type or order that would pass is named"},
    OptionSpec{Seed, "--seed", "", "N", false, "seed of the generated inputs, over the design's"},
    OptionSpec{Threads, "--threads", "", "N", false, "threads to use (default: all); never changes a result"},
    OptionSpec{Isa, "--isa", "", "auto|avx512|avx2|portable", false, "instruction set; never changes a result"},
    OptionSpec{MaxMemory, "--max-memory", "", "SIZE", false,
               "refuse what needs more, e.g. 512M, 2G (default: what is free)"},
    OptionSpec{Force, "--force", "", "", false, "run in spite of findings that are errors; new: overwrite the file"},
    OptionSpec{Strict, "--strict", "", "", false, "unknown keys in the design file are errors (exit 2)"},
    OptionSpec{Json, "--json", "", "FILE", false, "write the result as JSON; '-' is standard output"},
    OptionSpec{JsonList, "--json", "", "", false, "as JSON"},
    OptionSpec{Sarif, "--sarif", "", "FILE", false, "write the findings as SARIF 2.1.0; '-' is standard output"},
    OptionSpec{NoValues, "--no-values", "", "", false, "do not compute values (no verdict either)"},
    OptionSpec{NoGolden, "--no-golden", "", "", false, "do not compare with a golden"},
    OptionSpec{NoTiming, "--no-timing", "", "", false, "do not predict the time"},
    OptionSpec{NoHost, "--no-host", "", "", false, "leave out of the JSON what depends on this machine"},
    OptionSpec{Trace, "--trace", "", "FILE", false, "write the tasks' intervals in Chrome's trace format (Perfetto)"},
    OptionSpec{Summary, "--summary", "", "", false,
               "keep only sums of the predicted time, not its tasks: less memory for large designs"},
    OptionSpec{SaveOutputs, "--save-outputs", "", "DIR", false,
               "write every output as DIR/NAME.npy, after a failed verdict too; a name that ends in .npz or "
               ".safetensors: all into one file"},
    OptionSpec{SaveStages, "--save-stages", "", "DIR", false, "the same for the values that pass between stages"},
    OptionSpec{Measured, "--measured", "", "FILE", false,
               "lay a device's merged_swimlane.json or tilefwk_L1_prof_data over the predicted time"},
    OptionSpec{ReportFolder, "--report", "", "DIR", false, "write DIR/report.html, report.txt and run.json"},
    OptionSpec{Checked, "--checked", "", "", false,
               "values step by step on poisoned buffers; reports the first bad read or write (slow)"},
    OptionSpec{GoldenLimit, "--golden-limit", "", "N", false,
               "above N multiply-adds the golden is a sample of each output (default: 100000000000)"},
    OptionSpec{WhatIf, "--what-if", "", "", false, "predict also with more of each resource: what would help most"},
    OptionSpec{Explain, "--explain", "", "WHAT", true,
               "show how a predicted number comes about: kernel, path, causes, bytes, utilisation, pipe:NAME, "
               "stage:ID, core:aicN, "
               "task:N or task:N:I (instruction I of it)"},
    OptionSpec{Variant, "--variant", "", "V", false, "loop variant of SK-14: A, B, B' (also Bs), C or D"},
    OptionSpec{Pattern, "--pattern", "", "P", false, "data-flow pattern: null, 1..4 or a list (default: the first)"},
    OptionSpec{Kind, "--kind", "", "TYPE", false,
               "what the matmuls multiply: bf16, fp16, fp32, int8, mxfp8 (default: what "
               "the chip can do)"},
    OptionSpec{From, "--from", "", "SOURCE", false,
               "values to start from: table, card_template, or a sample (its shipped values)"},
    OptionSpec{
        Format, "--format", "", "NAME", false,
        "config (JSON), snippet (pypto.set_.. lines), pypto (a folder: kernel, golden, test, documents), perfetto, "
        "pypto-swimlane (merged_swimlane.json), mindstudio (operator timeline), csv (a folder, "
        "PipeUtilization.csv too) or bundle (a ZIP archive that reproduces the run)"},
    OptionSpec{Keys, "--keys", "", "labels|integers", false,
               "pypto: keys of the merge options, DEFAULT and labels (default) or -1, 0, 1"},
    OptionSpec{Output, "--output", "-o", "PATH", false, "file or folder to write"},
    OptionSpec{MaxSlower, "--max-slower", "", "PCT", false,
               "exit 1 when the second kernel takes PCT % longer, or more"},
    OptionSpec{Junit, "--junit", "", "FILE", false, "write the outcome as JUnit XML"},
};

static_assert([] {
    for (std::size_t i = 0; i < kOptions.size(); ++i)
        if (static_cast<std::size_t>(kOptions[i].id) != i) return false;
    return true;
}());

constexpr std::array kListOptions{JsonList, Help, Version};
constexpr std::array kNewOptions{Variant, Pattern, Kind, Chip, Output, Force, Help, Version};
constexpr std::array kCheckOptions{Case,    Chip, Launch,    Profile, Sym,    Set,  Tile,  Input, Golden, Seed,
                                   Threads, Isa,  MaxMemory, Force,   Strict, Json, Sarif, Help,  Version};
constexpr std::array kRunOptions{
    Case, Chip,      Launch, Profile, Sym,         Set,        Tile,     Input,        Golden,      Seed,   Threads,
    Isa,  MaxMemory, Force,  Strict,  NoValues,    NoGolden,   NoTiming, Checked,      GoldenLimit, WhatIf, Explain,
    Json, NoHost,    Trace,  Summary, SaveOutputs, SaveStages, Measured, ReportFolder, Help,        Version};
constexpr std::array kExportOptions{Format, Output, Keys, Case,    Chip, Launch,    Profile, Sym,    Set,  Tile,
                                    Input,  Golden, Seed, Threads, Isa,  MaxMemory, Force,   Strict, Help, Version};

constexpr std::array kImportOptions{Output, Force, Help, Version};
constexpr std::array kStartOptions{From,    Output, Case,      Chip,  Profile, Sym,  Set,  Tile,   Input,
                                   Threads, Isa,    MaxMemory, Force, Strict,  Json, Help, Version};
constexpr std::array kVariantsOptions{Case,    Chip, Launch,    Profile, Sym,    Set,  Tile, Input,  Seed,
                                      Threads, Isa,  MaxMemory, Force,   Strict, Json, Help, Version};
constexpr std::array kCompareOptions{MaxSlower, Json, Junit, Help, Version};
constexpr std::array kFidelityOptions{Strict, Json, Help, Version};

constexpr std::array kCommands{
    CommandSpec{"list", "", "samples, chips, skeletons and rules", kListOptions, "", &listCommand},
    CommandSpec{"new", "", "writes a runnable design made from a skeleton", kNewOptions,
                "An existing file is only overwritten with --force. 'cubist-cli list' shows the templates.",
                &newCommand},
    CommandSpec{"check", "DESIGN", "checks a design against the rules", kCheckOptions, "", &checkCommand},
    CommandSpec{"run", "DESIGN", "computes values, compares them with the golden and predicts the time", kRunOptions,
                "", &runCommand},
    CommandSpec{"compare", "RUN_A.json RUN_B.json", "compares two files of run --json", kCompareOptions,
                "Exit status 1 also when the verdict was not fail and is now.", &compareCommand},
    CommandSpec{
        "fidelity", "CASES", "compares measured times of real chips with emulated ones", kFidelityOptions,
        "A case that cannot be expressed has no prediction; with --strict, or when none can be, the exit status is 2.",
        &fidelityCommand},
    CommandSpec{"export", "DESIGN", "writes a design for other tools", kExportOptions, "", &exportCommand},
    CommandSpec{"start", "DESIGN", "starting values of SK-14 side by side: table, card template, sample, this design",
                kStartOptions,
                "With --from and -o the design is written with all values of that source. The sample is the one of\n"
                "the design's name, else the first of its variant and pattern.",
                &startCommand},
    CommandSpec{"variants", "DESIGN", "other forms of the loops side by side: compile size, resources and time",
                kVariantsOptions,
                "Forms: loops parallel or serial, written out at compile time or not, unrolled or not.",
                &variantsCommand},
    CommandSpec{"import", "FILE [DESIGN]", "reads a PyPTO kernel into a design, or settings into DESIGN",
                kImportOptions,
                "An export of Cubist gives its design back. What is not understood is listed, line by line, and left "
                "out;\nwhat only the kernel's caller knows is guessed and listed too. A kernel config, lines of "
                "pypto.set_.. and a\ntuner's config.json are settings: they are put into DESIGN and what does not "
                "fit is listed. A kernel config\nfinds the sample that it was written for by itself.\n"
                "An existing file is only overwritten with --force.",
                &importCommand},
};

constexpr std::string_view kDesignNote =
    "DESIGN is a *.cubist.json file, a bundle, or the name of a sample (see cubist-cli list).\n";
constexpr std::string_view kExitNote =
    "Exit status: 0 fine; 1 a rule is broken, the verdict is fail or a threshold is passed; 2 bad input, nothing is "
    "written;\n"
    "3 cancelled; 4 internal error.\n";

std::vector<std::string> optionNames(const CommandSpec& command) {
    std::vector<std::string> names;
    for (const OptionId id : command.options) names.emplace_back(optionSpec(id).name);
    return names;
}

const OptionSpec* findOption(const CommandSpec& command, std::string_view word) {
    for (const OptionId id : command.options) {
        const OptionSpec& spec = optionSpec(id);
        if (word == spec.name || (!spec.shortName.empty() && word == spec.shortName)) return &spec;
    }
    return nullptr;
}

std::string usageLine(const CommandSpec& command) {
    std::string line = "cubist-cli " + std::string(command.name);
    if (!command.operand.empty()) line += " " + std::string(command.operand);
    return line + " [OPTION...]";
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 2, width), ' ');
    return text;
}

}  // namespace

const OptionSpec& optionSpec(OptionId id) {
    return kOptions[static_cast<std::size_t>(id)];
}

std::span<const CommandSpec> commands() {
    return kCommands;
}

Result<Arguments> Arguments::parse(const CommandSpec& command, std::span<const std::string> words) {
    Arguments arguments;
    std::vector<std::string> operands;
    bool optionsOver = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (optionsOver || word.size() < 2 || word[0] != '-') {
            operands.push_back(word);
            continue;
        }
        if (word == "--") {
            optionsOver = true;
            continue;
        }
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        const OptionSpec* spec = findOption(command, name);
        if (spec == nullptr) {
            const std::string near = nearestName(name, optionNames(command));
            return unexpected(ErrorCode::UnknownName, std::string(command.name) + " has no option " + name, {},
                              near.empty() ? "see cubist-cli " + std::string(command.name) + " --help"
                                           : "did you mean " + near + "?");
        }
        std::vector<std::string>& values = arguments.m_values[spec->id];
        if (!values.empty() && !spec->repeatable) return unexpected(ErrorCode::BadValue, name + " is given twice");
        if (spec->value.empty()) {
            if (equals != std::string::npos) return unexpected(ErrorCode::BadValue, name + " takes no value");
            values.emplace_back();
        } else if (equals != std::string::npos) {
            values.push_back(word.substr(equals + 1));
        } else if (i + 1 < words.size() && !words[i + 1].starts_with("--")) {
            values.push_back(words[++i]);
        } else {
            return unexpected(ErrorCode::BadValue, name + " wants " + std::string(spec->value));
        }
    }
    if (arguments.has(OptionId::Help) || arguments.has(OptionId::Version)) return arguments;
    const std::size_t wanted =
        command.operand.empty()
            ? 0
            : 1 + static_cast<std::size_t>(std::count(command.operand.begin(), command.operand.end(), ' '));
    if (operands.size() > wanted)
        return unexpected(ErrorCode::BadValue,
                          "'" + operands[wanted] + "' is one argument too many for " + std::string(command.name), {},
                          "usage: " + usageLine(command));
    // "FILE [DESIGN]": the second may be missing.
    const std::size_t optional =
        static_cast<std::size_t>(std::count(command.operand.begin(), command.operand.end(), '['));
    if (operands.size() + optional < wanted)
        return unexpected(ErrorCode::BadValue, std::string(command.name) + " wants " + std::string(command.operand), {},
                          "usage: " + usageLine(command));
    arguments.m_operands = std::move(operands);
    return arguments;
}

std::optional<std::string> Arguments::value(OptionId id) const {
    const auto found = m_values.find(id);
    if (found == m_values.end()) return std::nullopt;
    return found->second.back();
}

std::vector<std::string> Arguments::values(OptionId id) const {
    const auto found = m_values.find(id);
    return found == m_values.end() ? std::vector<std::string>{} : found->second;
}

std::string programHelp() {
    std::string text =
        "usage: cubist-cli COMMAND ...\n\nDesigns PyPTO kernels without an NPU: checks, values, accuracy and time.\n\n";
    for (const CommandSpec& command : kCommands) {
        std::string name = std::string(command.name);
        if (!command.operand.empty()) name += " " + std::string(command.operand);
        text += "  " + padded(name, 32) + std::string(command.summary) + "\n";
    }
    text += "\ncubist-cli COMMAND --help lists the options of a command; --version shows the version.\n";
    return text + std::string(kDesignNote) + "\n" + std::string(kExitNote);
}

std::string commandHelp(const CommandSpec& command) {
    std::string text = "usage: " + usageLine(command) + "\n\n" + std::string(command.name) + ": " +
                       std::string(command.summary) + "\n\n";
    for (const OptionId id : command.options) {
        const OptionSpec& spec = optionSpec(id);
        std::string name(spec.name);
        if (!spec.shortName.empty()) name = std::string(spec.shortName) + ", " + name;
        if (!spec.value.empty()) name += " " + std::string(spec.value);
        text += "  " + padded(name, 34) + std::string(spec.help) + (spec.repeatable ? " (may be repeated)" : "") + "\n";
    }
    text += "\n";
    if (!command.notes.empty()) text += std::string(command.notes) + "\n";
    if (command.operand == "DESIGN") text += std::string(kDesignNote);
    return text + std::string(kExitNote);
}

}  // namespace cubist::cli
