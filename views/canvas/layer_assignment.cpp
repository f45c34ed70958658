// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/layer_assignment.h"

#include <algorithm>
#include <optional>

namespace cubist {

namespace {

class LayerAssigner {
public:
    explicit LayerAssigner(const CanvasContent& content)
        : m_content(content), m_layers(content.nodes.size(), 0), m_sources(content.nodes.size()) {
        for (const CanvasWire& wire : content.wires)
            m_sources[static_cast<std::size_t>(wire.to)].push_back(static_cast<std::size_t>(wire.from));
    }

    std::vector<std::size_t> run() {
        // Nodes come in the order of execution, so that whatever a node reads (but for circles) has its layer already.
        std::size_t next = 0;
        std::size_t last = 0;
        while (next < m_content.nodes.size() && isTensor(next)) ++next;
        placeSequence(next, -1, 1, last);
        for (std::size_t node = 0; node < m_content.nodes.size(); ++node)
            if (m_content.nodes[node].kind == NodeKind::Output) m_layers[node] = last + 1;
        // What is written and then read again stands behind its writers.
        for (const CanvasWire& wire : m_content.wires) {
            const auto tensor = static_cast<std::size_t>(wire.from), reader = static_cast<std::size_t>(wire.to);
            if (const auto written = writtenIn(tensor, reader))
                m_layers[tensor] = std::min(m_layers[tensor], *written + 1);
        }
        return std::move(m_layers);
    }

private:
    [[nodiscard]] bool isTensor(std::size_t node) const { return m_content.nodes[node].element.isTensor(); }

    /// The last column in which something before `node` writes a tensor; nothing when it is no such tensor, or all of
    /// it is written later.
    [[nodiscard]] std::optional<std::size_t> writtenIn(std::size_t tensor, std::size_t node) const {
        std::optional<std::size_t> column;
        if (m_content.nodes[tensor].kind != NodeKind::Output) return column;
        for (const std::size_t writer : m_sources[tensor])
            if (writer < node) column = std::max(column.value_or(0), m_layers[writer]);
        return column;
    }

    [[nodiscard]] std::size_t afterWhatItReads(std::size_t node, std::size_t first) const {
        std::size_t layer = first;
        for (const std::size_t source : m_sources[node]) {
            if (const auto written = writtenIn(source, node))
                layer = std::max(layer, *written + 2);
            else if (source < node)
                layer = std::max(layer, m_layers[source] + 1);
        }
        return layer;
    }

    /// A loop begins behind the tensors that the loops in front of it write for it.
    [[nodiscard]] std::size_t afterWhatIsWritten(std::size_t begin, int frame, std::size_t first) const {
        std::size_t layer = first;
        for (std::size_t node = begin; node < m_content.nodes.size() && belongs(node, frame); ++node)
            for (const std::size_t source : m_sources[node])
                if (const auto written = writtenIn(source, begin)) layer = std::max(layer, *written + 2);
        return layer;
    }

    /// Places the nodes from `next` on that belong to `frame`, beginning with column `first`; `last` becomes the last
    /// column in use.
    void placeSequence(std::size_t& next, int frame, std::size_t first, std::size_t& last) {
        std::vector<std::size_t> stores;
        // Slices have a column of their own on the loop's left edge.
        std::size_t firstStage = hasSlices(frame) ? first + 1 : first;
        last = first;
        bool any = false;
        while (next < m_content.nodes.size() && belongs(next, frame)) {
            const int owner = m_content.nodes[next].frame;
            if (owner != frame) {
                std::size_t end = 0;
                const int child = childOn(owner, frame);
                placeSequence(next, child, afterWhatIsWritten(next, child, any ? last + 1 : first), end);
                last = end;
                first = firstStage = end + 1;
                any = true;
                continue;
            }
            const bool slice = m_content.nodes[next].kind == NodeKind::Slice;
            m_layers[next] = afterWhatItReads(next, slice ? first : firstStage);
            last = any ? std::max(last, m_layers[next]) : m_layers[next];
            any = true;
            if (m_content.nodes[next].kind == NodeKind::Store) stores.push_back(next);
            ++next;
        }
        for (const std::size_t store : stores) m_layers[store] = last;
    }

    [[nodiscard]] bool hasSlices(int frame) const {
        return std::any_of(m_content.nodes.begin(), m_content.nodes.end(),
                           [&](const CanvasNode& node) { return node.frame == frame && node.kind == NodeKind::Slice; });
    }

    [[nodiscard]] bool belongs(std::size_t node, int frame) const {
        for (int owner = m_content.nodes[node].frame; owner != frame; owner = parent(owner))
            if (owner < 0) return false;
        return true;
    }

    /// The loop directly inside `frame` on the way to `owner`.
    [[nodiscard]] int childOn(int owner, int frame) const {
        while (parent(owner) != frame) owner = parent(owner);
        return owner;
    }

    [[nodiscard]] int parent(int frame) const { return m_content.frames[static_cast<std::size_t>(frame)].parent; }

    const CanvasContent& m_content;
    std::vector<std::size_t> m_layers;
    std::vector<std::vector<std::size_t>> m_sources;  ///< by node: those that its wires come from
};

}  // namespace

std::vector<std::size_t> assignLayers(const CanvasContent& content) {
    return LayerAssigner(content).run();
}

}  // namespace cubist
