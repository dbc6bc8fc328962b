"""How many facts a second the engine makes under plain local policies: for this tree and for older ones.

``python benchmarks/engine_rates.py`` reads names of ``SETTINGS`` from its input and prints seconds and facts.
It uses only what the engine had from its first day, so that an older tree can be put before it on the path.
"""

import json
import sys
import time

from molokini.process_sim.kinds import looping
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, US, Dist, Job, Process, S, Scenario, Settings, Step
from molokini.process_sim.words import Arrival, Draw, Op, Pattern, Wait

NODES, JOBS, SECONDS = 16, 3, 60
SETTINGS = {
    "spin": (Wait.SPIN, Arrival.NONE),
    "sb": (Wait.BLOCK, Arrival.NONE),
    "sy": (Wait.YIELD, Arrival.NONE),
    "dcs-sb": (Wait.BLOCK, Arrival.DEMAND),
    "pb-sb": (Wait.BLOCK, Arrival.BOOST),
}


def scenario(name: str) -> Scenario:
    """A minute: three jobs over all nodes, of grains of 0.2, 1 and 5 ms, and a serial job on each node."""
    wait, arrival = SETTINGS[name]
    jobs = []
    for k, grain_ns in enumerate((200 * US, MS, 5 * MS)):
        grain, nothing = Dist(Draw.EXPONENTIAL, grain_ns), (Dist(Draw.CONSTANT, 0), 0.0)
        programs = looping(NODES, grain, Pattern.NEIGHBOUR, 1000, 10**9, nothing, 0.0)
        jobs.append(Job(f"J{k}", [Process(program, node) for node, program in enumerate(programs)]))
    endless = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, 10**6 * S)),)
    jobs += [Job(f"L{node}", [Process(endless, node)]) for node in range(NODES)]
    settings = Settings(wait=wait, arrival=arrival)
    return Scenario(name, NODES, jobs, until_ns=SECONDS * S, settings=settings)


def main() -> None:
    """A line for each line."""
    for line in sys.stdin:
        run = ScenarioReplay(scenario(line.strip()))
        before = time.process_time()
        run.finish()
        seconds = time.process_time() - before
        print(json.dumps({"seconds": seconds, "facts": int(run.world.events)}), flush=True)


if __name__ == "__main__":
    main()
