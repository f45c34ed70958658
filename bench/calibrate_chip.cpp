// SPDX-License-Identifier: GPL-3.0-or-later
// calibrate_chip CASES.json CHIPS_FOLDER ARCH [SOURCE]
// Searches the fitted constants of one architecture (2201 or 3510) against measured times: one factor at a time, in
// shrinking steps, with a penalty for leaving the values of the chip files and no bandwidth beyond the nominal one.
// With SOURCE, the cases whose source contains it are left out of the search and reported as held out
// (docs/fidelity.md).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "core/exchange/chip_json.h"
#include "core/exchange/fidelity.h"

namespace {

using namespace cubist;

struct Parameter {
    const char* name;
    Constant ChipSpec::*constant;
    double spread;  ///< of the logarithm, how far the starting value can be trusted
};

constexpr Parameter kParameters[] = {
    {"mte2_overhead", &ChipSpec::mte2Overhead, 0.4},
    {"mte2_row_cycles", &ChipSpec::mte2RowCycles, 0.1},
    {"mte2_bytes_per_cycle", &ChipSpec::mte2BytesPerCycle, 0.2},
    {"mte2_unaligned_overhead", &ChipSpec::mte2UnalignedOverhead, 0.5},
    {"hbm_bytes_per_cycle", &ChipSpec::hbmBytesPerCycle, 0.3},
    {"hbm_nz_bytes_per_cycle", &ChipSpec::hbmNzBytesPerCycle, 0.3},
    {"read_overhead", &ChipSpec::readOverhead, 0.6},
    {"hbm_effective_bytes_per_second", &ChipSpec::hbmEffectiveBytesPerSecond, 0.06},
    {"l2_effective_bytes_per_second", &ChipSpec::l2EffectiveBytesPerSecond, 0.1},
    {"launch_overhead", &ChipSpec::launchOverhead, 0.4},
    {"flag_overhead", &ChipSpec::flagOverhead, 0.7},
    {"mte1_overhead", &ChipSpec::mte1Overhead, 0.4},
    {"mx_scale_overhead", &ChipSpec::mxScaleOverhead, 0.5},
    {"fix_overhead", &ChipSpec::fixOverhead, 0.5},
    {"fix_bytes_per_cycle", &ChipSpec::fixBytesPerCycle, 0.15},
    {"fix_elements_per_cycle", &ChipSpec::fixElementsPerCycle, 0.15},
    {"fix_unaligned_overhead", &ChipSpec::fixUnalignedOverhead, 0.5},
};

class Search {
public:
    Search(std::vector<FidelityCase> cases, std::map<std::string, ChipSpec> chips)
        : m_cases(std::move(cases)), m_start(std::move(chips)), m_logs(std::size(kParameters), 0.0) {}

    void run(int rounds) {
        double best = loss(m_logs);
        std::vector<double> step(m_logs.size());
        for (std::size_t p = 0; p < step.size(); ++p) step[p] = kParameters[p].spread / 2;
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t p = 0; p < m_logs.size(); ++p)
                if (!improve(p, step[p], best) && !improve(p, -step[p], best)) step[p] /= 2;
            std::printf("round %d: %.4f\n", round + 1, best);
        }
    }

    void print(const std::vector<FidelityCase>& heldOut) const {
        for (std::size_t p = 0; p < m_logs.size(); ++p)
            std::printf("%-32s times %.3f\n", kParameters[p].name, std::exp(m_logs[p]));
        const auto chips = scaled(m_logs);
        std::printf("%s", fidelityText(report(m_cases, chips)).c_str());
        if (!heldOut.empty()) std::printf("held out\n%s", fidelityText(report(heldOut, chips)).c_str());
    }

private:
    bool improve(std::size_t p, double by, double& best) {
        std::vector<double> logs = m_logs;
        logs[p] += by;
        const double now = loss(logs);
        if (now >= best) return false;
        best = now;
        m_logs = std::move(logs);
        return true;
    }

    [[nodiscard]] std::map<std::string, ChipSpec> scaled(const std::vector<double>& logs) const {
        std::map<std::string, ChipSpec> chips = m_start;
        for (auto& [id, chip] : chips)
            for (std::size_t p = 0; p < logs.size(); ++p) {
                Rational& value = (chip.*kParameters[p].constant).value;
                const double now = value.toDouble() * std::exp(logs[p]);
                value = now > 1e9 ? Rational(std::llround(now)) : Rational(std::llround(now * 1000), 1000);
            }
        for (auto& [id, chip] : chips) {
            chip.hbmEffectiveBytesPerSecond.value =
                std::min(chip.hbmEffectiveBytesPerSecond.value, chip.hbmBytesPerSecond.value);
            chip.l2EffectiveBytesPerSecond.value =
                std::min(chip.l2EffectiveBytesPerSecond.value, chip.l2BytesPerSecond.value);
        }
        return chips;
    }

    static FidelityReport report(const std::vector<FidelityCase>& cases, const std::map<std::string, ChipSpec>& chips) {
        return *measureFidelity(cases, [&](const std::string& id) -> Result<ChipSpec> { return chips.at(id); }, {});
    }

    /// Squares of small errors, sizes of large ones up to a third, and the distance from the chip files.
    [[nodiscard]] double loss(const std::vector<double>& logs) const {
        double sum = 0;
        for (const FidelityResult& result : report(m_cases, scaled(logs)).cases) {
            const double error =
                std::abs(std::log(*result.predictedMicroseconds / result.measured.measuredMicroseconds));
            sum += error < 0.05 ? 10 * error * error : std::min(error, 0.35) - 0.025;
        }
        for (std::size_t p = 0; p < logs.size(); ++p) sum += 0.02 * std::pow(logs[p] / kParameters[p].spread, 2);
        return sum;
    }

    std::vector<FidelityCase> m_cases;
    std::map<std::string, ChipSpec> m_start;
    std::vector<double> m_logs;  ///< of the factors
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: calibrate_chip CASES.json CHIPS_FOLDER 2201|3510 [SOURCE]\n");
        return 2;
    }
    std::stringstream text;
    text << std::ifstream(argv[1]).rdbuf();
    const auto cases = readFidelityCases(text.str());
    const ChipLibrary library = ChipLibrary::load({argv[2]});
    if (!cases) {
        std::fprintf(stderr, "%s\n", cases.error().message.c_str());
        return 2;
    }
    const std::string heldOutSource = argc > 4 ? argv[4] : "";
    std::vector<FidelityCase> used;
    std::vector<FidelityCase> heldOut;
    std::map<std::string, ChipSpec> chips;
    for (const FidelityCase& c : *cases) {
        const auto chip = library.find(c.chip);
        const bool tiny = c.copy && c.copy->tileRows == 1;  // two million copies that only show one interval
        if (!chip || chip->arch != argv[3] || !c.reason.empty() || tiny) continue;
        chips.emplace(c.chip, *chip);
        const bool out = !heldOutSource.empty() && c.source.find(heldOutSource) != std::string::npos;
        (out ? heldOut : used).push_back(c);
    }
    Search search(std::move(used), std::move(chips));
    search.run(8);
    search.print(heldOut);
    return 0;
}
