// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/variant_comparer.h"

#include <QMetaObject>
#include <QThread>

#include <algorithm>
#include <utility>

#include "core/run/part_context.h"
#include "views/guarded_call.h"

namespace cubist {
namespace {

// A step of the progress bar: finer ones would only load the event queue.
constexpr double kProgressStep = 0.005;

}  // namespace

VariantComparer::VariantComparer(QObject* parent, CompareFunction compare)
    : QObject(parent), m_compare(std::move(compare)) {
    m_pool.setMaxThreadCount(1);
}

VariantComparer::~VariantComparer() {
    m_stop.request_stop();
    m_pool.waitForDone();
}

void VariantComparer::stop() {
    m_stop.request_stop();
    m_pool.clear();
    ++m_generation;
    if (!std::exchange(m_busy, false)) return;
    emit changed();
}

void VariantComparer::post(quint64 generation, std::function<void()> change) {
    QMetaObject::invokeMethod(
        this,
        [this, generation, change = std::move(change)] {
            if (generation == m_generation) change();
        },
        Qt::QueuedConnection);
}

void VariantComparer::start(RunRequest request) {
    m_stop.request_stop();
    m_pool.clear();
    m_stop = std::stop_source();
    m_forms.clear();
    m_request = std::make_shared<const RunRequest>(std::move(request));
    m_busy = true;
    m_pool.start([this, asked = m_request, token = m_stop.get_token(), generation = ++m_generation] {
        const auto fail = [&](const Error& error) {
            post(generation, [this, error] {
                m_busy = false;
                emit changed();
                if (error.code != ErrorCode::Cancelled) emit failed(error);
            });
        };
        const auto forms = guardedCall(
            "the forms need", [&]() -> Result<std::vector<DesignVariant>> { return designVariants(*asked->design); });
        if (!forms) return fail(forms.error());
        post(generation, [this, found = *forms] {
            for (const DesignVariant& form : found) m_forms.push_back({form, {}});
            emit changed();
        });
        RunContext context;
        context.stop = token;
        context.threads = std::max(1, QThread::idealThreadCount());
        context.progress = [this, generation, last = -1.0](double fraction, std::string_view) mutable {
            if (fraction - last < kProgressStep) return;
            last = fraction;
            post(generation, [this, fraction] { emit progressed(fraction); });
        };
        const auto count = static_cast<double>(forms->size());
        for (std::size_t i = 0; i < forms->size(); ++i) {
            const double from = static_cast<double>(i) / count;
            const RunContext part = partOf(context, from, from + 1.0 / count);
            const Result<Figures> figures =
                guardedCall("the forms need", [&] { return m_compare(*asked, {(*forms)[i]}, part); });
            if (!figures) return fail(figures.error());
            post(generation, [this, i, known = figures->front()] {
                m_forms[i].figures = known;
                emit changed();
            });
            context.report(from + 1.0 / count, {});
        }
        post(generation, [this] {
            m_busy = false;
            emit changed();
        });
    });
}

}  // namespace cubist
