// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_files_dialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <map>
#include <utility>

#include "app/help_window.h"
#include "app/window_place.h"
#include "core/base/enum_table.h"
#include "core/design/resolve.h"
#include "core/exchange/npy_header.h"
#include "core/exchange/tensor_files.h"
#include "views/qt_text.h"
#include "views/session.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/labels.h"

namespace cubist {
namespace {

/// Elements, and bytes of a file, that are looked at while somebody types: some 20 ms. The run reads larger files, on a
/// thread of its own.
constexpr qint64 kMostElements = qint64{2} << 20;
constexpr qint64 kMostBytes = qint64{16} << 20;

bool isLarge(const TensorFile& file, const TensorTarget& target) {
    const Result<std::int64_t> elements = elementCount(target.shape);
    return !elements || *elements > kMostElements ||
           QFileInfo(QString::fromStdString(splitEntry(file.path).file)).size() > kMostBytes;
}

const TensorFile* fileIn(const std::map<std::string, TensorFile>& files, const std::string& name) {
    const auto found = files.find(name);
    return found == files.end() ? nullptr : &found->second;
}

QString pathOf(const TensorFile& file) {
    return QString::fromStdString(file.entry.empty() ? file.path : file.path + "#" + file.entry);
}

}  // namespace

TensorFilesDialog::TensorFilesDialog(Session& session, QWidget* parent) : QDialog(parent), m_session(session) {
    setObjectName(QStringLiteral("tensorFilesDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Tensor files - Cubist"));
    setProperty(kHelpPage, QStringLiteral("accuracy"));
    auto* note = new TextLabel(
        session.theme(), FontRole::Ui, Token::Muted,
        tr("Values of inputs and goldens of outputs for the runs of this window: .npy, .npz#NAME, .safetensors#NAME, "
           "or elements alone (.bin, .data, .raw). After a failed verdict other types and orders are tried."));
    note->setWordWrap(true);
    QWidget* rows = makeRows();
    auto* buttons = new QDialogButtonBox(m_rows.empty() ? QDialogButtonBox::Close
                                                        : QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(note);
    column->addWidget(rows, 1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resizeOnScreen(*this, QSize(860, 520));
}

QWidget* TensorFilesDialog::makeRows() {
    const std::shared_ptr<const Design> design = m_session.document().effectiveDesign();
    const ResolvedDesign* resolved = m_session.document().resolved();
    auto* inside = new QWidget;
    auto* grid = new QGridLayout(inside);
    grid->setContentsMargins(0, 0, 8, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    for (const auto& [column, title] :
         {std::pair{0, tr("Tensor")}, std::pair{1, tr("File")}, std::pair{3, tr("Type")}, std::pair{4, tr("Order")}})
        grid->addWidget(new TextLabel(m_session.theme(), FontRole::UiSmall, Token::Muted, title), 0, column);
    for (const bool golden : {false, true}) {
        if (!design || !resolved) break;
        for (const Tensor& tensor : design->tensors) {
            const bool given = tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
            const bool made = tensor.role == TensorRole::Output || tensor.role == TensorRole::InOut;
            const ResolvedValue* value = resolved->value(ValueId(tensor.id.text));
            // A file for the tensor of a list gives the run that list: its values are its groups.
            if (value == nullptr || !(golden ? made : given)) continue;
            addRow(*grid, {tensor.id.text, value->dtype, value->shape}, golden,
                   fileIn(golden ? m_session.goldenFiles() : m_session.inputFiles(), tensor.id.text));
        }
    }
    if (m_rows.empty()) {
        delete inside;
        return resolved ? new EmptyState(m_session.theme(), tr("No tensors"),
                                         tr("The design has no inputs or outputs that a file could hold."))
                        : new EmptyState(m_session.theme(), tr("Shapes are not known"),
                                         tr("The design has errors: fix them to see what its tensors are."));
    }
    grid->setRowStretch(grid->rowCount(), 1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(inside);
    return scroll;
}

void TensorFilesDialog::addRow(QGridLayout& grid, const TensorTarget& target, bool golden, const TensorFile* file) {
    const auto owned = std::make_shared<Row>();  // kept by what the widgets call, whatever goes first
    Row& row = *owned;
    row.target = target;
    row.golden = golden;
    const QString name = QString::fromStdString(target.name);
    auto* label =
        new QLabel((golden ? tr("golden of %1") : tr("input %1")).arg(name) + QLatin1Char('\n') +
                   qText(toText(target.dtype)) + QLatin1Char(' ') + QString::fromStdString(shapeText(target.shape)));
    row.file = new QLineEdit(file ? pathOf(*file) : QString());
    row.file->setPlaceholderText(golden ? tr("computed by Cubist") : tr("as the design says"));
    row.file->setAccessibleName(tr("File of %1").arg(name));
    label->setBuddy(row.file);
    row.type = new ChoiceBox(tr("Type of the elements of %1").arg(name));
    row.type->addItem(tr("as stored"));
    for (const auto& [type, word] : EnumTable<DType>::entries) row.type->addItem(qText(word));
    row.type->addItem(qText(kFloat64Name));
    row.type->fitToItems();
    row.order = new ChoiceBox(tr("Order of the elements of %1").arg(name));
    row.order->addItems({QStringLiteral("ND"), QStringLiteral("NZ")});
    row.order->fitToItems();
    if (file) {
        if (file->stored) row.type->setCurrentText(qText(toText(*file->stored)));
        if (file->float64) row.type->setCurrentText(qText(kFloat64Name));
        row.order->setCurrentIndex(file->nz ? 1 : 0);
    }
    auto* pick = new QPushButton(tr("Choose..."));
    pick->setAccessibleName(tr("Choose the file of %1").arg(name));
    row.state = new TextLabel(m_session.theme(), FontRole::Ui, Token::Muted);
    row.state->setWordWrap(true);
    row.state->setObjectName(QStringLiteral("state_") + name);
    const int line = grid.rowCount();
    grid.addWidget(label, line, 0);
    grid.addWidget(row.file, line, 1);
    grid.addWidget(pick, line, 2);
    grid.addWidget(row.type, line, 3);
    grid.addWidget(row.order, line, 4);
    grid.addWidget(row.state, line + 1, 1, 1, 4);
    m_rows.push_back(owned);
    connect(pick, &QPushButton::clicked, this, [this, owned] { choose(*owned); });
    connect(row.file, &QLineEdit::editingFinished, this, [this, owned] { check(*owned); });
    connect(row.type, &ChoiceBox::currentIndexChanged, this, [this, owned] { check(*owned); });
    connect(row.order, &ChoiceBox::currentIndexChanged, this, [this, owned] { check(*owned); });
    check(row);
}

void TensorFilesDialog::choose(Row& row) {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("File of %1").arg(QString::fromStdString(row.target.name)), m_session.document().folder(),
        tr("Tensors (*.npy *.npz *.safetensors *.bin *.data *.raw);;All files (*)"));
    if (path.isEmpty()) return;
    row.file->setText(path);
    check(row);
}

std::optional<TensorFile> TensorFilesDialog::fileOf(const Row& row) const {
    QString path = row.file->text().trimmed();
    if (path.isEmpty()) return std::nullopt;
    if (const QString folder = m_session.document().folder(); !folder.isEmpty()) path = QDir(folder).filePath(path);
    TensorFile file(path.toStdString());
    const std::string type = row.type->currentIndex() > 0 ? row.type->currentText().toStdString() : std::string();
    file.float64 = type == kFloat64Name;
    if (!file.float64 && !type.empty()) file.stored = fromText<DType>(type);
    file.nz = row.order->currentIndex() == 1;
    return file;
}

void TensorFilesDialog::check(const Row& row) const {
    const std::optional<TensorFile> file = fileOf(row);
    row.state->setVisible(file.has_value());
    if (!file) return;
    row.state->setToken(Token::Muted);
    if (isLarge(*file, row.target)) {
        row.state->setText(tr("A large file: the run reads it."));
        return;
    }
    const TensorReaders readers = tensorReaders();
    std::optional<Error> problem;
    if (row.golden) {
        if (const auto values = readers.golden(*file, row.target); !values) problem = values.error();
    } else if (const auto values = readers.input(*file, row.target); !values) {
        problem = values.error();
    }
    if (!problem) {
        row.state->setToken(Token::Ok);
        row.state->setText(tr("The file can be read."));
        return;
    }
    row.state->setToken(Token::Error);
    const QString message = QString::fromStdString(problem->message), hint = QString::fromStdString(problem->hint);
    row.state->setText(hint.isEmpty() ? message : message + QStringLiteral("; ") + hint);
}

void TensorFilesDialog::accept() {
    std::map<std::string, TensorFile> inputs, goldens;
    for (const auto& row : m_rows)
        if (const auto file = fileOf(*row)) (row->golden ? goldens : inputs).emplace(row->target.name, *file);
    if (!m_rows.empty()) m_session.setTensorFiles(std::move(inputs), std::move(goldens));
    QDialog::accept();
}

}  // namespace cubist
