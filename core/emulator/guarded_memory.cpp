// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/guarded_memory.h"

#include <algorithm>
#include <cstring>

namespace cubist {

GuardedTensor::GuardedTensor(const GmTensor& tensor)
    : m_dtype(tensor.dtype),
      m_shape(tensor.shape),
      m_rows(tensor.shape[0] * tensor.shape[1] * tensor.shape[2]),
      m_elementBytes(hostBytesPerElement(tensor.dtype)),
      m_guardBytes(std::min(kRowGuardBytes, tensor.shape[3] * m_elementBytes)),
      m_rowBytes(tensor.shape[3] * m_elementBytes + m_guardBytes),
      m_filler(std::byte{isFloat(tensor.dtype) ? std::uint8_t{0xFF} : std::uint8_t{0xA5}}),
      m_memory(static_cast<std::size_t>(m_rows * m_rowBytes + 2 * kZoneBytes), m_filler) {}

Extent4 GuardedTensor::stride() const {
    const std::int64_t row = m_rowBytes / m_elementBytes;
    return {m_shape[1] * m_shape[2] * row, m_shape[2] * row, row, 1};
}

void GuardedTensor::fill(InitialState state) {
    for (std::int64_t r = 0; r < m_rows; ++r) {
        std::byte* const row = data() + r * m_rowBytes;
        if (state == InitialState::Poison)
            poisonElements(m_dtype, row, m_shape[3]);
        else
            std::fill_n(row, m_shape[3] * m_elementBytes, std::byte{0});
    }
}

void GuardedTensor::copyFrom(const HostTensor& values) {
    const auto bytes = static_cast<std::size_t>(m_rowBytes - m_guardBytes);
    for (std::int64_t r = 0; r < m_rows; ++r)
        std::memcpy(data() + r * m_rowBytes, values.data() + static_cast<std::size_t>(r) * bytes, bytes);
}

void GuardedTensor::copyTo(HostTensor& values) const {
    const auto bytes = static_cast<std::size_t>(m_rowBytes - m_guardBytes);
    for (std::int64_t r = 0; r < m_rows; ++r)
        std::memcpy(values.writableData() + static_cast<std::size_t>(r) * bytes,
                    m_memory.data() + kZoneBytes + r * m_rowBytes, bytes);
}

GuardedTensor::Zone GuardedTensor::zoneBehind(std::int64_t row) const {
    if (row < 0) return {0, kZoneBytes};
    const std::int64_t end = kZoneBytes + (row + 1) * m_rowBytes;
    return {end - m_guardBytes, m_guardBytes + (row + 1 == m_rows ? kZoneBytes : 0)};
}

std::optional<std::int64_t> GuardedTensor::takeDamage(std::int64_t first, std::int64_t count) {
    std::optional<std::int64_t> damaged;
    for (std::int64_t row = std::max<std::int64_t>(first, -1); row < std::min(first + count, m_rows); ++row) {
        const Zone zone = zoneBehind(row);
        const auto begin = m_memory.begin() + zone.begin;
        if (std::all_of(begin, begin + zone.bytes, [&](std::byte byte) { return byte == m_filler; })) continue;
        std::fill(begin, begin + zone.bytes, m_filler);
        if (!damaged) damaged = row;
    }
    return damaged;
}

GuardedMemory::GuardedMemory(const Program& program) : m_program(&program), m_tensors(program.tensors.size()) {
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        if (program.tensors[i].role != GmRole::Input) m_tensors[i].emplace(program.tensors[i]);
}

std::optional<Extent4> GuardedMemory::takeDamage(const Box& box) {
    const Extent4& shape = m_program->tensors[box.tensor.value].shape;
    for (std::int64_t i = 0; i < box.valid[0]; ++i)
        for (std::int64_t j = 0; j < box.valid[1]; ++j) {
            // The guard in front of the first row is the one behind the row before.
            const std::int64_t first =
                ((box.offset[0] + i) * shape[1] + box.offset[1] + j) * shape[2] + box.offset[2] - 1;
            const auto row = of(box.tensor).takeDamage(first, box.valid[2] + 1);
            if (!row) continue;
            if (*row < 0) return Extent4{0, 0, 0, -1};
            return Extent4{*row / (shape[1] * shape[2]), *row / shape[2] % shape[1], *row % shape[2], shape[3] - 1};
        }
    return std::nullopt;
}

}  // namespace cubist
