// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/visit.h"

namespace cubist {

/// `samples/titles.json`: titles of samples in other languages than that of the files themselves, by the sample's name.
/// A sample that it does not name is shown with its own title.
struct SampleTitles {
    static constexpr std::int64_t kFormatVersion = 1;

    Dictionary<std::string> zh;
    UnknownFields unknown;
    bool operator==(const SampleTitles&) const = default;

    /// After the key "cubist_titles" (format version).
    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("zh", self.zh);
        v.unknown(self.unknown);
    }
};

/// Errors: as `readDesign`.
[[nodiscard]] Result<SampleTitles> readSampleTitles(std::string_view text);

}  // namespace cubist
