// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/about.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QVBoxLayout>

#include "app/command_table.h"
#include "app/version.h"
#include "core/emulator/isa.h"
#include "views/language.h"
#include "views/qt_text.h"
#include "views/widgets/labels.h"

namespace cubist {

void showAbout(QWidget* parent, const Theme& theme) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setMinimumWidth(420);
    buildInLanguage(*dialog, [dialog, &theme] {
        dialog->setWindowTitle(Commands::tr("About Cubist - Cubist"));
        auto* layout = new QVBoxLayout(dialog);
        layout->setContentsMargins(20, 16, 20, 16);
        layout->setSpacing(10);
        const auto add = [&](FontRole role, Token token, const QString& text) {
            auto* label = new TextLabel(theme, role, token, text);
            label->setWordWrap(true);
            label->setTextInteractionFlags(Qt::TextSelectableByMouse);
            layout->addWidget(label);
        };
        QStringList isas;
        for (const Isa isa : availableIsas()) isas << qText(toText(isa));
        add(FontRole::Title, Token::Text, Commands::tr("Cubist %1").arg(QString::fromStdString(versionText())));
        add(FontRole::Ui, Token::Text,
            Commands::tr(
                "A workbench for PyPTO kernels of the General Multi-MatMul family. Values and times come from an "
                "emulated core: no NPU is needed, and none is asked."));
        add(FontRole::Mono, Token::Muted,
            QStringLiteral("Qt %1\nQCustomPlot 2.1\n%2: %3")
                .arg(QString::fromLatin1(qVersion()), Commands::tr("instruction sets"),
                     isas.join(QLatin1String(", "))));
        add(FontRole::UiSmall, Token::Muted,
            Commands::tr("Free software under the GNU General Public License, version 3 or later."));
        auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
        QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
        layout->addWidget(buttons);
    });
    dialog->open();
}

}  // namespace cubist
