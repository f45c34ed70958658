# SPDX-License-Identifier: GPL-3.0-or-later
"""GLMGate: logits = hidden * weight^T."""
import numpy as np

from reference import Run


def run(rng, tokens):
    hidden = rng.standard_normal((tokens, 5120)).astype(np.float32)
    weight = rng.standard_normal((160, 5120)).astype(np.float32)
    logits = hidden.astype(np.float64) @ weight.astype(np.float64).T
    return Run(f"T={tokens}", {"hidden_states": hidden, "weight": weight}, {"router_logits": logits},
               symbols={"T": tokens})


def samples(rng):
    yield "glm_gate", [run(rng, tokens) for tokens in (33, 1, 64)]
