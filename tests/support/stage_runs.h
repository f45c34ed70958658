// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/design/design.h"
#include "core/lowering/program.h"

/// Small designs around one vector stage, and what comes out of them.
namespace cubist::test {

using Values = std::vector<double>;

[[nodiscard]] std::string text(const Shape& shape);
[[nodiscard]] std::string tensor(const std::string& id, const std::string& role, const std::string& dtype,
                                 const Shape& shape);
/// A design with the symbol T = 5.
[[nodiscard]] Design designOf(const std::string& tensors, const std::string& blocks,
                              const std::string& chip = "Ascend910B1");
[[nodiscard]] std::string stage(const std::string& ops, const Shape& tile, const std::string& id = "s");
[[nodiscard]] std::string store(const std::string& from, const std::string& to, const std::string& more = {});
/// One stage that makes "r", which is stored into "out".
[[nodiscard]] Design oneStage(const std::string& tensors, const std::string& out, const Shape& result,
                              const std::string& ops, const Shape& tile, const std::string& chip = "Ascend910B1");
/// An operation that makes "r"; `more` starts with a comma.
[[nodiscard]] std::string operation(const std::string& op, const std::string& in, const std::string& more = {});
[[nodiscard]] std::string out2(const std::string& name);

[[nodiscard]] HostTensor made(DType dtype, const Shape& shape, const Values& values);
/// Multiples of 1/16 in -8..8.
[[nodiscard]] HostTensor noise(DType dtype, const Shape& shape, std::uint32_t seed);
[[nodiscard]] HostTensor indices(const Shape& shape, std::int64_t limit, DType dtype = DType::INT32,
                                 std::uint32_t seed = 7);

struct Run {
    Program program;
    std::vector<HostTensor> inputs;
    std::map<std::string, HostTensor> out;
    std::map<std::string, Values> ideal, framework;

    const HostTensor& operator[](const std::string& name) const { return out.at(name); }
};

/// Emulates in both modes, which must agree, and computes both goldens.
[[nodiscard]] Run run(const Design& design, std::vector<HostTensor> inputs);
/// The error of a run that must fail.
[[nodiscard]] Error failure(const Design& design, const std::vector<HostTensor>& inputs);

}  // namespace cubist::test
