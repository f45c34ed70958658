// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/gm_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/number_formats.h"

namespace cubist {

void poisonElements(DType type, std::byte* data, std::int64_t count) {
    if (type == DType::FP32) {
        std::fill_n(reinterpret_cast<float*>(data), count, std::numeric_limits<float>::quiet_NaN());
    } else if (type == DType::FP16 || type == DType::BF16) {
        std::fill_n(reinterpret_cast<std::uint16_t*>(data), count,
                    static_cast<std::uint16_t>(encode(type, std::numeric_limits<double>::quiet_NaN())));
    } else if (type == DType::INT32) {
        std::fill_n(reinterpret_cast<std::int32_t*>(data), count, std::numeric_limits<std::int32_t>::min());
    } else if (isFloat(type)) {
        // 4-bit floats have no NaN: their largest value. E8M0's NaN is the code 255, HF8's 128.
        const int code = bitsPerElement(type) == 4 ? 0x07
                         : type == DType::FP8E8M0  ? 0xFF
                         : type == DType::HF8      ? 0x80
                                                   : 0x7F;
        std::memset(data, code, static_cast<std::size_t>(count * hostBytesPerElement(type)));
    } else {
        std::memset(data, 0x80, static_cast<std::size_t>(count * hostBytesPerElement(type)));
    }
}

}  // namespace cubist
