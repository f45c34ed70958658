// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fix_finder.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include <utility>

#include "core/design/resolve.h"
#include "core/rules/checker.h"

namespace cubist {
namespace {

constexpr qint64 kTellEveryMs = 300;  ///< panels are made anew each time

}  // namespace

FixFinder::FixFinder(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
}

FixFinder::~FixFinder() {
    m_stop.request_stop();
    m_pool.waitForDone();
}

void FixFinder::stop() {
    m_stop.request_stop();
    m_pool.clear();
    ++m_generation;
    m_busy = false;
}

void FixFinder::start(std::shared_ptr<const Design> design, Binding binding, ChipSpec chip) {
    stop();
    m_stop = std::stop_source();
    m_busy = true;
    m_pool.start([this, design = std::move(design), binding = std::move(binding), chip = std::move(chip),
                  token = m_stop.get_token(), generation = m_generation] {
        const Result<ResolvedDesign> resolved = resolve(*design, binding);
        if (!resolved) return;  // the document says why
        const auto tell = [&](const DesignCheck& check) {
            QMetaObject::invokeMethod(
                this,
                [this, generation, findings = check.findings(), last = check.done()] {
                    if (generation != m_generation) return;
                    if (last) m_busy = false;
                    emit found(findings);
                },
                Qt::QueuedConnection);
        };
        DesignCheck check(*resolved, chip, design->profile);
        QElapsedTimer sinceTold;
        sinceTold.start();
        while (!check.done()) {
            if (token.stop_requested()) return;
            check.tryNext();
            if (check.done() || sinceTold.elapsed() < kTellEveryMs) continue;
            tell(check);
            sinceTold.restart();
        }
        tell(check);
    });
}

}  // namespace cubist
