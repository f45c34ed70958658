// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/new_design_dialog.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "app/help_window.h"
#include "app/wizard/design_check.h"
#include "app/wizard/fit_page.h"
#include "app/wizard/sizes_page.h"
#include "app/wizard/template_page.h"
#include "views/canvas/canvas_scene.h"
#include "views/theme.h"
#include "views/widgets/wrap_check_box.h"

namespace cubist {
namespace {

constexpr QSize kSize(1120, 800);

}  // namespace

NewDesignDialog::NewDesignDialog(const SkeletonLibrary& library, const ChipLibrary& chips, const Theme& theme,
                                 QWidget* parent)
    : QDialog(parent),
      m_document(chips),
      m_scene(std::make_unique<CanvasScene>(m_document, m_selection, theme)),
      m_steps(new QTabBar),
      m_pages(new QStackedWidget),
      m_fit(new FitPage(library.index(), theme)),
      m_templates(new TemplatePage(library, chips, theme, *m_scene)),
      m_sizes(new SizesPage(library, m_document, theme, *m_scene)) {
    setObjectName(QStringLiteral("newDesignDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("New design - Cubist"));
    setProperty(kHelpPage, QStringLiteral("wizard"));
    m_steps->setDrawBase(false);
    m_steps->setExpanding(false);
    m_steps->setDocumentMode(true);
    m_steps->setAccessibleName(tr("Steps"));
    m_steps->addTab(tr("1  Operator"));
    m_steps->addTab(tr("2  Structure"));
    m_steps->addTab(tr("3  Sizes and chip"));
    m_pages->addWidget(m_fit);
    m_pages->addWidget(m_templates);
    m_pages->addWidget(m_sizes);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 16);
    column->setSpacing(12);
    column->addWidget(m_steps);
    // On a small screen the pages scroll, and the buttons stay in sight.
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_pages);
    column->addWidget(scroll, 1);
    column->addWidget(makeButtons());
    resize(kSize.boundedTo(screen()->availableGeometry().size() - QSize(32, 64)));
    connect(m_steps, &QTabBar::currentChanged, this, &NewDesignDialog::showStep);
    connect(m_templates, &TemplatePage::changed, this, &NewDesignDialog::useTemplate);
    connect(&m_sizes->check(), &DesignCheckPanel::runnableChanged, this, &NewDesignDialog::updateButtons);
    useTemplate();
    showStep(Fit);
}

NewDesignDialog::~NewDesignDialog() {
    // The pages look at scene and document until the end.
    delete m_pages;
}

QWidget* NewDesignDialog::makeButtons() {
    auto* part = new QWidget;
    auto* row = new QHBoxLayout(part);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    auto* cancel = new QPushButton(tr("Cancel"));
    m_back = new QPushButton(tr("&Back"));
    m_next = new QPushButton(tr("&Next"));
    m_create = new QPushButton(tr("&Create"));
    m_back->setObjectName(QStringLiteral("wizardBack"));
    m_next->setObjectName(QStringLiteral("wizardNext"));
    m_create->setObjectName(QStringLiteral("createButton"));
    m_create->setProperty("primary", true);
    m_create->setToolTip(tr("Open the design in the window (Ctrl+Enter)"));
    auto* empty = new QPushButton(tr("&Empty canvas"));
    empty->setObjectName(QStringLiteral("wizardEmpty"));
    empty->setToolTip(tr("No skeleton: an empty design, to be filled from the library"));
    for (QPushButton* button : {cancel, empty, m_back, m_next, m_create}) button->setAutoDefault(false);
    row->addWidget(empty);
    row->addStretch(1);
    row->addWidget(cancel);
    row->addSpacing(16);
    row->addWidget(m_back);
    row->addWidget(m_next);
    row->addWidget(m_create);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(empty, &QPushButton::clicked, this, [this] {
        reject();
        emit emptyWanted();
    });
    connect(m_back, &QPushButton::clicked, this, [this] { showStep(step() - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { showStep(step() + 1); });
    connect(m_create, &QPushButton::clicked, this, &NewDesignDialog::create);
    for (const char* keys : {"Ctrl+Return", "Ctrl+Enter"})
        connect(new QShortcut(QKeySequence(QString::fromLatin1(keys)), this), &QShortcut::activated, this,
                &NewDesignDialog::create);
    return part;
}

int NewDesignDialog::step() const {
    return m_pages->currentIndex();
}

void NewDesignDialog::showStep(int step) {
    m_pages->setCurrentIndex(step);
    m_steps->setCurrentIndex(step);
    m_sizes->check().setAdvice(m_fit->advice());
    updateButtons();
    // The keyboard goes on where the step begins.
    QWidget* const first[] = {m_fit->box(SkeletonQuestion::HasMatmul), m_templates->variants(), m_sizes->name()};
    first[step]->setFocus(Qt::OtherFocusReason);
}

void NewDesignDialog::choose(Variant variant) {
    m_templates->choose(variant);
}

void NewDesignDialog::useTemplate() {
    const SkeletonTemplate* entry = m_templates->chosen();
    const std::string id = entry ? entry->id : std::string();
    if (!id.empty() && id == m_shown) return;
    m_shown = id;
    m_sizes->setTemplate(entry);
    updateButtons();
}

void NewDesignDialog::updateButtons() {
    m_back->setEnabled(step() > Fit);
    m_next->setEnabled(step() < Sizes);
    m_create->setEnabled(m_sizes->check().isRunnable());
    m_next->setDefault(step() < Sizes);
    m_create->setDefault(step() == Sizes);
}

void NewDesignDialog::create() {
    if (!m_sizes->check().isRunnable()) return;
    const Design made = *m_document.design();
    accept();
    emit created(made);
}

}  // namespace cubist
