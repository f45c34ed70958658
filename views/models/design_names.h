// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "core/design/design.h"

namespace cubist {

/// Names that fields of a design may refer to, for completion.
[[nodiscard]] QStringList tensorNames(const Design& design);
[[nodiscard]] QStringList listNames(const Design& design);
/// Tensors, views and results of stages: what a block can read.
[[nodiscard]] QStringList valueNames(const Design& design);

}  // namespace cubist
