"""The tables [memory] and [tasks] of a scenario file, and the memory of a [[job]]."""

from collections.abc import Sequence
from dataclasses import replace

from molokini.model.errors import Conflict
from molokini.process_sim.keys import Keys
from molokini.process_sim.memory_jobs import MemoryTasks
from molokini.process_sim.scenario import Job, MainMemory, Pages

MOST_PAGES = 1 << 40


def memory_of(keys: Keys) -> MainMemory:
    """The memory of each node."""
    plain = MainMemory()
    found = MainMemory(
        keys.whole("pages", plain.pages, 1, MOST_PAGES),
        keys.whole("page_bytes", plain.page_bytes, 1, 1 << 30),
        keys.whole("page_in", plain.page_in, 0, 10**9),
        keys.whole("block", plain.block, 0, 10**9),
        keys.duration("fault", plain.fault_ns),
        keys.choice("eq3", "meant", ("meant", "printed")) == "printed",
    )
    keys.done()
    return found


def tasks_of(keys: Keys) -> MemoryTasks:
    """The workload of tasks that need memory."""
    plain = MemoryTasks()
    if keys.has("load") and keys.has("interval"):
        raise Conflict(keys.field("load"), "the load and the interval say the same; leave one out")
    load = keys.number("load", plain.load or 1.0, 0.001, 1e6)
    found = MemoryTasks(
        None if keys.has("interval") else load,
        keys.duration("interval", plain.interval_ns),
        keys.whole("jobs", plain.jobs, 1, 10**6),
        keys.number("large_share", plain.large_share, 0, 1),
        keys.number("locals_a_job", plain.locals_a_job, 0, 1e6),
        keys.flag("local_class", plain.local_class),
        keys.duration("small", plain.small_ns),
        keys.duration("large", plain.large_ns),
        keys.duration("frequency", plain.frequency_ns),
        keys.size("message", plain.message),
        keys.whole("largest", plain.largest, 1, MOST_PAGES),
        keys.number("local_set", plain.local_set, 0.001, 1),
        keys.number("parallel_set", plain.parallel_set, 0.001, 1),
        keys.number("deviation", plain.deviation, 0, 1),
        keys.number("phases", plain.phases, 0, 1e6),
    )
    for name, value in (
        ("frequency", found.frequency_ns),
        ("small", found.small_ns),
        ("large", found.large_ns),
    ):
        if value < 1000:
            raise keys.refuse(name, "a duration of 1us or more")
    keys.done()
    return found


def job_pages(keys: Keys, job: Job) -> Job:
    """*job* with the memory that its table says, if it says any."""
    if not keys.has("pages"):
        for name in ("working_set", "deviation", "phase"):
            if keys.has(name):
                raise Conflict(keys.field(name), "it is a share of pages; say how many pages a process needs")
        return job
    vir = keys.whole("pages", 1, 1, MOST_PAGES)
    share, deviation = keys.number("working_set", 0.8, 0.001, 1), keys.number("deviation", 0.0, 0, 1)
    pages = Pages(vir, max(1, round(vir * share)), round(vir * deviation), keys.duration("phase", 0))
    return replace(job, processes=[replace(process, pages=pages) for process in job.processes])


def check_memory_of(file: str, jobs: Sequence[Job], memory: MainMemory | None) -> None:
    """Refuse jobs whose working set no node can hold. Raises Conflict."""
    for job in jobs:
        largest = max((one.pages.wrk_mean for one in job.processes if one.pages is not None), default=0)
        if memory is None and largest:
            raise Conflict(
                f"{file}: {job.name}", "it has pages, and the file has no [memory]; add that table"
            )
        if memory is not None and largest > memory.pages:
            raise Conflict(
                f"{file}: {job.name}",
                f"its working set of {largest:,} pages is larger than the memory of a node, {memory.pages:,} "
                "pages (memory.pages), so that it would never stop faulting; give it less, or nodes more",
            )
