// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/chooser.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "views/canvas/stage_catalog.h"
#include "views/icons.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kWidth = 320;
constexpr int kRowHeight = 40;
constexpr int kShownRows = 8;
constexpr std::size_t kMostRows = 200;

enum Role { KeyRole = Qt::UserRole, SubtitleRole, LetterRole, TokenRole };

class EntryDelegate : public QStyledItemDelegate {
public:
    EntryDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {kWidth - 16, kRowHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRectF row = QRectF(option.rect).adjusted(4, 1, -4, -1);
        const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled);
        if (option.state.testFlag(QStyle::State_Selected) && enabled)
            drawBar(*painter, row, m_theme.color(Token::CubeSoft), Theme::kRadiusSmall);
        else if (option.state.testFlag(QStyle::State_MouseOver) && enabled)
            drawBar(*painter, row, m_theme.color(Token::Bg), Theme::kRadiusSmall);
        double left = row.left() + 8;
        const QString letter = index.data(LetterRole).toString();
        if (!letter.isEmpty()) {
            const QRectF badge(left, row.center().y() - 9, 18, 18);
            const auto token = static_cast<Token>(index.data(TokenRole).toInt());
            drawBar(*painter, badge, m_theme.color(enabled ? token : Token::Wait), 5.0);
            painter->setFont(Theme::font(FontRole::UiStrong));
            painter->setPen(m_theme.onFill());
            painter->drawText(badge, Qt::AlignCenter, letter);
            left += 28;
        }
        const QRectF text(left, row.top(), row.right() - left - 8, row.height());
        painter->setFont(Theme::font(FontRole::UiStrong));
        painter->setPen(m_theme.color(enabled ? Token::Text : Token::Muted));
        const QString title = index.data(Qt::DisplayRole).toString();
        const QString subtitle = index.data(SubtitleRole).toString();
        const QRectF upper(text.left(), text.top() + 3, text.width(), text.height() / 2);
        painter->drawText(subtitle.isEmpty() ? text : upper, Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(title, Qt::ElideRight, static_cast<int>(text.width())));
        painter->setFont(Theme::font(FontRole::UiSmall));
        painter->setPen(m_theme.color(enabled ? Token::Muted : Token::Error));
        painter->drawText(QRectF(text.left(), text.center().y() - 2, text.width(), text.height() / 2 - 1),
                          Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(subtitle, Qt::ElideRight, static_cast<int>(text.width())));
        painter->restore();
    }

private:
    const Theme& m_theme;
};

}  // namespace

Chooser::Chooser(const Theme& theme, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_field(new QLineEdit(this)),
      m_list(new QListWidget(this)),
      m_empty(new QLabel(tr("Nothing fits"), this)) {
    setObjectName(QStringLiteral("chooser"));
    setProperty("panel", QStringLiteral("popup"));
    setFixedWidth(kWidth);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    layout->addWidget(m_empty);
    m_field->setObjectName(QStringLiteral("chooserField"));
    m_field->setClearButtonEnabled(true);
    m_field->addAction(themedIcon(theme, Icon::Search, Token::Muted), QLineEdit::LeadingPosition);
    m_list->setObjectName(QStringLiteral("chooserList"));
    m_list->setAccessibleName(tr("Choices"));
    m_list->setItemDelegate(new EntryDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setUniformItemSizes(true);
    m_empty->setProperty("role", QStringLiteral("muted"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setMinimumHeight(kRowHeight);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &Chooser::refill);
    connect(m_list, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        m_list->setCurrentItem(item);
        accept();
    });
    hide();
}

void Chooser::open(const QPoint& at, const QString& prompt, std::vector<Entry> entries) {
    m_entries = std::move(entries);
    m_field->setPlaceholderText(prompt);
    m_field->setAccessibleName(prompt);
    m_field->clear();
    refill();
    const int rows = std::clamp(static_cast<int>(m_entries.size()), 1, kShownRows);
    m_list->setFixedHeight(rows * kRowHeight + 4);
    adjustSize();
    const QRect room = parentWidget()->rect().adjusted(8, 8, -8, -8);
    QRect place(at, size());
    if (place.right() > room.right()) place.moveRight(room.right());
    if (place.bottom() > room.bottom()) place.moveBottom(room.bottom());
    place.moveLeft(std::max(place.left(), room.left()));
    place.moveTop(std::max(place.top(), room.top()));
    move(place.topLeft());
    show();
    raise();
    m_field->setFocus(Qt::PopupFocusReason);
}

QString Chooser::currentKey() const {
    const QListWidgetItem* item = m_list->currentItem();
    return item && item->flags().testFlag(Qt::ItemIsEnabled) ? item->data(KeyRole).toString() : QString();
}

void Chooser::refill() {
    std::vector<std::pair<int, const Entry*>> found;
    for (const Entry& entry : m_entries)
        if (const int score = matchScore(m_field->text(), entry.title, entry.keywords); score > 0)
            found.emplace_back(entry.enabled ? score : -1, &entry);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (found.size() > kMostRows) found.resize(kMostRows);
    m_list->clear();
    for (const auto& [score, entry] : found) {
        auto* item = new QListWidgetItem(entry->title, m_list);
        item->setData(KeyRole, entry->key);
        item->setData(SubtitleRole, entry->subtitle);
        item->setData(LetterRole, entry->letter);
        item->setData(TokenRole, static_cast<int>(entry->token));
        item->setToolTip(entry->subtitle);
        if (!entry->enabled) item->setFlags(Qt::NoItemFlags);
    }
    m_list->setCurrentRow(0);
    m_list->setVisible(!found.empty());
    m_empty->setVisible(found.empty());
}

bool Chooser::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::FocusOut && isVisible()) {
        // A click on the list keeps the focus in the field; anything else has left, and keeps the focus.
        hide();
        emit dismissed();
    } else if (watched == m_field && event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    } else if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int last = m_list->count() - 1;
        switch (key->key()) {
            case Qt::Key_Escape: close(false); return true;
            case Qt::Key_Return:
            case Qt::Key_Enter: accept(); return true;
            case Qt::Key_Down:
            case Qt::Key_Tab: m_list->setCurrentRow(std::min(last, m_list->currentRow() + 1)); return true;
            case Qt::Key_Up:
            case Qt::Key_Backtab: m_list->setCurrentRow(std::max(0, m_list->currentRow() - 1)); return true;
            case Qt::Key_PageDown:
                m_list->setCurrentRow(std::min(last, m_list->currentRow() + kShownRows));
                return true;
            case Qt::Key_PageUp: m_list->setCurrentRow(std::max(0, m_list->currentRow() - kShownRows)); return true;
            default: break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void Chooser::accept() {
    const QString key = currentKey();
    if (key.isEmpty()) return;
    close(true);
    emit chosen(key);
}

void Chooser::close(bool accepted) {
    hide();
    if (parentWidget()) parentWidget()->setFocus(Qt::PopupFocusReason);
    if (!accepted) emit dismissed();
}

}  // namespace cubist
