// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>

#include "core/base/result.h"
#include "core/exchange/trace_overlay.h"
#include "views/run_controller.h"

class QTreeWidget;

namespace cubist {

class OverlayPlot;
class Session;
class TextLabel;

/// A measured trace of PyPTO over the prediction of the open design: both swimlanes and the stages side by side. Stays
/// open beside the work and follows the prediction.
class MeasuredDialog : public QDialog {
    Q_OBJECT

public:
    MeasuredDialog(Session& session, const QString& path, MeasuredTrace measured, QWidget* parent = nullptr);

    /// Reads a trace with the ticks of the design's chip and opens a dialog over a window.
    /// Errors: as `readMeasuredTrace`; BadValue when no time is predicted.
    [[nodiscard]] static Result<MeasuredDialog*> open(Session& session, const QString& path, QWidget* parent);

    [[nodiscard]] OverlayPlot& plot() { return *m_plot; }
    [[nodiscard]] QTreeWidget* stages() const { return m_stages; }
    [[nodiscard]] QString summary() const;

private:
    void build();
    void refresh();
    void showStages(const Program& program, const TraceOverlay& overlay);

    Session& m_session;
    QString m_file;
    MeasuredTrace m_measured;
    TextLabel* m_title = nullptr;
    TextLabel* m_note = nullptr;
    OverlayPlot* m_plot = nullptr;
    QTreeWidget* m_stages = nullptr;
};

}  // namespace cubist
