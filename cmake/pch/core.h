// SPDX-License-Identifier: GPL-3.0-or-later
// What most sources of core include, compiled once (see cubist_precompile). Sources do not count on it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/integer_math.h"
#include "core/base/number_formats.h"
#include "core/design/design.h"
#include "core/design/resolve.h"
#include "core/design/vector_op_info.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
