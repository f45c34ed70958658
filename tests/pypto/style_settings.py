# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels with settings, and with arguments that change values."""
from style_kernels import LISTED, kernel

# Settings ----------------------------------------------------------------------------------------------------------------

kernel("named_tuple", """
m, scale = CONFIG
pypto.set_vec_tile_shapes(m, 64)
out[:] = x * CONFIG.scale + CONFIG[1] * scale
""", before="""
class Config(NamedTuple):
    m: int = 16
    scale: float = 2.0


CONFIG = Config(scale=3.0)
""")
kernel("named_tuple_replaced", """
out[:] = x * CONFIG.scale + CONFIG.m
""", before="""
class Config(NamedTuple):
    m: int = 16
    scale: float = 2.0


CONFIG = Config(scale=3.0)._replace(m=8)
""")
kernel("collections_namedtuple", """
out[:] = x * CONFIG.scale + CONFIG.m
""", before="""
Config = namedtuple("Config", ["m", "scale"])
CONFIG = Config(16, 2.5)
""")
kernel("dataclass_replace", """
out[:] = x * CONFIG.scale + CONFIG.m
""", before="""
@dataclass
class Config:
    m: int = 16
    scale: float = 2.0
    tiles: list = field(default_factory=lambda: [16, 64])


BASE = Config(scale=3.0)
CONFIG = replace(BASE, m=8)
""")
kernel("dataclass_field_changed", """
out[:] = x * CONFIG.scale
""", before="""
@dataclass
class Config:
    m: int = 16
    scale: float = 2.0


CONFIG = Config()
CONFIG.scale = 7.0
""")
kernel("dataclass_alias_changed", """
other = CONFIG
other.scale = 7.0
out[:] = x * CONFIG.scale
""", before="""
@dataclass
class Config:
    scale: float = 2.0


CONFIG = Config()
""", wanted=LISTED)
kernel("class_constants", """
out[:] = x * Config.SCALE + Config.BOTH
""", before="""
class Config:
    SCALE = 2.0
    BOTH = SCALE * 3.0


Config.SCALE = 5.0
""")
kernel("slice_objects", """
rows = slice(16, 48)
all_columns = slice(None)
out[rows, all_columns] = x[rows, :] * 2.0
out[0:16, :] = x[slice(0, 16), all_columns] * 3.0
""")
kernel("text_labels", """
for i in range(2):
    pypto.set_semantic_label(f"part_{i}")
    y = x[i * 32:i * 32 + 32, :] * 2.0
    pypto.set_semantic_label("add_%d" % i)
    y = y + 1.0
    pypto.set_semantic_label("store_{}".format(i))
    out[i * 32:, :] = y * 3.0
""")
kernel("tiles_of_turns", """
for i in range(2):
    pypto.set_vec_tile_shapes(16 * (i + 1), 64)
    out[i * 32:, :] = x[i * 32:i * 32 + 32, :] * 2.0
""")
kernel("string_keys", """
kind = "a" + "b"
out[:] = x * TABLE[kind]["scale"]
""", before='TABLE = {"ab": {"scale": 4.0}, "a": {"scale": 1.0}}')
kernel("numbers", """
a = 7 // 2 + (-7) // 2 + 7 % -3 + (1 << 3) + (6 & 3) + 2 ** 3
b = math.ceil(7 / 2) + round(2.5) + int(3.9) + abs(-2) + divmod(7, 2)[0]
out[:] = x * a + (b - math.pi)
""", wanted=LISTED)
kernel("shape_of_parameter", """
rows, columns = x.shape
half = x.shape[-1] // 2
for r in range(0, rows, 32):
    out[r:r + 32, 0:half] = x[r:r + 32, half:columns] * 2.0
    out[r:r + 32, half:] = x[r:r + 32, :half] * 3.0
""")
kernel("typed_names", """
scale: float = 2.0
later: float
later = 3.0
out[:] = x * scale + later
""")
kernel("deleted_name", """
factor = 2.0
y = x * factor
del factor
out[:] = y
""")
kernel("import_inside", """
import math as m
out[:] = x * 2.0
""")

# Arguments that change values --------------------------------------------------------------------------------------------

kernel("positional_extra", """
out[:] = pypto.sum(x, -1, True) + w
""")
kernel("reshape_in_a_store", """
h = x * 2.0
t = pypto.reshape(h, [32, 128])
out[:] = pypto.reshape(t, [64, 64])
""")
kernel("view_of_value_by_index", """
h = x * 2.0
for i in range(4):
    out[i * 16:, :] = pypto.view(h, [16, 64], [i * 16, 0]) + 1.0
""", wanted=LISTED)
kernel("matmul_transposed_flag", """
for t in (False, True):
    out[:] = pypto.matmul(x, w, pypto.DT_FP32, b_trans=t)
""")
kernel("matmul_operator", """
out[:] = x @ w
""")
kernel("matmul_operators", """
h = pypto.relu(x @ w) @ w
out[:] = h + +x
""")
kernel("matmul_operator_in_a_loop", """
for i in pypto.loop(0, 64, 32, name="L"):
    out[i:, 0:] = x[i:i + 32, :] @ w
""")
kernel("matmul_operator_of_halves", """
a = pypto.cast(x, pypto.DT_BF16)
b = pypto.cast(w, pypto.DT_BF16)
out[:] = pypto.cast(a @ b, pypto.DT_FP32) * 2.0
""")
kernel("assemble_of_a_tensor", """
out.assemble(x[0:32, :] * 2.0, [0, 0])
out.assemble(x[32:64, :] * 3.0, [32, 0])
""")
kernel("end_without_a_start", """
out[:32, :] = x[:32, :] * 2.0
""", wanted=LISTED)
kernel("a_smaller_value", """
out[:] = x[:, 0:32] * 2.0
""", wanted=LISTED)
kernel("numbers_of_math", """
scale = 1.0 / math.sqrt(64)
out[:] = x * scale + math.pi - w * math.log2(math.e)
""", before="LOG = math.log(2.0)")
kernel("logarithm_of_a_module", """
out[:] = x * LOG2E + math.exp(-1)
""", before="LOG2E = 1.0 / math.log(2.0)")
