// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/template_page.h"

#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

#include "app/wizard/template_picture.h"
#include "views/language.h"
#include "views/qt_text.h"
#include "views/theme.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

constexpr QSize kPictureSize(132, 64);
constexpr QSize kCardSize(206, 116);
constexpr int kListHeight = kCardSize.height() + 8;
constexpr int kIdRole = Qt::UserRole;
constexpr int kPictureRole = Qt::UserRole + 1;  // template that the row's picture is of

QString textOf(const BilingualText& text) {
    return inLanguage(text.en, text.zh);
}

/// Cards side by side; every arrow key goes on to the next or back.
class CardRow : public QListWidget {
public:
    CardRow() {
        setViewMode(IconMode);
        setFlow(LeftToRight);
        setWrapping(false);
        setMovement(Static);
        setFixedHeight(kListHeight);
    }

protected:
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override {
        const int step = action == MoveUp || action == MoveLeft      ? -1
                         : action == MoveDown || action == MoveRight ? 1
                                                                     : 0;
        if (step == 0 || !currentItem()) return QListWidget::moveCursor(action, modifiers);
        for (int row = currentRow() + step; row >= 0 && row < count(); row += step)
            if (item(row)->flags().testFlag(Qt::ItemIsEnabled)) return indexFromItem(item(row));
        return currentIndex();
    }
};

}  // namespace

TemplatePage::TemplatePage(const SkeletonLibrary& library, const ChipLibrary& chips, const Theme& theme,
                           CanvasScene& scene, QWidget* parent)
    : QWidget(parent),
      m_library(library),
      m_chips(chips),
      m_theme(theme),
      m_variants(makeList(tr("Loop variant"))),
      m_patterns(makeList(tr("Data flow"))),
      m_title(new TextLabel(theme, FontRole::Title, Token::Text)),
      m_summary(new TextLabel(theme, FontRole::Ui, Token::Muted)) {
    m_variants->setObjectName(QStringLiteral("variantList"));
    m_patterns->setObjectName(QStringLiteral("patternList"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 16);
    column->setSpacing(4);
    const auto row = [&](const QString& caption, QListWidget* list) {
        column->addWidget(new SectionLabel(theme, caption));
        column->addWidget(list);
        column->addSpacing(4);
    };
    row(tr("Loop variant"), m_variants);
    row(tr("Data flow"), m_patterns);
    auto* picture = new FittedView(scene, theme);
    picture->setObjectName(QStringLiteral("templatePicture"));
    picture->setAccessibleName(tr("Picture of the template"));
    for (TextLabel* label : {m_title, m_summary}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addSpacing(4);
    column->addWidget(picture, 1);
    connect(m_variants, &QListWidget::currentRowChanged, this, &TemplatePage::fillPatterns);
    connect(m_patterns, &QListWidget::currentRowChanged, this, &TemplatePage::showChosen);
    connect(&theme, &Theme::changed, this, &TemplatePage::redraw);
    fillVariants();
}

QListWidget* TemplatePage::makeList(const QString& name) {
    auto* list = new CardRow;
    list->setAccessibleName(name);
    list->setIconSize(kPictureSize);
    list->setWordWrap(true);
    list->setFrameShape(QFrame::NoFrame);
    list->setUniformItemSizes(true);
    list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    return list;
}

QIcon TemplatePage::iconOf(const std::string& templateId) {
    const auto known = m_icons.find(templateId);
    if (known != m_icons.end()) return known->second;
    const Design* design = m_library.design(templateId);
    if (!design) return {};
    const QPixmap picture = pictureOf(*design, m_chips, m_theme, kPictureSize, devicePixelRatioF());
    QIcon icon(picture);
    // A chosen row does not tint its picture.
    icon.addPixmap(picture, QIcon::Selected);
    m_icons.emplace(templateId, icon);
    return icon;
}

void TemplatePage::fillVariants() {
    const auto& templates = m_library.index().templates;
    for (const VariantCard& card : m_library.index().variants) {
        const auto first = std::find_if(templates.begin(), templates.end(),
                                        [&](const SkeletonTemplate& entry) { return entry.variant == card.variant; });
        auto* item = new QListWidgetItem(QStringLiteral("%1  %2").arg(qText(toText(card.variant)), textOf(card.title)),
                                         m_variants);
        item->setToolTip(textOf(card.text));
        item->setSizeHint(kCardSize);
        item->setData(kIdRole, static_cast<int>(card.variant));
        if (first == templates.end()) {
            item->setFlags(Qt::NoItemFlags);
            continue;
        }
        item->setData(kPictureRole, QString::fromStdString(first->id));
        item->setIcon(iconOf(first->id));
    }
    choose(Variant::C);
    if (m_variants->currentRow() < 0) m_variants->setCurrentRow(0);
}

void TemplatePage::choose(Variant variant) {
    for (int row = 0; row < m_variants->count(); ++row)
        if (m_variants->item(row)->data(kIdRole).toInt() == static_cast<int>(variant) &&
            m_variants->item(row)->flags().testFlag(Qt::ItemIsEnabled))
            m_variants->setCurrentRow(row);
}

Variant TemplatePage::variant() const {
    const QListWidgetItem* item = m_variants->currentItem();
    return item ? static_cast<Variant>(item->data(kIdRole).toInt()) : Variant::C;
}

void TemplatePage::addPattern(const SkeletonTemplate& entry) {
    QStringList numbers, titles;
    for (const std::int64_t number : entry.pattern) {
        numbers << QString::number(number);
        for (const PatternCard& card : m_library.index().patterns)
            if (card.pattern == number) titles << textOf(card.title);
    }
    const QString text = numbers.isEmpty() ? textOf(entry.title)
                                           : QStringLiteral("%1  %2").arg(numbers.join(QLatin1Char('+')),
                                                                          titles.join(QLatin1String(", ")));
    auto* item = new QListWidgetItem(iconOf(entry.id), text, m_patterns);
    item->setData(kIdRole, QString::fromStdString(entry.id));
    item->setData(kPictureRole, QString::fromStdString(entry.id));
    item->setToolTip(textOf(entry.summary));
    item->setSizeHint(kCardSize);
}

void TemplatePage::fillPatterns() {
    {
        const QSignalBlocker quiet(m_patterns);
        m_patterns->clear();
        std::vector<std::vector<std::int64_t>> seen;
        for (const SkeletonTemplate& entry : m_library.index().templates) {
            if (entry.variant != variant() || std::find(seen.begin(), seen.end(), entry.pattern) != seen.end())
                continue;
            seen.push_back(entry.pattern);
            addPattern(entry);
        }
        for (const MissingTemplate& missing : m_library.index().missing) {
            if (missing.variant != variant()) continue;
            const QString reason = textOf(missing.reason);
            auto* item = new QListWidgetItem(tr("%1  Not here: %2").arg(missing.pattern).arg(reason), m_patterns);
            item->setToolTip(reason);
            item->setSizeHint(kCardSize);
            item->setFlags(Qt::NoItemFlags);
            item->setForeground(m_theme.color(Token::Muted));
        }
        m_patterns->setCurrentRow(0);
    }
    showChosen();
}

const SkeletonTemplate* TemplatePage::chosen() const {
    const QListWidgetItem* item = m_patterns->currentItem();
    if (!item || !item->flags().testFlag(Qt::ItemIsEnabled)) return nullptr;
    const std::string id = item->data(kIdRole).toString().toStdString();
    for (const SkeletonTemplate& entry : m_library.index().templates)
        if (entry.id == id) return &entry;
    return nullptr;
}

void TemplatePage::showChosen() {
    const SkeletonTemplate* entry = chosen();
    m_title->setText(entry ? textOf(entry->title) : QString());
    m_summary->setText(entry ? textOf(entry->summary) : QString());
    emit changed();
}

void TemplatePage::redraw() {
    m_icons.clear();
    for (QListWidget* list : {m_variants, m_patterns})
        for (int row = 0; row < list->count(); ++row) {
            if (!list->item(row)->flags().testFlag(Qt::ItemIsEnabled))
                list->item(row)->setForeground(m_theme.color(Token::Muted));
            const QString id = list->item(row)->data(kPictureRole).toString();
            if (!id.isEmpty()) list->item(row)->setIcon(iconOf(id.toStdString()));
        }
}

}  // namespace cubist
