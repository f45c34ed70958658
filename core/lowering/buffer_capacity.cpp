// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/buffer_capacity.h"

namespace cubist {

std::int64_t bufferCapacity(const ChipSpec& chip, Buffer buffer) {
    switch (buffer) {
        case Buffer::L1: return chip.l1Bytes.integer();
        case Buffer::L0A: return chip.l0aBytes.integer();
        case Buffer::L0B: return chip.l0bBytes.integer();
        case Buffer::L0C: return chip.l0cBytes.integer();
        case Buffer::UB: return chip.ubBytes.integer();
        case Buffer::L0AMx: return chip.l0aBytes.integer() / 16;
        case Buffer::L0BMx: return chip.l0bBytes.integer() / 16;
        case Buffer::BT: return chip.btBytes.integer();
        case Buffer::FB: return chip.fbBytes.integer();
    }
    return 0;
}

}  // namespace cubist
