// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/exchange/files.h"
#include "core/exchange/npy_header.h"

namespace cubist {

/// One tensor of a `.safetensors` file.
struct SafeTensor {
    std::string name;
    NpyHeader header;            ///< how the elements lie in the file: type and shape
    std::optional<DType> codes;  ///< the type whose codes the elements are; absent: they are numbers of header.type
    std::int64_t first = 0, bytes = 0;  ///< place in the file
};

struct SafeTensorsFile {
    std::shared_ptr<InputFile> file;
    std::vector<SafeTensor> tensors;  ///< in the order of the header
};

/// Opens a file and reads its header of at most 8 MiB; nothing else is read.
/// Errors: BadFile (no such header, places outside of the file, on top of each other or of the wrong length, a size
/// that is none), Unsupported (an element type).
[[nodiscard]] Result<SafeTensorsFile> openSafeTensors(const std::string& path);

/// Writes all tensors into one `.safetensors` file, atomically: each type as itself, HF8, FP4 and INT4 as U8 with one
/// code for each element. `__metadata__` names the type of each tensor as designs do. Errors: BadFile.
[[nodiscard]] Result<void> writeSafeTensors(const std::string& path, const std::map<std::string, HostTensor>& tensors);

}  // namespace cubist
