// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/variant_form.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/design/binding.h"
#include "core/design/design_compare.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/design_json.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

namespace cubist {

bool sameForm(const Design& a, const Design& b) {
    Design first = a, second = b;
    first.cases.clear();
    second.cases.clear();
    return sameButPlaces(first, second);
}

Result<Design> withForm(const Design& document, const std::string& caseName, const DesignVariant& form) {
    CUBIST_TRY(const Case* const chosen, findCase(document, caseName));
    Design edited = document;
    std::vector<DesignVariant> forms = designVariants(document);
    const auto same =
        std::find_if(forms.begin(), forms.end(), [&](const DesignVariant& one) { return one.id == form.id; });
    if (same != forms.end()) edited = std::move(same->design);
    if (chosen != nullptr && !chosen->set.empty()) {
        const std::string id = chosen->id.text;
        const auto settings = chosen->set.entries;
        const JsonValue wanted = fullDesignJson(form.design);
        for (const auto& setting : settings) {
            CUBIST_TRY(const Design now, designOfCase(edited, id));
            const JsonValue there = fullDesignJson(now);
            const auto value = findPointer(wanted, setting.key), old = findPointer(there, setting.key);
            if (!value || (old && compactJson(**old) == compactJson(**value))) continue;
            CUBIST_TRY(edited, setInCase(edited, id, setting.key, compactJson(**value)));
        }
    }
    CUBIST_TRY(const Design meant, designOfCase(edited, caseName));
    if (!sameForm(meant, form.design))
        return unexpected(ErrorCode::Unsupported, "the settings of this case leave no such form", {},
                          "choose a case without settings of loops and options");
    return edited;
}

}  // namespace cubist
