// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/resolve.h"

namespace cubist {

Result<void> checkTolerance(const Tolerance& tolerance, const std::string& where) {
    if (tolerance.rtol && !(*tolerance.rtol >= 0.0))
        return unexpected(ErrorCode::BadValue, "a tolerance is 0 or more", where + "/rtol");
    if (tolerance.atol && !(*tolerance.atol >= 0.0))
        return unexpected(ErrorCode::BadValue, "a tolerance is 0 or more", where + "/atol");
    if (!(tolerance.maxErrorRatio >= 0.0 && tolerance.maxErrorRatio <= 1.0))
        return unexpected(ErrorCode::BadValue, "a share of elements is between 0 and 1", where + "/max_error_ratio");
    return {};
}

}  // namespace cubist
