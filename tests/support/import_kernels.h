// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <string>
#include <vector>

#include "core/exchange/pypto/import/pypto_import.h"

/// Kernels for tests of the import, and what it says of them.
namespace cubist::test {

[[nodiscard]] inline PyptoImport imported(const std::string& source) {
    auto out = importPypto(source, "kernel");
    if (!out) qFatal("%s", out.error().message.c_str());
    return *std::move(out);
}

/// Notes that are no guesses.
[[nodiscard]] inline std::vector<ImportNote> places(const PyptoImport& import) {
    std::vector<ImportNote> out;
    for (const ImportNote& note : import.notes)
        if (!note.guess) out.push_back(note);
    return out;
}

/// A kernel of one matmul h [64, 1024] and the lines that follow it.
[[nodiscard]] inline std::string afterMatmul(const std::string& lines) {
    return "import pypto\n"
           "@pypto.frontend.jit\n"
           "def k(x: pypto.Tensor([64, 256], pypto.DT_FP32), w: pypto.Tensor([256, 1024], pypto.DT_FP32),\n"
           "      y: pypto.Tensor([64, 512], pypto.DT_FP32)):\n"
           "    pypto.set_semantic_label(\"up\")\n"
           "    pypto.set_cube_tile_shapes([64, 64], [64, 256], [128, 128])\n"
           "    h = pypto.matmul(x, w, pypto.DT_FP32)\n"
           "    pypto.set_vec_tile_shapes(16, 512)\n" +
           lines;
}

}  // namespace cubist::test
