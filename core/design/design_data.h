// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/ids.h"
#include "core/base/visit.h"
#include "core/design/design_enums.h"
#include "core/design/expression.h"

namespace cubist {

/// Where the elements of an input come from: a generator, or a file that the user gave.
struct DataSource {
    Generator generator = Generator::Uniform;
    double low = 0.0;       ///< uniform [low, high), integers low..high inclusive, constant low, normal mean low
    double high = 1.0;      ///< normal: standard deviation; arange: step
    Expression modulo = 0;  ///< arange: the index counts modulo this (`arange(M) % B`); 0: it does not
    std::optional<std::string> file;  ///< `.npy`, relative to the design's folder; replaces the generator
    ListId list;                      ///< the tensor holds the values of this list (Design::lists); replaces both
    UnknownFields unknown;
    bool operator==(const DataSource&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("generator", self.generator, Generator::Uniform);
        v.optional("low", self.low, 0.0);
        v.optional("high", self.high, 1.0);
        v.optional("modulo", self.modulo, Expression(0));
        v.optional("file", self.file);
        v.optional("list", self.list);
        v.unknown(self.unknown);
    }
};

/// How an output is judged; core/accuracy/criterion.h says what each criterion asks. An rtol or atol that is not stated
/// is the one of the output's type (F-36); with dtypeDefaults both are, whatever is stated.
/// Range: rtol, atol >= 0; 0 <= maxErrorRatio <= 1.
struct Tolerance {
    Criterion criterion = Criterion::AllClose;
    std::optional<double> rtol;
    std::optional<double> atol;
    bool dtypeDefaults = false;
    double maxErrorRatio = 0.005;               ///< error_ratio: share of the elements that may be outside
    PrecisionLevel level = PrecisionLevel::L2;  ///< three_way
    GoldenKind golden = GoldenKind::Ideal;
    UnknownFields unknown;
    bool operator==(const Tolerance&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.optional("criterion", self.criterion, Criterion::AllClose);
        v.optional("rtol", self.rtol);
        v.optional("atol", self.atol);
        v.optional("dtype_defaults", self.dtypeDefaults, false);
        v.optional("max_error_ratio", self.maxErrorRatio, 0.005);
        v.optional("level", self.level, PrecisionLevel::L2);
        v.optional("golden", self.golden, GoldenKind::Ideal);
        v.unknown(self.unknown);
    }
};

/// A tensor in global memory. Shape: 1 to 4 expressions over symbols.
struct Tensor {
    TensorId id;
    TensorRole role = TensorRole::Input;
    DType dtype = DType::FP32;
    std::vector<Expression> shape;
    Format format = Format::ND;
    CachePolicy cache = CachePolicy::Default;
    DataSource data;                     ///< inputs, and what an inout tensor holds before the kernel runs
    std::optional<Tolerance> tolerance;  ///< outputs; absent: the design's
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Tensor&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.required("role", self.role);
        v.required("dtype", self.dtype);
        v.required("shape", self.shape);
        v.optional("format", self.format, Format::ND);
        v.optional("cache", self.cache, CachePolicy::Default);
        v.optional("data", self.data);
        v.optional("tolerance", self.tolerance);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// A free dimension of the design, such as the number of tokens T. A dynamic one is known when the kernel is launched.
/// A static one (`pypto.STATIC`, an annotation without DYNAMIC) is known when it is compiled, and each value is another
/// compilation: shapes of views, tiles and loops that are written out may use it.
struct Symbol {
    SymbolId id;
    std::int64_t value = 1;  ///< used when the chosen case does not set it
    bool isStatic = false;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Symbol&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("value", self.value, std::int64_t{1});
        v.optional("static", self.isStatic, false);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// Integers whose values are known on the host when the kernel is launched (or compiled), such as a group list.
/// Expressions read them as `name[i]`, `len(name)`, `start(name, g)` and `count(name, g)`.
struct List {
    ListId id;
    ListForm form = ListForm::Plain;
    std::vector<std::int64_t> value;  ///< used when the chosen case does not set it
    std::optional<Expression> total;  ///< length of the axis that the groups cut; group lists only
    std::string notes;
    UnknownFields unknown;
    bool operator==(const List&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("form", self.form, ListForm::Plain);
        v.optional("value", self.value);
        v.optional("total", self.total);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

/// A named set of symbol and list values, and what else is different in this case: values by their path (a JSON
/// pointer, ids may be steps), which `designOfCase` (core/exchange) writes into the design before it is bound.
struct Case {
    CaseId id;
    std::vector<std::string> aliases;
    Dictionary<std::int64_t> symbols;
    Dictionary<std::vector<std::int64_t>> lists;
    Dictionary<JsonText> set;
    std::string notes;
    UnknownFields unknown;
    bool operator==(const Case&) const = default;

    template <class Self, class V>
    static void visitFields(Self& self, V& v) {
        v.required("id", self.id);
        v.optional("aliases", self.aliases);
        v.optional("symbols", self.symbols);
        v.optional("lists", self.lists);
        v.optional("set", self.set);
        v.optional("notes", self.notes);
        v.unknown(self.unknown);
    }
};

}  // namespace cubist
