// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <concepts>
#include <functional>
#include <utility>

namespace cubist {

/// A text that follows the language of the program: `[] { return tr("Change tile"); }` is asked anew after a switch.
/// What has one language only (names, texts of rules) is given as it is.
class LocalText {
public:
    LocalText() = default;
    LocalText(QString fixed) : m_fixed(std::move(fixed)) {}
    LocalText(const char* fixed) : m_fixed(QString::fromUtf8(fixed)) {}
    template <std::invocable Function>
    requires std::convertible_to<std::invoke_result_t<Function>, QString> LocalText(Function function)
        : m_function(std::move(function)) {}

    /// In the language of now.
    [[nodiscard]] QString operator()() const { return m_function ? m_function() : m_fixed; }

private:
    QString m_fixed;
    std::function<QString()> m_function;
};

}  // namespace cubist
