// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/ids.h"
#include "core/base/rational.h"
#include "core/base/units.h"
#include "core/base/visit.h"

namespace cubist {

/// How far a constant can be trusted.
enum class Confidence : std::uint8_t { Documented, CostModel, Estimate };

template <>
struct EnumTable<Confidence> {
    static constexpr std::string_view name = "confidence";
    static constexpr std::array entries{std::pair{Confidence::Documented, std::string_view{"documented"}},
                                        std::pair{Confidence::CostModel, std::string_view{"cost-model"}},
                                        std::pair{Confidence::Estimate, std::string_view{"estimate"}}};
};

/// One hardware number with its unit, confidence and origin. The value is exact (a decimal of the file).
struct Constant {
    Rational value;
    std::string unit;
    Confidence confidence = Confidence::Estimate;
    std::string source;  ///< document and section, or a formula id
    std::string note;
    UnknownFields unknown;
    bool operator==(const Constant&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("value", self.value);
        v.required("unit", self.unit);
        v.required("confidence", self.confidence);
        v.required("source", self.source);
        v.optional("note", self.note);
        v.unknown(self.unknown);
    }

    [[nodiscard]] std::int64_t integer() const { return value.ceil(); }
};

/// What stands for the constants that chip files of earlier versions do not have; each with its unit, an origin and
/// `kMissingConstant` as its note. Source: F-11, F-19, F-26, F-29, F-63.
struct ChipDefaults {
    /// Begins the note of a constant that the file does not have.
    static constexpr std::string_view kMissingConstant = "not in the file";

    [[nodiscard]] static Constant aicpuStart();
    [[nodiscard]] static Constant scalarIssue();
    [[nodiscard]] static Constant btBytesPerCycle();
    [[nodiscard]] static Constant fbOverhead();
    [[nodiscard]] static Constant fbBytesPerCycle();
    /// `perCycle`: of an operand stored in rows.
    [[nodiscard]] static Constant hbmNzBytesPerCycle(const std::string& arch, const Constant& perCycle);
    [[nodiscard]] static Constant ubBankReadCycles(const std::string& arch);
    [[nodiscard]] static Constant ubBankWriteCycles(const std::string& arch);
};

/// Cube rate for one operand type: an mmad works in fractals of 16 x K0 x 16 and spends `repeat` cycles on each.
struct CubeRate {
    DType dtype = DType::FP16;
    std::int64_t k0 = 16;  ///< elements of K in one fractal
    Constant repeat;       ///< cycles per fractal
    UnknownFields unknown;
    bool operator==(const CubeRate&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("dtype", self.dtype);
        v.required("k0", self.k0);
        v.required("repeat", self.repeat);
        v.unknown(self.unknown);
    }
};

/// Cost of some vector operations: head and tail, and cycles for each repeat, by the width of the widest operand.
struct VectorRate {
    std::vector<std::string> ops;           ///< as design files spell them
    Constant overhead, cycles16, cycles32;  ///< cycles16: types of 16 bits and less
    UnknownFields unknown;
    bool operator==(const VectorRate&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("ops", self.ops);
        v.required("overhead", self.overhead);
        v.required("cycles_16", self.cycles16);
        v.required("cycles_32", self.cycles32);
        v.unknown(self.unknown);
    }
};

/// Everything the emulated core knows about a chip; a file in resources/chips. Cycles are AI-core cycles.
struct ChipSpec {
    static constexpr std::int64_t kFormatVersion = 1;

    ChipId id;
    std::string title;
    std::string arch;                  ///< "2201" (A2/A3) or "3510" (950)
    std::vector<std::string> aliases;  ///< further spellings; one that several chips share is ambiguous on purpose

    Constant aicCount, aivCount, clockMHz;
    Constant l1Bytes, l0aBytes, l0bBytes, l0cBytes, ubBytes, btBytes, fbBytes, hbmBytes, l2Bytes;
    Constant hbmBytesPerSecond, l2BytesPerSecond;  ///< nominal
    /// What all cores together reach, the part of L2 that keeps data, and the unit in which it fetches. A bandwidth of
    /// 0 means that the path is not shared, a capacity of 0 that everything is found in L2. Source: F-03, F-04.
    Constant hbmEffectiveBytesPerSecond, l2EffectiveBytesPerSecond, l2EffectiveBytes, l2LineBytes;
    Constant launchOverhead;  ///< microseconds from the launch to the first core's start. Source: F-05

    std::vector<CubeRate> cube;                               ///< operand types the cube supports
    Constant mmadOverhead;                                    ///< cycles per mmad. Source: F-10
    Constant flagOverhead;                                    ///< cycles from a pipe to a waiting one. Source: F-06
    Constant mte2Overhead, mte2RowCycles, mte2BytesPerCycle;  ///< GM->L1. Source: F-11
    Constant mte2NzBytesPerCycle;    ///< of an operand that is stored in fractals already. Source: F-11
    Constant hbmBytesPerCycle;       ///< most that one core takes from HBM; 0: no limit of its own. Source: F-11
    Constant hbmNzBytesPerCycle;     ///< the same of an operand that is stored in fractals. Source: F-11
    Constant mte2UnalignedOverhead;  ///< cycles per row that does not begin at a multiple of 32 bytes. Source: F-11
    Constant readOverhead;  ///< cycles until what a transfer brought can be used; the pipe does not wait. Source: F-11
    Constant mxScaleOverhead;  ///< cycles per L1->L0 copy that brings scales. Source: F-12
    Constant mte1Overhead, mte1BytesPerCycleA, mte1BytesPerCycleB;  ///< L1->L0A / L0B. Source: F-12
    Constant btBytesPerCycle;                                       ///< L1->BT. Source: F-63
    Constant fbOverhead, fbBytesPerCycle;                           ///< L1->FB. Source: F-63
    Constant fixOverhead, fixBytesPerCycle;                         ///< L0C->GM. Source: F-13
    Constant fixElementsPerCycle, fixUnalignedOverhead;             ///< 0: no limit. Source: F-13
    Constant l0cToUbBytesPerCycle;                                  ///< 0: no such path. Source: F-13
    Constant gmToUbOverhead, gmToUbBytesPerCycle;                   ///< Source: F-14
    Constant ubToGmOverhead, ubToGmBytesPerCycle;                   ///< Source: F-15
    Constant vectorOverhead, vectorBytesPerRepeat;                  ///< of operations without a rate. Source: F-16
    std::vector<VectorRate> vectorRates;  ///< an operation stands in one at most. Source: F-16
    /// Cycles per repeat of two sources in the same bank groups of UB, of a source and the result. Source: F-19
    Constant ubBankReadCycles, ubBankWriteCycles;
    Constant scalarIssue;  ///< cycles of the S pipe per instruction compiled for dynamic shapes. Source: F-29
    Constant aicpuStart;   ///< microseconds in which the AICPUs of a PyPTO call begin. Source: F-26
    Constant dispatchCycles, resolveCycles, schedulerMHz;  ///< task dispatch. Source: F-17, F-18
    Constant pollCycles, stitchCycles, submitCycles;       ///< AICPUs. Source: F-70, F-71
    Constant schedulerThreads;                             ///< most threads that hand out tasks. Source: F-70

    UnknownFields unknown;
    bool operator==(const ChipSpec&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("title", self.title);
        v.required("arch", self.arch);
        v.optional("aliases", self.aliases);
        v.required("aic_count", self.aicCount);
        v.required("aiv_count", self.aivCount);
        v.required("clock_mhz", self.clockMHz);
        v.required("l1_bytes", self.l1Bytes);
        v.required("l0a_bytes", self.l0aBytes);
        v.required("l0b_bytes", self.l0bBytes);
        v.required("l0c_bytes", self.l0cBytes);
        v.required("ub_bytes", self.ubBytes);
        v.required("bt_bytes", self.btBytes);
        v.required("fb_bytes", self.fbBytes);
        v.required("hbm_bytes", self.hbmBytes);
        v.required("l2_bytes", self.l2Bytes);
        v.required("hbm_bytes_per_second", self.hbmBytesPerSecond);
        v.required("l2_bytes_per_second", self.l2BytesPerSecond);
        v.required("hbm_effective_bytes_per_second", self.hbmEffectiveBytesPerSecond);
        v.required("l2_effective_bytes_per_second", self.l2EffectiveBytesPerSecond);
        v.required("l2_effective_bytes", self.l2EffectiveBytes);
        v.required("l2_line_bytes", self.l2LineBytes);
        v.required("launch_overhead", self.launchOverhead);
        v.required("cube", self.cube);
        v.required("mmad_overhead", self.mmadOverhead);
        v.required("flag_overhead", self.flagOverhead);
        v.required("mte2_overhead", self.mte2Overhead);
        v.required("mte2_row_cycles", self.mte2RowCycles);
        v.required("mte2_bytes_per_cycle", self.mte2BytesPerCycle);
        v.required("mte2_nz_bytes_per_cycle", self.mte2NzBytesPerCycle);
        v.required("mte2_unaligned_overhead", self.mte2UnalignedOverhead);
        v.required("hbm_bytes_per_cycle", self.hbmBytesPerCycle);
        v.optional("hbm_nz_bytes_per_cycle", self.hbmNzBytesPerCycle,
                   ChipDefaults::hbmNzBytesPerCycle(self.arch, self.hbmBytesPerCycle));
        v.required("read_overhead", self.readOverhead);
        v.required("mte1_overhead", self.mte1Overhead);
        v.required("mte1_bytes_per_cycle_a", self.mte1BytesPerCycleA);
        v.required("mte1_bytes_per_cycle_b", self.mte1BytesPerCycleB);
        v.required("mx_scale_overhead", self.mxScaleOverhead);
        v.optional("bt_bytes_per_cycle", self.btBytesPerCycle, ChipDefaults::btBytesPerCycle());
        v.optional("fb_overhead", self.fbOverhead, ChipDefaults::fbOverhead());
        v.optional("fb_bytes_per_cycle", self.fbBytesPerCycle, ChipDefaults::fbBytesPerCycle());
        v.required("fix_overhead", self.fixOverhead);
        v.required("fix_bytes_per_cycle", self.fixBytesPerCycle);
        v.required("fix_elements_per_cycle", self.fixElementsPerCycle);
        v.required("fix_unaligned_overhead", self.fixUnalignedOverhead);
        v.required("l0c_to_ub_bytes_per_cycle", self.l0cToUbBytesPerCycle);
        v.required("gm_to_ub_overhead", self.gmToUbOverhead);
        v.required("gm_to_ub_bytes_per_cycle", self.gmToUbBytesPerCycle);
        v.required("ub_to_gm_overhead", self.ubToGmOverhead);
        v.required("ub_to_gm_bytes_per_cycle", self.ubToGmBytesPerCycle);
        v.required("vector_overhead", self.vectorOverhead);
        v.required("vector_bytes_per_repeat", self.vectorBytesPerRepeat);
        v.optional("vector_rates", self.vectorRates);
        v.optional("ub_bank_read_cycles", self.ubBankReadCycles, ChipDefaults::ubBankReadCycles(self.arch));
        v.optional("ub_bank_write_cycles", self.ubBankWriteCycles, ChipDefaults::ubBankWriteCycles(self.arch));
        v.optional("scalar_issue", self.scalarIssue, ChipDefaults::scalarIssue());
        v.optional("aicpu_start", self.aicpuStart, ChipDefaults::aicpuStart());
        v.required("dispatch_cycles", self.dispatchCycles);
        v.required("resolve_cycles", self.resolveCycles);
        v.required("scheduler_mhz", self.schedulerMHz);
        v.required("poll_cycles", self.pollCycles);
        v.required("stitch_cycles", self.stitchCycles);
        v.required("submit_cycles", self.submitCycles);
        v.required("scheduler_threads", self.schedulerThreads);
        v.unknown(self.unknown);
    }

    [[nodiscard]] const CubeRate* cubeRate(DType dtype) const {
        for (const CubeRate& rate : cube)
            if (rate.dtype == dtype) return &rate;
        return nullptr;
    }
    /// The rate of an operation; nullptr: one repeat a cycle.
    [[nodiscard]] const VectorRate* vectorRate(std::string_view op) const {
        for (const VectorRate& rate : vectorRates)
            for (const std::string& of : rate.ops)
                if (of == op) return &rate;
        return nullptr;
    }
    /// Lanes of a whole chip: S, MTE2, MTE1, M, FIX on each AIC and S, MTE2, V, MTE3 on each AIV. Source: F-02.
    [[nodiscard]] std::int64_t lanes() const { return 5 * aicCount.integer() + 4 * aivCount.integer(); }
};

}  // namespace cubist
