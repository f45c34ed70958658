// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/base/tensor.h"
#include "core/design/binding.h"
#include "core/lowering/program.h"
#include "core/run/run.h"

namespace cubist {

/// The data of a program, in the order of its tensors whose initial state is Data: the values of a list, else from the
/// request's files, else the design's files, else generated. A generated element depends on the seed, the tensor's name
/// and its index only. Errors: what the readers report; UnknownName (a request's file for something that is no input),
/// Unsupported (a file without a reader), BadValue (a generator's parameters), DoesNotFit, Cancelled.
[[nodiscard]] Result<std::vector<HostTensor>> makeInputs(const RunRequest& request, const Binding& binding,
                                                         const Program& program, std::int64_t seed,
                                                         const RunContext& context);

/// Binds the request's design. A file given for a host-read tensor (one that holds a list) replaces the list's values,
/// so that loops and windows follow the data.
/// Errors: as `bind` and the readers; WrongType (a host-read tensor that holds no integers), BadValue (a list given by
/// value and by file, or by two files).
[[nodiscard]] Result<Binding> bindRequest(const RunRequest& request);

/// The generator of a tensor's data at `where`, not checked. Errors: those of evaluating its modulo.
[[nodiscard]] Result<GeneratorSpec> generatorOf(const DataSource& data, const Binding& binding,
                                                const std::string& where);

/// Refuses files for names that are not tensors of the right role. Errors: UnknownName.
[[nodiscard]] Result<void> checkTensorNames(const RunRequest& request);

/// Logical shape of a global-memory tensor.
[[nodiscard]] Shape logicalShape(const GmTensor& tensor);

}  // namespace cubist
