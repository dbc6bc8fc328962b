"""What came of a run: accounts of CPUs and jobs, exact to the nanosecond, ready for JSON and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from molokini.process_sim.calibrating import memory_load, tasks_a_node
from molokini.process_sim.rates import rated_jobs, totals
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import Job, S, shown
from molokini.process_sim.scheduler_daemon import Count, Daemon, OfJob
from molokini.process_sim.words import SEGMENTS, Kind, Segment, Spent

SCHEMA = "molokini.coschedule/1"
CPU_COLUMNS = tuple(Segment(k).name.lower() for k in range(SEGMENTS))
JOB_COLUMNS = (*CPU_COLUMNS[:4], *(spent.name.lower() for spent in Spent), "held")
"""What the processes of a job did; *held*: on a CPU that was in a switch, the kernel or synchronizing."""


def sorted_jobs(run: ScenarioReplay) -> list[Job]:
    """The jobs in the order of their rows."""
    return sorted(run.scenario.jobs, key=lambda job: job.arrival_ns)


def cpu_accounts(run: ScenarioReplay) -> list[dict[str, int]]:
    """One line a CPU: ns in each segment, which add up to the elapsed time, and counts."""
    cpus, found = run.world.cpus, []
    for cpu in range(run.scenario.cpus):
        line = {"cpu": cpu, "node": run.scenario.node_of_cpu[cpu]}
        line |= {f"{name}_ns": int(cpus.spent[cpu, k]) for k, name in enumerate(CPU_COLUMNS)}
        for name in ("switches", "class_switches", "ticks", "checks"):
            line[name] = int(getattr(cpus, name)[cpu])
        found.append(line)
    return found


def job_accounts(run: ScenarioReplay) -> list[dict[str, Any]]:
    """One line a job, in the order of arrivals: instants, and ns of all its processes in each column."""
    world, found = run.world, []
    table, now = world.jobs, int(world.now)
    for row, job in enumerate(sorted_jobs(run)):
        first, count = int(table.first[row]), int(table.count[row])
        placed, end, arrival = int(table.placed[row]), int(table.end[row]), int(table.arrival[row])
        last = end if end >= 0 else now
        spent = world.procs.spent[first : first + count].sum(axis=0)
        queued = max(0, (placed if placed >= 0 else last) - arrival)
        lived = (last - placed) * count if placed >= 0 else 0
        rejected = bool(table.rejected[row])
        line: dict[str, Any] = {
            "job": job.name,
            "class": job.kind.name.lower(),
            "processes": count,
            "arrival_ns": arrival,
            "placed_ns": placed if placed >= 0 else None,
            "end_ns": end if end >= 0 and not rejected else None,
            "response_ns": end - arrival if end >= 0 and placed >= 0 else None,
            "queued_ns": queued,
            "rejected": rejected,
        }
        line |= {f"{name}_ns": int(spent[k]) for k, name in enumerate(JOB_COLUMNS[:-1])}
        # Processes that have ended earlier than the last of their job are neither here nor there.
        line["held_ns"] = _held(run, first, count) if placed >= 0 else 0
        line["gone_ns"] = lived - int(spent.sum()) - line["held_ns"]
        if run.scenario.memory is not None:
            line["page_faults"] = int(world.memory.faults[first : first + count].sum())
        if job.kind is Kind.RT:
            line |= _frames(run, row)
        found.append(line)
    return found


def _held(run: ScenarioReplay, first: int, count: int) -> int:
    """Time on a CPU that did something else: what is left of a process's time."""
    procs = run.world.procs
    total = 0
    for p in range(first, first + count):
        job = int(procs.job[p])
        begin, until = int(run.world.jobs.placed[job]), int(procs.since[p])
        total += until - begin - int(procs.spent[p].sum())
    return total


def _frames(run: ScenarioReplay, row: int) -> dict[str, Any]:
    table = run.world.jobs
    judged, missed = int(table.judged[row]), int(table.missed[row])
    wanted = judged * int(table.frames_a_period[row])
    return {
        "frames": int(table.frames_total[row]),
        "periods": judged,
        "missed": missed,
        "miss_rate": missed / wanted if wanted else None,
    }


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def measures(run: ScenarioReplay) -> dict[str, float | int | None]:
    """Metrics of the whole (section 2.7): seconds, shares, counts; None where nothing was measured."""
    jobs, world = job_accounts(run), run.world
    elapsed = int(world.now)
    best = [job for job in jobs if job["class"] == "be"]
    real = [job for job in jobs if job["class"] == "rt" and job["arrival_ns"] <= elapsed]
    ended = [job for job in best if job["end_ns"] is not None]
    periods = sum(job["periods"] for job in real)
    spent = world.cpus.spent.sum(axis=0)
    whole = elapsed * run.scenario.cpus
    found: dict[str, float | int | None] = {
        "elapsed_s": elapsed / S,
        "be_jobs": len([job for job in best if job["arrival_ns"] <= elapsed]),
        "be_ended": len(ended),
        "be_throughput": len(ended) / (elapsed / S) if elapsed else None,
        "be_response_s": _mean([job["response_ns"] / S for job in ended]),
        "be_queued_s": _mean([job["queued_ns"] / S for job in ended]),
        "rt_jobs": len(real),
        "rt_admitted": len([job for job in real if job["placed_ns"] is not None]),
        "rt_rejected": len([job for job in real if job["rejected"]]),
        "rt_rejected_share": len([job for job in real if job["rejected"]]) / len(real) if real else None,
        "rt_periods": periods,
        "rt_miss_rate": _miss_rate(real) if periods else None,
        "class_switches_a_second": float(world.cpus.class_switches.sum()) / (elapsed / S)
        if elapsed
        else None,
        "switches": int(world.cpus.switches.sum()),
        "ticks": int(world.cpus.ticks.sum()),
        "events": int(world.events),
    }
    if run.scenario.memory is not None:
        found |= _memory_measures(run)
    for name in ("ready", "blocked", "io", "compute", "spin"):
        found[f"be_{name}_s"] = _mean([job[f"{name}_ns"] / S / job["processes"] for job in ended])
    if run.scenario.settings.scheme == "message-driven":
        found |= _coscheduled(run)
    for k, name in enumerate(CPU_COLUMNS):
        found[f"share_{name}"] = int(spent[k]) / whole if whole else None
    for kind in Kind:
        shared = int(world.procs.spent[world.procs.kind == kind, : Segment.SWITCH].sum())
        found[f"share_{kind.name.lower()}"] = shared / whole if whole else None
    return found


def _memory_measures(run: ScenarioReplay) -> dict[str, float | int | None]:
    """Faults a task, as a mean over nodes; the mean load of memory; tasks that were there, by node."""
    world = run.world
    placed = world.procs.cpu >= 0
    nodes = world.cpus.node[world.procs.cpu[placed]]
    tasks = np.bincount(nodes, minlength=run.scenario.nodes)
    faults = np.bincount(nodes, world.memory.faults[placed], minlength=run.scenario.nodes)
    shares = [float(fault / task) for fault, task in zip(faults, tasks, strict=True) if task]
    return {
        "page_faults": int(world.memory.faults.sum()),
        "page_faults_a_task": _mean(shares),
        "memory_load": memory_load(run),
        "tasks_a_node": tasks_a_node(run),
    }


def _coscheduled(run: ScenarioReplay) -> dict[str, float | int | None]:
    """What daemons did (``scheduler_daemon``): requests by what came of them, and how jobs were scheduled."""
    own = run.world.own
    # Since the last change of each job nothing is booked yet.
    rest, on = run.world.now - own.jobs[:, OfJob.SINCE], own.jobs[:, OfJob.ON]
    somewhere = int((own.jobs[:, OfJob.ANYWHERE] + rest * (on > 0)).sum())
    whole = (on > 0) & (on == own.jobs[:, OfJob.PLACES])
    everywhere = int((own.jobs[:, OfJob.EVERYWHERE] + rest * whole).sum())
    gathered = int(own.jobs[:, OfJob.GATHERED].sum())
    found: dict[str, float | int | None] = {
        "coscheduled_share": everywhere / somewhere if somewhere else None,
        "gathering_s": int(own.jobs[:, OfJob.GATHERING].sum()) / S / gathered if gathered else None,
        "job_switches": int(own.cpus[:, Daemon.SWITCHES].sum()),
    }
    for count in Count:
        if count is not Count.END:
            found[f"requests_{count.name.lower()}"] = int(own.cluster[count])
    return found


def _miss_rate(jobs: Sequence[Mapping[str, Any]]) -> float:
    """The mean over all full periods of the share of a period's frames that were missed."""
    shares = [job["miss_rate"] * job["periods"] for job in jobs if job["periods"]]
    return float(sum(shares) / sum(job["periods"] for job in jobs))


def described(run: ScenarioReplay) -> dict[str, Any]:
    """What ran: everything that the results depend on, but the jobs."""
    scenario = run.scenario
    settings = scenario.settings
    return {
        "name": scenario.name,
        "seed": scenario.seed,
        "nodes": scenario.nodes,
        "cpus_per_node": scenario.cpus_of or scenario.cpus_a_node,
        "scheme": settings.scheme,
        "parameters": run.needs.told(settings.given),
        "wait": settings.wait.name.lower(),
        "arrival": settings.arrival.name.lower(),
        "ratio": f"{settings.x}:{settings.y}",
        "admission": settings.admission,
        "until": shown(scenario.until_ns) if scenario.until_ns is not None else None,
    }


def as_dict(run: ScenarioReplay) -> dict[str, Any]:
    """Ready for JSON."""
    rated = rated_jobs(run)
    rates = {"rates": {**totals(run), "jobs": [one.as_dict() for one in rated]}} if rated else {}
    return {
        "schema": SCHEMA,
        "scenario": described(run),
        "elapsed_ns": int(run.world.now),
        "measures": measures(run),
        "cpus": cpu_accounts(run),
        "jobs": job_accounts(run),
        **rates,
    }


def check_invariants(run: ScenarioReplay) -> list[str]:
    """What does not add up, in words; nothing if all does."""
    world, wrong = run.world, []
    elapsed = int(world.now)
    for cpu in range(run.scenario.cpus):
        total = int(world.cpus.spent[cpu].sum())
        if total != elapsed:
            wrong.append(f"CPU {cpu}: {total} ns of {elapsed}")
    for line in job_accounts(run):
        negative = [
            name for name, value in line.items() if name.endswith("_ns") and value is not None and value < 0
        ]
        wrong += [f"{line['job']}: {name} is {line[name]}" for name in negative]
    if int(world.channels.waiting.sum()) != int(world.procs.inbox.sum()):
        wrong.append("messages in channels and in mailboxes differ")
    return wrong
