// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/stage_results.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace cubist {

Result<HostTensor> validElements(const ResolvedDesign& design, const ValueId& value, const HostTensor& padded) {
    const ResolvedValue* resolved = design.value(value);
    if (resolved == nullptr || resolved->shape.empty())
        return unexpected(ErrorCode::Internal, "'" + value.text + "' is no value of the design");
    std::vector<Shape> parts;
    std::optional<Error> failed;
    CUBIST_TRY(const bool complete,
               forEachExecution(design, design.blocks[resolved->block].loops, [&](const IndexValues& at) {
                   auto valid = validShape(design, value, at);
                   if (valid)
                       parts.push_back(*std::move(valid));
                   else
                       failed = valid.error();
                   return !failed;
               }));
    if (!complete || failed) return unexpected(*std::move(failed));

    const Shape& declared = resolved->shape;
    const std::size_t rank = declared.size();
    Shape shape(rank, 0);
    for (const Shape& part : parts)
        for (std::size_t axis = 0; axis < rank; ++axis)
            shape[axis] = axis == 0 ? shape[0] + part[0] : std::max(shape[axis], part[axis]);
    CUBIST_TRY(HostTensor out, HostTensor::zeros(padded.dtype(), shape));
    const auto size = static_cast<std::size_t>(hostBytesPerElement(padded.dtype()));
    std::int64_t firstRow = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Shape& part = parts[p];
        std::int64_t rows = 1;
        for (std::size_t axis = 0; axis + 1 < rank; ++axis) rows *= part[axis];
        if (rank == 1) rows = part[0] > 0 ? 1 : 0;
        for (std::int64_t row = 0; row < rows && part.back() > 0; ++row) {
            std::int64_t from = 0, to = 0, rest = row;
            Shape at(rank, 0);
            for (std::size_t axis = rank - 1; axis-- > 0;) {
                at[axis] = rest % part[axis];
                rest /= part[axis];
            }
            for (std::size_t axis = 0; axis < rank; ++axis) {
                const std::int64_t before = axis == 0 ? static_cast<std::int64_t>(p) * declared[0] : 0;
                from = from * declared[axis] + before + at[axis];
                to = to * shape[axis] + (axis == 0 ? firstRow : 0) + at[axis];
            }
            std::memcpy(out.writableData() + static_cast<std::size_t>(to) * size,
                        padded.data() + static_cast<std::size_t>(from) * size,
                        static_cast<std::size_t>(part.back()) * size);
        }
        firstRow += part[0];
    }
    return out;
}

}  // namespace cubist
