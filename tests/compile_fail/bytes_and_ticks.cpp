// SPDX-License-Identifier: GPL-3.0-or-later
// An amount of memory and an amount of time do not add up.
#include "core/base/units.h"

cubist::Bytes sum(cubist::Bytes bytes, cubist::Ticks ticks) {
#ifdef CUBIST_MUST_NOT_COMPILE
    return bytes + ticks;
#else
    return bytes + cubist::Bytes{ticks.value};
#endif
}
