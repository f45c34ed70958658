// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/enum_table.h"

namespace cubist {

/// Element types of PyPTO tensors. Spellings: the file format and the command line.
enum class DType : std::uint8_t {
    FP32,
    FP16,
    BF16,
    FP8E4M3,
    FP8E5M2,
    HF8,
    FP8E8M0,
    FP4E2M1,
    FP4E1M2,
    INT4,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    BOOL,
};

template <>
struct EnumTable<DType> {
    static constexpr std::string_view name = "data type";
    static constexpr std::array entries{
        std::pair{DType::FP32, std::string_view{"FP32"}},       std::pair{DType::FP16, std::string_view{"FP16"}},
        std::pair{DType::BF16, std::string_view{"BF16"}},       std::pair{DType::FP8E4M3, std::string_view{"FP8E4M3"}},
        std::pair{DType::FP8E5M2, std::string_view{"FP8E5M2"}}, std::pair{DType::HF8, std::string_view{"HF8"}},
        std::pair{DType::FP8E8M0, std::string_view{"FP8E8M0"}}, std::pair{DType::FP4E2M1, std::string_view{"FP4E2M1"}},
        std::pair{DType::FP4E1M2, std::string_view{"FP4E1M2"}}, std::pair{DType::INT4, std::string_view{"INT4"}},
        std::pair{DType::INT8, std::string_view{"INT8"}},       std::pair{DType::INT16, std::string_view{"INT16"}},
        std::pair{DType::INT32, std::string_view{"INT32"}},     std::pair{DType::INT64, std::string_view{"INT64"}},
        std::pair{DType::UINT8, std::string_view{"UINT8"}},     std::pair{DType::BOOL, std::string_view{"BOOL"}},
    };
};

/// Bits of one element on the emulated chip.
[[nodiscard]] constexpr int bitsPerElement(DType type) {
    switch (type) {
        case DType::INT64: return 64;
        case DType::FP32:
        case DType::INT32: return 32;
        case DType::FP16:
        case DType::BF16:
        case DType::INT16: return 16;
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::INT8:
        case DType::UINT8:
        case DType::BOOL: return 8;
        case DType::FP4E2M1:
        case DType::FP4E1M2:
        case DType::INT4: return 4;
    }
    return 0;
}

/// Bytes of one element in the emulator's host memory: 4-bit types take one byte per code there.
[[nodiscard]] constexpr int hostBytesPerElement(DType type) {
    const int bits = bitsPerElement(type);
    return bits < 8 ? 1 : bits / 8;
}

/// Bytes of `count` elements on the emulated chip, rounded up.
[[nodiscard]] constexpr std::int64_t deviceBytes(DType type, std::int64_t count) {
    return (count * bitsPerElement(type) + 7) / 8;
}

[[nodiscard]] constexpr bool isFloat(DType type) {
    switch (type) {
        case DType::FP32:
        case DType::FP16:
        case DType::BF16:
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::FP4E2M1:
        case DType::FP4E1M2: return true;
        case DType::INT4:
        case DType::INT8:
        case DType::INT16:
        case DType::INT32:
        case DType::INT64:
        case DType::UINT8:
        case DType::BOOL: return false;
    }
    return false;
}

enum class Format : std::uint8_t { ND, NZ };

template <>
struct EnumTable<Format> {
    static constexpr std::string_view name = "format";
    static constexpr std::array entries{std::pair{Format::ND, std::string_view{"ND"}},
                                        std::pair{Format::NZ, std::string_view{"NZ"}}};
};

/// How a float-to-narrower conversion rounds. `None` is PyPTO's default: TRUNC for float to integer, RINT otherwise.
enum class RoundMode : std::uint8_t { None, Rint, Round, Floor, Ceil, Trunc, Odd };

template <>
struct EnumTable<RoundMode> {
    static constexpr std::string_view name = "round mode";
    static constexpr std::array entries{
        std::pair{RoundMode::None, std::string_view{"NONE"}},   std::pair{RoundMode::Rint, std::string_view{"RINT"}},
        std::pair{RoundMode::Round, std::string_view{"ROUND"}}, std::pair{RoundMode::Floor, std::string_view{"FLOOR"}},
        std::pair{RoundMode::Ceil, std::string_view{"CEIL"}},   std::pair{RoundMode::Trunc, std::string_view{"TRUNC"}},
        std::pair{RoundMode::Odd, std::string_view{"ODD"}},
    };
};

}  // namespace cubist
