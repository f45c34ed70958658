// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFile>
#include <QFontMetricsF>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include "views/icons.h"
#include "views/style_sheet.h"
#include "views/theme.h"

using namespace cubist;

Q_DECLARE_METATYPE(cubist::Token)

namespace {

constexpr ColorScheme kSchemes[] = {ColorScheme::Light, ColorScheme::Dark, ColorScheme::HighContrast};

}  // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void contrastOfKnownPairs() {
        QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
        // #767676 is the lightest grey that passes 4.5 on white.
        QVERIFY(contrastRatio(QColor("#767676"), Qt::white) >= 4.5);
        QVERIFY(contrastRatio(QColor("#777777"), Qt::white) < 4.5);
    }

    void textCanBeRead_data() {
        QTest::addColumn<Token>("ink");
        QTest::addColumn<Token>("ground");
        QTest::addColumn<double>("least");
        const auto row = [](const char* name, Token ink, Token ground, double least) {
            QTest::newRow(name) << ink << ground << least;
        };
        row("text on surface", Token::Text, Token::Surface, 7.0);
        row("text on background", Token::Text, Token::Bg, 7.0);
        row("text on raised", Token::Text, Token::Raised, 7.0);
        row("text on selection", Token::Text, Token::CubeSoft, 7.0);
        row("text on V", Token::Text, Token::VectorSoft, 7.0);
        row("text on movement", Token::Text, Token::MoveSoft, 7.0);
        row("muted on surface", Token::Muted, Token::Surface, 4.5);
        row("muted on background", Token::Muted, Token::Bg, 4.5);
        row("muted on raised", Token::Muted, Token::Raised, 4.5);
        row("muted on movement", Token::Muted, Token::MoveSoft, 4.5);
        row("accent on surface", Token::Accent, Token::Surface, 4.5);
        row("error on surface", Token::Error, Token::Surface, 4.5);
        row("ok on surface", Token::Ok, Token::Surface, 4.5);
        row("warning sign on surface", Token::Warn, Token::Surface, 3.0);
        row("V's time on its head", Token::Vector, Token::Surface, 3.0);
    }

    void textCanBeRead() {
        QFETCH(Token, ink);
        QFETCH(Token, ground);
        QFETCH(double, least);
        for (const ColorScheme scheme : kSchemes) {
            const double contrast = contrastRatio(Theme::color(ink, scheme), Theme::color(ground, scheme));
            QVERIFY2(contrast >= least, qPrintable(QString("%1 in %2").arg(contrast).arg(int(scheme))));
        }
    }

    void textOnFillsCanBeRead() {
        for (const bool dark : {false, true})
            for (const Token fill :
                 {Token::Accent, Token::Cube, Token::Vector, Token::Error, Token::Warn, Token::Ok, Token::Fix})
                QVERIFY(contrastRatio(Theme::onFill(dark), Theme::color(fill, dark)) >= 3.0);
    }

    void highContrastIsAtLeastSevenToOne() {
        const auto of = [](Token token) { return Theme::color(token, ColorScheme::HighContrast); };
        for (const Token ink : {Token::Text, Token::Muted, Token::Accent, Token::Cube, Token::Vector, Token::Move,
                                Token::Fix, Token::Error, Token::Warn, Token::Ok, Token::Border, Token::Select})
            QVERIFY2(contrastRatio(of(ink), of(Token::Surface)) >= 7.0, qPrintable(QString::number(int(ink))));
    }

    void movingPipesDifferInShadeAndTexture() {
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark, ThemeMode::HighContrast}) {
            Theme theme;
            theme.setMode(mode);
            const QColor one = theme.color(Token::Mte1);
            const QColor two = theme.color(Token::Move);
            const QColor three = theme.color(Token::Mte3);
            QVERIFY(contrastRatio(one, two) >= 1.4);
            QVERIFY(contrastRatio(two, three) >= 1.4);
            QCOMPARE(theme.fill(Token::Move).style(), Qt::SolidPattern);
            QCOMPARE(theme.fill(Token::Mte1).style(), Qt::TexturePattern);
            QCOMPARE(theme.fill(Token::Mte3).style(), Qt::TexturePattern);
            QVERIFY(theme.fill(Token::Mte1).textureImage() != theme.fill(Token::Mte3).textureImage());
        }
    }

    void theModeIsToldEvenWhenNoColourChanges() {
        Theme theme;
        theme.setMode(ThemeMode::Light);
        QSignalSpy modes(&theme, &Theme::modeChanged);
        theme.setMode(ThemeMode::System);
        theme.setMode(ThemeMode::System);
        QCOMPARE(modes.count(), 1);
        theme.setMode(ThemeMode::HighContrast);
        QVERIFY(theme.isDark());
        QCOMPARE(theme.scheme(), ColorScheme::HighContrast);
    }

    void meaningsHaveTheirColours() {
        QCOMPARE(Theme::color(Token::Cube, false), QColor("#2563EB"));
        QCOMPARE(Theme::color(Token::Vector, false), QColor("#D9730D"));
        QCOMPARE(Theme::color(Token::Move, true), QColor("#5ED1A3"));
        QCOMPARE(Theme::color(Token::Fix, true), QColor("#B89CFF"));
        QCOMPARE(Theme::color(Token::Select, true), QColor("#6EA8FF"));
        QCOMPARE(Theme::color(Token::Bg, false), QColor("#F4F6F9"));
    }

    void modeChangesAreToldOnce() {
        Theme theme;
        theme.setMode(ThemeMode::Light);
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setMode(ThemeMode::Dark);
        QVERIFY(theme.isDark());
        QCOMPARE(changed.count(), 1);
        theme.setMode(ThemeMode::Dark);
        QCOMPARE(changed.count(), 1);
        theme.setMode(ThemeMode::Light);
        QCOMPARE(changed.count(), 2);
        QCOMPARE(theme.color(Token::Text), Theme::color(Token::Text, false));
    }

    void systemModeFollowsTheDesktopsPalette() {
        const QPalette before = QApplication::palette();
        QPalette dark = before;
        dark.setColor(QPalette::Window, Qt::black);
        dark.setColor(QPalette::WindowText, Qt::white);
        QApplication::setPalette(dark);
        QVERIFY(Theme().isDark());
        QPalette light = before;
        light.setColor(QPalette::Window, Qt::white);
        light.setColor(QPalette::WindowText, Qt::black);
        QApplication::setPalette(light);
        QVERIFY(!Theme().isDark());
        QApplication::setPalette(before);
    }

    void installedThemeReachesWidgets() {
        Theme theme;
        theme.setMode(ThemeMode::Light);
        theme.install(*qApp);
        QPushButton button(QStringLiteral("Run"));
        button.setProperty("primary", true);
        button.resize(120, 30);
        button.show();
        QVERIFY(QTest::qWaitForWindowExposed(&button));
        button.clearFocus();
        const auto fill = [&button] { return button.grab().toImage().pixelColor(12, 15); };
        QCOMPARE(fill(), Theme::color(Token::Accent, false));
        theme.setMode(ThemeMode::Dark);
        QCOMPARE(fill(), Theme::color(Token::Accent, true));
        QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::color(Token::Bg, true));
        qApp->setStyleSheet({});
    }

    void styleSheetNamesOnlyKnownColoursAndFiles() {
        for (const ColorScheme scheme : kSchemes) {
            const QString sheet = styleSheetText(scheme);
            QVERIFY(!sheet.contains(QLatin1Char('@')));
            QVERIFY(sheet.contains(Theme::color(Token::Border, scheme).name()));
            static const QRegularExpression url(QStringLiteral("url\\(([^)]*)\\)"));
            int files = 0;
            for (auto it = url.globalMatch(sheet); it.hasNext(); ++files) {
                const QString file = it.next().captured(1);
                QVERIFY2(QFile::exists(file), qPrintable(file));
            }
            QVERIFY(files > 10);
        }
        QVERIFY(styleSheetText(ColorScheme::Light) != styleSheetText(ColorScheme::Dark));
    }

    void fontsHaveChineseGlyphs() {
        for (int role = 0; role < kFontRoleCount; ++role) {
            const QFont font = Theme::font(static_cast<FontRole>(role));
            QVERIFY(font.families().contains(QStringLiteral("Noto Sans CJK SC")));
            QVERIFY(font.pixelSize() >= 8);
        }
        const QFontMetricsF mono(Theme::font(FontRole::Mono));
        QCOMPARE(mono.horizontalAdvance(QStringLiteral("iiii")), mono.horizontalAdvance(QStringLiteral("MMMM")));
    }

    void waitingIsHatched() {
        Theme theme;
        theme.setMode(ThemeMode::Light);
        QPixmap field(60, 60);
        field.fill(Qt::white);
        QPainter painter(&field);
        painter.fillRect(field.rect(), theme.hatch());
        painter.end();
        const QImage image = field.toImage();
        int striped = 0;
        for (int x = 0; x < 60; ++x)
            if (image.pixelColor(x, 30).lightness() < 230) ++striped;
        QVERIFY2(striped >= 10 && striped <= 40, qPrintable(QString::number(striped)));
    }

    void everyIconIsDrawnInTheColourAskedFor() {
        QSet<QString> files;
        for (int i = 0; i < kIconCount; ++i) {
            const Icon icon = static_cast<Icon>(i);
            files.insert(iconPath(icon));
            QVERIFY2(QFile::exists(iconPath(icon)), qPrintable(iconPath(icon)));
            const QImage image = iconPixmap(icon, 20, Qt::red, 2.0).toImage();
            QCOMPARE(image.size(), QSize(40, 40));
            int opaque = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    const QColor pixel = image.pixelColor(x, y);
                    if (pixel.alpha() < 200) continue;
                    ++opaque;
                    QVERIFY2(pixel.red() > 240 && pixel.green() < 16 && pixel.blue() < 16, qPrintable(iconPath(icon)));
                }
            QVERIFY2(opaque > 20, qPrintable(iconPath(icon)));
        }
        QCOMPARE(files.size(), kIconCount);
    }

    void iconsFollowTheTheme() {
        Theme theme;
        theme.setMode(ThemeMode::Light);
        const QIcon icon = themedIcon(theme, Icon::Stop, Token::Error);
        const auto centre = [&icon](QIcon::Mode mode) {
            return icon.pixmap(QSize(20, 20), 1.0, mode).toImage().pixelColor(10, 10);
        };
        QCOMPARE(centre(QIcon::Normal), Theme::color(Token::Error, false));
        QCOMPARE(centre(QIcon::Disabled), Theme::color(Token::Wait, false));
        theme.setMode(ThemeMode::Dark);
        QCOMPARE(centre(QIcon::Normal), Theme::color(Token::Error, true));
        QCOMPARE(icon.pixmap(QSize(20, 20), 2.0).size(), QSize(40, 40));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
