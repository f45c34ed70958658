// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/layer_assignment.h"

#include <algorithm>

namespace cubist {

namespace {

class LayerAssigner {
public:
    explicit LayerAssigner(const CanvasContent& content)
        : m_content(content), m_layers(content.nodes.size(), 0), m_readers(content.nodes.size()) {
        for (const CanvasWire& wire : content.wires)
            m_readers[static_cast<std::size_t>(wire.to)].push_back(static_cast<std::size_t>(wire.from));
    }

    std::vector<std::size_t> run() {
        // Nodes come in the order of execution, so that whatever a node reads (but for circles) has its layer already.
        std::size_t next = 0;
        std::size_t last = 0;
        while (next < m_content.nodes.size() && isTensor(next)) ++next;
        placeSequence(next, -1, 1, last);
        for (std::size_t node = 0; node < m_content.nodes.size(); ++node)
            if (m_content.nodes[node].kind == NodeKind::Output) m_layers[node] = last + 1;
        return std::move(m_layers);
    }

private:
    [[nodiscard]] bool isTensor(std::size_t node) const { return m_content.nodes[node].element.isTensor(); }

    [[nodiscard]] std::size_t afterWhatItReads(std::size_t node, std::size_t first) const {
        std::size_t layer = first;
        for (const std::size_t source : m_readers[node])
            if (source < node) layer = std::max(layer, m_layers[source] + 1);
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
                placeSequence(next, childOn(owner, frame), any ? last + 1 : first, end);
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
    std::vector<std::vector<std::size_t>> m_readers;
};

}  // namespace

std::vector<std::size_t> assignLayers(const CanvasContent& content) {
    return LayerAssigner(content).run();
}

}  // namespace cubist
