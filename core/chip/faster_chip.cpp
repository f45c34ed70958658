// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/chip/faster_chip.h"

#include <utility>

#include "core/base/rational.h"

namespace cubist {
namespace {

void faster(Constant& rate) {
    rate.value = rate.value * Rational(11, 10);
}

void shorter(Constant& cycles) {
    cycles.value = cycles.value * Rational(10, 11);
}

/// Shorter repeats, for whole ones are counted: with longer ones short tiles would gain nothing or too much.
void fasterRepeats(ChipSpec& chip) {
    if (chip.vectorRate(kOtherOperations) == nullptr) {
        VectorRate others;
        others.ops.emplace_back(kOtherOperations);
        others.overhead = chip.vectorOverhead;
        others.cycles16.value = others.cycles32.value = Rational(1);
        chip.vectorRates.push_back(std::move(others));
    }
    for (VectorRate& rate : chip.vectorRates) {
        shorter(rate.cycles16);
        shorter(rate.cycles32);
    }
    shorter(chip.ubBankReadCycles);
    shorter(chip.ubBankWriteCycles);
}

}  // namespace

void makeFaster(ChipSpec& chip, Resource resource) {
    switch (resource) {
        case Resource::Cube:
            for (CubeRate& rate : chip.cube) shorter(rate.repeat);
            return;
        case Resource::Mte1:
            faster(chip.mte1BytesPerCycleA);
            faster(chip.mte1BytesPerCycleB);
            faster(chip.btBytesPerCycle);
            return;
        case Resource::Mte2:
            faster(chip.mte2BytesPerCycle);
            faster(chip.mte2NzBytesPerCycle);
            faster(chip.hbmBytesPerCycle);
            faster(chip.hbmNzBytesPerCycle);
            shorter(chip.mte2RowCycles);
            faster(chip.gmToUbBytesPerCycle);
            return;
        case Resource::L2: faster(chip.l2EffectiveBytesPerSecond); return;
        case Resource::Hbm: faster(chip.hbmEffectiveBytesPerSecond); return;
        case Resource::Fixpipe:
            faster(chip.fixBytesPerCycle);
            faster(chip.fixElementsPerCycle);
            faster(chip.l0cToUbBytesPerCycle);
            faster(chip.fbBytesPerCycle);  // the copies into FB stand in its queue
            return;
        case Resource::Vector: fasterRepeats(chip); return;
        case Resource::Mte3: faster(chip.ubToGmBytesPerCycle); return;
    }
}

}  // namespace cubist
