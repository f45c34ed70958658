// SPDX-License-Identifier: GPL-3.0-or-later
// The name of a block is not accepted where a tensor is asked for.
#include "core/base/ids.h"

bool isInput(const cubist::TensorId& tensor);

bool ask(const cubist::BlockId& block) {
#ifdef CUBIST_MUST_NOT_COMPILE
    return isInput(block);
#else
    return isInput(cubist::TensorId{block.text});
#endif
}
