// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/widgets/labels.h"

namespace cubist {

class Session;

/// The live prediction in words: what bounds the kernel, its time, and how that differs from the prediction before.
class PredictionBox : public SoftBox {
    Q_OBJECT

public:
    explicit PredictionBox(Session& session, QWidget* parent = nullptr);

    /// "Bound by HBM. 20 of 24 cube cores, 1 wave"
    [[nodiscard]] QString sentence() const { return m_sentence->text(); }
    /// "kernel 8.28 us"
    [[nodiscard]] QString time() const { return m_time->text(); }
    /// Leaves out the note where there is little room.
    void setCompact(bool compact);

signals:
    void problemsRequested();

private:
    void refresh();

    Session& m_session;
    TextLabel* m_sentence;
    TextLabel* m_time;
    TextLabel* m_delta;
    TextLabel* m_note;
    LinkButton* m_problems;
    bool m_compact = false;
};

}  // namespace cubist
