// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/exchange/pypto/import/host_values.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/import/simplifier.h"

namespace cubist::pypto {

/// Completes what the text of a kernel leaves to its caller: shapes, types and formats of tensors whose annotation does
/// not say them, from the checks of the module and from the tensors that its tests make, and the values of parameters
/// that are no tensors, which become constants and leave the list. Each is a guess that is noted.
void completeParameters(JsonValue& kernel, const std::vector<JsonValue>& module, HostValues& host,
                        KnownValues& constants, std::vector<ImportNote>& guesses);

/// Puts a value of the host under a name, the fields of an object under "name.field".
void takeHostValue(const std::string& name, const JsonValue& value, KnownValues& constants);

}  // namespace cubist::pypto
