// SPDX-License-Identifier: GPL-3.0-or-later
// Names of different kinds of elements are not even compared.
#include "core/base/ids.h"

bool same(const cubist::BlockId& block, const cubist::TensorId& tensor) {
#ifdef CUBIST_MUST_NOT_COMPILE
    return block == tensor;
#else
    return block.text == tensor.text;
#endif
}
