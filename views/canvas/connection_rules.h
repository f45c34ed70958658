// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>

#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "views/canvas/known_design.h"
#include "views/selection_model.h"

namespace cubist {

/// One end of a wire: where a value comes from.
struct WireSource {
    Element element;
    ValueId value;
    bool operator==(const WireSource&) const = default;
};

/// The other end: a port of a block, or a tensor that is written.
struct WireTarget {
    Element element;
    std::string port;  ///< key of `inputPorts`; "to" of a tensor or of a store's own end
    bool operator==(const WireTarget&) const = default;
};

/// What would happen to a wire between two ends.
struct WireVerdict {
    enum class Kind : std::uint8_t {
        Legal,
        Wrong,      ///< shapes or types do not go together: refused, unless the user insists
        Impossible  ///< it would make no design
    } kind = Kind::Legal;
    QString reason;  ///< of a refusal; empty when legal
    bool operator==(const WireVerdict&) const = default;
};

/// Judges wires by the same rules as the design itself: the reader alone is tried with operands of the known shapes
/// and types. `known` and `chip` may lack what they like: what is not known does not count against a wire.
class ConnectionRules {
public:
    ConnectionRules(const Design& design, const KnownDesign& known, const ChipSpec* chip)
        : m_design(design), m_known(known), m_chip(chip) {}

    [[nodiscard]] WireVerdict judge(const WireSource& source, const WireTarget& target) const;

private:
    [[nodiscard]] WireVerdict judgeStore(const WireSource& source, const TensorId& tensor) const;
    [[nodiscard]] QString typeProblem(const Design& edited, const BlockId& reader, const std::string& port) const;

    const Design& m_design;
    const KnownDesign& m_known;
    const ChipSpec* m_chip;
};

/// The design with that wire in place; a wire to a tensor makes a store, or turns one.
[[nodiscard]] Result<Design> withWire(const Design& design, const WireSource& source, const WireTarget& target);

}  // namespace cubist
