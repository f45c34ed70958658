// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cubist {

/// A Python expression that knows where it may be broken into lines: text without a break, or a bracket with items.
class PyExpr {
public:
    PyExpr(std::string text) : m_head(std::move(text)) {}
    PyExpr(const char* text) : m_head(text) {}
    PyExpr(std::int64_t value) : m_head(std::to_string(value)) {}
    PyExpr(int value) : m_head(std::to_string(value)) {}

    /// `function(items)`
    [[nodiscard]] static PyExpr call(const std::string& function, std::vector<PyExpr> items);
    [[nodiscard]] static PyExpr list(std::vector<PyExpr> items);
    /// `value[items]`
    [[nodiscard]] static PyExpr subscript(const std::string& value, std::vector<PyExpr> items);
    /// `(a, b)`, `(a,)`
    [[nodiscard]] static PyExpr tuple(std::vector<PyExpr> items);
    [[nodiscard]] static PyExpr dict(std::vector<PyExpr> entries);
    /// `"key": value`
    [[nodiscard]] static PyExpr entry(std::string_view key, PyExpr value);
    /// `key: value`, the key being Python
    [[nodiscard]] static PyExpr keyed(const std::string& key, PyExpr value);
    /// `name=value`
    [[nodiscard]] static PyExpr named(const std::string& name, PyExpr value);
    /// A string literal; a long one is cut into adjacent literals when it has to be broken.
    [[nodiscard]] static PyExpr string(std::string_view text);

    /// On one line.
    [[nodiscard]] std::string flat() const;

private:
    friend class PythonWriter;
    PyExpr() = default;

    std::string m_prefix;  ///< "name=" or "\"key\": "
    std::string m_head;    ///< the text, or what stands before the bracket
    char m_open = 0;       ///< the bracket; 0: plain text
    std::vector<PyExpr> m_items;
    bool m_comma = false;               ///< a tuple of one item
    std::vector<std::string> m_pieces;  ///< a long string literal in pieces
};

/// A Python string literal with double quotes unless single ones save backslashes.
[[nodiscard]] std::string pythonString(std::string_view text);
/// A float literal: "1.0", "0.005", "1e-06". Precondition: finite.
[[nodiscard]] std::string pythonFloat(double value);

/// Writes Python source line by line, formatted as `black` does at kPythonColumns columns: what does not fit on a line
/// is broken at its outermost bracket, the items on one line if they fit there, else one to a line with a comma behind.
class PythonWriter {
public:
    static constexpr std::size_t kColumns = 100;

    void line(std::string_view text);  ///< at the present indentation
    void blank(int lines = 1);
    /// A comment; broken between words.
    void comment(std::string_view text);
    enum class DocLines : std::uint8_t { Paragraphs, Tight };
    /// A summary, then paragraphs, or lines without blanks between them.
    void docString(std::string_view summary, const std::vector<std::string>& paragraphs = {},
                   DocLines lines = DocLines::Paragraphs);
    /// `prefix` + expression + `suffix`, such as "x = ", "if ", ":".
    void statement(const std::string& prefix, const PyExpr& expression, const std::string& suffix = {});
    void assign(const std::string& target, const PyExpr& value) { statement(target + " = ", value); }

    void indent() { ++m_depth; }
    void dedent() { --m_depth; }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    void write(const std::string& prefix, const PyExpr& expression, const std::string& suffix);

    std::string m_text;
    int m_depth = 0;
};

/// Indents for the lifetime of a scope.
class PythonIndent {
public:
    explicit PythonIndent(PythonWriter& writer) : m_writer(writer) { m_writer.indent(); }
    ~PythonIndent() { m_writer.dedent(); }
    PythonIndent(const PythonIndent&) = delete;
    PythonIndent& operator=(const PythonIndent&) = delete;

private:
    PythonWriter& m_writer;
};

}  // namespace cubist
