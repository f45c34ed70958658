# SPDX-License-Identifier: GPL-3.0-or-later
"""GLMGate with 64 tokens on Ascend 910B1, worked out again: cycles of the kernel from the chip file given as argument.

Twenty blocks of 32 x 16, K = 5120 in five steps of 1024 for L1 and ten of 512 for L0, FP32. Block i (ten columns of blocks for each tile of rows) is handed
out to core i; a dispatch takes 200 cycles of one of the scheduler's threads. A core loads A and B of each step one after the other. The
core that asks for a tile first fetches it from HBM, later ones find it in L2. All transfers share one path: a byte takes
1 / HBM rate of it when it is fetched, 1 / L2 rate when it is found; none is faster than its core's own limit, and what a slow
one leaves over goes to the others. The loop runs at run time: the scalar pipe takes 52/5 cycles to issue each instruction.
"""
import json
import sys

chip = json.load(open(sys.argv[1], encoding="utf-8"))


def value(key):
    return chip[key]["value"]


clock = value("clock_mhz")
hbm = value("hbm_effective_bytes_per_second") / (clock * 1e6)
l2 = value("l2_effective_bytes_per_second") / (clock * 1e6)
own = {"fetch": value("hbm_bytes_per_cycle"), "hit": value("mte2_bytes_per_cycle")}
whole = {"fetch": hbm, "hit": l2}


def rates(moving):
    """Bytes a cycle of each transfer in flight: fair shares of the path, filled up like water."""
    demand = [own[c["phase"]] / whole[c["phase"]] for c in moving]
    if sum(demand) <= 1:
        return [own[c["phase"]] for c in moving]
    level, rest, left = 0.0, 1.0, len(demand)
    for d in sorted(demand):
        level = rest / left
        if d > level:
            break
        rest, left = rest - d, left - 1
    return [own[c["phase"]] * min(1.0, level / d) for c, d in zip(moving, demand)]


# Each thread of the scheduler hands out tasks to its own cores, one after the other.
threads = min(7, value("scheduler_threads"))
dispatch = 200 * clock / value("scheduler_mhz")
loads = [(kind, step) for step in range(5) for kind in "AB"]
size = {"A": 32 * 1024 * 4, "B": 16 * 1024 * 4}

issue = 52 / 5  # instructions of a step: two loads, then twice two moves and a product
cores = [{"next": 0, "phase": "idle", "start": (i // threads + 1) * dispatch, "ends": []} for i in range(20)]
for c in cores:
    c["until"] = c["start"] + issue
fetched = set()
now = 0.0
while True:
    # Phases that end by the clock: before a load, and its overhead. Transfers progress at the current rates.
    moving = [c for c in cores if c["phase"] in own]
    speeds = rates(moving)
    times = [c["until"] for c in cores if c["phase"] in ("idle", "overhead")]
    times += [now + c["left"] / speed for c, speed in zip(moving, speeds)]
    if not times:
        break
    then = min(times)
    for c, speed in zip(moving, speeds):
        c["left"] -= (then - now) * speed
    now = then
    for i, c in enumerate(cores):
        done = c["phase"] in own and c["left"] < 1e-6
        done = done or (c["phase"] in ("idle", "overhead") and c["until"] <= now + 1e-9)
        if not done:
            continue
        if c["phase"] in ("fetch", "hit"):
            c["ends"].append(now)
            c["next"] += 1
        if c["phase"] == "overhead":
            kind, _ = loads[c["next"]]
            c["phase"], c["left"] = "fetch" if c["miss"] else "hit", size[kind]
        elif c["next"] == len(loads):
            c["phase"] = "done"
        else:
            kind, step = loads[c["next"]]
            tile = (kind, step, i // 10 if kind == "A" else i % 10)
            c["miss"] = tile not in fetched
            fetched.add(tile)
            issued = c["start"] + issue * (8 * step + (1 if kind == "A" else 2))
            c["phase"], c["until"] = "overhead", max(now, issued) + value("mte2_overhead")

# Inside a core: L1 holds two steps, L0A one tile, L0B two. Loads are never held up (checked by the ends of the moves).
seen = value("read_overhead") + value("flag_overhead")
flag = value("flag_overhead")
move = value("mte1_overhead") + 256
mmad = value("mmad_overhead") + 2 * 2 * 64
store = value("fix_overhead") + max(32 * 16 * 4 / value("fix_bytes_per_cycle"), 32 * 16 / value("fix_elements_per_cycle"))
last = 0.0
for c in cores:
    pipe = m = 0.0
    for step in range(5):
        a, b = c["ends"][2 * step], c["ends"][2 * step + 1]
        for half in range(2):
            first = c["start"] + issue * (8 * step + 3 * half + 3)
            pipe = max(pipe, a + seen if half == 0 else 0, m + flag, first) + move  # the product before frees L0A
            pipe = max(pipe, b + seen if half == 0 else 0, first + issue) + move
            m = max(m, pipe + flag, first + 2 * issue) + mmad
        if step < 3:
            assert pipe + flag < c["ends"][2 * step + 3], "the slots of L1 hold a load up"
    last = max(last, m + flag + store)
print(repr(last))
