// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/error_map_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kLeft = 52.0;    // row labels
constexpr double kBottom = 22.0;  // column labels
constexpr double kTop = 26.0;     // title
constexpr double kRight = 76.0;   // colour scale
// Beyond this many decades the low end of the scale tells nothing.
constexpr double kMaxDecades = 8.0;
constexpr std::size_t kLowShare = 50;  // one cell in so many lies below the scale

/// A step between axis labels: a multiple of the tile that leaves room for the texts.
std::int64_t labelStep(std::int64_t extent, std::int64_t tile, double pixels, double room) {
    std::int64_t step = std::max<std::int64_t>(tile, 1);
    while (static_cast<double>(step) * pixels < room * static_cast<double>(extent) && step < extent) step *= 2;
    return step;
}

}  // namespace

ErrorMapPlot::ErrorMapPlot(const Theme& theme, QWidget* parent) : PlotWidget(theme, parent) {
    setMouseTracking(true);
    setAccessibleName(tr("Error map"));
    connect(&theme, &Theme::changed, this, [this] {
        m_cache = QImage();
        update();
    });
}

void ErrorMapPlot::setMetrics(std::shared_ptr<const OutputMetrics> metrics) {
    m_metrics = std::move(metrics);
    m_cache = QImage();
    m_hover.reset();
    m_low = m_high = 0.0;
    if (m_metrics) {
        std::vector<double> errors;
        for (const double error : m_metrics->map.maxAbs)
            if (error > 0.0 && std::isfinite(error)) errors.push_back(error);
        if (!errors.empty()) {
            // A few cells of almost no error would take the contrast from all others.
            const auto low = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / kLowShare);
            std::nth_element(errors.begin(), low, errors.end());
            m_high = *std::max_element(errors.begin(), errors.end());
            m_low = std::max(*low, m_high * std::pow(10.0, -kMaxDecades));
        }
        setAccessibleDescription(tr("Output %1, largest error %2")
                                     .arg(QString::fromStdString(m_metrics->name), shortNumber(m_metrics->maxAbs)));
    }
    update();
}

double ErrorMapPlot::scalePosition(double error) const {
    if (!(error > 0.0)) return std::isnan(error) ? 1.0 : 0.0;
    if (m_high <= m_low || std::isinf(error)) return 1.0;
    return std::clamp(std::log(error / m_low) / std::log(m_high / m_low), 0.0, 1.0);
}

QColor ErrorMapPlot::insideColor(double position) const {
    return blend(theme().color(Token::Surface), theme().color(Token::Cube), 0.12 + 0.68 * position);
}

QColor ErrorMapPlot::outsideColor(double position) const {
    return blend(theme().color(Token::Vector), theme().color(Token::Error), position);
}

QRectF ErrorMapPlot::mapRect(const QSize& size) const {
    return QRectF(kLeft, kTop, std::max(10.0, size.width() - kLeft - kRight),
                  std::max(10.0, size.height() - kTop - kBottom));
}

std::optional<ErrorMapPlot::CellAt> ErrorMapPlot::cellAt(const QPointF& point) const {
    if (!m_metrics || m_metrics->map.gridRows <= 0 || m_metrics->map.gridCols <= 0) return std::nullopt;
    const QRectF map = mapRect(size());
    if (!map.contains(point)) return std::nullopt;
    const ErrorMap& grid = m_metrics->map;
    const auto element = [](double position, double extent, std::int64_t count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(position / extent * static_cast<double>(count)), 0,
                                        count - 1);
    };
    CellAt cell;
    cell.row = std::min(element(point.y() - map.top(), map.height(), grid.rows) / grid.cellRows, grid.gridRows - 1);
    cell.column = std::min(element(point.x() - map.left(), map.width(), grid.cols) / grid.cellCols, grid.gridCols - 1);
    cell.firstRow = cell.row * grid.cellRows;
    cell.lastRow = std::min(cell.firstRow + grid.cellRows, grid.rows) - 1;
    cell.firstColumn = cell.column * grid.cellCols;
    cell.lastColumn = std::min(cell.firstColumn + grid.cellCols, grid.cols) - 1;
    const auto index = static_cast<std::size_t>(cell.row * grid.gridCols + cell.column);
    cell.maxAbs = grid.maxAbs[index];
    cell.outside = grid.outside[index];
    return cell;
}

QString ErrorMapPlot::hoverText(const CellAt& cell) const {
    const ErrorMap& grid = m_metrics->map;
    QString text = tr("rows %1 to %2, columns %3 to %4")
                       .arg(cell.firstRow)
                       .arg(cell.lastRow)
                       .arg(cell.firstColumn)
                       .arg(cell.lastColumn);
    text += QLatin1Char('\n') + tr("tile %1,%2: max |error| %3")
                                    .arg(cell.firstRow / std::max<std::int64_t>(1, grid.tileRows))
                                    .arg(cell.firstColumn / std::max<std::int64_t>(1, grid.tileCols))
                                    .arg(shortNumber(cell.maxAbs));
    text += QLatin1Char('\n') + (cell.outside > 0 ? counted(cell.outside, tr("1 element beyond tolerance"),
                                                            tr("%1 elements beyond tolerance"))
                                                  : tr("all within tolerance"));
    return text;
}

void ErrorMapPlot::paintMap(QPainter& painter, const QRectF& map) {
    const ErrorMap& grid = m_metrics->map;
    const QSize pixels = (map.size() * painter.device()->devicePixelRatioF()).toSize();
    if (m_cache.size() != pixels) {
        // One entry per pixel at most: where a pixel covers several cells, the worst of them.
        const auto width = static_cast<std::size_t>(std::min<std::int64_t>(pixels.width(), grid.gridCols));
        const auto height = static_cast<std::size_t>(std::min<std::int64_t>(pixels.height(), grid.gridRows));
        std::vector<double> worst(width * height, 0.0);
        std::vector<bool> outside(width * height, false);
        for (std::int64_t row = 0; row < grid.gridRows; ++row) {
            for (std::int64_t column = 0; column < grid.gridCols; ++column) {
                const auto cell = static_cast<std::size_t>(row * grid.gridCols + column);
                const auto y = static_cast<std::size_t>(row) * height / static_cast<std::size_t>(grid.gridRows);
                const auto x = static_cast<std::size_t>(column) * width / static_cast<std::size_t>(grid.gridCols);
                double& entry = worst[y * width + x];
                if (!(grid.maxAbs[cell] <= entry)) entry = grid.maxAbs[cell];
                if (grid.outside[cell] > 0) outside[y * width + x] = true;
            }
        }
        QImage image(static_cast<int>(width), static_cast<int>(height), QImage::Format_RGB32);
        for (std::size_t y = 0; y < height; ++y)
            for (std::size_t x = 0; x < width; ++x) {
                const std::size_t entry = y * width + x;
                const double position = scalePosition(worst[entry]);
                const QColor color = outside[entry]      ? outsideColor(position)
                                     : worst[entry] == 0 ? theme().color(Token::Grid)
                                                         : insideColor(position);
                image.setPixelColor(static_cast<int>(x), static_cast<int>(y), color);
            }
        m_cache = image.scaled(pixels, Qt::IgnoreAspectRatio, Qt::FastTransformation);
    }
    painter.drawImage(map, m_cache);

    // The last tile of a row or column may be a part; its border is the border of the map.
    painter.setPen(QPen(theme().color(Token::Surface), 1.0));
    const double stepX = map.width() * static_cast<double>(grid.tileCols) / static_cast<double>(grid.cols);
    const double stepY = map.height() * static_cast<double>(grid.tileRows) / static_cast<double>(grid.rows);
    if (stepX >= 5.0)
        for (double x = map.left() + stepX; x < map.right() - 0.5; x += stepX)
            painter.drawLine(QPointF(std::round(x) + 0.5, map.top()), QPointF(std::round(x) + 0.5, map.bottom()));
    if (stepY >= 5.0)
        for (double y = map.top() + stepY; y < map.bottom() - 0.5; y += stepY)
            painter.drawLine(QPointF(map.left(), std::round(y) + 0.5), QPointF(map.right(), std::round(y) + 0.5));
}

void ErrorMapPlot::paintAxes(QPainter& painter, const QRectF& map) const {
    const ErrorMap& grid = m_metrics->map;
    painter.setFont(Theme::font(FontRole::MonoSmall));
    painter.setPen(theme().color(Token::Muted));
    const std::int64_t rowStep = labelStep(grid.rows, grid.tileRows, map.height(), 16.0);
    for (std::int64_t row = 0; row < grid.rows; row += rowStep) {
        const double y = map.top() + map.height() * static_cast<double>(row) / static_cast<double>(grid.rows);
        painter.drawText(QRectF(0, y - 8.0, kLeft - 6.0, 16.0), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(row));
    }
    const std::int64_t columnStep = labelStep(grid.cols, grid.tileCols, map.width(), 44.0);
    for (std::int64_t column = 0; column < grid.cols; column += columnStep) {
        const double x = map.left() + map.width() * static_cast<double>(column) / static_cast<double>(grid.cols);
        painter.drawText(QRectF(x - 30.0, map.bottom() + 3.0, 60.0, 16.0), Qt::AlignHCenter | Qt::AlignTop,
                         QString::number(column));
    }
    painter.setFont(Theme::font(FontRole::UiStrong));
    painter.setPen(theme().color(Token::Text));
    QStringList shape;
    for (const std::int64_t extent : m_metrics->shape) shape << QString::number(extent);
    const QString title = tr("%1 [%2], max |error| per cell")
                              .arg(QString::fromStdString(m_metrics->name), shape.join(QLatin1String(", ")));
    const QRectF line(map.left(), 0, map.width() + kRight - 8.0, kTop - 4.0);
    const QString whole = painter.fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(line.width()));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, whole);
    const double used = painter.fontMetrics().horizontalAdvance(title) + 12.0;
    painter.setFont(Theme::font(FontRole::UiSmall));
    painter.setPen(theme().color(Token::Muted));
    const QString tile = tr("tile %1 x %2").arg(grid.tileRows).arg(grid.tileCols);
    if (used + painter.fontMetrics().horizontalAdvance(tile) < line.width())
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, tile);
}

void ErrorMapPlot::paintLegend(QPainter& painter, const QRectF& map) const {
    const QRectF bar(map.right() + 14.0, map.top() + 4.0, 10.0, std::max(20.0, map.height() - 30.0));
    const bool anyOutside = m_metrics->outside > 0;
    QLinearGradient gradient(bar.bottomLeft(), bar.topLeft());
    for (int i = 0; i <= 4; ++i) gradient.setColorAt(i / 4.0, insideColor(i / 4.0));
    drawBar(painter, bar, gradient, 2.0);
    painter.setFont(Theme::font(FontRole::MonoSmall));
    painter.setPen(theme().color(Token::Muted));
    const auto label = [&](double y, const QString& text) {
        painter.drawText(QRectF(bar.right() + 5.0, y - 8.0, kRight - 32.0, 16.0), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    };
    if (m_high > 0.0) {
        label(bar.top() + 4.0, shortNumber(m_high, 2));
        if (m_high > m_low * 1.01) {
            label(bar.bottom() - 4.0, shortNumber(m_low, 2));
            if (bar.height() > 60.0) label(bar.center().y(), shortNumber(std::sqrt(m_low * m_high), 2));
        }
    } else {
        label(bar.center().y(), tr("exact"));
    }
    if (anyOutside) {
        drawBar(painter, QRectF(bar.left(), bar.bottom() + 8.0, 10.0, 10.0), outsideColor(0.7), 2.0);
        painter.setPen(theme().color(Token::Error));
        label(bar.bottom() + 13.0, tr("outside"));
    }
}

void ErrorMapPlot::paint(QPainter& painter, const QSize& size, bool withHover) {
    if (!m_metrics || m_metrics->map.gridRows <= 0 || m_metrics->map.gridCols <= 0) return;
    const QRectF map = mapRect(size);
    paintMap(painter, map);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxes(painter, map);
    paintLegend(painter, map);
    if (withHover && m_hover) {
        const ErrorMap& grid = m_metrics->map;
        const double x = map.width() / static_cast<double>(grid.cols);
        const double y = map.height() / static_cast<double>(grid.rows);
        const QRectF cell(map.left() + static_cast<double>(m_hover->firstColumn) * x,
                          map.top() + static_cast<double>(m_hover->firstRow) * y,
                          static_cast<double>(m_hover->lastColumn - m_hover->firstColumn + 1) * x,
                          static_cast<double>(m_hover->lastRow - m_hover->firstRow + 1) * y);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().color(Token::Text), 1.0));
        painter.drawRect(cell);
    }
}

void ErrorMapPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Token::Surface));
    paint(painter, size(), true);
}

void ErrorMapPlot::paintOn(QPaintDevice& device) {
    QPainter painter(&device);
    paint(painter, size(), false);
}

void ErrorMapPlot::mouseMoveEvent(QMouseEvent* event) {
    m_hover = cellAt(event->position());
    if (m_hover)
        QToolTip::showText(event->globalPosition().toPoint(), hoverText(*m_hover), this);
    else
        QToolTip::hideText();
    update();
}

void ErrorMapPlot::leaveEvent(QEvent*) {
    m_hover.reset();
    update();
}

TableData ErrorMapPlot::table() const {
    TableData result;
    result.title = tr("Error map");
    result.headers = {tr("First row"),   tr("Last row"),    tr("First column"),
                      tr("Last column"), tr("Max |error|"), tr("Outside")};
    if (!m_metrics) return result;
    const ErrorMap& grid = m_metrics->map;
    const auto number = [](std::int64_t value) {
        return Cell{
            QString::number(value), true, Token::Text, false, QVariant::fromValue(static_cast<qlonglong>(value)), {}};
    };
    for (std::int64_t row = 0; row < grid.gridRows; ++row)
        for (std::int64_t column = 0; column < grid.gridCols; ++column) {
            const auto cell = static_cast<std::size_t>(row * grid.gridCols + column);
            result.rows.push_back(
                {number(row * grid.cellRows), number(std::min((row + 1) * grid.cellRows, grid.rows) - 1),
                 number(column * grid.cellCols), number(std::min((column + 1) * grid.cellCols, grid.cols) - 1),
                 Cell{QString::number(grid.maxAbs[cell], 'g', 9), true, Token::Text, false, grid.maxAbs[cell], {}},
                 number(grid.outside[cell])});
        }
    return result;
}

}  // namespace cubist
