// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/design_library.h"
#include "core/exchange/catalogue.h"
#include "core/rules/registry.h"

namespace cubist::cli {

Result<int> listCommand(const Arguments& arguments, Session& session) {
    DesignList samples = loadSamples(session.paths);
    const SkeletonLibrary skeletons = loadSkeletons(session.paths);
    const ChipLibrary chips = loadChips(session.paths);
    for (const Error& problem : samples.problems) printWarning(errorLine(problem));
    for (const Error& problem : skeletons.problems()) printWarning(errorLine(problem));
    for (const Error& problem : chips.problems()) printWarning(errorLine(problem));

    Catalogue catalogue{std::move(samples.entries), chips.chips(), skeletons.index(), {}};
    for (const Rule& rule : allRules()) catalogue.rules.push_back(rule);
    CUBIST_CHECK_OK(
        printResult(arguments.has(OptionId::JsonList) ? catalogueJson(catalogue) : catalogueText(catalogue)));
    return 0;
}

}  // namespace cubist::cli
