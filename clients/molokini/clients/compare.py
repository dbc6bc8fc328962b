"""``molokini compare``: workloads under several policies, and which differences mean something."""

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from molokini.clients import results
from molokini.clients.arguments import CompareArguments
from molokini.clients.compared_files import check_files, difference_part, wants_schedules, write_files
from molokini.clients.compiling import compilation_told
from molokini.clients.counting import counted_part
from molokini.clients.gathering import Gathered
from molokini.clients.generating import Made, choose_both
from molokini.clients.maui_files import choose_several
from molokini.clients.output import STANDARD_OUTPUT
from molokini.clients.preparing import (
    breakdowns,
    check_machine,
    check_seeds,
    check_statistics,
    machine_for,
    policy_folders,
    read_log,
    remarks,
    replay_options,
)
from molokini.clients.sweep import Plan, Point, sweep, warm
from molokini.model.errors import BadInput, BadValue
from molokini.parallel.processes import default_workers
from molokini.parallel.progress import progress_bar
from molokini.workloads.scaling import scale_load
from molokini.workloads.workload import Workload

SCHEMA = "molokini.compare/1"
_MOST_FACTORS = 1000


def compare(arguments: CompareArguments) -> dict[str, Any]:
    """Replay everything, write what was asked for, print the tables; also returns the results."""
    factors, workers = _check(arguments), default_workers(arguments.workers)
    seeds = [arguments.seed + at for at in range(1, arguments.seeds + 1)]
    plan, made = _plan(arguments, seeds)
    gathered = _gather(plan, factors, seeds or [None], workers)
    cells = gathered.table()
    found = {
        "schema": SCHEMA,
        "workloads": [
            {
                **results.workload_part(log),
                **({} if made is None else {"generated": made.part(log)}),
                "cluster": results.cluster_part(machine, plan.options.placement),
            }
            for log, machine in zip(plan.logs, plan.machines, strict=True)
        ],
        "policies": [
            {"label": label, **results.policy_part(chosen, plan.logs)}
            for label, chosen in zip(gathered.names, plan.policies, strict=True)
        ],
        "options": results.options_part(plan.options, arguments.tau, plan.counted),
        "load_factors": factors,
        "seeds": seeds,
        "table": [cell.as_dict() for cell in cells],
        "comparisons": gathered.comparisons(),
        "results": gathered.results(),
        "breakdowns": gathered.breakdowns,
        **difference_part(arguments, gathered.schedules),
        "run": {**results.run_part(gathered.elapsed_s, gathered.jobs, arguments.seed), "workers": workers},
    }
    for chosen in plan.policies:
        for note in chosen.notes(plan.logs):
            print(f"molokini: {note}", file=sys.stderr)
    write_files(found, cells, gathered.schedules, arguments)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.comparison_tables import show_comparison

        show_comparison(found)
    return found


def load_factors(text: str) -> list[float]:
    """``0.8,0.9`` or ``0.8:1.2:0.1``, the end included."""
    wanted = "a finite number above 0, several separated by commas, or FIRST:LAST:STEP"
    try:
        numbers = [float(part) for part in text.replace(":", ",").split(",")]
    except ValueError:
        raise BadValue("--load-factor", text, wanted) from None
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise BadValue("--load-factor", text, wanted)
    if ":" in text:
        if len(numbers) != 3 or "," in text or numbers[1] < numbers[0]:
            raise BadValue("--load-factor", text, wanted)
        first, last, step = numbers
        count = math.floor((last - first) / step + 1e-9) + 1
        if count > _MOST_FACTORS:
            raise BadValue("--load-factor", text, f"of at most {_MOST_FACTORS:,} steps")
        # Rounded, so that 0.8 + 2 * 0.1 is 1 and not next to it.
        numbers = [round(first + at * step, 9) for at in range(count)]
    return list(dict.fromkeys(numbers))


def _check(arguments: CompareArguments) -> list[float]:
    """Complain about what can be seen to be wrong before anything is read; the load factors."""
    check_machine(arguments)
    check_statistics(arguments)
    counted_part(arguments)
    check_seeds(arguments.seeds)
    if not arguments.policy and not arguments.maui_config:
        raise BadInput("nothing to compare: give --policy NAME or --maui-config FILE, once for each")
    if breakdowns(arguments.by) and arguments.seeds:
        raise BadInput("--by speaks of one replay a policy; leave --seeds out")
    if arguments.workload is not None and arguments.maui_config:
        raise BadInput("--maui-config goes with logs: the jobs of a model have no users")
    if bool(arguments.logs) == (arguments.workload is not None):
        raise BadInput("workloads are needed, of one kind: give LOGs, or --workload NAME")
    factors = load_factors(arguments.load_factor)
    check_files(arguments, factors)
    return factors


def _plan(arguments: CompareArguments, seeds: Sequence[int]) -> tuple[Plan, Made | None]:
    """What is to be replayed, and the model that makes it if one does."""
    folders, options = policy_folders(arguments.policy_dir), replay_options(arguments)
    made: Made | None = None
    if arguments.workload is not None:
        made, chosen = choose_both(arguments.workload, arguments.policy, arguments.set, folders)
        made_from = partial(_made_from, made, arguments.jobs)
        logs = [made_from((seeds or [arguments.seed])[0])]
    else:
        chosen = choose_several(arguments.policy, arguments.maui_config, arguments.set, folders)
        made_from, logs = None, _logs(arguments)
    machines = [machine_for(log, arguments) for log in logs]
    by = breakdowns(arguments.by)
    for one, (log, machine) in product(chosen, zip(logs, machines, strict=True)):
        # What does not go together is said before anything runs.
        one.options(options, log, machine)
    part = counted_part(arguments)
    for log, factor in product(logs, load_factors(arguments.load_factor)):
        part.window(scale_load(log, factor))
    plan = Plan(
        logs,
        machines,
        chosen,
        options,
        arguments.tau,
        arguments.batch_size,
        part,
        by,
        wants_schedules(arguments),
        made_from,
    )
    return plan, made


def _made_from(made: Made, jobs: int | None, seed: int) -> Workload:
    """The workload of *seed* under the model's name, by which all of them are one in the tables."""
    return replace(made.workload(seed, jobs), name=made.model.name)


def _logs(arguments: CompareArguments) -> list[Workload]:
    """The workloads; those whose files are called alike go by their whole paths."""
    for spec, times in Counter(arguments.logs).items():
        if times > 1:
            raise BadInput(f"{spec}: the log is given {times} times")
    logs = [
        read_log(spec, strict=arguments.strict, jobs=arguments.jobs, seed=arguments.seed)
        for spec in arguments.logs
    ]
    count = Counter(log.name for log in logs)
    return [
        log if count[log.name] == 1 else replace(log, name=spec)
        for log, spec in zip(logs, arguments.logs, strict=True)
    ]


def _gather(plan: Plan, factors: Sequence[float], seeds: Sequence[int | None], workers: int) -> Gathered:
    each = range(len(plan.policies))
    points = [
        Point(log, factor, seed, policy)
        for log, factor, seed, policy in product(range(len(plan.logs)), factors, seeds, each)
    ]
    gathered = Gathered(plan, replicated=seeds[0] is not None)
    with compilation_told():
        warm(plan)
    told = [note for one, machine in product(plan.policies, plan.machines) for note in remarks(one, machine)]
    for note in dict.fromkeys(told):
        print(f"molokini: {note}", file=sys.stderr)
    with progress_bar("replays") as progress:
        group = []
        for done, outcome in enumerate(sweep(plan, points, workers), 1):
            group.append(outcome)
            if len(group) == len(plan.policies):
                gathered.add(group)
                group = []
            if progress is not None:
                progress(done, len(points))
    return gathered
