// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/rules/finding.h"
#include "views/widgets/labels.h"

namespace cubist {

class Session;

/// One finding with its arithmetic and a button for each fix. `Full` adds what is known about the rule: why it exists,
/// its formula and its source.
class FindingCard : public SoftBox {
    Q_OBJECT

public:
    enum class Detail { Brief, Full };

    FindingCard(Session& session, const Finding& finding, Detail detail, QWidget* parent = nullptr);

    [[nodiscard]] const Finding& finding() const { return m_finding; }

private:
    void addRule();

    Session& m_session;
    Finding m_finding;
};

}  // namespace cubist
