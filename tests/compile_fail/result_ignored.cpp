// SPDX-License-Identifier: GPL-3.0-or-later
// A result cannot be dropped, so an error cannot be missed (with -Werror, as in the dev preset).
#include "core/base/result.h"

cubist::Result<void> save();

void close() {
#ifdef CUBIST_MUST_NOT_COMPILE
    save();
#else
    static_cast<void>(save().has_value());
#endif
}
