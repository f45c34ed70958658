// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/tensor_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/held_values.h"
#include "core/base/integer_math.h"
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

constexpr NpyType kFloat64{NpyType::Kind::Float, 8};

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

Unexpected wrongSize(std::int64_t bytes, std::string_view type, DType dtype, const Shape& shape, std::int64_t wanted) {
    const std::string fits = typesThatFit(bytes, dtype, shape);
    return unexpected(ErrorCode::BadFile,
                      "the file has " + std::to_string(bytes) + " bytes; " + std::string(type) + " " +
                          shapeText(shape) + " has " + std::to_string(wanted),
                      {}, fits.empty() ? "no type has that many bytes in this shape" : "that many bytes fit " + fits);
}

/// Elements that are FP64, as a file without a header holds them.
Result<std::unique_ptr<FileSource>> openFloat64(const std::string& path, DType target, const Shape& shape) {
    CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
    if (source->size() < 0) return unexpected(ErrorCode::BadFile, "raw elements cannot be read from a pipe");
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    const auto wanted = checkedMul(count, std::int64_t{8});
    if (!wanted) return unexpected(ErrorCode::DoesNotFit, "the tensor has more than 2^63 bytes");
    if (source->size() == *wanted) return source;
    return wrongSize(source->size(), kFloat64Name, target, shape, *wanted);
}

Result<HostTensor> readRaw(const std::string& path, DType stored, const Shape& shape) {
    CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    if (source->size() < 0) return unexpected(ErrorCode::BadFile, "raw elements cannot be read from a pipe");
    const std::int64_t wanted = deviceBytes(stored, count);
    const bool packed = bitsPerElement(stored) < 8;
    if (packed && source->size() == wanted) return unpacked(*source, stored, shape);
    if (source->size() != (packed ? count : wanted))
        return wrongSize(source->size(), toText(stored), stored, shape, wanted);
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
    auto found = std::find(names.begin(), names.end(), entry.empty() ? tensor : entry);
    if (found == names.end() && entry.empty()) found = std::find(names.begin(), names.end(), tensorFileName(tensor));
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
    CUBIST_TRY(const FileKind kind, given.entry.empty() ? kindOf(path, given.stored || given.float64) : FileKind::Npz);
    return LocatedFile{path, entry, kind};
}

/// The header of a `.npy` file; the source then stands behind it.
Result<NpyHeader> headerOf(ByteSource& source) {
    const auto take = [&](std::size_t bytes) -> Result<std::string> {
        std::string text(bytes, '\0');
        CUBIST_TRY(const std::size_t got, source.read(text.data(), bytes));
        if (got < bytes) return unexpected(ErrorCode::BadFile, "the file ends inside its header");
        return text;
    };
    CUBIST_TRY(const std::string magic, take(kNpyMagicBytes));
    CUBIST_TRY(const std::size_t width, npyLengthBytes(magic));
    CUBIST_TRY(const std::string lengthText, take(width));
    std::size_t length = 0;
    for (std::size_t i = width; i-- > 0;) length = length << 8U | static_cast<unsigned char>(lengthText[i]);
    if (length > kNpyMaxHeaderBytes) return unexpected(ErrorCode::BadFile, "the header is too long");
    CUBIST_TRY(const std::string dictionary, take(length));
    return parseNpyHeader(dictionary);
}

/// A file that says what its elements are agrees with what the user says of them: numbers as numbers, codes as
/// unsigned integers. `codes`: the type that a safetensors file gives.
Result<void> checkStored(const TensorFile& given, const NpyType& found, std::optional<DType> codes) {
    if (!given.stored && !given.float64) return {};
    const NpyType wanted = given.float64 ? kFloat64 : storedType(*given.stored);
    const bool same = found.is(wanted.kind, wanted.bytes) && (!codes || codes == given.stored);
    if (same) return {};
    const std::string said(given.float64 ? kFloat64Name : toText(*given.stored));
    return unexpected(ErrorCode::WrongType,
                      "the file holds " + (codes ? std::string(toText(*codes)) : found.name()) + ", not " + said);
}

/// The type to read the elements as: what the user says they are, else the tensor's.
DType readAs(const TensorFile& given, const TensorTarget& target) {
    return given.stored.value_or(target.dtype);
}

/// The array of a `.npy` or `.npz` file; what the user says of its elements holds.
Result<std::unique_ptr<ByteSource>> openArray(const TensorFile& given, const LocatedFile& located,
                                              const TensorTarget& target) {
    const auto open = [&]() -> Result<std::unique_ptr<ByteSource>> {
        if (located.kind == FileKind::Npz) return openNpz(located.path, located.entry, target.name);
        CUBIST_TRY(std::unique_ptr<FileSource> file, FileSource::open(located.path));
        return std::unique_ptr<ByteSource>(std::move(file));
    };
    if (given.stored || given.float64) {
        CUBIST_TRY(const std::unique_ptr<ByteSource> source, open());
        CUBIST_TRY(const NpyHeader header, headerOf(*source));
        CUBIST_CHECK_OK(checkStored(given, header.type, std::nullopt));
    }
    return open();
}

Result<HostTensor> inputFrom(const TensorFile& given, const TensorTarget& target) {
    CUBIST_TRY(const LocatedFile located, locate(given));
    const auto& [path, entry, kind] = located;
    switch (kind) {
        case FileKind::Npy:
        case FileKind::Npz: {
            CUBIST_TRY(std::unique_ptr<ByteSource> source, openArray(given, located, target));
            CUBIST_TRY(HostTensor tensor,
                       readNpyAs(std::move(source), path, readAs(given, target), target.shape, shapeRule(given)));
            return converted(std::move(tensor), target.dtype);
        }
        case FileKind::SafeTensors: {
            CUBIST_TRY(FoundTensor found, openSafeTensor(path, entry, target.name));
            CUBIST_CHECK_OK(checkStored(given, found.tensor.header.type, found.tensor.codes));
            if (given.nz) CUBIST_CHECK_OK(takeAnyShape(found.tensor.header, target.shape));
            const DType type = found.tensor.codes.value_or(readAs(given, target));
            CUBIST_TRY(HostTensor tensor,
                       readElementsAs(std::move(found.source), path, found.tensor.header, type, target.shape));
            return converted(std::move(tensor), target.dtype);
        }
        case FileKind::Raw: break;
    }
    if (given.float64) {
        CUBIST_TRY(std::unique_ptr<FileSource> source, openFloat64(path, target.dtype, target.shape));
        return readElementsAs(std::move(source), path, {kFloat64, false, target.shape}, target.dtype, target.shape);
    }
    CUBIST_TRY(HostTensor tensor, readRaw(path, readAs(given, target), target.shape));
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

/// A golden of another kind of number than the output says nothing about it.
Result<void> checkKind(DType read, const TensorTarget& target) {
    if (isFloat(read) == isFloat(target.dtype)) return {};
    return unexpected(ErrorCode::WrongType, "the file holds " + std::string(toText(read)) + "; the output is " +
                                                std::string(toText(target.dtype)));
}

Result<std::vector<double>> goldenFrom(const TensorFile& given, const TensorTarget& target) {
    CUBIST_TRY(const LocatedFile located, locate(given));
    const auto& [path, entry, kind] = located;
    const DType read = readAs(given, target);
    CUBIST_CHECK_OK(checkKind(read, target));
    switch (kind) {
        case FileKind::Npy:
        case FileKind::Npz: {
            CUBIST_TRY(std::unique_ptr<ByteSource> source, openArray(given, located, target));
            return readNpyFloat64(std::move(source), path, read, target.shape, shapeRule(given));
        }
        case FileKind::SafeTensors: {
            CUBIST_TRY(FoundTensor found, openSafeTensor(path, entry, target.name));
            CUBIST_CHECK_OK(checkStored(given, found.tensor.header.type, found.tensor.codes));
            if (given.nz) CUBIST_CHECK_OK(takeAnyShape(found.tensor.header, target.shape));
            const DType type = found.tensor.codes.value_or(read);
            return readElementsFloat64(std::move(found.source), path, found.tensor.header, type, target.shape);
        }
        case FileKind::Raw: break;
    }
    if (given.float64) {
        CUBIST_TRY(std::unique_ptr<FileSource> source, openFloat64(path, target.dtype, target.shape));
        return readElementsFloat64(std::move(source), path, {kFloat64, false, target.shape}, target.dtype,
                                   target.shape);
    }
    CUBIST_TRY(const HostTensor tensor, readRaw(path, read, target.shape));
    return allValues(tensor);
}

/// The type whose block width the order of an NZ file has: that of its elements.
DType orderedBy(const TensorFile& file, const TensorTarget& target) {
    return file.float64 ? DType::INT64 : file.stored.value_or(target.dtype);  // as wide
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

std::string tensorOption(const std::string& tensor, const TensorFile& file) {
    std::string option = tensor;
    if (file.stored) option += ":" + std::string(toText(*file.stored));
    if (file.float64) option += ":" + std::string(kFloat64Name);
    return option + (file.nz ? ":nz" : "") + "=" + file.path;
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
    if (checkedMul(*count, std::int64_t{8}) == bytes)
        text += (text.empty() ? "" : ", ") + std::string(kFloat64Name) + " " + shapeText(shape);
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
