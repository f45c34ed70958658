// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "core/base/held_values.h"
#include "core/base/integer_math.h"
#include "core/base/number_formats.h"
#include "core/exchange/byte_source.h"
#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"

namespace cubist {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are taken from little-endian files as they are");

constexpr std::int64_t kChunk = 1 << 16;  ///< elements converted at a time
/// The same of whole columns: many side by side make a row's elements neighbours in memory.
constexpr std::int64_t kColumnChunk = 1 << 22;

Unexpected atPath(Error error, const std::string& path) {
    if (error.where.empty()) error.where = path;
    return unexpected(std::move(error));
}

/// Position in row-major order of elements that come in column-major order, or of the first elements of columns.
class ColumnMajorWalk {
public:
    explicit ColumnMajorWalk(const Shape& shape, bool columnsOnly = false)
        : m_shape(shape), m_strides(rowMajorStrides(shape)), m_index(shape.size(), 0) {
        if (columnsOnly && !m_shape.empty()) m_shape[0] = 1;
    }

    std::int64_t next() {
        const std::int64_t position = m_position;
        for (std::size_t axis = 0; axis < m_shape.size(); ++axis) {
            m_position += m_strides[axis];
            if (++m_index[axis] < m_shape[axis]) break;
            m_position -= m_strides[axis] * m_shape[axis];
            m_index[axis] = 0;
        }
        return position;
    }

private:
    Shape m_shape;
    Shape m_strides;
    Shape m_index;
    std::int64_t m_position = 0;
};

/// Smaller files are copied, so that whoever changes them meanwhile does no harm.
constexpr std::int64_t kMapFromBytes = std::int64_t{16} << 20;

Shape withoutOnes(Shape shape) {
    std::erase(shape, 1);
    return shape;
}

/// Whether every axis of `merged`, two or more, is a run of neighbouring axes of `file`: [B, M, K] holds the elements
/// of [B, M * K] in the same order.
bool mergesInto(const Shape& file, const Shape& merged) {
    if (merged.size() < 2) return false;
    std::size_t next = 0;
    for (const std::int64_t extent : merged) {
        std::int64_t run = 1;
        while (run < extent && next < file.size()) {
            const auto longer = file[next] > 0 ? checkedMul(run, file[next++]) : std::nullopt;
            if (!longer) return false;
            run = *longer;
        }
        if (run != extent) return false;
    }
    return next == file.size();
}

/// An open file whose header was read and found to agree with its length.
class NpyFile {
public:
    /// `header`: of elements that have none of their own.
    static Result<NpyFile> open(std::unique_ptr<ByteSource> source, const std::string& path, const Shape& expected,
                                const std::optional<NpyHeader>& header = std::nullopt,
                                FileShape fileShape = FileShape::Same) {
        Result<NpyFile> file = openUnnamed(std::move(source), expected, header, fileShape);
        return file ? std::move(file) : Result<NpyFile>(atPath(std::move(file).error(), path));
    }

    /// The elements in place, for a large file that holds them row by row in native byte order.
    [[nodiscard]] std::optional<MappedBytes> map() const {
        const bool inPlace = !m_header.fortranOrder && (!type().bigEndian || type().bytes == 1);
        if (!inPlace || m_file->size() < kMapFromBytes) return std::nullopt;
        std::optional<MappedBytes> all = m_file->map();
        if (all) all->bytes = all->bytes.subspan(m_headerBytes);
        return all;
    }

    [[nodiscard]] const NpyType& type() const { return m_header.type; }
    [[nodiscard]] std::int64_t count() const { return m_count; }

    /// Calls `convert(chunk, buffer)` for every chunk of elements in native byte order and puts what it wrote into
    /// `buffer` (`T` per element) to the elements' row-major places of `target`.
    template <class T, class Convert>
    Result<void> readInto(T* target, const Convert& convert) {
        const bool turned = m_header.fortranOrder && m_header.shape.size() > 1;
        const std::int64_t height = turned ? m_header.shape[0] : 1;
        const bool byColumns = turned && height > 0 && height <= kColumnChunk;
        const std::int64_t atATime = byColumns ? kColumnChunk / height * height : kChunk;
        std::vector<std::byte> raw(static_cast<std::size_t>(std::min(m_count, atATime)) * type().bytes);
        std::vector<T> buffer(static_cast<std::size_t>(std::min(m_count, atATime)));
        ColumnMajorWalk walk(m_header.shape, byColumns);
        for (m_first = 0; m_first < m_count; m_first += atATime) {
            const auto chunk = static_cast<std::size_t>(std::min(atATime, m_count - m_first));
            CUBIST_CHECK_OK(readChunk(std::span(raw).first(chunk * type().bytes)));
            CUBIST_CHECK_OK(convert(std::span<const std::byte>(raw).first(chunk * type().bytes), buffer.data()));
            if (!turned)
                std::copy_n(buffer.data(), chunk, target + m_first);
            else if (byColumns)
                placeColumns(std::span<const T>(buffer).first(chunk), height, walk, target);
            else
                for (std::size_t i = 0; i < chunk; ++i) target[walk.next()] = buffer[i];
        }
        char extra = 0;
        CUBIST_TRY(const std::size_t more, m_file->read(&extra, 1));
        if (more > 0) return unexpected(ErrorCode::BadFile, "the file is longer than its header says");
        return {};
    }

    /// Where an element of the current chunk stands: "[3, 5]".
    [[nodiscard]] std::string elementText(std::size_t inChunk) const {
        std::int64_t rest = m_first + static_cast<std::int64_t>(inChunk);
        const std::size_t rank = m_header.shape.size();
        Shape index(rank, 0);
        for (std::size_t i = 0; i < rank; ++i) {
            const std::size_t axis = m_header.fortranOrder ? i : rank - 1 - i;
            index[axis] = rest % m_header.shape[axis];
            rest /= m_header.shape[axis];
        }
        std::string text;
        for (const std::int64_t i : index) text += (text.empty() ? "[" : ", ") + std::to_string(i);
        return text.empty() ? "[]" : text + "]";
    }

private:
    explicit NpyFile(std::unique_ptr<ByteSource> file) : m_file(std::move(file)) {}

    /// Whole columns, written row by row in blocks that stay in the caches.
    template <class T>
    void placeColumns(std::span<const T> columns, std::int64_t height, ColumnMajorWalk& walk, T* target) const {
        constexpr std::size_t kSideBySide = 1024;
        const std::int64_t rowStride = rowMajorStrides(m_header.shape)[0];
        std::vector<std::int64_t> places;
        const std::size_t rows = static_cast<std::size_t>(height), count = columns.size() / rows;
        for (std::size_t first = 0; first < count; first += kSideBySide) {
            places.resize(std::min(kSideBySide, count - first));
            for (std::int64_t& place : places) place = walk.next();
            const T* const from = columns.data() + first * rows;
            for (std::size_t row = 0; row < rows; ++row)
                for (std::size_t c = 0; c < places.size(); ++c)
                    target[places[c] + static_cast<std::int64_t>(row) * rowStride] = from[c * rows + row];
        }
    }

    static Result<NpyFile> openUnnamed(std::unique_ptr<ByteSource> source, const Shape& expected,
                                       const std::optional<NpyHeader>& header, FileShape fileShape) {
        NpyFile file(std::move(source));
        if (header) file.m_header = *header;
        if (!header) {
            CUBIST_TRY(file.m_headerBytes, file.readHeader());
        }
        if (fileShape == FileShape::SameCount) CUBIST_CHECK_OK(file.takeAs(expected));
        // Axes of one element move nothing: a row of N is [N] elsewhere and [1, N] here.
        // Kernels that publish [B, M, K] read it as [B, M * K] here.
        const Shape there = withoutOnes(file.m_header.shape), wanted = withoutOnes(expected);
        if (there == wanted || (!file.m_header.fortranOrder && mergesInto(there, wanted)))
            file.m_header.shape = expected;
        if (file.m_header.shape != expected)
            return unexpected(ErrorCode::BadValue, "the file has the shape " + shapeText(file.m_header.shape) +
                                                       "; the tensor has " + shapeText(expected));
        CUBIST_TRY(file.m_count, elementCount(expected));
        const auto bytes = checkedMul(file.m_count, static_cast<std::int64_t>(file.type().bytes));
        if (!bytes) return unexpected(ErrorCode::DoesNotFit, "the tensor has more than 2^63 bytes");
        if (file.m_file->size() < 0) return file;
        const std::int64_t missing = *bytes - (file.m_file->size() - static_cast<std::int64_t>(file.m_headerBytes));
        if (missing > 0)
            return unexpected(ErrorCode::BadFile, "the file is truncated: " + std::to_string(missing) + " of " +
                                                      std::to_string(*bytes) + " bytes of data are missing");
        if (missing < 0)
            return unexpected(ErrorCode::BadFile,
                              "the file has " + std::to_string(-missing) + " bytes more than its header says");
        return file;
    }

    /// Takes the elements one after the other for those of a tensor of as many elements.
    Result<void> takeAs(const Shape& expected) {
        CUBIST_TRY(const std::int64_t there, elementCount(m_header.shape));
        CUBIST_TRY(const std::int64_t wanted, elementCount(expected));
        if (there != wanted)
            return unexpected(ErrorCode::BadValue, "the file has " + std::to_string(there) + " elements " +
                                                       shapeText(m_header.shape) + "; " + std::to_string(wanted) +
                                                       " are wanted");
        if (m_header.fortranOrder && m_header.shape.size() > 1)
            return unexpected(ErrorCode::BadValue, "the file is in Fortran order, which leaves no other order to it");
        m_header.fortranOrder = false;
        m_header.shape = expected;
        return {};
    }

    /// Bytes before the elements.
    Result<std::size_t> readHeader() {
        std::string magic(kNpyMagicBytes, '\0');
        CUBIST_TRY(const std::size_t got, m_file->read(magic.data(), magic.size()));
        CUBIST_TRY(const std::size_t lengthBytes, npyLengthBytes(std::string_view(magic).substr(0, got)));
        std::uint32_t length = 0;
        const Unexpected truncated = unexpected(ErrorCode::BadFile, "the file is truncated inside its header");
        CUBIST_TRY(const std::size_t lengthGot, m_file->read(&length, lengthBytes));
        if (lengthGot < lengthBytes) return truncated;
        if (length > kNpyMaxHeaderBytes)
            return unexpected(ErrorCode::BadFile,
                              "damaged .npy header: it claims " + std::to_string(length) + " bytes");
        std::string dictionary(length, '\0');
        CUBIST_TRY(const std::size_t dictionaryGot, m_file->read(dictionary.data(), dictionary.size()));
        if (dictionaryGot < dictionary.size()) return truncated;
        CUBIST_TRY(m_header, parseNpyHeader(dictionary));
        return kNpyMagicBytes + lengthBytes + dictionary.size();
    }

    Result<void> readChunk(std::span<std::byte> raw) {
        CUBIST_TRY(const std::size_t got, m_file->read(raw.data(), raw.size()));
        if (got < raw.size())
            return unexpected(ErrorCode::BadFile, "the file is truncated: at least " +
                                                      std::to_string(raw.size() - got) + " bytes are missing");
        if (!type().bigEndian || type().bytes == 1) return {};
        for (std::size_t at = 0; at < raw.size(); at += type().bytes)
            std::reverse(raw.begin() + static_cast<std::ptrdiff_t>(at),
                         raw.begin() + static_cast<std::ptrdiff_t>(at + type().bytes));
        return {};
    }

    std::unique_ptr<ByteSource> m_file;
    NpyHeader m_header;
    std::size_t m_headerBytes = 0;
    std::int64_t m_count = 0;
    std::int64_t m_first = 0;
};

/// The integers of a chunk; nothing for a uint64 beyond the range of int64.
std::optional<std::int64_t> integerAt(const NpyType& type, const std::byte* element) {
    const auto load = [&](auto value) {
        std::memcpy(&value, element, sizeof value);
        return value;
    };
    if (type.kind == NpyType::Kind::Signed) {
        if (type.bytes == 1) return load(std::int8_t{});
        if (type.bytes == 2) return load(std::int16_t{});
        if (type.bytes == 4) return load(std::int32_t{});
        return load(std::int64_t{});
    }
    if (type.bytes == 1) return load(std::uint8_t{});
    if (type.bytes == 2) return load(std::uint16_t{});
    if (type.bytes == 4) return load(std::uint32_t{});
    const auto value = load(std::uint64_t{});
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

struct IntegerRange {
    std::int64_t low = 0, high = 0;
};

IntegerRange rangeOf(DType dtype) {
    if (dtype == DType::BOOL) return {0, 1};
    if (dtype == DType::UINT8) return {0, 255};
    const int bits = bitsPerElement(dtype);
    const std::int64_t high =
        bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
    return {-high - 1, high};
}

/// The unsigned integer that carries the codes of a type through files; 0 bytes when the type travels as itself.
std::size_t codeBytes(DType dtype) {
    switch (dtype) {
        case DType::BF16: return 2;
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::FP4E2M1:
        case DType::FP4E1M2:
        case DType::INT4: return 1;
        case DType::FP32:
        case DType::FP16:
        case DType::INT8:
        case DType::INT16:
        case DType::INT32:
        case DType::INT64:
        case DType::UINT8:
        case DType::BOOL: return 0;
    }
    return 0;
}

/// How the elements of a file become those of a type.
enum class Route : std::uint8_t { Same, Codes, FromFloat, FromInteger, None };

Route routeOf(const NpyType& type, DType dtype) {
    if (codeBytes(dtype) > 0 && type.is(NpyType::Kind::Unsigned, codeBytes(dtype))) return Route::Codes;
    if (!isFloat(dtype)) return type.isInteger() ? Route::FromInteger : Route::None;
    if (type.isInteger()) return Route::None;
    const bool same = (dtype == DType::FP32 && type.bytes == 4) || (dtype == DType::FP16 && type.bytes == 2);
    return same ? Route::Same : Route::FromFloat;
}

/// Whether the file's elements are the tensor's storage, with no value to refuse among them.
bool sameInFile(const NpyType& type, Route route, DType dtype) {
    if (route == Route::Same) return true;
    if (route == Route::Codes) return bitsPerElement(dtype) >= 8;
    const bool integer = route == Route::FromInteger && dtype != DType::BOOL && bitsPerElement(dtype) >= 8;
    const auto kind = dtype == DType::UINT8 ? NpyType::Kind::Unsigned : NpyType::Kind::Signed;
    return integer && type.is(kind, static_cast<std::size_t>(hostBytesPerElement(dtype)));
}

Unexpected wrongType(const NpyFile& file, DType dtype) {
    std::string wanted = !isFloat(dtype) ? "an integer file" : "a float file";
    if (codeBytes(dtype) > 0) wanted += codeBytes(dtype) == 2 ? " or codes as uint16" : " or codes as uint8";
    return unexpected(ErrorCode::WrongType,
                      "the file holds " + file.type().name() + "; " + std::string(toText(dtype)) + " wants " + wanted);
}

/// Four-bit codes, checked; INT4 codes become their values.
Result<void> copyCodes(const NpyFile& file, DType dtype, std::span<const std::byte> raw, void* out) {
    std::memcpy(out, raw.data(), raw.size());
    if (bitsPerElement(dtype) != 4) return {};
    auto* const codes = static_cast<std::uint8_t*>(out);
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (codes[i] > 15)
            return unexpected(ErrorCode::BadValue, "element " + file.elementText(i) + " is " +
                                                       std::to_string(codes[i]) + "; a code of " +
                                                       std::string(toText(dtype)) + " is 0 to 15");
        if (dtype == DType::INT4 && codes[i] > 7) codes[i] = static_cast<std::uint8_t>(codes[i] - 16);
    }
    return {};
}

/// Encodes the values of a chunk, all of which the type must hold.
template <class T>
Result<void> encodeHeld(const NpyFile& file, DType dtype, std::span<const T> values, void* out) {
    if (const auto bad = firstNotHeld(dtype, values))
        return unexpected(ErrorCode::BadValue,
                          "element " + file.elementText(*bad) + " is " +
                              shortestText(static_cast<double>(values[*bad])) + "; " + heldText(dtype),
                          {}, "scale or clip the values first");
    encodeRow(dtype, values, out);
    return {};
}

Result<void> encodeFloats(const NpyFile& file, DType dtype, std::span<const std::byte> raw, void* out) {
    const std::size_t bytes = file.type().bytes, count = raw.size() / bytes;
    if (bytes == 8) {
        std::vector<double> values(count);
        std::memcpy(values.data(), raw.data(), raw.size());
        return encodeHeld(file, dtype, std::span<const double>(values), out);
    }
    std::vector<float> values(count);
    if (bytes == 4)
        std::memcpy(values.data(), raw.data(), raw.size());
    else
        decodeRow(DType::FP16, raw.data(), std::span<float>(values));
    return encodeHeld(file, dtype, std::span<const float>(values), out);
}

Result<void> storeIntegers(const NpyFile& file, DType dtype, std::span<const std::byte> raw, std::byte* out) {
    const IntegerRange range = rangeOf(dtype);
    const auto width = static_cast<std::size_t>(hostBytesPerElement(dtype));
    for (std::size_t i = 0; i * file.type().bytes < raw.size(); ++i) {
        const std::optional<std::int64_t> value = integerAt(file.type(), raw.data() + i * file.type().bytes);
        if (!value || *value < range.low || *value > range.high)
            return unexpected(ErrorCode::BadValue, "element " + file.elementText(i) + " is " +
                                                       (value ? std::to_string(*value) : "beyond 2^63") + "; " +
                                                       std::string(toText(dtype)) + " holds " +
                                                       std::to_string(range.low) + " to " + std::to_string(range.high));
        std::memcpy(out + i * width, &*value, width);  // little endian: the low bytes come first
    }
    return {};
}

template <class T>
Result<void> fill(NpyFile& file, DType dtype, Route route, HostTensor& tensor) {
    return file.readInto(tensor.writableCodes<T>().data(), [&](std::span<const std::byte> raw, T* out) -> Result<void> {
        if (route == Route::Codes) return copyCodes(file, dtype, raw, out);
        if (route == Route::FromFloat) return encodeFloats(file, dtype, raw, out);
        if (route == Route::FromInteger) return storeIntegers(file, dtype, raw, reinterpret_cast<std::byte*>(out));
        std::memcpy(out, raw.data(), raw.size());
        return {};
    });
}

Result<HostTensor> tensorFrom(NpyFile file, const std::string& path, DType dtype, const Shape& shape) {
    const Route route = routeOf(file.type(), dtype);
    if (route == Route::None) return atPath(wrongType(file, dtype).error, path);
    if (sameInFile(file.type(), route, dtype))
        if (std::optional<MappedBytes> mapped = file.map()) {
            Result<HostTensor> inPlace = HostTensor::wrap(dtype, shape, mapped->bytes, std::move(mapped->owner));
            if (inPlace) return inPlace;  // else the elements are not aligned, and a copy is
        }
    CUBIST_TRY(HostTensor tensor, HostTensor::uninitialised(dtype, shape));
    const int bytes = hostBytesPerElement(dtype);
    Result<void> done = bytes == 1   ? fill<std::uint8_t>(file, dtype, route, tensor)
                        : bytes == 2 ? fill<std::uint16_t>(file, dtype, route, tensor)
                        : bytes == 4 ? fill<std::uint32_t>(file, dtype, route, tensor)
                                     : fill<std::uint64_t>(file, dtype, route, tensor);
    if (!done) return atPath(std::move(done).error(), path);
    return tensor;
}

Result<std::vector<double>> valuesFrom(NpyFile file, const std::string& path, DType codesOf) {
    const NpyType type = file.type();
    const Route route = routeOf(type, codesOf);
    if (route == Route::None) return atPath(wrongType(file, codesOf).error, path);
    std::vector<double> values;
    try {
        values.resize(static_cast<std::size_t>(file.count()));
    } catch (const std::exception&) {  // length_error or bad_alloc
        return unexpected(ErrorCode::DoesNotFit, "no memory for " + std::to_string(file.count()) + " golden values",
                          path);
    }
    Result<void> done = file.readInto(values.data(), [&](std::span<const std::byte> raw, double* out) -> Result<void> {
        const std::span<double> target(out, raw.size() / type.bytes);
        if (route == Route::Codes) {
            std::vector<std::uint16_t> codes((raw.size() + 1) / 2);
            CUBIST_CHECK_OK(copyCodes(file, codesOf, raw, codes.data()));
            decodeRow(codesOf, codes.data(), target);
        } else if (type.isInteger()) {
            for (std::size_t i = 0; i < target.size(); ++i) {
                const std::optional<std::int64_t> value = integerAt(type, raw.data() + i * type.bytes);
                if (!value)
                    return unexpected(ErrorCode::BadValue, "element " + file.elementText(i) + " is beyond 2^63");
                target[i] = static_cast<double>(*value);
            }
        } else if (type.bytes == 8) {
            std::memcpy(out, raw.data(), raw.size());
        } else {
            decodeRow(type.bytes == 4 ? DType::FP32 : DType::FP16, raw.data(), target);
        }
        return {};
    });
    if (!done) return atPath(std::move(done).error(), path);
    return values;
}

}  // namespace

Result<HostTensor> readNpyAs(const std::string& path, DType dtype, const Shape& shape) {
    CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
    return readNpyAs(std::move(source), path, dtype, shape);
}

Result<HostTensor> readNpyAs(std::unique_ptr<ByteSource> source, const std::string& path, DType dtype,
                             const Shape& shape, FileShape fileShape) {
    CUBIST_TRY(NpyFile file, NpyFile::open(std::move(source), path, shape, std::nullopt, fileShape));
    return tensorFrom(std::move(file), path, dtype, shape);
}

Result<HostTensor> readElementsAs(std::unique_ptr<ByteSource> source, const std::string& path, const NpyHeader& header,
                                  DType dtype, const Shape& shape) {
    CUBIST_TRY(NpyFile file, NpyFile::open(std::move(source), path, shape, header));
    return tensorFrom(std::move(file), path, dtype, shape);
}

Result<std::vector<double>> readNpyFloat64(const std::string& path, DType codesOf, const Shape& shape) {
    CUBIST_TRY(std::unique_ptr<FileSource> source, FileSource::open(path));
    return readNpyFloat64(std::move(source), path, codesOf, shape);
}

Result<std::vector<double>> readNpyFloat64(std::unique_ptr<ByteSource> source, const std::string& path, DType codesOf,
                                           const Shape& shape, FileShape fileShape) {
    CUBIST_TRY(NpyFile file, NpyFile::open(std::move(source), path, shape, std::nullopt, fileShape));
    return valuesFrom(std::move(file), path, codesOf);
}

Result<std::vector<double>> readElementsFloat64(std::unique_ptr<ByteSource> source, const std::string& path,
                                                const NpyHeader& header, DType codesOf, const Shape& shape) {
    CUBIST_TRY(NpyFile file, NpyFile::open(std::move(source), path, shape, header));
    return valuesFrom(std::move(file), path, codesOf);
}

}  // namespace cubist
