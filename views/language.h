// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

class QWidget;

namespace cubist {

struct Finding;
struct Fix;

enum class Language : std::uint8_t { System, English, Chinese };

/// Gives the application its texts; System follows the desktop's locale. Windows get a LanguageChange event.
void applyLanguage(Language language);
/// Builds the content of a dialog now and, from nothing, whenever the language changes while it is open: `build` makes
/// the layout and everything in it, and connects nothing that outlives them.
void buildInLanguage(QWidget& dialog, const std::function<void()>& build);
/// Whether texts are in Chinese now.
[[nodiscard]] bool inChinese();

/// The text of the current language where the core has both; the English one where the other is empty.
[[nodiscard]] QString inLanguage(std::string_view english, std::string_view chinese);
[[nodiscard]] QString messageOf(const Finding& finding);
[[nodiscard]] QString titleOf(const Fix& fix);

}  // namespace cubist
