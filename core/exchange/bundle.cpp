// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/bundle.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/chip/slots.h"
#include "core/exchange/chip_json.h"
#include "core/exchange/field_reader.h"
#include "core/exchange/field_writer.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/migrate.h"
#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"
#include "core/exchange/result_json.h"
#include "core/exchange/sha256.h"
#include "core/exchange/zip_archive.h"
#include "core/exchange/zip_writer.h"

namespace cubist {
namespace {

constexpr const char* kVersionKey = "cubist_bundle";
constexpr const char* kManifest = "manifest.json";
constexpr const char* kDesign = "design.cubist.json";
constexpr const char* kChip = "chip.json";
constexpr const char* kRun = "run.json";
constexpr std::size_t kMaxTextBytes = JsonLimits{}.bytes;
constexpr std::size_t kMaxEntries = 4096;

std::string hashOf(const HostTensor& tensor) {
    Sha256 hash;
    hash.add({tensor.data(), tensor.byteCount()});
    return hash.finish();
}

/// An archive entry that is not written yet.
struct Entry {
    std::string name, text;
    std::shared_ptr<HostTensor> tensor;  ///< as a `.npy` file
    std::vector<double> values;          ///< as a float64 `.npy` file of `shape`
    Shape shape;

    /// Calls `use` with the entry's bytes.
    template <class Use>
    Result<void> withParts(const Use& use) const {
        if (tensor) {
            const NpyParts parts(*tensor);
            return use(parts.spans());
        }
        if (text.empty()) {
            const std::string header = npyHeaderBytes("<f8", shape);
            return use(ZipWriter::Parts{std::as_bytes(std::span(header)), std::as_bytes(std::span(values))});
        }
        return use(ZipWriter::Parts{std::as_bytes(std::span(text))});
    }
};

Shape logicalShapeOf(const GmTensor& tensor) {
    return Shape(tensor.shape.end() - tensor.rank, tensor.shape.end());
}

class BundleMaker {
public:
    BundleMaker(const RunRequest& request, const RunReport& report) : m_request(request), m_report(report) {}

    Result<std::vector<Entry>> entries(const std::string& version) {
        m_manifest.tool = "cubist";
        m_manifest.version = version;
        m_manifest.design = m_report.design;
        m_manifest.chip = m_report.chip;
        m_manifest.caseId = m_report.caseId;
        m_manifest.symbols = m_report.symbols;
        m_manifest.lists = m_request.lists;
        m_manifest.seed = m_report.seed;
        m_manifest.profile = m_report.profile;
        m_manifest.force = m_request.force;
        m_manifest.goldenLimit = m_request.goldenLimit;
        addText(kDesign, writeDesign(*m_request.design));
        addText(kChip, writeChip(m_request.chip));
        addText(kRun, resultJson(m_report, false));
        for (const GmTensor& tensor : m_report.program->tensors) {
            if (tensor.role == GmRole::Input) CUBIST_CHECK_OK(addInput(tensor));
            if (tensor.role == GmRole::Output) CUBIST_CHECK_OK(addOutput(tensor));
        }
        for (const Entry& entry : m_entries) CUBIST_CHECK_OK(describe(entry));
        JsonValue root = JsonValue::object();
        root.add(kVersionKey, JsonValue::fromInteger(BundleManifest::kFormatVersion));
        addFields(root, m_manifest, Defaults::Omit);
        m_entries.insert(m_entries.begin(), Entry{kManifest, prettyJson(root), nullptr, {}, {}});
        return std::move(m_entries);
    }

private:
    void addText(const std::string& name, std::string text) {
        m_entries.push_back({name, std::move(text), nullptr, {}, {}});
    }

    [[nodiscard]] std::optional<TensorFile> fileOf(const GmTensor& tensor) const {
        if (const auto given = m_request.inputs.find(tensor.name); given != m_request.inputs.end())
            return given->second;
        for (const Tensor& declared : m_request.design->tensors) {
            if (declared.id.text != tensor.name || !declared.data.file) continue;
            const std::string& file = *declared.data.file;
            const bool beside = !file.starts_with('/') && !m_request.baseFolder.empty();
            return TensorFile(beside ? m_request.baseFolder + "/" + file : file);
        }
        return std::nullopt;
    }

    Result<void> addInput(const GmTensor& tensor) {
        const std::optional<TensorFile> file = fileOf(tensor);
        if (!file) return {};
        const Shape shape = logicalShapeOf(tensor);
        CUBIST_TRY(HostTensor values, m_request.readers.input(*file, {tensor.name, tensor.dtype, shape}));
        const std::string name = "inputs/" + std::to_string(m_manifest.inputs.size()) + ".npy";
        m_manifest.inputs.push_back({TensorId(tensor.name), name, tensor.dtype, shape, hashOf(values)});
        m_entries.push_back({name, {}, std::make_shared<HostTensor>(std::move(values)), {}, {}});
        return {};
    }

    Result<void> addOutput(const GmTensor& tensor) {
        const HostTensor& result = m_report.outputs.at(tensor.name);
        m_manifest.outputs.push_back({TensorId(tensor.name), {}, tensor.dtype, result.shape(), hashOf(result)});
        const auto given = m_request.goldens.find(tensor.name);
        if (given == m_request.goldens.end()) return {};
        CUBIST_TRY(std::vector<double> values,
                   m_request.readers.golden(given->second, {tensor.name, tensor.dtype, result.shape()}));
        const std::string name = "goldens/" + std::to_string(m_manifest.goldens.size()) + ".npy";
        m_manifest.goldens.push_back({TensorId(tensor.name), name, tensor.dtype, result.shape(), {}});
        m_entries.push_back({name, {}, nullptr, std::move(values), result.shape()});
        return {};
    }

    Result<void> describe(const Entry& entry) {
        return entry.withParts([&](const ZipWriter::Parts& parts) -> Result<void> {
            Sha256 hash;
            std::int64_t bytes = 0;
            for (const std::span<const std::byte> part : parts) {
                hash.add(part);
                bytes += static_cast<std::int64_t>(part.size());
            }
            m_manifest.files.push_back({entry.name, bytes, hash.finish()});
            return {};
        });
    }

    const RunRequest& m_request;
    const RunReport& m_report;
    BundleManifest m_manifest;
    std::vector<Entry> m_entries;
};

Unexpected damaged(const std::string& why, const std::string& path) {
    return unexpected(ErrorCode::BadFile, "not a usable bundle: " + why, path);
}

Result<std::string> textOf(const ZipArchive& archive, const std::string& name, const std::string& path) {
    const ZipEntry* const entry = archive.find(name);
    if (entry == nullptr) return damaged("it has no " + name, path);
    return archive.text(*entry, kMaxTextBytes);
}

Result<BundleManifest> manifestFrom(const std::string& text) {
    CUBIST_TRY(JsonValue document, parseJson(text));
    CUBIST_TRY(const JsonValue current,
               migrate(std::move(document), {kVersionKey, BundleManifest::kFormatVersion, {}}));
    ReadState state;
    BundleManifest manifest;
    if (!readStruct(state, current, manifest, {kVersionKey})) return unexpected(*std::move(state.error));
    return manifest;
}

Result<void> checkFile(const ZipArchive& archive, const BundleFile& file, const std::string& path) {
    const ZipEntry* const entry = archive.find(file.name);
    if (entry == nullptr) return damaged("it has no " + quotedForMessage(file.name), path);
    if (entry->bytes != file.bytes) return damaged(quotedForMessage(file.name) + " has another length", path);
    CUBIST_TRY(const std::unique_ptr<ByteSource> source, archive.source(*entry));
    std::vector<std::byte> buffer(std::size_t{1} << 18);
    Sha256 hash;
    for (;;) {
        CUBIST_TRY(const std::size_t got, source->read(buffer.data(), buffer.size()));
        hash.add(std::span(buffer).first(got));
        if (got < buffer.size()) break;
    }
    if (hash.finish() != file.sha256) return damaged(quotedForMessage(file.name) + " was changed", path);
    return {};
}

/// The manifest names every entry once, and what its parts refer to are entries.
Result<void> checkContents(const ZipArchive& archive, const BundleManifest& manifest, const std::string& path) {
    const auto named = [&](const std::string& name) {
        return std::count_if(manifest.files.begin(), manifest.files.end(),
                             [&](const BundleFile& file) { return file.name == name; });
    };
    if (archive.entries().size() > kMaxEntries) return damaged("it has too many entries", path);
    for (const ZipEntry& entry : archive.entries())
        if (entry.name != kManifest && named(entry.name) != 1)
            return damaged("its manifest does not name " + quotedForMessage(entry.name), path);
    for (const auto* tensors : {&manifest.inputs, &manifest.goldens})
        for (const BundleTensor& tensor : *tensors)
            if (named(tensor.file) != 1)
                return damaged("it has no values of " + quotedForMessage(tensor.id.text), path);
    // What is padded is refused before it is hashed.
    for (const auto* tensors : {&manifest.inputs, &manifest.goldens})
        for (const BundleTensor& tensor : *tensors) {
            constexpr std::int64_t kMostHeader = 65536, kMostElement = 8;
            std::int64_t most = kMostElement;
            for (const std::int64_t extent : tensor.shape)
                most = saturatingMul(most, std::max<std::int64_t>(extent, 0));
            const ZipEntry* const entry = archive.find(tensor.file);
            if (entry != nullptr && entry->bytes > kMostHeader && entry->bytes - kMostHeader > most)
                return damaged(quotedForMessage(tensor.file) + " is longer than its values", path);
        }
    if (manifest.files.size() > kMaxEntries) return damaged("its manifest names too many entries", path);
    for (const BundleFile& file : manifest.files) CUBIST_CHECK_OK(checkFile(archive, file, path));
    return {};
}

template <class T>
Result<T> inside(Result<T> result, const std::string& path, const std::string& entry) {
    if (result) return result;
    Error error = std::move(result).error();
    if (error.where != path) error.where = path + ": " + entry + error.where;
    return unexpected(std::move(error));
}

}  // namespace

Result<void> writeBundle(const std::string& path, const RunRequest& request, const RunReport& report,
                         const std::string& version) {
    CUBIST_TRY(const std::vector<Entry> entries, BundleMaker(request, report).entries(version));
    CUBIST_TRY(ZipWriter archive, ZipWriter::create(path));
    for (const Entry& entry : entries)
        CUBIST_CHECK_OK(entry.withParts([&](const ZipWriter::Parts& parts) { return archive.add(entry.name, parts); }));
    return archive.commit();
}

Result<Bundle> openBundle(const std::string& path) {
    CUBIST_TRY(const ZipArchive archive, ZipArchive::open(path));
    Bundle bundle;
    bundle.path = path;
    CUBIST_TRY(const std::string manifest, textOf(archive, kManifest, path));
    CUBIST_TRY(bundle.manifest, inside(manifestFrom(manifest), path, kManifest));
    CUBIST_CHECK_OK(checkContents(archive, bundle.manifest, path));
    CUBIST_TRY(const std::string design, textOf(archive, kDesign, path));
    CUBIST_TRY(bundle.design, inside(readDesign(design), path, kDesign));
    CUBIST_TRY(const std::string chip, textOf(archive, kChip, path));
    CUBIST_TRY(LoadedChip loaded, inside(readChip(chip), path, kChip));
    bundle.chip = std::move(loaded.chip);
    CUBIST_TRY(bundle.runJson, textOf(archive, kRun, path));
    return bundle;
}

RunRequest requestOf(const Bundle& bundle) {
    RunRequest request;
    request.design = std::make_shared<const Design>(bundle.design.design);
    request.chip = bundle.chip;
    request.caseName = bundle.manifest.caseId.text;
    request.symbols = bundle.manifest.symbols;
    request.lists = bundle.manifest.lists;
    request.seed = bundle.manifest.seed;
    request.profile = bundle.manifest.profile;
    request.force = bundle.manifest.force;
    request.goldenLimit = bundle.manifest.goldenLimit;
    request.documentFindings = bundle.design.warnings;
    const auto take = [&](const std::vector<BundleTensor>& tensors, std::map<std::string, TensorFile>& files) {
        for (const BundleTensor& tensor : tensors) {
            TensorFile file(bundle.path);
            file.entry = tensor.file;
            files[tensor.id.text] = std::move(file);
        }
    };
    take(bundle.manifest.inputs, request.inputs);
    take(bundle.manifest.goldens, request.goldens);
    return request;
}

namespace {

/// Does a result say all that an earlier one says? Later versions say more, and a golden lies elsewhere than it did.
bool saysTheSame(const JsonValue& now, const JsonValue& then) {
    if (now.kind != then.kind) return false;
    if (then.isObject())
        return std::all_of(then.members.begin(), then.members.end(), [&](const JsonMember& member) {
            const JsonValue* value = now.find(member.key);
            return value != nullptr && (member.key == "golden_file" || saysTheSame(*value, member.value));
        });
    if (then.isArray())
        return std::equal(now.items.begin(), now.items.end(), then.items.begin(), then.items.end(), saysTheSame);
    return now == then;
}

bool sameResult(const std::string& now, const std::string& then) {
    const auto left = parseJson(now), right = parseJson(then);
    return left && right && saysTheSame(*left, *right);
}

}  // namespace

std::vector<std::string> differencesFromBundle(const Bundle& bundle, const RunReport& report) {
    std::vector<std::string> differences;
    for (const BundleTensor& expected : bundle.manifest.outputs) {
        const auto output = report.outputs.find(expected.id.text);
        if (output == report.outputs.end())
            differences.push_back("the output '" + expected.id.text + "' is missing");
        else if (hashOf(output->second) != expected.sha256)
            differences.push_back("the output '" + expected.id.text + "' has other bits");
    }
    if (differences.empty() && !sameResult(resultJson(report, false), bundle.runJson))
        differences.emplace_back("findings, accuracy or time are not those of run.json");
    return differences;
}

}  // namespace cubist
