// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/arrange.h"

#include <algorithm>
#include <numeric>

namespace cubist {

std::vector<QPointF> aligned(const std::vector<QRectF>& cards, Alignment alignment) {
    QRectF all;
    for (const QRectF& card : cards) all |= card;
    std::vector<QPointF> places;
    for (const QRectF& card : cards) {
        QPointF place = card.topLeft();
        switch (alignment) {
            case Alignment::Left: place.setX(all.left()); break;
            case Alignment::Centre: place.setX(all.center().x() - card.width() / 2); break;
            case Alignment::Right: place.setX(all.right() - card.width()); break;
            case Alignment::Top: place.setY(all.top()); break;
            case Alignment::Middle: place.setY(all.center().y() - card.height() / 2); break;
            case Alignment::Bottom: place.setY(all.bottom() - card.height()); break;
        }
        places.push_back(place);
    }
    return places;
}

std::vector<QPointF> distributed(const std::vector<QRectF>& cards, Qt::Orientation along) {
    const bool rows = along == Qt::Vertical;
    const auto start = [&](const QRectF& card) { return rows ? card.top() : card.left(); };
    const auto extent = [&](const QRectF& card) { return rows ? card.height() : card.width(); };
    std::vector<QPointF> places;
    for (const QRectF& card : cards) places.push_back(card.topLeft());
    if (cards.size() < 3) return places;
    std::vector<std::size_t> order(cards.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return start(cards[a]) < start(cards[b]); });
    double taken = 0.0;
    for (const QRectF& card : cards) taken += extent(card);
    const QRectF& first = cards[order.front()];
    const QRectF& last = cards[order.back()];
    const double gap = (start(last) + extent(last) - start(first) - taken) / static_cast<double>(cards.size() - 1);
    double next = start(first);
    for (const std::size_t index : order) {
        if (rows)
            places[index].setY(next);
        else
            places[index].setX(next);
        next += extent(cards[index]) + gap;
    }
    return places;
}

}  // namespace cubist
