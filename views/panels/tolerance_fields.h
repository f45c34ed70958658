// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/panels/field_list.h"

namespace cubist {

/// The fields of a tolerance, for the design and for single outputs.
void addToleranceFields(FieldsOf<Tolerance>& fields);

}  // namespace cubist
