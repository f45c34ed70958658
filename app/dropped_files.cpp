// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dropped_files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QUrl>

#include <utility>

#include "core/design/edit_ops.h"
#include "views/session.h"

namespace cubist {
namespace {

bool isTensorFile(const QString& path) {
    for (const char* suffix : {".npy", ".npz", ".safetensors", ".bin", ".data", ".raw"})
        if (path.endsWith(QLatin1String(suffix))) return true;
    return false;
}

bool takesData(const Tensor& tensor) {
    return tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
}

}  // namespace

DroppedFiles droppedFiles(const QMimeData& data) {
    DroppedFiles files;
    for (const QUrl& url : data.urls()) {
        const QString path = url.toLocalFile();
        if (path.endsWith(QLatin1String(".json")) || path.endsWith(QLatin1String(".py")) ||
            path.endsWith(QLatin1String(".zip")))
            files.designs << path;
        else if (isTensorFile(path))
            files.tensors << path;
    }
    return files;
}

QString storedPath(const QString& folder, const QString& file) {
    if (folder.isEmpty()) return file;
    const QString relative = QDir(folder).relativeFilePath(file);
    return relative.startsWith(QLatin1String("..")) ? file : relative;
}

bool dropTensorFile(QWidget& window, Session& session, const QString& file, const Element& target,
                    const QPoint& position) {
    DocumentModel& document = session.document();
    if (!document.hasDesign()) return false;
    const Design& design = *document.design();
    const Tensor* chosen = target.isTensor() ? findTensor(design, target.tensor()) : nullptr;
    if (chosen && !takesData(*chosen)) chosen = nullptr;
    if (!chosen) chosen = findTensor(design, TensorId(QFileInfo(file).completeBaseName().toStdString()));
    if (chosen && !takesData(*chosen)) chosen = nullptr;
    if (!chosen) {
        QMenu menu(&window);
        menu.addSection(
            QCoreApplication::translate("cubist::DroppedFiles", "%1 is the data of").arg(QFileInfo(file).fileName()));
        for (const Tensor& tensor : design.tensors)
            if (takesData(tensor))
                menu.addAction(QString::fromStdString(tensor.id.text))->setData(QString::fromStdString(tensor.id.text));
        const QAction* answer = menu.exec(position);
        if (!answer) return false;
        chosen = findTensor(design, TensorId(answer->data().toString().toStdString()));
    }
    if (!chosen) return false;
    DataSource source = chosen->data;
    source.file = storedPath(document.folder(), file).toStdString();
    source.list = {};
    const TensorId id = chosen->id;
    document.endEditRun();
    if (!document.apply([] { return QCoreApplication::translate("cubist::DroppedFiles", "Change data file"); },
                        setTensorData(design, id, source)))
        return false;
    session.selection().select(Element(id));
    return true;
}

}  // namespace cubist
