// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <span>
#include <vector>

#include "core/exchange/files.h"
#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"

namespace cubist {
namespace {

/// NumPy's type of the elements as they travel.
std::string_view descrOf(DType dtype) {
    switch (dtype) {
        case DType::FP32: return "<f4";
        case DType::FP16: return "<f2";
        case DType::BF16: return "<u2";
        case DType::INT16: return "<i2";
        case DType::INT32: return "<i4";
        case DType::INT64: return "<i8";
        case DType::INT8: return "|i1";
        case DType::BOOL: return "|b1";
        case DType::UINT8:
        case DType::INT4:
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::FP4E2M1:
        case DType::FP4E1M2: return "|u1";
    }
    return {};
}

bool travelsAsCodes(DType dtype) {
    return dtype == DType::BF16 || dtype == DType::INT4 || (isFloat(dtype) && bitsPerElement(dtype) <= 8);
}

Result<void> writeElements(AtomicFile& file, const HostTensor& tensor) {
    if (tensor.dtype() != DType::INT4) return file.write(tensor.data(), tensor.byteCount());
    // Stored as values -8..7; the code is the low four bits.
    std::vector<std::uint8_t> codes;
    for (const std::int8_t value : tensor.codes<std::int8_t>())
        codes.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(value) & 15U));
    return file.write(codes.data(), codes.size());
}

Result<void> writeFloat32(const std::string& path, const HostTensor& tensor) {
    constexpr std::int64_t kChunk = 1 << 16;
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
    const std::string header = npyHeaderBytes("<f4", tensor.shape());
    CUBIST_CHECK_OK(file.write(header.data(), header.size()));
    std::vector<float> values(static_cast<std::size_t>(std::min(kChunk, tensor.count())));
    for (std::int64_t first = 0; first < tensor.count(); first += kChunk) {
        const auto part = std::span(values).first(static_cast<std::size_t>(std::min(kChunk, tensor.count() - first)));
        tensor.toFloat32(first, part);
        CUBIST_CHECK_OK(file.write(part.data(), part.size_bytes()));
    }
    return file.commit();
}

}  // namespace

Result<void> writeNpy(const std::string& path, const HostTensor& tensor) {
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
    const std::string header = npyHeaderBytes(descrOf(tensor.dtype()), tensor.shape());
    CUBIST_CHECK_OK(file.write(header.data(), header.size()));
    CUBIST_CHECK_OK(writeElements(file, tensor));
    if (travelsAsCodes(tensor.dtype())) {
        constexpr std::string_view kEnding = ".npy";
        std::string stem = path;
        if (stem.ends_with(kEnding)) stem.resize(stem.size() - kEnding.size());
        CUBIST_CHECK_OK(writeFloat32(stem + ".f32.npy", tensor));
    }
    return file.commit();
}

}  // namespace cubist
