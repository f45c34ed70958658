// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/lane_painter.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::LanePainter)
};

struct RowRange {
    std::size_t first, last;  ///< [first, last)
};

RowRange visibleRows(const LaneView& view, std::size_t count) {
    const double first = std::floor(view.scroll / view.rowHeight);
    const double last = std::ceil((view.scroll + view.area.height()) / view.rowHeight);
    const auto clamped = [&](double row) {
        return static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(count)));
    };
    return {clamped(first), clamped(last)};
}

double rowTop(const LaneView& view, std::size_t row) {
    return view.area.top() + static_cast<double>(row) * view.rowHeight - view.scroll;
}

}  // namespace

std::vector<LaneRow> laneRows(const std::vector<CoreRef>& cores) {
    std::vector<LaneRow> rows;
    for (const CoreRef& core : cores) {
        bool first = true;
        for (const Pipe pipe : TimelineLanes::pipes(core.kind)) {
            rows.push_back({core, pipe, first});
            first = false;
        }
    }
    return rows;
}

Token pipeToken(Pipe pipe) {
    switch (pipe) {
        case Pipe::M: return Token::Cube;
        case Pipe::V: return Token::Vector;
        case Pipe::FIX: return Token::Fix;
        case Pipe::MTE1: return Token::Mte1;
        case Pipe::MTE2: return Token::Move;
        case Pipe::MTE3: return Token::Mte3;
        case Pipe::S: return Token::Muted;
    }
    return Token::Muted;
}

QString pipeText(Pipe pipe) {
    if (pipe == Pipe::M) return QStringLiteral("CUBE");
    if (pipe == Pipe::V) return QStringLiteral("VEC");
    const std::string_view name = pipeName(pipe);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString coreText(CoreRef core) {
    return (core.kind == TaskKind::Aic ? QStringLiteral("AIC %1") : QStringLiteral("AIV %1")).arg(core.index);
}

QString causeText(Cause cause) {
    switch (cause) {
        case Cause::Busy: return Texts::tr("busy");
        case Cause::WaitData: return Texts::tr("waits for data");
        case Cause::WaitSlot: return Texts::tr("waits for a buffer slot");
        case Cause::TaskDrained: return Texts::tr("nothing left in the task");
        case Cause::WaitTask: return Texts::tr("waits for a task");
        case Cause::WaitResolve: return Texts::tr("waits for the scheduler to see that a task ended");
        case Cause::WaitBarrier: return Texts::tr("waits for the device task before");
        case Cause::WaitStitch: return Texts::tr("waits for the AICPU to build the device task");
        case Cause::WaitDispatch: return Texts::tr("waits for dispatch");
        case Cause::NoTask: return Texts::tr("gets no task");
        case Cause::Tail: return Texts::tr("no task is left");
    }
    return {};
}

bool isHatched(Cause cause) {
    switch (cause) {
        case Cause::WaitData:
        case Cause::WaitSlot:
        case Cause::WaitTask:
        case Cause::WaitResolve:
        case Cause::WaitBarrier:
        case Cause::WaitStitch:
        case Cause::WaitDispatch: return true;
        case Cause::Busy:
        case Cause::TaskDrained:
        case Cause::NoTask:
        case Cause::Tail: return false;
    }
    return false;
}

void paintLanes(QPainter& painter, const LaneView& view, const TimelineLanes& lanes, const std::vector<LaneRow>& rows,
                const Theme& theme) {
    const auto span = static_cast<double>((view.to - view.from).value);
    if (span <= 0.0 || view.area.width() <= 0.0) return;
    const double pixelsPerTick = view.area.width() / span;
    const auto toX = [&](Ticks time) {
        const double x = view.area.left() + static_cast<double>((time - view.from).value) * pixelsPerTick;
        return std::clamp(x, view.area.left(), view.area.right());
    };
    const Ticks onePixel{std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(1.0 / pixelsPerTick)))};
    const QBrush hatch = theme.hatch();
    const QColor quiet = theme.color(Token::Grid);
    const Program* program = lanes.program().get();

    painter.save();
    painter.setClipRect(view.area, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    const RowRange range = visibleRows(view, rows.size());
    for (std::size_t i = range.first; i < range.last; ++i) {
        const LaneRow& row = rows[i];
        const QBrush strong = theme.fill(pipeToken(row.pipe));
        const QBrush pale = theme.fill(pipeToken(row.pipe), true);
        const double top = std::round(rowTop(view, i) + 4.0);
        const double height = std::round(view.rowHeight - 8.0);
        lanes.visit(row.core, row.pipe, view.from, view.to, onePixel, [&](const LaneInterval& stretch, bool) {
            const double left = toX(stretch.start);
            double width = toX(stretch.end) - left;
            if (stretch.cause == Cause::Busy) {
                const bool other =
                    !view.selectedStage.empty() && stretch.task && program &&
                    program->stages[program->stageOf(program->tasks[stretch.task->value]).value].id.text !=
                        view.selectedStage;
                // A hairline of background keeps neighbours apart when there is room for it.
                if (width > 4.0) width -= 1.0;
                painter.setBrushOrigin(QPointF(0, top));
                painter.fillRect(QRectF(left, top, std::max(width, 1.0), height), other ? pale : strong);
            } else if (isHatched(stretch.cause)) {
                if (width < 2.0) return;
                painter.setBrushOrigin(QPointF(0, top));
                painter.fillRect(QRectF(left, top, width, height), hatch);
            } else {
                painter.fillRect(QRectF(left, top + height / 2.0 - 1.0, width, 2.0), quiet);
            }
        });
    }
    if (view.cursor) {
        const double x = std::round(toX(*view.cursor)) + 0.5;
        painter.setPen(QPen(theme.color(Token::Error), 1.0, Qt::DashLine));
        painter.drawLine(QPointF(x, view.area.top()), QPointF(x, view.area.bottom()));
    }
    painter.restore();
}

void paintLaneLabels(QPainter& painter, const LaneView& view, const std::vector<LaneRow>& rows, const Theme& theme) {
    painter.save();
    painter.setClipRect(QRectF(0, view.area.top(), view.area.right(), view.area.height()), Qt::IntersectClip);
    const RowRange range = visibleRows(view, rows.size());
    for (std::size_t i = range.first; i < range.last; ++i) {
        const QRectF line(0, rowTop(view, i), view.labelWidth, view.rowHeight);
        // The core's name stays in sight while one of its lanes is.
        const bool topmost = i == range.first && !rows[i].firstOfCore;
        if (rows[i].firstOfCore || topmost) {
            painter.setFont(Theme::font(FontRole::UiStrong));
            painter.setPen(theme.color(Token::Text));
            painter.drawText(line.adjusted(12, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, coreText(rows[i].core));
        }
        if (rows[i].firstOfCore && i > 0) {
            painter.setPen(QPen(theme.color(Token::Grid), 1.0));
            painter.drawLine(QPointF(8, line.top()), QPointF(view.area.right(), line.top()));
        }
        painter.setFont(Theme::font(FontRole::MonoSmall));
        painter.setPen(theme.color(Token::Muted));
        painter.drawText(line.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, pipeText(rows[i].pipe));
    }
    painter.restore();
}

}  // namespace cubist
