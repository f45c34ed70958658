// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/auto_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "views/canvas/layer_assignment.h"

namespace cubist {

namespace {

constexpr double kRowGap = 24.0;
constexpr double kLaneGap = 12.0;  ///< above and below a wire that passes through a column
constexpr double kLaneHeight = 8.0;
constexpr double kPillPort = geometry::kPillHeight / 2;  ///< rows of wires are where those of snapped pills are
constexpr double kMinColumnGap = 40.0;
constexpr double kLabelGap = 16.0;
constexpr double kFrameGap = 16.0;   ///< between a frame and what stands beside it
constexpr std::size_t kMaxWay = 24;  ///< columns; a wire that goes further runs straight
constexpr int kOrderSweeps = 6;
constexpr int kAlignSweeps = 7;

/// A node of the layered graph: a node of the canvas, or a wire passing through a column.
struct Cell {
    int node = -1;  ///< -1: passing wires
    std::size_t layer = 0;
    double height = kLaneHeight;
    double y = 0.0;                           ///< middle
    std::vector<std::size_t> left, right;     ///< neighbours in the columns beside
    std::vector<double> leftPort, rightPort;  ///< where this cell's end of that wire is, relative to its middle
};

class Layouter {
public:
    Layouter(const CanvasContent& content, const std::vector<geometry::NodePicture>& pictures)
        : m_content(content), m_pictures(pictures) {}

    CanvasLayout run() {
        makeCells();
        orderColumns();
        placeRows();
        return places();
    }

private:
    void makeCells() {
        const std::vector<std::size_t> layers = assignLayers(m_content);
        std::size_t columns = 0;
        for (std::size_t layer : layers) columns = std::max(columns, layer + 1);
        m_columns.resize(columns);
        for (std::size_t node = 0; node < m_content.nodes.size(); ++node) {
            Cell cell;
            cell.node = static_cast<int>(node);
            cell.layer = layers[node];
            cell.height = m_pictures[node].size.height();
            append(std::move(cell));
        }
        m_ways.resize(m_content.nodes.size());
        for (std::size_t wire = 0; wire < m_content.wires.size(); ++wire) addWire(wire, layers);
    }

    std::size_t append(Cell cell) {
        m_columns[cell.layer].push_back(m_cells.size());
        m_cells.push_back(std::move(cell));
        return m_cells.size() - 1;
    }

    void addWire(std::size_t index, const std::vector<std::size_t>& layers) {
        const CanvasWire& wire = m_content.wires[index];
        const auto from = static_cast<std::size_t>(wire.from);
        const auto to = static_cast<std::size_t>(wire.to);
        if (layers[from] >= layers[to]) return;  // only in designs that feed in a circle
        // All wires of a node share one way as long as they go on together.
        std::vector<std::size_t>& way = m_ways[from];
        std::size_t last = from;
        double lastPort = port(m_pictures[from].output, from);
        const std::size_t length = layers[to] - layers[from] - 1;
        for (std::size_t step = 0; length <= kMaxWay && step < length; ++step) {
            if (step == way.size()) {
                Cell lane;
                lane.layer = layers[from] + 1 + step;
                way.push_back(append(std::move(lane)));
                join(last, lastPort, way.back(), 0.0);
            }
            last = way[step];
            lastPort = 0.0;
        }
        const auto entry = static_cast<std::size_t>(wire.toPort);
        const auto& inputs = m_pictures[to].inputs;
        join(last, lastPort, to, entry < inputs.size() ? inputs[entry].y() - m_cells[to].height / 2 : 0.0);
    }

    [[nodiscard]] double port(const std::optional<QPointF>& place, std::size_t node) const {
        return place ? place->y() - m_cells[node].height / 2 : 0.0;
    }

    void join(std::size_t from, double fromPort, std::size_t to, double toPort) {
        m_cells[from].right.push_back(to);
        m_cells[from].rightPort.push_back(fromPort);
        m_cells[to].left.push_back(from);
        m_cells[to].leftPort.push_back(toPort);
    }

    /// Fewer crossings: each column in the order of its neighbours' middle rows, swept forward and back. Stable sorts
    /// keep the declared order wherever nothing is gained.
    void orderColumns() {
        std::vector<double> rank(m_cells.size(), 0.0);
        const auto renumber = [&](const std::vector<std::size_t>& column) {
            for (std::size_t row = 0; row < column.size(); ++row) rank[column[row]] = static_cast<double>(row);
        };
        for (const auto& column : m_columns) renumber(column);
        const auto sweep = [&](std::vector<std::size_t>& column, bool forward) {
            std::vector<double> wanted(m_cells.size(), 0.0);
            for (const std::size_t cell : column) {
                const auto& beside = forward ? m_cells[cell].left : m_cells[cell].right;
                wanted[cell] = rank[cell];
                if (beside.empty()) continue;
                double sum = 0.0;
                const auto& ports = forward ? m_cells[cell].leftPort : m_cells[cell].rightPort;
                for (std::size_t i = 0; i < beside.size(); ++i)
                    sum += rank[beside[i]] +
                           (farPort(beside[i], m_cells[cell], forward) - ports[i]) / (2 * geometry::kStageHeight);
                wanted[cell] = sum / static_cast<double>(beside.size());
            }
            std::stable_sort(column.begin(), column.end(),
                             [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
            renumber(column);
        };
        for (int round = 0; round < kOrderSweeps; ++round) {
            if (round % 2 == 0)
                for (auto& column : m_columns) sweep(column, true);
            else
                for (auto column = m_columns.rbegin(); column != m_columns.rend(); ++column) sweep(*column, false);
        }
    }

    void placeRows() {
        for (const auto& column : m_columns) {
            double top = 0.0;
            for (const std::size_t cell : column) {
                m_cells[cell].y = top + m_cells[cell].height / 2;
                top += m_cells[cell].height + kRowGap;
            }
            for (const std::size_t cell : column) m_cells[cell].y -= top / 2;
        }
        for (int round = 0; round < kAlignSweeps; ++round) {
            if (round % 2 == 0)
                for (const auto& column : m_columns) align(column, true);
            else
                for (auto column = m_columns.rbegin(); column != m_columns.rend(); ++column) align(*column, false);
        }
    }

    /// Moves a column's cells as near as possible (least squares) to where their wires run level, in their order and
    /// without overlap: the pool-adjacent-violators method on rows shifted by the room above them.
    void align(const std::vector<std::size_t>& column, bool forward) {
        struct Pool {
            double sum;
            double weight;
            std::size_t count;
        };
        std::vector<Pool> pools;
        std::vector<double> shift(column.size(), 0.0);
        for (std::size_t row = 0; row < column.size(); ++row) {
            if (row > 0)
                shift[row] =
                    shift[row - 1] + (m_cells[column[row - 1]].height + m_cells[column[row]].height) / 2 + kRowGap;
            const double wanted = level(m_cells[column[row]], forward) - shift[row];
            pools.push_back({wanted, 1.0, 1});
            while (pools.size() > 1) {
                Pool& upper = pools[pools.size() - 2];
                const Pool& lower = pools.back();
                if (upper.sum / upper.weight <= lower.sum / lower.weight) break;
                upper = {upper.sum + lower.sum, upper.weight + lower.weight, upper.count + lower.count};
                pools.pop_back();
            }
        }
        std::size_t row = 0;
        for (const Pool& pool : pools)
            for (std::size_t i = 0; i < pool.count; ++i, ++row)
                m_cells[column[row]].y = pool.sum / pool.weight + shift[row];
    }

    [[nodiscard]] static double distance(const Cell& upper, const Cell& lower) {
        const bool lane = upper.node < 0 || lower.node < 0;
        return (upper.height + lower.height) / 2 + (lane ? kLaneGap : kRowGap);
    }

    /// The row in which a cell's wires on one side run level, on average. Wires that only pass through a
    /// column bend more easily: they count where there are no others.
    [[nodiscard]] double level(const Cell& cell, bool forward) const {
        double sum[2] = {0.0, 0.0};
        double count[2] = {0.0, 0.0};
        const auto add = [&](const std::vector<std::size_t>& beside, const std::vector<double>& ports, bool left) {
            for (std::size_t i = 0; i < beside.size(); ++i) {
                const std::size_t kind = m_cells[beside[i]].node >= 0 ? 0 : 1;
                sum[kind] += m_cells[beside[i]].y + farPort(beside[i], cell, left) - ports[i];
                count[kind] += 1.0;
            }
        };
        if (forward || cell.right.empty()) add(cell.left, cell.leftPort, true);
        if (!forward || cell.left.empty()) add(cell.right, cell.rightPort, false);
        const std::size_t kind = count[0] > 0.0 ? 0 : 1;
        return count[kind] > 0.0 ? sum[kind] / count[kind] : cell.y;
    }

    [[nodiscard]] double farPort(std::size_t other, const Cell& cell, bool left) const {
        const Cell& far = m_cells[other];
        const auto& beside = left ? far.right : far.left;
        const auto& ports = left ? far.rightPort : far.leftPort;
        for (std::size_t i = 0; i < beside.size(); ++i)
            if (&m_cells[beside[i]] == &cell) return ports[i];
        return 0.0;
    }

    [[nodiscard]] CanvasLayout places() const {
        CanvasLayout layout;
        layout.places.resize(m_content.nodes.size());
        layout.waypoints.resize(m_content.wires.size());
        std::vector<double> columnLeft(m_columns.size(), 0.0);
        std::vector<double> columnWidth(m_columns.size(), 0.0);
        double left = 0.0;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (column > 0) left += gapBefore(column);
            for (const std::size_t cell : m_columns[column])
                if (m_cells[cell].node >= 0)
                    columnWidth[column] = std::max(columnWidth[column], picture(m_cells[cell]).size.width());
            columnLeft[column] = left;
            left += columnWidth[column];
            left = std::ceil(left / geometry::kSnap) * geometry::kSnap;
        }
        for (const Cell& cell : m_cells) {
            if (cell.node < 0) continue;
            const QSizeF size = picture(cell).size;
            const NodeKind kind = picture(cell).kind;
            double x = columnLeft[cell.layer];
            // Inputs end, slices and stores stand in the middle of their column, all else begins at its left.
            if (kind == NodeKind::Input) x += columnWidth[cell.layer] - size.width();
            if (kind == NodeKind::Slice || kind == NodeKind::Store) x += (columnWidth[cell.layer] - size.width()) / 2;
            layout.places[static_cast<std::size_t>(cell.node)] = geometry::snapped({x, cell.y - size.height() / 2});
        }
        for (std::size_t index = 0; index < m_content.wires.size(); ++index) {
            const CanvasWire& wire = m_content.wires[index];
            const std::size_t begin = m_cells[static_cast<std::size_t>(wire.from)].layer;
            const std::size_t end = m_cells[static_cast<std::size_t>(wire.to)].layer;
            if (end > begin + 1 + kMaxWay) continue;
            for (const std::size_t lane : m_ways[static_cast<std::size_t>(wire.from)]) {
                if (m_cells[lane].layer >= end) break;
                const double x = columnLeft[m_cells[lane].layer];
                const double y = geometry::snapped({0.0, m_cells[lane].y - kPillPort}).y() + kPillPort;
                layout.waypoints[index].emplace_back(x, y);
                layout.waypoints[index].emplace_back(x + columnWidth[m_cells[lane].layer], y);
            }
        }
        return layout;
    }

    [[nodiscard]] const geometry::NodePicture& picture(const Cell& cell) const {
        return m_pictures[static_cast<std::size_t>(cell.node)];
    }

    /// How far the frames that begin (end) at a column reach beyond its cards.
    [[nodiscard]] double framePadding(std::size_t column, bool begin) const {
        if (m_content.frames.empty()) return 0.0;
        std::vector<bool> inside(m_content.frames.size(), false), beyond(m_content.frames.size(), false);
        const auto mark = [&](std::vector<bool>& frames, int frame) {
            for (; frame >= 0; frame = m_content.frames[static_cast<std::size_t>(frame)].parent)
                frames[static_cast<std::size_t>(frame)] = true;
        };
        double most = 0.0;
        for (std::size_t node = 0; node < m_content.nodes.size(); ++node) {
            const std::size_t layer = m_cells[node].layer;
            if (layer == column) mark(inside, m_content.nodes[node].frame);
            if (begin ? layer < column : layer > column) mark(beyond, m_content.nodes[node].frame);
        }
        for (std::size_t node = 0; node < m_content.nodes.size(); ++node) {
            if (m_cells[node].layer != column) continue;
            double padding = 0.0;
            for (int frame = m_content.nodes[node].frame; frame >= 0;) {
                const auto index = static_cast<std::size_t>(frame);
                if (!inside[index] || beyond[index]) break;
                padding += padding == 0.0 && !isStage(m_content.nodes[node].kind) ? geometry::kEdgePadding
                                                                                  : geometry::kFramePadding;
                frame = m_content.frames[index].parent;
            }
            most = std::max(most, padding);
        }
        return most;
    }

    /// Room for the frames on both sides and for the labels of the wires that end in a column.
    [[nodiscard]] double gapBefore(std::size_t column) const {
        double gap = std::max(kMinColumnGap, framePadding(column - 1, false) + framePadding(column, true) + kFrameGap);
        for (const CanvasWire& wire : m_content.wires)
            if (m_cells[static_cast<std::size_t>(wire.to)].layer == column && !wire.label.isEmpty())
                gap = std::max(gap, geometry::labelWidth(wire.label) + kLabelGap);
        return gap;
    }

    const CanvasContent& m_content;
    const std::vector<geometry::NodePicture>& m_pictures;
    std::vector<Cell> m_cells;  ///< those of the nodes first, in their order
    std::vector<std::vector<std::size_t>> m_columns;
    std::vector<std::vector<std::size_t>> m_ways;  ///< by node: the cells that its wires pass, column by column
};

}  // namespace

CanvasLayout autoLayout(const CanvasContent& content, const std::vector<geometry::NodePicture>& pictures) {
    return Layouter(content, pictures).run();
}

}  // namespace cubist
