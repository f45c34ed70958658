// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/exchange/files.h"
#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"
#include "core/exchange/zip_writer.h"

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

NpyParts::NpyParts(const HostTensor& tensor) : header(npyHeaderBytes(descrOf(tensor.dtype()), tensor.shape())) {
    if (tensor.dtype() != DType::INT4) {
        elements = {tensor.data(), tensor.byteCount()};
        return;
    }
    // Stored as values -8..7; the code is the low four bits.
    codes.reserve(tensor.byteCount());
    for (const std::int8_t value : tensor.codes<std::int8_t>())
        codes.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(value) & 15U));
}

std::vector<std::span<const std::byte>> NpyParts::spans() const {
    return {std::as_bytes(std::span(header)), std::as_bytes(std::span(codes)), elements};
}

std::vector<std::span<const std::byte>> NpyParts::elementSpans() const {
    return {std::as_bytes(std::span(codes)), elements};
}

std::string tensorFileName(const std::string& id) {
    constexpr std::size_t kLongest = 200;
    std::string name = id.substr(0, kLongest);
    for (char& c : name)
        if (c == '/' || c == '\\' || c == ':' || c == '\x7f' || static_cast<unsigned char>(c) < 0x20) c = '_';
    if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
    return name;
}

Result<void> writeNpz(const std::string& path, const std::map<std::string, HostTensor>& tensors) {
    CUBIST_TRY(ZipWriter archive, ZipWriter::create(path));
    std::set<std::string> taken;
    for (const auto& [id, tensor] : tensors)
        if (tensorFileName(id) == id) taken.insert(id);
    for (const auto& [id, tensor] : tensors) {
        const std::string base = tensorFileName(id);
        std::string name = base;
        for (int i = 2; name != id && !taken.insert(name).second; ++i) name = base + "_" + std::to_string(i);
        CUBIST_CHECK_OK(archive.add(name + ".npy", NpyParts(tensor).spans()));
    }
    return archive.commit();
}

Result<void> writeNpy(const std::string& path, const HostTensor& tensor) {
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
    const NpyParts parts(tensor);
    for (const std::span<const std::byte> part : parts.spans()) CUBIST_CHECK_OK(file.write(part.data(), part.size()));
    if (travelsAsCodes(tensor.dtype())) {
        constexpr std::string_view kEnding = ".npy";
        std::string stem = path;
        if (stem.ends_with(kEnding)) stem.resize(stem.size() - kEnding.size());
        CUBIST_CHECK_OK(writeFloat32(stem + ".f32.npy", tensor));
    }
    return file.commit();
}

}  // namespace cubist
