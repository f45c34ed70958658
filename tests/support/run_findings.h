// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <string>

#include "core/design/design.h"
#include "core/run/run.h"

/// What runs of small designs say.
namespace cubist::test {

/// Everything but the time, on Ascend910B1.
[[nodiscard]] RunRequest valueRequest(Design design);
/// What a run says by one rule.
[[nodiscard]] QStringList messagesOf(const Design& design, const char* rule, bool checked);
/// A loop of one turn around `body`.
[[nodiscard]] std::string loopOf(const std::string& id, const std::string& index, const std::string& body);

}  // namespace cubist::test
