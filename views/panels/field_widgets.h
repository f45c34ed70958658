// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QString>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/design/design.h"
#include "views/widgets/choice_box.h"

/// Fields that forms are made of, without knowing what they edit.
namespace cubist {

/// A text that is applied while it is typed. `done`: Enter, or the focus leaves.
[[nodiscard]] QLineEdit* typedLine(const QString& name, const std::function<void(const QString&)>& typed,
                                   const std::function<void()>& done);
/// A text that is applied when it is complete (Enter, focus leaves); one that `commit` refuses stays and is outlined.
/// Escape takes the typing back.
[[nodiscard]] QLineEdit* committedLine(const QString& name, const std::function<bool(const QString&)>& commit,
                                       const std::function<void()>& done);
[[nodiscard]] ChoiceBox* choiceBox(const QString& name);

/// Shows `text` unless the field has the focus with a text that is not applied yet.
void showText(QLineEdit* line, const QString& text);
/// Offers these names while typing.
void completeWith(QLineEdit* line, const std::function<QStringList()>& names);

/// "T, 5120" of expressions, and back. Errors: Syntax of the first that does not parse.
[[nodiscard]] QString expressionsText(const std::vector<Expression>& expressions);
[[nodiscard]] Result<std::vector<Expression>> parseExpressions(const QString& text);
/// "16, 64" and back; nothing when a part is no integer.
[[nodiscard]] QString integersText(const std::vector<std::int64_t>& values);
[[nodiscard]] std::optional<std::vector<std::int64_t>> parseIntegers(const QString& text);
/// "DEFAULT: 4, func0_1: 2" and back; nothing when a part is not a name, a colon and a value.
[[nodiscard]] QString dictionaryText(const Dictionary<std::int64_t>& values);
[[nodiscard]] std::optional<Dictionary<std::int64_t>> parseDictionary(const QString& text);
[[nodiscard]] QString dictionaryText(const Dictionary<std::string>& values);
[[nodiscard]] std::optional<Dictionary<std::string>> parseTextDictionary(const QString& text);
/// A finite number in C notation; nothing for anything else.
[[nodiscard]] std::optional<double> parseNumber(const QString& text);
/// Shortest text that reads back as the number.
[[nodiscard]] QString plainNumber(double value);

}  // namespace cubist
