// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cubist {

/// Whether this build runs under a sanitizer, where code is 5 to 20 times slower: tests then take fewer cases.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace cubist
