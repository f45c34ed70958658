// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/design/design.h"

namespace cubist {

/// A run-time loop written as `pypto.loop_unroll` with a list of factors.
struct UnrolledForm {
    std::vector<std::int64_t> factors;  ///< from the largest down to 1
    bool rows = false;  ///< a step takes `factor` elements of the axis and leaves no tail; else it takes `factor` tiles
    Design design;
};

/// The unrolled forms of every run-time loop of the design that has a matmul in it and no other run-time or unrolled
/// loop in or around it (PyPTO unrolls the innermost alone; serial run-time loops may lie around it). In steps of
/// several tiles: always, the body stands once for each of them. In steps of elements, as shipped operators with rows
/// from a group list do it: where every window and store that moves with the loop moves by its tile, so that the length
/// of the loop is known at run time only and needs no valid shape.
/// Numbers are those of the default case. Pure. Source: hicann/pypto, loop_unroll page.
struct UnrolledLoop {
    BlockId loop;
    std::vector<UnrolledForm> forms;
};
[[nodiscard]] std::vector<UnrolledLoop> unrolledForms(const Design& design);

}  // namespace cubist
