// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/run/run.h"

namespace cubist {

/// Another way to read a file.
struct OtherReading {
    std::string tensor;  ///< the first one whose file is meant
    TensorFile file;
    /// What the command line would say: "y:nz=y.bin", "y:FP16=y.bin". Empty where `redeclared` says it.
    std::string option;
    /// Of the file of an input whose tensor has to be of another type, `file.stored`: "/tensors/0/dtype='\"FP8E5M2\"'".
    std::string redeclared;
};

/// Looks for a reading of a given golden under which a failed output passes: NZ order instead of ND or the other way
/// round, and every other type that the file's bytes, or the integers of a `.npy` as codes, may be. Nothing when there
/// is none, or no golden was given. Errors: Cancelled; what cannot be read in another way is no candidate.
[[nodiscard]] Result<std::optional<OtherReading>> findOtherReading(const RunRequest& request, const RunReport& report,
                                                                   const std::string& output,
                                                                   const RunContext& context);

/// The same for the files of inputs: a failed output that passes when one of them is read in NZ order instead of ND, or
/// the other way round, or as another type, was computed from the wrong values. Where reading alone does not do,
/// because the tensor's type rounds what the file holds or is another kind of number, the tensor is declared with each
/// type of as many bits. Computes the values once more for each of these that gives other elements, up to 2^39
/// operations in all; designs of more than 2^36 operations are left alone. Errors: Cancelled.
[[nodiscard]] Result<std::optional<OtherReading>> findOtherInputReading(const RunRequest& request,
                                                                        const RunReport& report,
                                                                        const std::string& output,
                                                                        const RunContext& context);

/// Looks behind each failed output with a given golden for a reading of both kinds, then for other arithmetic
/// (`findOtherNumerics`), and adds what it finds to the report (VAL-11).
/// Errors: Cancelled; the report then has what was found before.
[[nodiscard]] Result<void> noteOtherReadings(const RunRequest& request, RunReport& report, const RunContext& context);

}  // namespace cubist
