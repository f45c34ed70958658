// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace cubist {

/// What kind of thing went wrong. The command line maps every code to an exit status (see `exitStatus`).
enum class ErrorCode : std::uint8_t {
    Syntax,        ///< the text is not JSON / npy / an expression
    WrongType,     ///< a value of the wrong type or out of the representable range
    DuplicateKey,  ///< an object names a key twice
    MissingKey,    ///< a required key is absent
    UnknownName,   ///< a name that refers to nothing (tensor, stage, symbol, case, chip, option ...)
    BadValue,      ///< a well-typed value that cannot be used
    Cycle,         ///< stages feed each other in a circle
    BadFile,       ///< a file cannot be opened, read or written, or its contents are damaged
    DoesNotFit,    ///< the work would need more memory than allowed; nothing was allocated
    Unsupported,   ///< legal, but this version cannot do it
    Cancelled,     ///< stopped on request: the one code that is not a failure
    Internal,      ///< a bug in Cubist
};

/// Why a call could not do its work. `where` is a JSON pointer into the design ("/blocks/0/body/1/tile/k") or a file
/// path; `hint` says what to do about it and may be empty.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string where = {};
    std::string hint = {};

    bool operator==(const Error&) const = default;
};

/// Process exit status for an error: 2 bad input, 3 cancelled, 4 internal (status 1 belongs to findings and verdicts).
[[nodiscard]] constexpr int exitStatus(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::Cancelled: return 3;
        case ErrorCode::Internal: return 4;
        case ErrorCode::Syntax:
        case ErrorCode::WrongType:
        case ErrorCode::DuplicateKey:
        case ErrorCode::MissingKey:
        case ErrorCode::UnknownName:
        case ErrorCode::BadValue:
        case ErrorCode::Cycle:
        case ErrorCode::BadFile:
        case ErrorCode::DoesNotFit:
        case ErrorCode::Unsupported: return 2;
    }
    return 4;
}

/// Wraps an error so that a function can `return unexpected(...)` whatever its value type.
struct Unexpected {
    Error error;
};

[[nodiscard]] inline Unexpected unexpected(Error error) {
    return Unexpected{std::move(error)};
}

[[nodiscard]] inline Unexpected unexpected(ErrorCode code, std::string message, std::string where = {},
                                           std::string hint = {}) {
    return Unexpected{Error{code, std::move(message), std::move(where), std::move(hint)}};
}

/// A value or the reason why there is none; member names follow `std::expected`.
template <class T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Unexpected failure) : m_state(std::in_place_index<1>, std::move(failure.error)) {}

    [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() & {
        assert(has_value() && "value() of a failed Result");
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] const T& value() const& {
        assert(has_value() && "value() of a failed Result");
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] T&& value() && {
        assert(has_value() && "value() of a failed Result");
        return std::move(*std::get_if<0>(&m_state));
    }
    [[nodiscard]] const Error& error() const& {
        assert(m_state.index() == 1 && "error() of a successful Result");
        return *std::get_if<1>(&m_state);
    }
    [[nodiscard]] Error&& error() && {
        assert(m_state.index() == 1 && "error() of a successful Result");
        return std::move(*std::get_if<1>(&m_state));
    }
    [[nodiscard]] T value_or(T fallback) const& { return has_value() ? value() : std::move(fallback); }

    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an error.
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(Unexpected failure) : m_error(std::move(failure.error)) {}

    [[nodiscard]] bool has_value() const noexcept { return !m_error.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const Error& error() const& {
        assert(m_error && "error() of a successful Result");
        return *m_error;
    }
    [[nodiscard]] Error&& error() && {
        assert(m_error && "error() of a successful Result");
        return std::move(*m_error);
    }

private:
    std::optional<Error> m_error;
};

}  // namespace cubist

#define CUBIST_CONCAT_IMPL(a, b) a##b
#define CUBIST_CONCAT(a, b) CUBIST_CONCAT_IMPL(a, b)

/// `CUBIST_TRY(auto x, f())`: declares x from the value of f(), or returns f()'s error from the enclosing function.
#define CUBIST_TRY(declaration, expression) CUBIST_TRY_IMPL(CUBIST_CONCAT(cubistTry, __LINE__), declaration, expression)
#define CUBIST_TRY_IMPL(temporary, declaration, expression)                    \
    auto temporary = (expression);                                             \
    if (!temporary) return ::cubist::unexpected(std::move(temporary).error()); \
    declaration = std::move(temporary).value()

/// `CUBIST_CHECK_OK(f())`: returns f()'s error from the enclosing function; for `Result<void>`.
#define CUBIST_CHECK_OK(expression)                                       \
    do {                                                                  \
        if (auto cubistStatus = (expression); !cubistStatus)              \
            return ::cubist::unexpected(std::move(cubistStatus).error()); \
    } while (false)
