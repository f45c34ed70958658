// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/version.h"

namespace cubist {

std::string versionText() {
    return CUBIST_VERSION;
}

}  // namespace cubist
