// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/tensor_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/held_values.h"
#include "core/base/number_formats.h"
#include "core/base/nz_format.h"
#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"
#include "core/exchange/safetensors.h"
#include "core/exchange/zip_archive.h"

namespace cubist {
namespace {

constexpr std::int64_t kChunk = 1 << 16;

enum class FileKind : std::uint8_t { Npy, Npz, SafeTensors, Raw };

bool endsWithAny(const std::string& path, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
}

/// A file is what its first bytes say; raw elements have no such bytes, so their name or the user must say it.
Result<FileKind> kindOf(const std::string& path, bool typeGiven) {
    if (endsWithAny(path, {".safetensors"})) return FileKind::SafeTensors;
    CUBIST_TRY(const InputFile file, InputFile::open(path));
    if (file.size() < 0) return FileKind::Npy;
    std::array<char, kNpyMagicBytes> mark{};
    CUBIST_TRY(const std::size_t got, file.readAt(0, mark.data(), mark.size()));
    const std::string_view start(mark.data(), got);
    if (start.starts_with("\x93NUMPY")) return FileKind::Npy;
    const bool raw = typeGiven || endsWithAny(path, {".bin", ".data", ".raw"});
    if (endsWithAny(path, {".npz"}) || (!raw && looksLikeZip(path))) return FileKind::Npz;
    return raw ? FileKind::Raw : FileKind::Npy;
}

/// How elements of a type lie in a raw file: as numbers, or as codes in unsigned integers.
NpyType storedType(DType dtype) {
    using Kind = NpyType::Kind;
    const auto bytes = static_cast<std::size_t>(hostBytesPerElement(dtype));
    if (dtype == DType::FP32 || dtype == DType::FP16) return {Kind::Float, bytes};
    if (dtype == DType::BOOL) return {Kind::Bool, 1};
    const bool number = !isFloat(dtype) && dtype != DType::UINT8 && dtype != DType::INT4;
    return {number ? Kind::Signed : Kind::Unsigned, bytes};
}

Result<void> storeConverted(const HostTensor& from, HostTensor& to) {
    std::vector<double> values(static_cast<std::size_t>(std::min(kChunk, from.count())));
    const auto width = static_cast<std::size_t>(hostBytesPerElement(to.dtype()));
    for (std::int64_t first = 0; first < from.count(); first += kChunk) {
        const auto part = std::span(values).first(static_cast<std::size_t>(std::min(kChunk, from.count() - first)));
        from.toFloat64(first, part);
        if (isFloat(to.dtype()))
            if (const auto bad = firstNotHeld(to.dtype(), std::span<const double>(part)))
                return unexpected(ErrorCode::BadValue,
                                  "element " + std::to_string(first + static_cast<std::int64_t>(*bad)) + " is " +
                                      shortestText(part[*bad]) + "; " + heldText(to.dtype()),
                                  {}, "scale or clip the values first");
        std::byte* const target = to.writableData() + static_cast<std::size_t>(first) * width;
        encodeRow(to.dtype(), std::span<const double>(part), target);
        if (isFloat(to.dtype())) continue;
        for (std::size_t i = 0; i < part.size(); ++i)
            if (to.at(first + static_cast<std::int64_t>(i)) != part[i])
                return unexpected(ErrorCode::BadValue, "element " +
                                                           std::to_string(first + static_cast<std::int64_t>(i)) +
                                                           " is " + std::to_string(part[i]) + ", which " +
                                                           std::string(toText(to.dtype())) + " cannot hold");
    }
    return {};
}

/// A tensor with the values of another one: floats rounded to nearest even, integers exactly.
Result<HostTensor> converted(HostTensor tensor, DType dtype) {
    if (tensor.dtype() == dtype) return tensor;
    // Beyond 2^53 a double is not the integer any more.
    const bool possible = isFloat(tensor.dtype()) == isFloat(dtype) && tensor.dtype() != DType::INT64;
    if (!possible)
        return unexpected(ErrorCode::WrongType, "the file holds " + std::string(toText(tensor.dtype())) +
                                                    "; the tensor is " + std::string(toText(dtype)));
    CUBIST_TRY(HostTensor result, HostTensor::uninitialised(dtype, tensor.shape()));
    CUBIST_CHECK_OK(storeConverted(tensor, result));
    return result;
}

/// Two codes in each byte, the first in the low half.
Result<HostTensor> unpacked(ByteSource& source, DType dtype, const Shape& shape) {
    CUBIST_TRY(HostTensor tensor, HostTensor::uninitialised(dtype, shape));
    std::array<std::uint8_t, kChunk / 2> packed{};
    auto* const codes = reinterpret_cast<std::uint8_t*>(tensor.writableData());
    for (std::int64_t first = 0; first < tensor.count(); first += kChunk) {
        const auto count = static_cast<std::size_t>(std::min(kChunk, tensor.count() - first));
        CUBIST_TRY(const std::size_t got, source.read(packed.data(), (count + 1) / 2));
        if (got < (count + 1) / 2) return unexpected(ErrorCode::BadFile, "the file is truncated");
        for (std::size_t i = 0; i < count; ++i) {
            const unsigned code = (unsigned{packed[i / 2]} >> (i % 2 * 4)) & 15U;
            const bool negative = dtype == DType::INT4 && code > 7;
            codes[static_cast<std::size_t>(first) + i] = static_cast<std::uint8_t>(negative ? code - 16U : code);
        }
    }
    return tensor;
}

Unexpected wrongSize(std::int64_t bytes, DType dtype, const Shape& shape, std::int64_t wanted) {
    const std::string fits = typesThatFit(bytes, dtype, shape);
    return unexpected(ErrorCode::BadFile,
                      "the file has " + std::to_string(bytes) + " bytes; " + std::string(toText(dtype)) + " " +
                          shapeText(shape) + " has " + std::to_string(wanted),
                      {}, fits.empty() ? "no type has that many bytes in this shape" : "that many bytes fit " + fits);
}

Result<HostTensor> readRaw(const std::string& path, DType stored, const Shape& shape) {
    CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    if (source->size() < 0) return unexpected(ErrorCode::BadFile, "raw elements cannot be read from a pipe");
    const std::int64_t wanted = deviceBytes(stored, count);
    const bool packed = bitsPerElement(stored) < 8;
    if (packed && source->size() == wanted) return unpacked(*source, stored, shape);
    if (source->size() != (packed ? count : wanted)) return wrongSize(source->size(), stored, shape, wanted);
    return readElementsAs(std::move(source), path, {storedType(stored), false, shape}, stored, shape);
}

std::string namesText(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
        text += (text.empty() ? "there are: " : ", ") + names[i];
    return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

/// The array that is asked for: `entry`, or the one called like the tensor, or the only one.
Result<std::size_t> chooseEntry(const std::vector<std::string>& names, const std::string& entry,
                                const std::string& tensor) {
    const auto found = std::find(names.begin(), names.end(), entry.empty() ? tensor : entry);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    if (entry.empty() && names.size() == 1) return std::size_t{0};
    return unexpected(ErrorCode::UnknownName, "the file has no array '" + (entry.empty() ? tensor : entry) + "'", {},
                      names.empty() ? "it has none at all" : namesText(names) + "; FILE#NAME chooses one");
}

Result<std::unique_ptr<ByteSource>> openNpz(const std::string& path, const std::string& entry,
                                            const std::string& tensor) {
    constexpr std::string_view kEnding = ".npy";
    CUBIST_TRY(const ZipArchive archive, ZipArchive::open(path));
    std::vector<std::string> names;
    for (const ZipEntry& found : archive.entries()) {
        std::string name = found.name;
        if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
        names.push_back(std::move(name));
    }
    const std::string wanted = entry.ends_with(kEnding) ? entry.substr(0, entry.size() - kEnding.size()) : entry;
    CUBIST_TRY(const std::size_t place, chooseEntry(names, wanted, tensor));
    return archive.source(archive.entries()[place]);
}

/// An NZ file may call its shape what it likes, as long as it has the elements.
FileShape shapeRule(const TensorFile& file) {
    return file.nz ? FileShape::SameCount : FileShape::Same;
}

Result<void> takeAnyShape(NpyHeader& header, const Shape& wanted) {
    CUBIST_TRY(const std::int64_t there, elementCount(header.shape));
    CUBIST_TRY(const std::int64_t count, elementCount(wanted));
    if (there != count)
        return unexpected(ErrorCode::BadValue, "the array has " + std::to_string(there) + " elements; " +
                                                   std::to_string(count) + " are wanted");
    header.shape = wanted;
    return {};
}

/// Calls use(place in row-major order, place in NZ order) for every element of a tensor; padding is left out.
template <class Use>
void forEachNzElement(DType dtype, const Shape& shape, const Use& use) {
    const std::int64_t rows = shape[shape.size() - 2], cols = shape.back();
    const NzLayout layout(dtype, rows, cols);
    std::int64_t matrices = 1;
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) matrices *= shape[axis];
    for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t col = 0; col < cols; ++col)
                use(static_cast<std::size_t>((matrix * rows + row) * cols + col),
                    static_cast<std::size_t>(matrix * layout.count() + layout.offset(row, col)));
}

struct FoundTensor {
    SafeTensor tensor;
    std::unique_ptr<ByteSource> source;
};

Result<FoundTensor> openSafeTensor(const std::string& path, const std::string& entry, const std::string& tensor) {
    CUBIST_TRY(SafeTensorsFile file, openSafeTensors(path));
    std::vector<std::string> names;
    for (const SafeTensor& found : file.tensors) names.push_back(found.name);
    CUBIST_TRY(const std::size_t place, chooseEntry(names, entry, tensor));
    SafeTensor& chosen = file.tensors[place];
    auto source = std::make_unique<FileSource>(file.file, chosen.first, chosen.bytes);
    return FoundTensor{std::move(chosen), std::move(source)};
}

struct LocatedFile {
    std::string path, entry;
    FileKind kind = FileKind::Raw;
};

Result<LocatedFile> locate(const TensorFile& given) {
    const auto [path, entry] = given.entry.empty() ? splitEntry(given.path) : FileAndEntry{given.path, given.entry};
    CUBIST_TRY(const FileKind kind, given.entry.empty() ? kindOf(path, given.stored.has_value()) : FileKind::Npz);
    if (given.stored && kind != FileKind::Raw)
        return unexpected(ErrorCode::BadValue, "the file says itself what its elements are: a type is for raw files");
    return LocatedFile{path, entry, kind};
}

Result<HostTensor> inputFrom(const TensorFile& given, const TensorTarget& target) {
    CUBIST_TRY(const LocatedFile located, locate(given));
    const auto& [path, entry, kind] = located;
    switch (kind) {
        case FileKind::Npy: {
            CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
            return readNpyAs(std::move(source), path, target.dtype, target.shape, shapeRule(given));
        }
        case FileKind::Npz: {
            CUBIST_TRY(std::unique_ptr<ByteSource> source, openNpz(path, entry, target.name));
            return readNpyAs(std::move(source), path, target.dtype, target.shape, shapeRule(given));
        }
        case FileKind::SafeTensors: {
            CUBIST_TRY(FoundTensor found, openSafeTensor(path, entry, target.name));
            if (given.nz) CUBIST_CHECK_OK(takeAnyShape(found.tensor.header, target.shape));
            const DType type = found.tensor.codes.value_or(target.dtype);
            CUBIST_TRY(HostTensor tensor,
                       readElementsAs(std::move(found.source), path, found.tensor.header, type, target.shape));
            return converted(std::move(tensor), target.dtype);
        }
        case FileKind::Raw: break;
    }
    CUBIST_TRY(HostTensor tensor, readRaw(path, given.stored.value_or(target.dtype), target.shape));
    return converted(std::move(tensor), target.dtype);
}

Result<std::vector<double>> allValues(const HostTensor& tensor) {
    std::vector<double> values;
    try {
        values.resize(static_cast<std::size_t>(tensor.count()));
    } catch (const std::exception&) {  // length_error or bad_alloc
        return unexpected(ErrorCode::DoesNotFit, "no memory for " + std::to_string(tensor.count()) + " golden values");
    }
    tensor.toFloat64(0, values);
    return values;
}

Result<std::vector<double>> goldenFrom(const TensorFile& given, const TensorTarget& target) {
    CUBIST_TRY(const LocatedFile located, locate(given));
    const auto& [path, entry, kind] = located;
    switch (kind) {
        case FileKind::Npy: {
            CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
            return readNpyFloat64(std::move(source), path, target.dtype, target.shape, shapeRule(given));
        }
        case FileKind::Npz: {
            CUBIST_TRY(std::unique_ptr<ByteSource> source, openNpz(path, entry, target.name));
            return readNpyFloat64(std::move(source), path, target.dtype, target.shape, shapeRule(given));
        }
        case FileKind::SafeTensors: {
            CUBIST_TRY(FoundTensor found, openSafeTensor(path, entry, target.name));
            if (given.nz) CUBIST_CHECK_OK(takeAnyShape(found.tensor.header, target.shape));
            const DType type = found.tensor.codes.value_or(target.dtype);
            return readElementsFloat64(std::move(found.source), path, found.tensor.header, type, target.shape);
        }
        case FileKind::Raw: break;
    }
    CUBIST_TRY(const HostTensor tensor, readRaw(path, given.stored.value_or(target.dtype), target.shape));
    if (isFloat(tensor.dtype()) != isFloat(target.dtype))
        return unexpected(ErrorCode::WrongType, "the file holds " + std::string(toText(tensor.dtype())) +
                                                    "; the output is " + std::string(toText(target.dtype)));
    return allValues(tensor);
}

/// The type whose block width the order of an NZ file has: that of its elements.
DType orderedBy(const TensorFile& file, const TensorTarget& target) {
    return file.stored.value_or(target.dtype);
}

/// The tensor as an NZ file holds it: its elements in one row, padding included.
Result<TensorTarget> nzTarget(const TensorFile& file, const TensorTarget& target) {
    const Shape& shape = target.shape;
    if (shape.size() < 2)
        return unexpected(ErrorCode::BadValue, "NZ order needs two axes; the tensor is " + shapeText(shape));
    const NzLayout layout(orderedBy(file, target), shape[shape.size() - 2], shape.back());
    Shape padded(shape.begin(), shape.end() - 2);
    padded.push_back(layout.paddedRows());
    padded.push_back(layout.paddedCols());
    CUBIST_TRY(const std::int64_t count, elementCount(padded));
    return TensorTarget{target.name, target.dtype, {count}};
}

Result<HostTensor> orderedInput(const TensorFile& file, const TensorTarget& target) {
    if (!file.nz) return inputFrom(file, target);
    CUBIST_TRY(const TensorTarget stored, nzTarget(file, target));
    CUBIST_TRY(const HostTensor tensor, inputFrom(file, stored));
    CUBIST_TRY(HostTensor logical, HostTensor::uninitialised(target.dtype, target.shape));
    const auto width = static_cast<std::size_t>(hostBytesPerElement(target.dtype));
    forEachNzElement(orderedBy(file, target), target.shape, [&](std::size_t to, std::size_t from) {
        std::memcpy(logical.writableData() + to * width, tensor.data() + from * width, width);
    });
    return logical;
}

Result<std::vector<double>> orderedGolden(const TensorFile& file, const TensorTarget& target) {
    if (!file.nz) return goldenFrom(file, target);
    CUBIST_TRY(const TensorTarget stored, nzTarget(file, target));
    CUBIST_TRY(const std::vector<double> values, goldenFrom(file, stored));
    CUBIST_TRY(const std::int64_t count, elementCount(target.shape));
    std::vector<double> logical(static_cast<std::size_t>(count));
    forEachNzElement(orderedBy(file, target), target.shape,
                     [&](std::size_t to, std::size_t from) { logical[to] = values[from]; });
    return logical;
}

/// Names the file in an error that does not say where it is.
template <class T>
Result<T> atFile(Result<T> result, const TensorFile& file) {
    if (result || !result.error().where.empty()) return result;
    Error error = std::move(result).error();
    error.where = file.path;
    return unexpected(std::move(error));
}

}  // namespace

TensorReaders tensorReaders() {
    return {
        [](const TensorFile& file, const TensorTarget& target) { return atFile(orderedInput(file, target), file); },
        [](const TensorFile& file, const TensorTarget& target) { return atFile(orderedGolden(file, target), file); }};
}

FileAndEntry splitEntry(const std::string& path) {
    for (const std::string_view ending : {".npz#", ".safetensors#"})
        if (const std::size_t at = path.rfind(ending); at != std::string::npos) {
            const std::size_t mark = at + ending.size() - 1;
            return {path.substr(0, mark), path.substr(mark + 1)};
        }
    return {path, {}};
}

std::string typesThatFit(std::int64_t bytes, DType dtype, const Shape& shape) {
    const Result<std::int64_t> count = elementCount(shape);
    if (!count) return {};
    std::string text;
    const auto add = [&](DType type, const Shape& fitting) {
        text += (text.empty() ? "" : ", ") + std::string(toText(type)) + " " + shapeText(fitting);
    };
    for (const auto& [type, name] : EnumTable<DType>::entries)
        if (deviceBytes(type, *count) == bytes) add(type, shape);
    if (shape.empty() || shape[0] < 1 || *count == 0) return text;
    const std::int64_t rowBytes = deviceBytes(dtype, *count / shape[0]);
    if (rowBytes > 0 && bytes > 0 && bytes % rowBytes == 0) {
        Shape longer = shape;
        longer[0] = bytes / rowBytes;
        add(dtype, longer);
    }
    return text;
}

}  // namespace cubist
