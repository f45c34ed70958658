// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/isa.h"

#include <hwy/targets.h>

#include <algorithm>
#include <string>

namespace cubist {

std::vector<Isa> availableIsas() {
    std::vector<Isa> isas;
#if HWY_ARCH_X86
    // Only what this build holds as well: a compiler set to a newer baseline leaves the older targets out.
    const auto targets = hwy::SupportedTargets() & HWY_TARGETS;
    if ((targets & HWY_AVX3) != 0) isas.push_back(Isa::Avx512);
    if ((targets & HWY_AVX2) != 0) isas.push_back(Isa::Avx2);
#endif
    isas.push_back(Isa::Portable);
    return isas;
}

Result<Isa> resolveIsa(Isa requested) {
    const std::vector<Isa> isas = availableIsas();
    if (requested == Isa::Auto) return isas.front();
    if (std::find(isas.begin(), isas.end(), requested) != isas.end()) return requested;
    std::string names;
    for (const Isa isa : isas) names += (names.empty() ? "" : ", ") + std::string(toText(isa));
    return unexpected(ErrorCode::Unsupported,
                      "this machine does not have the instruction set '" + std::string(toText(requested)) + "'", {},
                      "it has: " + names);
}

}  // namespace cubist
