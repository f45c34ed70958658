// SPDX-License-Identifier: GPL-3.0-or-later
#include <cctype>
#include <string_view>

#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {
namespace {

/// Python's keywords and the names that a module of ours uses itself, with a space on either side.
constexpr std::string_view kReserved =
    " False None True and as assert async await break class continue def del elif else except finally "
    "for from global if import in is lambda nonlocal not or pass raise return try while with yield "
    "match case range min max len list tuple int float sum torch torch_npu pypto os print bool str "
    "zip accumulate FakeTensor scale_words pack_pairs allow_in_graph check_args math dict to_values "
    "store_as to_integer integer_product mx_operand fixpipe_scale fixpipe_scales extreme filled "
    "cast_to quant_mx unrolled hifloat8_values to_hifloat8 encode code_values float_values "
    "check_tensor list_of isinstance abs round "
    "pow type self SEED CASES OUTPUTS COMPUTE CUBIST FRACTAL_NZ FP8_E4M3 FP8_E5M2 FP8_E8M0 "
    "get_device make_inputs check shapes arguments case detailed_tensor_compare hasattr getattr slice next "
    "window_start window_size ";

}  // namespace

std::string identifier(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (fits && static_cast<unsigned char>(c) < 0x80U)
            out += c;
        else if (!out.empty() && out.back() != '_')
            out += '_';
    }
    if (out.empty() || out == "_") out = "value";
    if (std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "v" + out;
    if (kReserved.find(" " + out + " ") != std::string_view::npos) out += '_';
    return out;
}

}  // namespace cubist::pypto
