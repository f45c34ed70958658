// SPDX-License-Identifier: GPL-3.0-or-later
// bench_edit [SAMPLE]
// How long the prediction takes after one edit of a bundled sample, from the edited design to the report, with what is
// known from the prediction before the edit. Bar: median below 16 ms, worst below 50 ms.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/run/prediction_cache.h"

namespace {

using namespace cubist;

using Edit = std::pair<std::string, std::function<void(Design&)>>;

void forEachStage(std::vector<Block>& blocks, const std::function<void(Block&)>& visit) {
    for (Block& block : blocks) {
        if (auto* loop = std::get_if<Loop>(&block.content)) forEachStage(loop->body, visit);
        visit(block);
    }
}

/// One edit per stage and kind, and those of the options.
std::vector<Edit> editsOf(const Design& design) {
    std::vector<Edit> edits;
    Design copy = design;
    std::size_t count = 0;
    forEachStage(copy.blocks, [&](Block&) { ++count; });
    const auto onStage = [](std::size_t which, const std::function<void(Block&)>& change) {
        return [which, change](Design& d) {
            std::size_t at = 0;
            forEachStage(d.blocks, [&](Block& block) {
                if (at++ == which) change(block);
            });
        };
    };
    for (std::size_t i = 0; i < count; ++i) {
        edits.emplace_back("kL0", onStage(i, [](Block& block) {
                               auto* cube = std::get_if<CubeStage>(&block.content);
                               if (cube != nullptr && cube->tile.k.size() > 1 && cube->tile.k[0] >= 64)
                                   cube->tile.k[0] /= 2;
                           }));
        edits.emplace_back("nL0", onStage(i, [](Block& block) {
                               auto* cube = std::get_if<CubeStage>(&block.content);
                               if (cube != nullptr && cube->tile.n.size() > 1 && cube->tile.n[0] >= 64)
                                   cube->tile.n = {cube->tile.n[0] / 2, cube->tile.n[1] / 2};
                           }));
        edits.emplace_back("vector tile", onStage(i, [](Block& block) {
                               auto* vector = std::get_if<VectorStage>(&block.content);
                               if (vector != nullptr && !vector->tile.empty() && vector->tile[0] > 1)
                                   vector->tile[0] /= 2;
                           }));
    }
    edits.emplace_back("mode", [](Design& d) { d.options.deviceSchedMode ^= 1; });
    edits.emplace_back("stitch", [](Design& d) { d.options.stitchFunctionMaxNum = 7; });
    edits.emplace_back("l1 reuse", [](Design& d) { d.options.cubeL1Reuse.set("DEFAULT", 2); });
    edits.emplace_back("name", [](Design& d) { d.name += "x"; });
    std::erase_if(edits, [&](const Edit& edit) {
        Design edited = design;
        edit.second(edited);
        return edited == design;
    });
    return edits;
}

double milliseconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double quantile(std::vector<double> times, double q) {
    std::sort(times.begin(), times.end());
    return times.empty() ? 0 : times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
    const std::string root = CUBIST_SOURCE_DIR;
    const ChipLibrary chips = ChipLibrary::load({root + "/resources/chips"});
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(root + "/samples"))
        if (entry.path().string().ends_with(".cubist.json")) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    std::vector<double> all;
    std::vector<double> allAnew;
    std::printf("%-40s %6s %12s %10s %10s\n", "sample", "edits", "anew ms", "median ms", "worst ms");
    for (const std::string& file : files) {
        if (argc > 1 && file.find(argv[1]) == std::string::npos) continue;
        const auto loaded = loadDesign(file);
        if (!loaded) continue;
        const auto chip = chips.find(loaded->design.chip.text);
        if (!chip) continue;
        const auto requestOf = [&](const Design& design) {
            RunRequest request;
            request.design = std::make_shared<const Design>(design);
            request.chip = *chip;
            return request;
        };
        std::vector<double> anew;
        std::vector<double> times;
        for (const auto& [name, change] : editsOf(loaded->design)) {
            Design edited = loaded->design;
            change(edited);
            const RunRequest after = requestOf(edited);
            anew.push_back(milliseconds([&] { (void)predictOnly(after, {}); }));
            PredictionCache cache;
            (void)predictAgain(requestOf(loaded->design), cache, {});
            times.push_back(milliseconds([&] { (void)predictAgain(after, cache, {}); }));
        }
        all.insert(all.end(), times.begin(), times.end());
        allAnew.insert(allAnew.end(), anew.begin(), anew.end());
        std::printf("%-40s %6zu %12.2f %10.2f %10.2f\n", std::filesystem::path(file).filename().c_str(), times.size(),
                    quantile(anew, 0.5), quantile(times, 0.5), quantile(times, 1.0));
    }
    std::printf("%-40s %6zu %12.2f %10.2f %10.2f\n", "all", all.size(), quantile(allAnew, 0.5), quantile(all, 0.5),
                quantile(all, 1.0));
    return 0;
}
