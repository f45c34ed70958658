// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/design_json.h"
#include "core/run/run.h"

namespace cubist {

/// A tensor in a bundle: values of an input or a golden, or the hash of a result.
struct BundleTensor {
    TensorId id;
    std::string file;  ///< entry of the archive; empty: only the hash is there
    DType dtype = DType::FP32;
    std::vector<std::int64_t> shape;
    std::string sha256;  ///< of the elements as they are stored in memory
    bool operator==(const BundleTensor&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("file", self.file);
        v.required("dtype", self.dtype);
        v.required("shape", self.shape);
        v.optional("sha256", self.sha256);
    }
};

struct BundleFile {
    std::string name;
    std::int64_t bytes = 0;
    std::string sha256;
    bool operator==(const BundleFile&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("name", self.name);
        v.required("bytes", self.bytes);
        v.required("sha256", self.sha256);
    }
};

/// `manifest.json`: what was run and everything that the bundle holds.
struct BundleManifest {
    static constexpr std::int64_t kFormatVersion = 1;

    std::string tool, version;
    std::string design;
    ChipId chip;
    CaseId caseId;
    Dictionary<std::int64_t> symbols;
    Dictionary<std::vector<std::int64_t>> lists;  ///< that were given; others follow from the case and the inputs
    std::int64_t seed = 0;
    RuleProfile profile = RuleProfile::Enforced;
    bool force = false;
    std::int64_t goldenLimit = RunRequest{}.goldenLimit;
    std::vector<BundleTensor> inputs;   ///< those that came from files; the others follow from the seed
    std::vector<BundleTensor> goldens;  ///< those that were given
    std::vector<BundleTensor> outputs;  ///< hashes of the results
    std::vector<BundleFile> files;      ///< every entry but the manifest
    bool operator==(const BundleManifest&) const = default;

    /// The key "cubist_bundle" (format version) comes before these.
    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("tool", self.tool);
        v.required("version", self.version);
        v.required("design", self.design);
        v.required("chip", self.chip);
        v.optional("case", self.caseId);
        v.required("symbols", self.symbols);
        v.optional("lists", self.lists);
        v.required("seed", self.seed);
        v.required("profile", self.profile);
        v.optional("force", self.force);
        v.optional("golden_limit", self.goldenLimit, RunRequest{}.goldenLimit);
        v.optional("inputs", self.inputs);
        v.optional("goldens", self.goldens);
        v.required("outputs", self.outputs);
        v.required("files", self.files);
    }
};

struct Bundle {
    std::string path;
    BundleManifest manifest;
    LoadedDesign design;
    ChipSpec chip;
    std::string runJson;  ///< what the run found, without what depends on the host
};

/// Writes one file that reproduces a run anywhere: design, chip, input files, given goldens, result, hashes. A ZIP
/// archive without compression or times: equal runs give equal bytes. Precondition: `report` is the result of
/// `request`, with values. Errors: BadFile; what the readers of inputs and goldens report.
[[nodiscard]] Result<void> writeBundle(const std::string& path, const RunRequest& request, const RunReport& report,
                                       const std::string& version);

/// Opens a bundle and compares every entry with its hash. Errors: as ZipArchive; BadFile (entries that the manifest
/// does not name, or that are missing, longer or changed), what `readDesign` and `readChip` report.
[[nodiscard]] Result<Bundle> openBundle(const std::string& path);

/// The request that the bundle was made from; without readers.
[[nodiscard]] RunRequest requestOf(const Bundle& bundle);

/// What differs between the bundle's results and a run of its request, in words; empty: equal bit for bit.
[[nodiscard]] std::vector<std::string> differencesFromBundle(const Bundle& bundle, const RunReport& report);

}  // namespace cubist
