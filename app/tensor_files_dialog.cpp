// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_files_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
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
#include "core/design/binding.h"
#include "core/design/resolve.h"
#include "core/exchange/npy_header.h"
#include "core/exchange/tensor_files.h"
#include "views/session.h"

namespace cubist {
namespace {

/// Larger files are looked at by the run alone: it reads them on a thread of its own.
constexpr qint64 kMostChecked = qint64{64} << 20;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

const TensorFile* find(const std::map<std::string, TensorFile>& files, const std::string& name) {
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
    auto* note = new QLabel(tr(
        "Values of inputs and goldens of outputs for the runs of this window: .npy, .npz#NAME, .safetensors#NAME, or "
        "elements alone (.bin, .data, .raw). After a failed verdict other types and orders are tried."));
    note->setWordWrap(true);
    auto* inside = new QWidget;
    auto* grid = new QGridLayout(inside);
    grid->setColumnStretch(1, 1);
    const std::shared_ptr<const Design> design = session.document().effectiveDesign();
    const RunRequest request = session.request();
    const auto binding = design ? bindWith(*design, request.caseName, {request.symbols, request.lists})
                                : Result<Binding>(unexpected(ErrorCode::BadValue, "no design"));
    const auto resolved = binding ? resolve(*design, *binding) : Result<ResolvedDesign>(unexpected(binding.error()));
    if (resolved)
        for (const bool golden : {false, true})
            for (const Tensor& tensor : design->tensors) {
                const bool given = tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
                const bool made = tensor.role == TensorRole::Output || tensor.role == TensorRole::InOut;
                const ResolvedValue* value = resolved->value(ValueId(tensor.id.text));
                if (value == nullptr || !(golden ? made : given) || (!golden && !tensor.data.list.empty())) continue;
                addRow(*grid, {tensor.id.text, value->dtype, value->shape}, golden,
                       find(golden ? session.goldenFiles() : session.inputFiles(), tensor.id.text));
            }
    else
        grid->addWidget(new QLabel(tr("The design has errors: the shapes of its tensors are not known.")), 0, 0);
    grid->setRowStretch(grid->rowCount(), 1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(inside);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(note);
    column->addWidget(scroll, 1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resizeOnScreen(*this, QSize(860, 520));
}

void TensorFilesDialog::addRow(QGridLayout& grid, const TensorTarget& target, bool golden, const TensorFile* file) {
    const auto owned = std::make_shared<Row>();  // kept by what the widgets call, whatever goes first
    Row& row = *owned;
    row.target = target;
    row.golden = golden;
    const QString name = QString::fromStdString(target.name);
    auto* label =
        new QLabel((golden ? tr("golden of %1") : tr("input %1")).arg(name) + QLatin1Char('\n') +
                   text(toText(target.dtype)) + QLatin1Char(' ') + QString::fromStdString(shapeText(target.shape)));
    row.file = new QLineEdit(file ? pathOf(*file) : QString());
    row.file->setPlaceholderText(golden ? tr("computed by Cubist") : tr("as the design says"));
    row.file->setAccessibleName(tr("File of %1").arg(name));
    label->setBuddy(row.file);
    row.type = new QComboBox;
    row.type->addItem(tr("type: as stored"));
    row.type->setAccessibleName(tr("Type of the elements of %1").arg(name));
    for (const auto& [type, word] : EnumTable<DType>::entries) row.type->addItem(text(word));
    row.type->addItem(text(kFloat64Name));
    row.order = new QComboBox;
    row.order->addItems({QStringLiteral("ND"), QStringLiteral("NZ")});
    row.order->setAccessibleName(tr("Order of the elements of %1").arg(name));
    if (file) {
        if (file->stored) row.type->setCurrentText(text(toText(*file->stored)));
        if (file->float64) row.type->setCurrentText(text(kFloat64Name));
        row.order->setCurrentIndex(file->nz ? 1 : 0);
    }
    auto* pick = new QPushButton(tr("Choose..."));
    pick->setAccessibleName(tr("Choose the file of %1").arg(name));
    row.state = new QLabel;
    row.state->setTextFormat(Qt::PlainText);
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
    connect(row.type, &QComboBox::currentIndexChanged, this, [this, owned] { check(*owned); });
    connect(row.order, &QComboBox::currentIndexChanged, this, [this, owned] { check(*owned); });
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

std::optional<TensorFile> TensorFilesDialog::fileOf(const Row& row) {
    const QString path = row.file->text().trimmed();
    if (path.isEmpty()) return std::nullopt;
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
    const QFileInfo info(QString::fromStdString(splitEntry(file->path).file));
    if (info.size() > kMostChecked) {
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
        row.state->setText(tr("Can be read so."));
        return;
    }
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
