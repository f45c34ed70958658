// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>

#include <memory>
#include <stop_token>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/rules/finding.h"

namespace cubist {

/// Tries the fixes of a design's findings on a thread of its own, for designs in which that takes longer than an edit
/// may. The newest start is the one that counts.
class FixFinder : public QObject {
    Q_OBJECT

public:
    explicit FixFinder(QObject* parent = nullptr);
    ~FixFinder() override;

    void start(std::shared_ptr<const Design> design, Binding binding, ChipSpec chip);
    void stop();
    [[nodiscard]] bool busy() const { return m_busy; }

signals:
    /// The findings of `checkDesign`, in its order; while the finder is busy, those behind still without their fixes.
    void found(const std::vector<cubist::Finding>& findings);

private:
    QThreadPool m_pool;
    std::stop_source m_stop;
    quint64 m_generation = 0;
    bool m_busy = false;
};

}  // namespace cubist
