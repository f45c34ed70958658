// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// The commands and options of cubist-cli: one table feeds the parser and the help.
namespace cubist::cli {

enum class OptionId : std::uint8_t {
    Help,
    Version,
    Case,
    Chip,
    Launch,
    Profile,
    Sym,
    Set,
    Tile,
    Input,
    Golden,
    Seed,
    Threads,
    Isa,
    MaxMemory,
    Force,
    Strict,
    Json,
    JsonList,
    Sarif,
    NoValues,
    NoGolden,
    NoTiming,
    NoHost,
    Trace,
    Summary,
    SaveOutputs,
    SaveStages,
    Measured,
    ReportFolder,
    Checked,
    GoldenLimit,
    WhatIf,
    Explain,
    Variant,
    Pattern,
    Kind,
    From,
    Format,
    Keys,
    Output,
    MaxSlower,
    Junit,
};

struct OptionSpec {
    OptionId id = OptionId::Help;
    std::string_view name;       ///< "--case"
    std::string_view shortName;  ///< "-o"; empty: none
    std::string_view value;      ///< what it takes, as help shows it; empty: nothing
    bool repeatable = false;
    std::string_view help;
};

[[nodiscard]] const OptionSpec& optionSpec(OptionId id);

class Arguments;
struct Session;

/// A command does its work and returns the exit status; an error becomes its message and status.
using CommandFunction = Result<int> (*)(const Arguments&, Session&);

struct CommandSpec {
    std::string_view name;
    std::string_view operand;  ///< "DESIGN", "RUN_A RUN_B"; empty: takes none
    std::string_view summary;
    std::span<const OptionId> options;
    std::string_view notes;  ///< further help, may be empty
    CommandFunction function = nullptr;
};

[[nodiscard]] std::span<const CommandSpec> commands();

/// What the user typed, checked against a command's table.
class Arguments {
public:
    /// Takes `--name value`, `--name=value`, `-o value`, `--`. Errors: UnknownName (option; the nearest one in the
    /// hint), BadValue (value missing or unwanted, option given twice, wrong number of operands).
    [[nodiscard]] static Result<Arguments> parse(const CommandSpec& command, std::span<const std::string> words);

    [[nodiscard]] bool has(OptionId id) const { return m_values.contains(id); }
    /// Value of an option given at most once.
    [[nodiscard]] std::optional<std::string> value(OptionId id) const;
    /// Values of a repeatable option, in the order typed.
    [[nodiscard]] std::vector<std::string> values(OptionId id) const;
    /// The only operand, or one of several.
    [[nodiscard]] const std::string& operand(std::size_t place = 0) const { return m_operands[place]; }
    [[nodiscard]] std::size_t operandCount() const { return m_operands.size(); }

private:
    std::map<OptionId, std::vector<std::string>> m_values;
    std::vector<std::string> m_operands;
};

/// Help of the whole program or of one command, ending in a line break.
[[nodiscard]] std::string programHelp();
[[nodiscard]] std::string commandHelp(const CommandSpec& command);

}  // namespace cubist::cli
