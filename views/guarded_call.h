// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/base/result.h"

namespace cubist {

/// A call of the core on a worker thread, which an exception must not leave: it becomes an error. `what`: the subject
/// of the message when there is no memory, "the run needs". Errors: those of the call; DoesNotFit, Internal.
template <class Work>
auto guardedCall(const char* what, const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return unexpected(ErrorCode::DoesNotFit, std::string(what) + " more memory than the machine has");
    } catch (const std::exception& problem) {
        return unexpected(ErrorCode::Internal, problem.what());
    }
}

}  // namespace cubist
