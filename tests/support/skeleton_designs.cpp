// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/skeleton_designs.h"

#include "core/exchange/design_json.h"

namespace cubist::test {
namespace {

std::string cube(const std::string& id, const std::string& a, const std::string& b) {
    return R"({"kind": "cube", "id": ")" + id + R"(", "a": ")" + a + R"(", "b": ")" + b + R"(", "out": ")" + id +
           R"(_out", "out_dtype": "FP32", "tile": {"m": [64, 64], "k": [64, 64], "n": [64, 64]}})";
}

}  // namespace

Design designOf(const std::string& blocks) {
    return readDesign(R"({"cubist": 1, "name": "made", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [{"id": "x", "role": "input", "dtype": "BF16", "shape": [64, 128]},
                    {"id": "w", "role": "input", "dtype": "BF16", "shape": [128, 64]},
                    {"id": "v", "role": "input", "dtype": "BF16", "shape": [64, 64]},
                    {"id": "f", "role": "input", "dtype": "FP32", "shape": [64, 128]},
                    {"id": "state", "role": "inout", "dtype": "FP32", "shape": [64, 1]},
                    {"id": "y", "role": "output", "dtype": "FP32", "shape": [64, 64]}],
        "blocks": [)" +
                      blocks + "]}")
        .value()
        .design;
}

std::string vectorOnly(bool topk) {
    return std::string(R"({"kind": "vector", "id": "work", "tile": [64, 64], "ops": [{"op": ")") +
           (topk ? R"(topk", "in": ["f"], "out": "t", "count": 64})"
                 : R"(slice", "in": ["f"], "out": "t", "shape": [64, 64]})") +
           R"(]}, {"kind": "store", "id": "s", "from": "t", "to": "y"})";
}

std::string normThenMatmul() {
    return R"({"kind": "vector", "id": "norm", "tile": [16, 128], "ops": [{"op": "rms_norm", "in": ["f"], "out": "n"},
              {"op": "cast", "in": ["n"], "out": "nb", "dtype": "BF16"}]}, )" +
           cube("C1", "nb", "w") + R"(, {"kind": "store", "id": "s", "from": "C1_out", "to": "y"})";
}

std::string choosesExperts() {
    return cube("router", "x", "w") +
           R"(, {"kind": "vector", "id": "choose", "tile": [16, 64], "ops": [
              {"op": "topk", "in": ["router_out"], "out": "best", "out2": "places", "count": 8}]}, )" +
           cube("C2", "x", "w") + R"(, {"kind": "store", "id": "s", "from": "C2_out", "to": "y"})";
}

std::string runningMaximum() {
    return R"({"kind": "loop", "id": "tiles", "axis": 2, "body": [)" + cube("C1", "x", "w") +
           R"(, {"kind": "vector", "id": "online", "tile": [16, 64], "ops": [
              {"op": "amax", "in": ["C1_out"], "out": "row_max", "keepdim": true},
              {"op": "sub", "in": ["C1_out", "state"], "out": "shifted"},
              {"op": "exp", "in": ["shifted"], "out": "e"},
              {"op": "cast", "in": ["e"], "out": "p", "dtype": "BF16"},
              {"op": "maximum", "in": ["row_max", "state"], "out": "new_max"}]}, )" +
           cube("C2", "p", "v") + R"(, {"kind": "store", "id": "keep", "from": "new_max", "to": "state"},
              {"kind": "store", "id": "s", "op": "atomic_add", "from": "C2_out", "to": "y"}]})";
}

}  // namespace cubist::test
