// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/registry.h"

#include <algorithm>

#include "core/rules/families.h"

namespace cubist {

const std::vector<Rule>& allRules() {
    static const std::vector<Rule> all = [] {
        std::vector<Rule> list;
        for (const std::span<const Rule> family :
             {rules::documentRules(), rules::tileRules(),       rules::capacityRules(),  rules::dtypeRules(),
              rules::numberRules(),   rules::dataRules(),       rules::cubeRules(),      rules::vectorRules(),
              rules::shapeRules(),    rules::loopRules(),       rules::groupRules(),     rules::storeRules(),
              rules::layoutRules(),   rules::optionRules(),     rules::structureRules(), rules::blockRules(),
              rules::codingRules(),   rules::predictionRules(), rules::programRules(),   rules::exportRules()})
            list.insert(list.end(), family.begin(), family.end());
        return list;
    }();
    return all;
}

const Rule* findRule(std::string_view id) {
    const std::vector<Rule>& all = allRules();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.id == id; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace cubist
