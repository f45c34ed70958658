// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/group_key.h"

#include <bit>
#include <optional>

#include "core/lowering/merge_graph.h"

namespace cubist {
namespace {

class Key {
public:
    explicit Key(TaskKind kind) : m_hash(static_cast<std::uint64_t>(kind) + 1) {}
    template <class T>
    Key& add(T value) {
        m_hash = mixKey(m_hash, static_cast<std::uint64_t>(value));
        return *this;
    }
    [[nodiscard]] std::uint64_t value() const { return m_hash; }

private:
    std::uint64_t m_hash;
};

}  // namespace

std::uint64_t cubeGroupKey(const CubeLeafSpec& spec, std::int64_t k) {
    Key key(TaskKind::Aic);
    key.add(k).add(spec.mTile).add(spec.nTile).add(spec.kL0).add(spec.kAL1).add(spec.kBL1);
    key.add(spec.aTrans).add(spec.bTrans).add(spec.aType).add(spec.bType).add(spec.slotCount);
    for (const DType type : spec.outTypes) key.add(type);
    key.add(spec.nzA).add(spec.nzB).add(spec.scaled).add(spec.scaleATrans).add(spec.scaleBTrans);
    for (const bool atomic : spec.outAtomic) key.add(atomic);
    for (const std::optional<DType>& type : {spec.biasType, spec.channelScaleType})
        key.add(type ? static_cast<int>(*type) : -1);
    key.add(spec.scale ? std::bit_cast<std::uint32_t>(*spec.scale) : 0U).add(spec.relu).add(spec.accumulation);
    key.add(spec.fractalK).add(spec.hf32MantissaBits).add(spec.hf32TiesAway);
    return key.value();
}

std::uint64_t vectorGroupKey(const VectorLeafSpec& spec, std::span<const std::int64_t> tile) {
    Key key(TaskKind::Aiv);
    for (const std::int64_t size : tile) key.add(size);
    for (const VectorLeafValue& value : spec.values) key.add(value.dtype);
    for (const std::uint16_t input : spec.inputs) key.add(input);
    for (const VectorLeafOp& op : spec.ops) {
        key.add(op.detail.op).add(op.detail.dstType).add(op.detail.round).add(op.detail.axis).add(op.out);
        const VectorTraits& traits = op.detail.traits;
        key.add(traits.step).add(traits.largest).add(traits.accumulate).add(traits.interleaved).add(traits.reduce);
        key.add(traits.fromGm)
            .add(traits.scaleRounding)
            .add(traits.mxType)
            .add(std::bit_cast<std::uint64_t>(traits.alpha));
        for (std::size_t i = 0; i < kMaxOperands; ++i) {
            // Where an arange starts is a matter of the tile, not of the structure.
            const bool structural = op.detail.number[i] && (op.detail.op != VectorOpCode::Arange || i > 0);
            key.add(op.in[i]).add(structural ? std::bit_cast<std::uint64_t>(*op.detail.number[i]) : 0);
        }
    }
    for (const VectorLeafOutput& output : spec.outputs)
        key.add(output.value).add(output.index).add(output.atomic).add(output.detail.op).add(output.detail.axis);
    return key.value();
}

}  // namespace cubist
