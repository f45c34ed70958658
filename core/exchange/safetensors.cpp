// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/safetensors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "core/base/integer_math.h"
#include "core/base/tensor.h"
#include "core/exchange/json_text.h"
#include "core/exchange/npy.h"

namespace cubist {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 8U << 20U;

struct ElementKind {
    std::string_view name;
    NpyType type;
    std::optional<DType> codes;
};

using Kind = NpyType::Kind;
constexpr std::array kElements{
    ElementKind{"F64", {Kind::Float, 8}, std::nullopt},
    ElementKind{"F32", {Kind::Float, 4}, std::nullopt},
    ElementKind{"F16", {Kind::Float, 2}, std::nullopt},
    ElementKind{"BF16", {Kind::Unsigned, 2}, DType::BF16},
    ElementKind{"F8_E4M3", {Kind::Unsigned, 1}, DType::FP8E4M3},
    ElementKind{"F8_E5M2", {Kind::Unsigned, 1}, DType::FP8E5M2},
    ElementKind{"F8_E8M0", {Kind::Unsigned, 1}, DType::FP8E8M0},
    ElementKind{"I64", {Kind::Signed, 8}, std::nullopt},
    ElementKind{"I32", {Kind::Signed, 4}, std::nullopt},
    ElementKind{"I16", {Kind::Signed, 2}, std::nullopt},
    ElementKind{"I8", {Kind::Signed, 1}, std::nullopt},
    ElementKind{"U64", {Kind::Unsigned, 8}, std::nullopt},
    ElementKind{"U32", {Kind::Unsigned, 4}, std::nullopt},
    ElementKind{"U16", {Kind::Unsigned, 2}, std::nullopt},
    ElementKind{"U8", {Kind::Unsigned, 1}, std::nullopt},
    ElementKind{"BOOL", {Kind::Bool, 1}, std::nullopt},
};

/// What a file calls the elements as they travel: the type itself, or bytes with a code each.
std::string_view nameOf(DType type) {
    switch (type) {
        case DType::FP32: return "F32";
        case DType::FP16: return "F16";
        case DType::BF16: return "BF16";
        case DType::FP8E4M3: return "F8_E4M3";
        case DType::FP8E5M2: return "F8_E5M2";
        case DType::FP8E8M0: return "F8_E8M0";
        case DType::INT64: return "I64";
        case DType::INT32: return "I32";
        case DType::INT16: return "I16";
        case DType::INT8: return "I8";
        case DType::BOOL: return "BOOL";
        case DType::UINT8:
        case DType::HF8:
        case DType::FP4E2M1:
        case DType::FP4E1M2:
        case DType::INT4: break;
    }
    return "U8";
}

Unexpected damaged(const std::string& why, const std::string& path) {
    return unexpected(ErrorCode::BadFile, "damaged .safetensors file: " + why, path);
}

std::optional<std::int64_t> sizeIn(const JsonValue& value) {
    std::int64_t number = 0;
    const char* const last = value.text.data() + value.text.size();
    const auto [end, status] = std::from_chars(value.text.data(), last, number);
    if (!value.isNumber() || status != std::errc() || end != last || number < 0) return std::nullopt;
    return number;
}

std::optional<std::vector<std::int64_t>> sizesIn(const JsonValue* list) {
    if (list == nullptr || !list->isArray()) return std::nullopt;
    std::vector<std::int64_t> sizes;
    for (const JsonValue& item : list->items) {
        const std::optional<std::int64_t> size = sizeIn(item);
        if (!size) return std::nullopt;
        sizes.push_back(*size);
    }
    return sizes;
}

Result<SafeTensor> tensorFrom(const JsonMember& member, std::int64_t dataAt, std::int64_t dataBytes,
                              const std::string& path) {
    const std::string quoted = quotedForMessage(member.key);
    const JsonValue* const dtype = member.value.find("dtype");
    if (dtype == nullptr || !dtype->isString()) return damaged("the tensor " + quoted + " has no dtype", path);
    const auto kind = std::find_if(kElements.begin(), kElements.end(),
                                   [&](const ElementKind& element) { return element.name == dtype->text; });
    if (kind == kElements.end())
        return unexpected(ErrorCode::Unsupported,
                          "the tensor " + quoted + " has elements of type " + quotedForMessage(dtype->text), path);
    const auto shape = sizesIn(member.value.find("shape"));
    const auto offsets = sizesIn(member.value.find("data_offsets"));
    if (!shape || shape->size() > 32) return damaged("the tensor " + quoted + " has no usable shape", path);
    if (!offsets || offsets->size() != 2) return damaged("the tensor " + quoted + " has no data_offsets", path);
    const Result<std::int64_t> count = elementCount(*shape);
    const auto bytes = count ? checkedMul(*count, static_cast<std::int64_t>(kind->type.bytes)) : std::nullopt;
    const std::int64_t first = (*offsets)[0], last = (*offsets)[1];
    if (!bytes || first > last || last > dataBytes)
        return damaged("the tensor " + quoted + " lies outside of the file", path);
    if (last - first != *bytes)
        return damaged("the tensor " + quoted + " has " + std::to_string(last - first) + " bytes, its shape wants " +
                           std::to_string(*bytes),
                       path);
    return SafeTensor{member.key, {kind->type, false, *shape}, kind->codes, dataAt + first, *bytes};
}

}  // namespace

Result<SafeTensorsFile> openSafeTensors(const std::string& path) {
    CUBIST_TRY(InputFile input, InputFile::open(path));
    SafeTensorsFile result{std::make_shared<InputFile>(std::move(input)), {}};
    const std::int64_t size = result.file->size();
    std::array<unsigned char, kLengthBytes> lengthText{};
    if (size < static_cast<std::int64_t>(kLengthBytes)) return damaged("it has no header", path);
    CUBIST_TRY(const std::size_t lengthGot, result.file->readAt(0, lengthText.data(), kLengthBytes));
    std::uint64_t length = 0;
    for (std::size_t i = lengthGot; i-- > 0;) length = length << 8U | lengthText[i];
    if (length > kMaxHeaderBytes) return damaged("its header claims " + std::to_string(length) + " bytes", path);
    const auto dataAt = static_cast<std::int64_t>(kLengthBytes + length);
    if (dataAt > size) return damaged("it ends inside its header", path);
    std::string text(static_cast<std::size_t>(length), '\0');
    CUBIST_TRY(const std::size_t got, result.file->readAt(kLengthBytes, text.data(), text.size()));
    if (got < text.size()) return damaged("it ends inside its header", path);

    JsonLimits limits;
    limits.depth = 8;
    limits.values = 200'000;
    Result<JsonValue> header = parseJson(text, limits);
    if (!header) return damaged("its header: " + header.error().message, path);
    if (!header->isObject()) return damaged("its header is " + describe(*header), path);
    for (const JsonMember& member : header->members) {
        if (member.key == "__metadata__") continue;
        CUBIST_TRY(SafeTensor tensor, tensorFrom(member, dataAt, size - dataAt, path));
        result.tensors.push_back(std::move(tensor));
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    for (const SafeTensor& tensor : result.tensors) places.emplace_back(tensor.first, tensor.first + tensor.bytes);
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i + 1 < places.size(); ++i)
        if (places[i].second > places[i + 1].first) return damaged("tensors lie on top of each other", path);
    return result;
}

Result<void> writeSafeTensors(const std::string& path, const std::map<std::string, HostTensor>& tensors) {
    JsonValue header = JsonValue::object(), types = JsonValue::object();
    std::vector<NpyParts> parts;
    std::int64_t at = 0;
    for (const auto& [name, tensor] : tensors)
        types.add(name, JsonValue::fromString(std::string(toText(tensor.dtype()))));
    header.add("__metadata__", std::move(types));
    for (const auto& [name, tensor] : tensors) {
        parts.emplace_back(tensor);
        std::int64_t bytes = 0;
        for (const std::span<const std::byte> part : parts.back().elementSpans())
            bytes += static_cast<std::int64_t>(part.size());
        JsonValue shape = JsonValue::array(), offsets = JsonValue::array(), entry = JsonValue::object();
        for (const std::int64_t extent : tensor.shape()) shape.push(JsonValue::fromInteger(extent));
        offsets.push(JsonValue::fromInteger(at));
        offsets.push(JsonValue::fromInteger(at + bytes));
        entry.add("dtype", JsonValue::fromString(std::string(nameOf(tensor.dtype()))));
        entry.add("shape", std::move(shape));
        entry.add("data_offsets", std::move(offsets));
        header.add(name, std::move(entry));
        at += bytes;
    }
    std::string text = compactJson(header);
    text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');  // the elements start aligned
    std::array<unsigned char, kLengthBytes> length{};
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(text.size()) >> (8 * i));
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path));
    CUBIST_CHECK_OK(file.write(length.data(), length.size()));
    CUBIST_CHECK_OK(file.write(text.data(), text.size()));
    for (const NpyParts& each : parts)
        for (const std::span<const std::byte> part : each.elementSpans())
            CUBIST_CHECK_OK(file.write(part.data(), part.size()));
    return file.commit();
}

}  // namespace cubist
