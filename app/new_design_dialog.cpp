// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/new_design_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGraphicsView>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/design/edit_ops.h"
#include "views/canvas/canvas_scene.h"
#include "views/language.h"
#include "views/qt_text.h"
#include "views/widgets/labels.h"
#include "views/widgets/step_spin_box.h"

namespace cubist {
namespace {

constexpr QSize kPictureSize(220, 90);

QString textOf(const BilingualText& text) {
    return inLanguage(text.en, text.zh);
}

/// Shows a whole scene in the space there is.
class FittedView : public QGraphicsView {
public:
    explicit FittedView(CanvasScene& scene) : QGraphicsView(&scene), m_scene(scene) {
        setInteractive(false);
        setFrameShape(QFrame::NoFrame);
        setRenderHint(QPainter::Antialiasing);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);
        connect(&scene, &CanvasScene::contentChanged, this, &FittedView::fit);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QGraphicsView::resizeEvent(event);
        fit();
    }

private:
    void fit() {
        constexpr double kMargin = 24.0;
        const QRectF content = m_scene.contentRect().adjusted(-kMargin, -kMargin, kMargin, kMargin);
        if (content.isEmpty()) return;
        setSceneRect(content);
        fitInView(content, Qt::KeepAspectRatio);
        if (transform().m11() > 1.0) resetTransform();
    }

    CanvasScene& m_scene;
};

}  // namespace

NewDesignDialog::NewDesignDialog(const SkeletonLibrary& library, const ChipLibrary& chips, const Theme& theme,
                                 QWidget* parent)
    : QDialog(parent),
      m_library(library),
      m_chips(chips),
      m_theme(theme),
      m_document(std::make_unique<DocumentModel>(chips)),
      m_scene(new CanvasScene(*m_document, m_selection, theme, this)) {
    setObjectName(QStringLiteral("newDesignDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("New design - Cubist"));
    setProperty("helpPage", QStringLiteral("wizard"));
    auto* columns = new QHBoxLayout;
    columns->setSpacing(16);
    columns->addWidget(makeChoices());
    columns->addWidget(makePicture(), 1);
    columns->addWidget(makeNumbers());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_create = buttons->addButton(tr("Create"), QDialogButtonBox::AcceptRole);
    m_create->setObjectName(QStringLiteral("createButton"));
    m_create->setProperty("primary", true);
    m_create->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    column->addLayout(columns, 1);
    column->addWidget(buttons);
    resize(1120, 640);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_create, &QPushButton::clicked, this, [this] {
        if (!m_document->hasDesign()) return;
        const Design made = *m_document->design();
        accept();
        emit created(made);
    });
    connect(m_document.get(), &DocumentModel::findingsChanged, this, &NewDesignDialog::showChecklist);
    fillVariants();
}

NewDesignDialog::~NewDesignDialog() {
    // The scene looks at the document until the end.
    delete m_scene;
}

QWidget* NewDesignDialog::makeChoices() {
    auto* part = new QWidget;
    part->setFixedWidth(268);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    m_variants = new QListWidget;
    m_variants->setAccessibleName(tr("Loop variant"));
    m_patterns = new QListWidget;
    m_patterns->setAccessibleName(tr("Data flow"));
    for (QListWidget* list : {m_variants, m_patterns}) {
        list->setWordWrap(true);
        list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        list->setFrameShape(QFrame::NoFrame);
    }
    m_patterns->setIconSize(kPictureSize);
    column->addWidget(new SectionLabel(m_theme, tr("Loop variant")));
    column->addWidget(m_variants, 2);
    column->addWidget(new SectionLabel(m_theme, tr("Data flow")));
    column->addWidget(m_patterns, 3);
    connect(m_variants, &QListWidget::currentRowChanged, this, &NewDesignDialog::fillPatterns);
    connect(m_patterns, &QListWidget::currentRowChanged, this, &NewDesignDialog::fillKinds);
    return part;
}

QWidget* NewDesignDialog::makePicture() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    m_title = new TextLabel(m_theme, FontRole::Title, Token::Text);
    m_summary = new TextLabel(m_theme, FontRole::Ui, Token::Muted);
    for (TextLabel* label : {m_title, m_summary}) label->setWordWrap(true);
    m_picture = new FittedView(*m_scene);
    m_picture->setAccessibleName(tr("Picture of the template"));
    column->addWidget(m_title);
    column->addWidget(m_summary);
    column->addWidget(m_picture, 1);
    return part;
}

QWidget* NewDesignDialog::makeNumbers() {
    auto* part = new QWidget;
    part->setFixedWidth(300);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_name = new QLineEdit;
    m_name->setAccessibleName(tr("Name"));
    m_kind = new QComboBox;
    m_kind->setAccessibleName(tr("Operand types"));
    m_chip = new QComboBox;
    m_chip->setAccessibleName(tr("Chip"));
    m_chip->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chip->setMinimumContentsLength(8);
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Types"), m_kind);
    form->addRow(tr("Chip"), m_chip);
    column->addLayout(form);
    column->addWidget(new SectionLabel(m_theme, tr("Shapes")));
    m_symbols = new QFormLayout;
    m_symbols->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(m_symbols);
    column->addWidget(new SectionLabel(m_theme, tr("Is it SK-14?")));
    auto* list = new QWidget;
    m_checklist = new QVBoxLayout(list);
    m_checklist->setContentsMargins(0, 0, 0, 0);
    m_checklist->setSpacing(4);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(list);
    column->addWidget(scroll, 1);
    m_advice = new TextLabel(m_theme, FontRole::UiStrong, Token::Ok);
    m_findings = new TextLabel(m_theme, FontRole::UiSmall, Token::Muted);
    for (TextLabel* label : {m_advice, m_findings}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    connect(m_kind, &QComboBox::currentIndexChanged, this, &NewDesignDialog::choiceChanged);
    connect(m_chip, &QComboBox::activated, this, [this](int index) {
        m_document->apply({}, setChip(*m_document->design(), ChipId(m_chip->itemData(index).toString().toStdString())));
    });
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        Design copy = *m_document->design();
        copy.name = text.trimmed().toStdString();
        m_document->apply({}, std::move(copy));
    });
    return part;
}

QIcon NewDesignDialog::pictureOf(const Design& design) const {
    DocumentModel document(m_chips);
    SelectionModel selection;
    CanvasScene scene(document, selection, m_theme);
    document.newDesign(design);
    const double ratio = devicePixelRatioF();
    QPixmap picture(kPictureSize * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(m_theme.color(Token::Bg));
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    constexpr double kMargin = 16.0;
    scene.render(&painter, QRectF(QPointF(4, 4), QSizeF(kPictureSize) - QSizeF(8, 8)),
                 scene.contentRect().adjusted(-kMargin, -kMargin, kMargin, kMargin));
    return QIcon(picture);
}

void NewDesignDialog::fillVariants() {
    for (const VariantCard& card : m_library.index().variants) {
        const auto& templates = m_library.index().templates;
        const bool any = std::any_of(templates.begin(), templates.end(),
                                     [&](const SkeletonTemplate& entry) { return entry.variant == card.variant; });
        auto* item = new QListWidgetItem(QStringLiteral("%1  %2").arg(qText(toText(card.variant)), textOf(card.title)),
                                         m_variants);
        item->setToolTip(textOf(card.text));
        item->setData(Qt::UserRole, static_cast<int>(card.variant));
        if (!any) item->setFlags(Qt::NoItemFlags);
    }
    choose(Variant::C);
    if (m_variants->currentRow() < 0) m_variants->setCurrentRow(0);
}

void NewDesignDialog::choose(Variant variant) {
    for (int row = 0; row < m_variants->count(); ++row)
        if (m_variants->item(row)->data(Qt::UserRole).toInt() == static_cast<int>(variant) &&
            m_variants->item(row)->flags().testFlag(Qt::ItemIsEnabled))
            m_variants->setCurrentRow(row);
}

Variant NewDesignDialog::variant() const {
    const QListWidgetItem* item = m_variants->currentItem();
    return item ? static_cast<Variant>(item->data(Qt::UserRole).toInt()) : Variant::C;
}

void NewDesignDialog::fillPatterns() {
    m_patterns->clear();
    std::vector<std::vector<std::int64_t>> seen;
    for (const SkeletonTemplate& entry : m_library.index().templates) {
        if (entry.variant != variant() || std::find(seen.begin(), seen.end(), entry.pattern) != seen.end()) continue;
        seen.push_back(entry.pattern);
        QStringList numbers;
        QStringList titles;
        for (const std::int64_t number : entry.pattern) {
            numbers << QString::number(number);
            for (const PatternCard& card : m_library.index().patterns)
                if (card.pattern == number) titles << textOf(card.title);
        }
        const QString text = numbers.isEmpty() ? textOf(entry.title)
                                               : QStringLiteral("%1  %2").arg(numbers.join(QLatin1Char('+')),
                                                                              titles.join(QLatin1String(", ")));
        const Design* design = m_library.design(entry.id);
        auto* item =
            design ? new QListWidgetItem(pictureOf(*design), text, m_patterns) : new QListWidgetItem(text, m_patterns);
        item->setData(Qt::UserRole, QString::fromStdString(entry.id));
        item->setToolTip(textOf(entry.summary));
    }
    for (const MissingTemplate& missing : m_library.index().missing) {
        if (missing.variant != variant()) continue;
        auto* item = new QListWidgetItem(tr("%1  does not exist").arg(missing.pattern), m_patterns);
        item->setToolTip(textOf(missing.reason));
        item->setFlags(Qt::NoItemFlags);
    }
    m_patterns->setCurrentRow(0);
}

void NewDesignDialog::fillKinds() {
    const QListWidgetItem* item = m_patterns->currentItem();
    const QSignalBlocker quiet(m_kind);
    m_kind->clear();
    if (item) {
        const std::string first = item->data(Qt::UserRole).toString().toStdString();
        const auto& templates = m_library.index().templates;
        const auto base = std::find_if(templates.begin(), templates.end(),
                                       [&](const SkeletonTemplate& entry) { return entry.id == first; });
        for (const SkeletonTemplate& entry : templates)
            if (base != templates.end() && entry.variant == base->variant && entry.pattern == base->pattern)
                m_kind->addItem(QString::fromStdString(entry.kind), QString::fromStdString(entry.id));
    }
    m_kind->setCurrentIndex(0);
    choiceChanged();
}

const SkeletonTemplate* NewDesignDialog::chosen() const {
    const std::string id = m_kind->currentData().toString().toStdString();
    for (const SkeletonTemplate& entry : m_library.index().templates)
        if (entry.id == id) return &entry;
    return nullptr;
}

void NewDesignDialog::fillChips(const SkeletonTemplate& chosen) {
    m_chip->clear();
    for (const ChipSpec& chip : m_chips.chips())
        if (chosen.arch.empty() || chip.arch == chosen.arch)
            m_chip->addItem(QString::fromStdString(chip.id.text), QString::fromStdString(chip.id.text));
    const ChipSpec* chip = m_document->chip();
    m_chip->setCurrentIndex(chip ? m_chip->findData(QString::fromStdString(chip->id.text)) : -1);
}

void NewDesignDialog::choiceChanged() {
    const SkeletonTemplate* entry = chosen();
    const Design* made = entry ? m_library.design(entry->id) : nullptr;
    m_create->setEnabled(made != nullptr);
    if (!made) {
        m_document->close();
        return;
    }
    m_document->newDesign(*made);
    m_title->setText(textOf(entry->title));
    m_summary->setText(textOf(entry->summary));
    m_name->setText(QString::fromStdString(made->name));
    fillChips(*entry);
    showSymbols();
    showChecklist();
}

void NewDesignDialog::showSymbols() {
    while (m_symbols->rowCount() > 0) m_symbols->removeRow(0);
    const Design& design = *m_document->design();
    for (const Symbol& symbol : design.symbols) {
        auto* field = new StepSpinBox(m_theme, {});
        field->setAccessibleName(QString::fromStdString(symbol.id.text));
        field->setToolTip(QString::fromStdString(symbol.notes));
        const std::int64_t* bound =
            m_document->binding() ? m_document->binding()->symbols.find(symbol.id.text) : nullptr;
        field->setValue(bound ? *bound : symbol.value);
        m_symbols->addRow(QString::fromStdString(symbol.id.text), field);
        connect(field, &StepSpinBox::edited, this, [this, id = symbol.id](std::optional<std::int64_t> value, bool) {
            Design copy = *m_document->design();
            for (Symbol& entry : copy.symbols)
                if (entry.id == id) entry.value = std::max<std::int64_t>(1, value.value_or(1));
            for (Case& entry : copy.cases)
                if (entry.symbols.find(id.text))
                    entry.symbols.set(id.text, std::max<std::int64_t>(1, value.value_or(1)));
            m_document->apply({}, std::move(copy));
        });
    }
}

void NewDesignDialog::showChecklist() {
    while (QLayoutItem* item = m_checklist->takeAt(0)) {
        if (QWidget* line = item->widget()) line->deleteLater();
        delete item;
    }
    m_recommended.clear();
    m_advice->clear();
    m_findings->clear();
    const ResolvedDesign* resolved = m_document->resolved();
    const ChipSpec* chip = m_document->chip();
    if (!resolved || !chip) {
        if (m_document->problem()) m_findings->setText(QString::fromStdString(m_document->problem()->message));
        return;
    }
    const Checklist checklist = evaluateChecklist(*resolved, *chip);
    for (const ChecklistItem& entry : checklist.items) {
        auto* line = new QWidget;
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(6);
        row->addWidget(
            new IconLabel(m_theme, entry.holds ? Icon::Pass : Icon::Fail, entry.holds ? Token::Ok : Token::Warn), 0,
            Qt::AlignTop);
        auto* text = new TextLabel(m_theme, FontRole::UiSmall, Token::Text, textOf(entry.question));
        text->setWordWrap(true);
        text->setToolTip(textOf(entry.evidence));
        row->addWidget(text, 1);
        m_checklist->addWidget(line);
    }
    m_checklist->addStretch(1);
    m_recommended = QString::fromStdString(checklist.recommended);
    if (checklist.isGeneralMatmul()) {
        m_advice->setToken(Token::Ok);
        m_advice->setText(tr("SK-14 fits."));
    } else {
        const SkeletonCard* card = m_library.index().skeleton(checklist.recommended);
        m_advice->setToken(Token::Warn);
        m_advice->setText(tr("%1 fits better: %2").arg(m_recommended, card ? textOf(card->name) : QString()) +
                          QLatin1Char('\n') + textOf(checklist.reason));
    }
    const auto& findings = m_document->findings();
    const auto errors = std::count_if(findings.begin(), findings.end(),
                                      [](const Finding& finding) { return finding.severity == Severity::Error; });
    m_findings->setText(errors == 0 ? tr("No rule objects: it runs as it is.")
                                    : tr("%1 errors with these shapes; they can be fixed afterwards.").arg(errors));
}

}  // namespace cubist
