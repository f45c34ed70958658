// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/program.h"

#include <bit>

#include "core/base/integer_math.h"
#include "core/base/nz_format.h"

namespace cubist {

std::int64_t GmTensor::bytes() const {
    if (format == Format::ND) return deviceBytes(dtype, elementCount(shape));
    const NzLayout layout(dtype, shape[2], shape[3]);
    return deviceBytes(dtype, shape[0] * shape[1] * layout.count());
}

float fixpipeScale(float scale) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xFFFFE000u);
}

std::string_view bufferName(Buffer buffer) {
    switch (buffer) {
        case Buffer::L1: return "L1";
        case Buffer::L0A: return "L0A";
        case Buffer::L0B: return "L0B";
        case Buffer::L0C: return "L0C";
        case Buffer::UB: return "UB";
        case Buffer::L0AMx: return "L0A_MX";
        case Buffer::L0BMx: return "L0B_MX";
        case Buffer::BT: return "BT";
        case Buffer::FB: return "FB";
    }
    return {};
}

std::string_view pipeName(Pipe pipe) {
    switch (pipe) {
        case Pipe::S: return "S";
        case Pipe::MTE2: return "MTE2";
        case Pipe::MTE1: return "MTE1";
        case Pipe::M: return "M";
        case Pipe::FIX: return "FIX";
        case Pipe::V: return "V";
        case Pipe::MTE3: return "MTE3";
    }
    return {};
}

std::int64_t Program::instructionCount() const {
    std::int64_t count = 0;
    for (const Task& task : tasks) count += static_cast<std::int64_t>(leafOf(task).instructions.size());
    return count;
}

std::int64_t Program::flops() const {
    std::vector<std::int64_t> ofLeaf;
    ofLeaf.reserve(leaves.size());
    for (const Leaf& leaf : leaves) {
        std::int64_t multiplyAdds = 0;
        for (const Instruction& i : leaf.instructions)
            if (i.op == Opcode::Mmad) multiplyAdds += std::int64_t{i.extent[0]} * i.extent[1] * i.at[0];
        ofLeaf.push_back(2 * multiplyAdds);
    }
    std::int64_t sum = 0;
    for (const Task& task : tasks) sum += ofLeaf[task.leaf.value];
    return sum;
}

}  // namespace cubist
