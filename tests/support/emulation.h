// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/tensor.h"
#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/emulator/emulator.h"
#include "core/lowering/program.h"

namespace cubist {
struct RunRequest;
}

/// Runs designs through lowering and the emulator for tests, without rules, golden or files.
namespace cubist::test {

/// A design from tests/data or samples by file name, or from text. Fails the test program when it does not load.
[[nodiscard]] Design designFile(const std::string& path);
[[nodiscard]] Design designText(const std::string& text);
/// The shipped file of a chip.
[[nodiscard]] ChipSpec chipFile(const std::string& id);
[[nodiscard]] Binding bound(const Design& design, const std::string& caseName = {},
                            const Dictionary<std::int64_t>& symbols = {});
[[nodiscard]] Program lowered(const Design& design, const Binding& binding, const ChipSpec& chip);

/// Inputs of a program, one per GM tensor whose initial state is Data.
[[nodiscard]] std::vector<HostTensor> generated(const Program& program, const GeneratorSpec& spec, std::uint64_t seed);

[[nodiscard]] EmulatedValues emulated(const Program& program, const std::vector<HostTensor>& inputs,
                                      const EmulatorOptions& options = {}, int threads = 1);
/// The named tensor among the emulated ones.
[[nodiscard]] const HostTensor& tensorNamed(const Program& program, const EmulatedValues& values,
                                            const std::string& name);

[[nodiscard]] bool sameBits(const HostTensor& a, const HostTensor& b);

/// Everything that a run on Ascend910B1 does; see core/run/run.h.
[[nodiscard]] RunRequest requestFor(Design design);

}  // namespace cubist::test
