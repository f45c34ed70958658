// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/nan_scales.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/base/integer_math.h"
#include "core/emulator/task_part.h"

namespace cubist {
namespace {

constexpr std::byte kNanCode{0xFF};
constexpr std::int64_t kGroup = 32;

std::int64_t countNan(const GmTensor& tensor, const GmPlace& place) {
    std::int64_t count = 0;
    Extent4 at{};
    for (at[0] = 0; at[0] < tensor.shape[0]; ++at[0])
        for (at[1] = 0; at[1] < tensor.shape[1]; ++at[1])
            for (at[2] = 0; at[2] < tensor.shape[2]; ++at[2])
                for (at[3] = 0; at[3] < tensor.shape[3]; ++at[3])
                    count += place.read[at[0] * place.stride[0] + at[1] * place.stride[1] + at[2] * place.stride[2] +
                                        at[3]] == kNanCode
                                 ? 1
                                 : 0;
    return count;
}

struct Scale {
    std::int64_t matrix = 0, row = 0, group = 0;
};

/// The first NaN that a load brings in; `groups` of the operand's row take part in the product.
std::optional<Scale> firstNan(const Instruction& load, const Box& box, const GmPlace& place, std::int64_t groups) {
    const bool pairsFirst = (load.flags & kFlagTransposed) != 0;
    for (std::int64_t r = 0; r < load.extent[0]; ++r)
        for (std::int64_t g = 0; g < 2 * std::int64_t{load.extent[1]}; ++g) {
            const std::int64_t row = load.at[0] + r, group = 2 * std::int64_t{load.at[1]} + g;
            if (group >= groups) break;
            const std::int64_t first = box.offset[1] + (pairsFirst ? group / 2 : row);
            const std::int64_t second = box.offset[2] + (pairsFirst ? row : group / 2);
            const std::int64_t at = box.offset[0] * place.stride[0] + first * place.stride[1] +
                                    second * place.stride[2] + box.offset[3] + group % 2;
            if (place.read[at] != kNanCode) continue;
            return Scale{box.offset[0], pairsFirst ? second : first, 2 * (pairsFirst ? first : second) + group % 2};
        }
    return std::nullopt;
}

ValueNote noteOf(const Program& program, TaskPart part, const GmTensor& tensor, const Scale& scale,
                 std::int64_t count) {
    const std::string matrix = std::to_string(scale.matrix), row = std::to_string(scale.row);
    const std::string group = std::to_string(scale.group), all = std::to_string(count);
    const bool several = tensor.rank == 4;
    return {ValueNote::Kind::NanScale, part.task, memberOf(program, part).stage,
            blockText(program, part, false) + ": the scale of " + (several ? "matrix " + matrix + ", " : "") + "row " +
                row + ", group " + group + " of '" + tensor.name +
                "' is NaN (code 255), and so is every sum that it takes part in; such codes in the tensor: " + all,
            blockText(program, part, true) + "：'" + tensor.name + "' 中" +
                (several ? "第 " + matrix + " 个矩阵、" : "") + "第 " + row + " 行第 " + group +
                " 组的缩放因子为 NaN（编码 255），凡用到它的和均为 NaN；该张量中此编码共 " + all + " 个"};
}

}  // namespace

std::vector<ValueNote> findNanScales(const Program& program, const GmMemory& gm) {
    std::map<GmIndex, std::int64_t> tensors;
    for (std::size_t t = 0; t < program.tensors.size(); ++t) {
        if (program.tensors[t].dtype != DType::FP8E8M0) continue;
        if (const std::int64_t count = countNan(program.tensors[t], gm[t]); count > 0) tensors[GmIndex(t)] = count;
    }
    std::map<StageIndex, ValueNote> notes;
    if (tensors.empty()) return {};
    for (std::size_t t = 0; t < program.tasks.size(); ++t)
        for (std::uint32_t m = 0; m < program.tasks[t].memberCount; ++m) {
            const TaskPart part{TaskIndex(t), m};
            const StageIndex stage = memberOf(program, part).stage;
            if (notes.contains(stage)) continue;
            const Leaf& leaf = program.leaves[leafIndexOf(program, part).value];
            if (leaf.kind != TaskKind::Aic) continue;
            std::int64_t depth = 0;
            for (const Instruction& i : leaf.instructions)
                if (i.op == Opcode::Mmad) depth = std::max(depth, std::int64_t{i.at[0]} + i.at[1]);
            const std::span<const Box> boxes = boxesOf(program, part);
            for (const Instruction& i : leaf.instructions) {
                if (i.op != Opcode::LoadScales) continue;
                const Box& box = boxes[i.box];
                const auto found = tensors.find(box.tensor);
                if (found == tensors.end()) continue;
                const auto scale = firstNan(i, box, gm[box.tensor.value], ceilDiv(depth, kGroup));
                if (!scale) continue;
                notes.emplace(stage, noteOf(program, part, program.tensors[box.tensor.value], *scale, found->second));
                break;
            }
        }
    std::vector<ValueNote> out;
    for (auto& [stage, note] : notes) out.push_back(std::move(note));
    return out;
}

}  // namespace cubist
