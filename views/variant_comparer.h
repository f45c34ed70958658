// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/variant_compare.h"

namespace cubist {

/// Puts the forms of a design side by side on a thread of its own, one after the other: figures come as they are known.
/// All signals come in the thread of the comparer; the newest start is the one that counts. The destructor stops and
/// waits.
class VariantComparer : public QObject {
    Q_OBJECT

public:
    using Figures = std::vector<VariantFigures>;
    using CompareFunction =
        std::function<Result<Figures>(const RunRequest&, const std::vector<DesignVariant>&, const RunContext&)>;

    struct Form {
        DesignVariant variant;
        std::optional<VariantFigures> figures;  ///< empty until they are known
    };

    /// `compare`: the core's, or another one for tests; it is asked for one form at a time.
    explicit VariantComparer(QObject* parent = nullptr, CompareFunction compare = compareVariants);
    ~VariantComparer() override;

    /// Drops what is known and compares the forms of the request's design, which must be there.
    void start(RunRequest request);
    /// Figures that are known stay.
    void stop();
    [[nodiscard]] bool busy() const { return m_busy; }
    /// The design as it is first; empty until they are found.
    [[nodiscard]] const std::vector<Form>& forms() const { return m_forms; }
    /// What the newest start asked for; null before the first.
    [[nodiscard]] const std::shared_ptr<const RunRequest>& request() const { return m_request; }

signals:
    /// There are forms, the figures of one more, or no more work.
    void changed();
    /// Of all forms, 0..1.
    void progressed(double fraction);
    /// Nothing can be compared: as `compareVariants`, or there is no memory for it.
    void failed(const cubist::Error& error);

private:
    void post(quint64 generation, std::function<void()> change);

    CompareFunction m_compare;
    QThreadPool m_pool;
    std::stop_source m_stop;
    quint64 m_generation = 0;
    bool m_busy = false;
    std::vector<Form> m_forms;
    std::shared_ptr<const RunRequest> m_request;
};

}  // namespace cubist
