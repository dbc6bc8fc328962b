"""What a scenario file means, every default filled in."""

from dataclasses import asdict, fields
from typing import Any

from molokini.process_sim.kinds import PATTERNS
from molokini.process_sim.memory_jobs import MemoryTasks
from molokini.process_sim.policies import named_policies, needs_of
from molokini.process_sim.scenario import Job, MainMemory, Pipeline, Scenario, shown
from molokini.process_sim.scenario_files import Source
from molokini.process_sim.texts import told
from molokini.process_sim.words import Arrival, Wait

SCHEMA = "molokini.coschedule-explain/1"
_SOURCES = {
    "arrivals": "one frame each frame time",
    "ahead": "frames of a period ahead of one each frame time",
    "ready": "frames are always there",
}
_MEANING = {
    Wait.SPIN: "a receiver spins until its message comes",
    Wait.BLOCK: "a receiver spins, then blocks",
    Wait.YIELD: "a receiver spins, then yields to all others",
}
_EFFECT = {
    Arrival.NONE: "a message waits in its mailbox",
    Arrival.DEMAND: "a message for a process that does not run interrupts and puts it first",
    Arrival.BOOST: "each CPU looks periodically for a process with something to do",
}


def explained(source: Source) -> dict[str, Any]:
    """Ready for JSON."""
    scenario = source.scenario
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "name": scenario.name,
        "nodes": scenario.nodes,
        "cpus_per_node": scenario.cpus_of or scenario.cpus_a_node,
        "speeds": [speed / 1000 for speed in scenario.speeds] or 1.0,
        "seed": scenario.seed,
        "until": shown(scenario.until_ns) if scenario.until_ns is not None else "all jobs have ended",
        "costs": _costs(scenario),
        "scheduling": _scheduling(scenario),
        "jobs": [_job(job) for job in scenario.jobs],
    }
    if source.arrivals is not None:
        found["arrivals"] = _arrivals(source)
    if scenario.memory is not None:
        found["memory"] = _plain(scenario.memory)
    if source.tasks is not None:
        found["tasks"] = _plain(source.tasks)
        del found["tasks"]["interval" if source.tasks.load is not None else "load"]
    return found


def _plain(given: MainMemory | MemoryTasks) -> dict[str, Any]:
    """A table of the file, durations with their units."""
    found: dict[str, Any] = {}
    for name, value in asdict(given).items():
        if name == "printed":
            found["eq3"] = "printed" if value else "meant"
        elif name.endswith("_ns"):
            found[name.removesuffix("_ns")] = shown(value)
        else:
            found[name] = value
    return found


def _costs(scenario: Scenario) -> dict[str, str]:
    prices = scenario.prices
    found = {
        field.name: shown(getattr(prices, field.name))
        for field in fields(prices)
        if field.name not in ("bytes_a_second", "byte")
    }
    found["bytes_per_second"] = f"{prices.bytes_a_second:,}" if prices.bytes_a_second else "no limit"
    found["send_ns_per_byte"] = str(prices.byte)
    return found


def _scheduling(scenario: Scenario) -> dict[str, Any]:
    settings, found = scenario.settings, dict[str, Any]()
    for name, value in asdict(settings).items():
        if name.endswith("_ns"):
            found[name.removesuffix("_ns")] = None if value is None else shown(value)
        elif name not in ("x", "y"):
            found[name] = value
    found["spin"] = shown(scenario.prices.baseline_ns if settings.spin_ns is None else settings.spin_ns)
    found["ratio"] = f"{settings.x}:{settings.y}"
    found["wait"], found["arrival"] = settings.wait.name.lower(), settings.arrival.name.lower()
    found["means"] = f"{_MEANING[settings.wait]}; {_EFFECT[settings.arrival]}"
    del found["given"]
    for parameter, value in needs_of(settings.scheme).told(settings.given).items():
        found[f"set {parameter}"] = value
    if settings.scheme in named_policies():
        found["means"] = f"the policy {settings.scheme}"
    elif settings.scheme != "local":
        found["means"] = (
            "1gs: receivers spin"
            if settings.scheme == "1gs"
            else ("real time: spin-block, by deadline; best effort: spin-block with periodic boost")
        )
    return found


def _job(job: Job) -> dict[str, Any]:
    names = [process.name or str(rank) for rank, process in enumerate(job.processes)]
    found: dict[str, Any] = {
        "name": job.name,
        "class": job.kind.name.lower(),
        "arrival": shown(job.arrival_ns),
        "processes": len(job.processes),
    }
    if job.tasks:
        found["tasks"] = job.tasks
    if job.pipeline is not None:
        found |= _pipeline(job.pipeline)
    programs: dict[tuple[str, ...], list[int]] = {}
    for rank, process in enumerate(job.processes):
        programs.setdefault(tuple(told(process.program, names)), []).append(rank)
    found["programs"] = [
        {
            "of": [names[rank] for rank in ranks],
            "nodes": [job.processes[rank].node for rank in ranks],
            "program": list(lines),
        }
        for lines, ranks in programs.items()
    ]
    return found


def _pipeline(made: Pipeline) -> dict[str, Any]:
    return {
        "frames_a_period": made.frames,
        "frame_ns": str(made.frame_ns),
        "period": f"{float(made.frames * made.frame_ns) / 1e9:.6g}s",
        "duration": shown(made.duration_ns) if made.duration_ns is not None else "until it ends",
        "patience": shown(made.patience_ns) if made.patience_ns is not None else "unlimited",
        "warmup_periods": made.skipped,
        "source": _SOURCES[made.source],
    }


def _arrivals(source: Source) -> dict[str, Any]:
    made, nodes = source.arrivals, source.scenario.nodes
    assert made is not None
    return {
        "for": shown(made.for_ns),
        "rt_load": made.rt_load,
        "rt_jobs_a_second": made.rt_rate(nodes),
        "zeta": f"uniform {shown(made.zeta_ns[0])} {shown(made.zeta_ns[1])}",
        "stages": made.stages or nodes,
        **_pipeline(made.pipeline),
        "be_load": made.be_load,
        "be_jobs_a_second": made.be_rate(nodes),
        "be_processes": f"uniform 2 to {nodes}",
        "be_work": str(made.be_work),
        "be_compute": str(made.be_compute),
        "be_io": f"{made.io} with chance {made.io_chance:g}",
        "be_patterns": [name for name, one in PATTERNS.items() if one in made.patterns],
        "be_message": f"{made.message}B",
        "skew": made.skew,
    }
