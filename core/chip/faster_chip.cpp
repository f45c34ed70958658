// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/chip/faster_chip.h"

#include "core/base/rational.h"

namespace cubist {
namespace {

void faster(Constant& rate) {
    rate.value = rate.value * Rational(11, 10);
}

void shorter(Constant& cycles) {
    cycles.value = cycles.value * Rational(10, 11);
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
            return;
        case Resource::Vector: faster(chip.vectorBytesPerRepeat); return;
        case Resource::Mte3: faster(chip.ubToGmBytesPerCycle); return;
    }
}

}  // namespace cubist
