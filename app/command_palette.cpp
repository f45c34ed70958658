// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_palette.h"

#include <QCoreApplication>
#include <QFrame>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

#include "views/theme.h"

namespace cubist {
namespace {

constexpr int kWidth = 560;
constexpr int kRowHeight = 30;
constexpr int kRows = 12;
constexpr int kDetailRole = Qt::UserRole;
constexpr int kIndexRole = Qt::UserRole + 1;

/// A row: icon and title on the left, the detail on the right.
class RowDelegate : public QStyledItemDelegate {
public:
    RowDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {kWidth - 40, kRowHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled);
        if (selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.color(Token::CubeSoft));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(2, 1, -2, -1), Theme::kRadiusSmall,
                                     Theme::kRadiusSmall);
        }
        const QIcon icon = index.data(Qt::DecorationRole).value<QIcon>();
        icon.paint(painter, QRect(option.rect.left() + 10, option.rect.center().y() - 8, 16, 16), Qt::AlignCenter,
                   enabled ? QIcon::Normal : QIcon::Disabled);
        const QString detail = index.data(kDetailRole).toString();
        painter->setFont(Theme::font(FontRole::MonoSmall));
        painter->setPen(m_theme.color(Token::Muted));
        // A little more than its advance: a text in exactly that is cut short where widths are fractions.
        const int detailWidth = std::min(painter->fontMetrics().horizontalAdvance(detail) + 4, option.rect.width() / 2);
        const QRect line = option.rect.adjusted(36, 0, -12, 0);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(detail, Qt::ElideRight, detailWidth));
        painter->setFont(Theme::font(FontRole::Ui));
        painter->setPen(m_theme.color(enabled ? Token::Text : Token::Muted));
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight,
                                                            line.width() - detailWidth - 12));
        painter->restore();
    }

private:
    const Theme& m_theme;
};

}  // namespace

std::optional<int> fuzzyScore(const QString& typed, const QString& text) {
    const QString wanted = typed.toLower().simplified().remove(QLatin1Char(' '));
    const QString folded = text.toLower();
    if (const qsizetype whole = folded.indexOf(typed.toLower().simplified()); whole >= 0)
        return 1000 - static_cast<int>(std::min<qsizetype>(whole, 100)) -
               static_cast<int>(std::min<qsizetype>(folded.size(), 200)) / 4;
    int score = 0;
    qsizetype at = -1;
    for (const QChar letter : wanted) {
        const qsizetype next = folded.indexOf(letter, at + 1);
        if (next < 0) return std::nullopt;
        const bool beginsWord = next == 0 || !folded[next - 1].isLetterOrNumber();
        score += beginsWord ? 12 : next == at + 1 ? 8 : 1;
        at = next;
    }
    return score - static_cast<int>(std::min<qsizetype>(folded.size(), 200)) / 8;
}

CommandPalette::CommandPalette(const Theme& theme, std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint),
      m_theme(theme),
      m_entries(std::move(entries)),
      m_field(new QLineEdit),
      m_list(new QListWidget) {
    setObjectName(QStringLiteral("commandPalette"));
    setWindowTitle(tr("Find a command - Cubist"));
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(true);
    m_field->setPlaceholderText(tr("Type a command, a stage, a tensor, a sample ..."));
    m_field->setAccessibleName(tr("Find a command"));
    m_field->addAction(themedIcon(theme, Icon::Search, Token::Muted), QLineEdit::LeadingPosition);
    m_field->installEventFilter(this);
    m_list->setAccessibleName(tr("What fits"));
    m_list->setItemDelegate(new RowDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    // It has no title bar: a frame sets it apart from the window behind it.
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* frame = new QFrame;
    frame->setProperty("panel", QStringLiteral("popup"));
    outer->addWidget(frame);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(10, 10, 10, 10);
    column->setSpacing(8);
    column->addWidget(m_field);
    column->addWidget(m_list, 1);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::perform);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::perform);
    m_list->setFixedHeight(kRows * kRowHeight);
    setFixedWidth(kWidth);
    filter({});
}

void CommandPalette::popUp() {
    if (const QWidget* window = parentWidget()) move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 72)));
    open();
    // Whole rows only.
    const int frame = m_list->height() - m_list->viewport()->height();
    m_list->setFixedHeight(kRows * kRowHeight + frame);
    m_field->setFocus();
}

void CommandPalette::filter(const QString& typed) {
    struct Hit {
        int score;
        std::size_t index;
    };
    std::vector<Hit> hits;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (typed.trimmed().isEmpty()) {
            hits.push_back({0, i});
            continue;
        }
        std::optional<int> score = fuzzyScore(typed, m_entries[i].title);
        if (!m_entries[i].keywords.isEmpty())
            if (const auto other = fuzzyScore(typed, m_entries[i].keywords))
                score = std::max(score.value_or(-1), *other - 5);
        if (score) hits.push_back({*score, i});
    }
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
    m_list->clear();
    for (const Hit& hit : hits) {
        const PaletteEntry& entry = m_entries[hit.index];
        auto* item = new QListWidgetItem(themedIcon(m_theme, entry.icon, Token::Muted), entry.title, m_list);
        item->setData(kDetailRole, entry.detail);
        item->setData(kIndexRole, static_cast<int>(hit.index));
        if (!entry.enabled) item->setFlags(Qt::NoItemFlags);
    }
    if (hits.empty()) {
        auto* nothing = new QListWidgetItem(tr("Nothing is called that"), m_list);
        nothing->setFlags(Qt::NoItemFlags);
    }
    for (int row = 0; row < m_list->count(); ++row) {
        if (!m_list->item(row)->flags().testFlag(Qt::ItemIsEnabled)) continue;
        m_list->setCurrentRow(row);
        break;
    }
}

void CommandPalette::perform() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !item->flags().testFlag(Qt::ItemIsEnabled)) return;
    const auto action = m_entries[static_cast<std::size_t>(item->data(kIndexRole).toInt())].perform;
    accept();
    // Once the palette is gone: what is done may open a dialog of its own.
    QTimer::singleShot(0, parentWidget(), action);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
            case Qt::Key_Up:
            case Qt::Key_Down:
            case Qt::Key_PageUp:
            case Qt::Key_PageDown: QCoreApplication::sendEvent(m_list, event); return true;
            default: break;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace cubist
