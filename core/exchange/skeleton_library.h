// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/rules/finding.h"
#include "core/skeleton/skeleton_index.h"

namespace cubist {

struct LoadedIndex {
    SkeletonIndex index;
    std::vector<Finding> warnings;  ///< DOC-01: unknown keys
};

/// Reads an index: the fields of SkeletonIndex after `"cubist_skeletons": 1`.
/// Errors: as `readDesign`; BadValue (a template or skeleton listed twice, a pattern outside of 1..4).
[[nodiscard]] Result<LoadedIndex> readSkeletonIndex(std::string_view text);

/// The skeletons and templates that designs can start from.
class SkeletonLibrary {
public:
    /// Loads index.json and every other *.json of the folders; a file of a later folder replaces one of the same name.
    /// Folders that do not exist are skipped. A template that no index lists is offered too, by what its design says.
    /// A file that cannot be used is left out and listed in `problems`, as is a template without a file.
    [[nodiscard]] static SkeletonLibrary load(const std::vector<std::string>& folders);

    /// Only templates whose design could be read.
    [[nodiscard]] const SkeletonIndex& index() const { return m_index; }
    /// In the order of index().templates.
    [[nodiscard]] const std::vector<Design>& designs() const { return m_designs; }
    /// One error for each file that could not be used.
    [[nodiscard]] const std::vector<Error>& problems() const { return m_problems; }

    /// The design of a template; null when there is none.
    [[nodiscard]] const Design* design(const std::string& templateId) const;
    /// A new design: the template that fits, for the chip that was asked for. Errors: as `selectTemplate`.
    [[nodiscard]] Result<Design> make(const TemplateQuery& query) const;

private:
    SkeletonIndex m_index;
    std::vector<Design> m_designs;
    std::vector<Error> m_problems;
};

}  // namespace cubist
