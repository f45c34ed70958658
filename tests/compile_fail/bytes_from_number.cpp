// SPDX-License-Identifier: GPL-3.0-or-later
// A bare number has no unit; the unit is named where the amount is made.
#include "core/base/units.h"

cubist::Bytes capacity() {
#ifdef CUBIST_MUST_NOT_COMPILE
    return 65536;
#else
    return cubist::Bytes{65536};
#endif
}
