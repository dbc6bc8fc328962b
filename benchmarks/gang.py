"""Gang scheduling: 10,000 jobs on 320 processors at load 0.9, five rows, with and without migration.

In blocks: as many of the model uniform-log on 128 processors at load 0.9, with classes and without a limit.
"""

import time
from collections.abc import Mapping
from typing import Any

from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.studies.catalogue import study_of
from molokini.studies.study import Point
from molokini.studies.zhang2001_integrated import integrated_cases
from molokini.workloads.generated import generated
from molokini.workloads.lengths import overestimate
from molokini.workloads.workload import Workload

JOBS, PROCESSORS, LOAD, SEED = 10_000, 320, 0.9, 1
BLOCK_PROCESSORS = 128
IN_BLOCKS, BLOCKS_WANTED_S = "buddy-gang", 0.3
UNLIMITED = {"alpha_m": 1.0, "alpha_l": 1.0, "slots": 992}
WANTED_S = {"gs": 0.3, "bgs": 1.0, "mgs": 2.0, "mbgs": 2.0}
MODES = ("rate", "exact")
STUDY = "zhang2001-integrated"
TABLE_WANTED_MIN, CORES = 10.0, 2


def rows(rounds: int = 3) -> list[dict[str, Any]]:
    """CPU seconds of the replay alone, the best of *rounds*, in both modes."""
    workload, found = _workload(), []
    for name, wanted in WANTED_S.items():
        for mode in MODES:
            best = _seconds(workload, PROCESSORS, name, {"mode": mode}, rounds)
            found.append(_row(name, mode, best, wanted))
    model = generated("uniform-log")
    blocks = model.make(model.values({"load": f"{LOAD}", "sizes": "powers"}), SEED)
    longest = {"longest_s": float(blocks.estimate_s.max())}
    for mode, values in (("classes", longest), ("no limit", {**longest, **UNLIMITED})):
        best = _seconds(blocks, BLOCK_PROCESSORS, IN_BLOCKS, values, rounds)
        found.append(_row(IN_BLOCKS, mode, best, BLOCKS_WANTED_S))
    return found


def table_1() -> list[dict[str, Any]]:
    """Minutes on two cores of all of Table 1, a mode at a time: nine workloads, four policies, ten seeds.

    One seed of the ten is run; drawing the jobs and measuring the schedules is counted.
    """
    study = study_of(STUDY)
    study.prepare()
    seeds, found = study.full.seeds, []
    for mode in MODES:
        points = [Point(case, SEED, 1.0) for case in integrated_cases.table_1() if case.mode == mode]
        before = time.process_time()
        for point in points:
            study.run(point)
        spent_s = time.process_time() - before
        minutes = spent_s * seeds / CORES / 60.0
        found.append(
            {
                "table": f"table 1 of {STUDY}",
                "mode": mode,
                "runs": len(points) * seeds,
                "measured": len(points),
                "cpu_s": round(spent_s, 2),
                "minutes": round(minutes, 2),
                "wanted": TABLE_WANTED_MIN,
                "reached": minutes <= TABLE_WANTED_MIN,
            }
        )
    return found


def _seconds(
    workload: Workload, processors: int, name: str, given: Mapping[str, Value], rounds: int
) -> float:
    policy, taken = load_policy(name), []
    for _ in range(rounds):
        values = {**policy.declaration.values({}), **given}
        replay = Replay(workload, Machine.counted(processors), policy, values)
        replay.prepare()
        before = time.process_time()
        replay.run()
        taken.append(time.process_time() - before)
    return min(taken)


def _row(name: str, mode: str, seconds: float, wanted: float) -> dict[str, Any]:
    return {
        "policy": name,
        "mode": mode,
        "jobs": JOBS,
        "seconds": round(seconds, 3),
        "wanted": wanted,
        "reached": seconds <= wanted,
    }


def _workload() -> Workload:
    """Ten thousand jobs of the base workload of that study, at a higher load."""
    model = generated("zhang2001")
    given = {"jobs": str(JOBS), "processors": str(PROCESSORS), "load": str(LOAD), "seconds": "fractions"}
    return overestimate(model.make(model.values(given), SEED), 0.2, SEED)


if __name__ == "__main__":
    print(*rows(), *table_1(), sep="\n")
