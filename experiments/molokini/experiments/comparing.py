"""Workloads under several policies, as a value: ``compare`` of the command and of Python."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path

from molokini.experiments import parts
from molokini.experiments.asked import Log, Several, texts
from molokini.experiments.asked_nodes import settled
from molokini.experiments.calling import asking
from molokini.experiments.checks import breakdowns, check_overestimate, check_seeds, check_statistics
from molokini.experiments.choosing import Chosen, policy_folders, remarks
from molokini.experiments.comparison import Comparison
from molokini.experiments.constraints import Constraints, constrained
from molokini.experiments.counting import counted_part
from molokini.experiments.described import Description, described, parameters_of_description
from molokini.experiments.factors import several_factors
from molokini.experiments.gathering import Gathered
from molokini.experiments.host import NOBODY, Host
from molokini.experiments.logs import check_run_times, read_log, several
from molokini.experiments.machines import check_machine, machine_for
from molokini.experiments.models import ModelWithValues, check_own_seeds, choose_both, spec_of
from molokini.experiments.packs import called, in_pack, outside, renamed, several_in, shown
from molokini.experiments.phase_bands import Bands, draw_bands, draws_phases
from molokini.experiments.phases import check_seeds as check_draws
from molokini.experiments.phases import check_unset
from molokini.experiments.replaying import replay_options
from molokini.experiments.sweeping import Plan, Point, outcomes_of, warm
from molokini.model.errors import BadInput
from molokini.parallel.choosing import chosen_executor
from molokini.parallel.executors import Executor
from molokini.workloads.eligible import at_eligible
from molokini.workloads.frames import NAME as FRAME
from molokini.workloads.frames import is_frame
from molokini.workloads.scaling import scale_load
from molokini.workloads.workload import Workload

SCHEMA = "molokini.compare/1"


@asking(Several)
def compare(asked: Several) -> Comparison:
    """Replay workloads under several policies and say which differences mean something.

    As ``molokini compare`` does; the first policy is the baseline. The arguments are the options of the
    command, in the plural where it takes an option several times. Raises BadInput for what cannot be used.
    """
    return compared(asked, whole=is_one_replay_each(asked))


def compared(asked: Several, host: Host = NOBODY, whole: bool = False, *, paired: bool = True) -> Comparison:
    """Replay everything and put together what came of it.

    *whole*: whether to keep schedules; *paired*: whether to compare jobs one by one where there are no seeds.
    """
    given_log = next(iter(several(asked.logs)), None)
    asked, own = several_in(asked)
    check(asked)
    with in_pack(given_log):
        return _compared(asked, own, given_log, host, whole, paired)


def _compared(
    asked: Several, own: str | None, given_log: Log | None, host: Host, whole: bool, paired: bool
) -> Comparison:
    factors, executor = load_factors(asked.load_factor), chosen_executor(asked.executor, asked.workers)
    longer = run_time_factors(asked.run_time_factor)
    seeds = [asked.seed + at for at in range(1, asked.seeds + 1)]
    plan, made_by, notes = plan_of(asked, factors, seeds, whole, paired, own, given_log)
    for note in notes:
        host.note(note)
    bands = None
    if seeds and draws_phases(plan):
        check_draws(asked.seeds)
        check_unset(plan.policies)
        plan = replace(plan, paired=paired)
        bands = Bands(plan, seeds)
    elif seeds:
        check_breakdowns(asked)
    each: list[int | None] = [None] if bands is not None or not seeds else [*seeds]
    gathered = _gather(plan, list(product(factors, longer)), each, executor, host, bands)
    if bands is not None:
        draw_bands(bands, gathered.names, list(product(factors, longer)), executor, host)
    cells = gathered.table()
    document = {
        "schema": SCHEMA,
        "workloads": [
            {
                **parts.workload_part(log),
                **({} if made is None else {"generated": made.part(log)}),
                "cluster": parts.cluster_part(machine, options),
                **parts.reservations_part(options),
            }
            for log, machine, options, made in zip(
                plan.logs, plan.machines, plan.options, made_by, strict=True
            )
        ],
        "policies": [
            {"label": label, **parts.policy_part(chosen, plan.logs)}
            for label, chosen in zip(gathered.names, plan.policies, strict=True)
        ],
        "options": parts.options_part(replay_options(asked), asked.tau, plan.counted),
        "load_factors": factors,
        "run_time_factors": longer,
        "overestimate": asked.overestimate,
        "seeds": seeds,
        "table": [cell.as_dict() for cell in cells],
        **({"fidelity": gathered.near} if gathered.near else {}),
        **({} if bands is None else {"phases": bands.parts()}),
        "comparisons": gathered.comparisons() if paired or seeds else [],
        "results": gathered.rows,
        "breakdowns": gathered.breakdowns,
        "run": {**parts.run_part(*gathered.spent, asked.seed), "workers": executor.workers},
    }
    told = ((*chosen.notes(plan.logs), *outside(chosen, given_log)) for chosen in plan.policies)
    for note in dict.fromkeys(chain.from_iterable(told)):
        host.note(note)
    return Comparison(document, cells, gathered.schedules, asked.tau)


def check(asked: Several) -> None:
    """Complain about what can be seen to be wrong before anything is read."""
    check_machine(asked)
    check_statistics(asked)
    counted_part(asked)
    check_seeds(asked.seeds)
    check_overestimate(asked.overestimate)
    if len(load_factors(asked.load_factor)) > 1 and len(run_time_factors(asked.run_time_factor)) > 1:
        raise BadInput("--load-factor and --run-time-factor: only one of the two may have several values")
    if not asked.policies and not asked.maui_config and not asked.slurm_conf:
        raise BadInput(
            "nothing to compare: give --policy NAME, --maui-config FILE or --slurm-conf FILE, once for each"
        )
    if asked.free_baseline and asked.reservations is None and asked.node_events is None:
        raise BadInput("--free-baseline leaves out --reservations and --node-events; give one of them")
    if bool(several(asked.logs)) == (asked.workload is not None):
        raise BadInput("workloads are needed, of one kind: give LOGs, or --workload NAME")


def check_breakdowns(asked: Several) -> None:
    """Complain about a breakdown of jobs that differ from seed to seed."""
    if breakdowns(asked.by) and asked.seeds:
        raise BadInput("--by needs one replay per policy; leave --seeds out")


def is_one_replay_each(asked: Several) -> bool:
    """Whether there is one replay a policy."""
    one = len(several(asked.logs)) + (asked.workload is not None) == 1
    factors = load_factors(asked.load_factor), run_time_factors(asked.run_time_factor)
    return one and all(len(each) == 1 for each in factors) and not asked.seeds


def load_factors(given: str | float | Sequence[float]) -> list[float]:
    """Numbers, ``0.8,0.9``, or ``0.8:1.2:0.1``, the end included."""
    return several_factors("--load-factor", given)


def run_time_factors(given: str | float | Sequence[float]) -> list[float]:
    """The same, of run times."""
    return several_factors("--run-time-factor", given)


def plan_of(
    asked: Several,
    factors: Sequence[float],
    seeds: Sequence[int],
    whole: bool,
    paired: bool,
    own: str | None = None,
    given_log: Log | None = None,
) -> tuple[Plan, list[ModelWithValues | None], list[str]]:
    """What is to be replayed, the model of each workload that one makes, and what is to be said of it."""
    folders, specs = policy_folders(asked.policy_dir), texts(asked.policies)
    description = described(asked.slurm_conf, asked.slurm_accounts, own)
    made_by, found = _chosen(asked, specs, folders, description)
    chosen = [renamed(one, given_log) for one in found]
    check_own_seeds([made for made in made_by if made is not None], asked.seeds)
    logs = _logs(asked, made_by, (seeds or [asked.seed])[0])
    if description.site is not None:
        logs = [called(at_eligible(log), given_log) for log in logs]
    makers = [
        None if made is None else partial(_made_from, made, asked.jobs, log.name)
        for made, log in zip(made_by, logs, strict=True)
    ]
    if run_time_factors(asked.run_time_factor) != [1] or asked.overestimate is not None:
        for log in logs:
            check_run_times(log)
    machines = [machine_for(log, asked, description.machine) for log in logs]
    both = [settled(log, machine, chosen) for log, machine in zip(logs, machines, strict=True)]
    logs, lines = [log for log, _ in both], [line for _, told in both for line in told]
    rules = replay_options(asked)
    each = [constrained(asked, rules, log, machine) for log, machine in zip(logs, machines, strict=True)]
    for one, (log, machine, constraints) in product(chosen, zip(logs, machines, each, strict=True)):
        # What does not go together is said before anything runs.
        one.options(constraints.options, log, machine)
    if asked.free_baseline:
        chosen = [replace(chosen[0], free=True), *chosen]
    part = counted_part(asked)
    for log, factor in product(logs, factors):
        part.window(scale_load(log, factor))
    plan = Plan(
        logs,
        machines,
        chosen,
        [constraints.options for constraints in each],
        asked.tau,
        asked.batch_size,
        part,
        breakdowns(asked.by),
        whole,
        paired and not seeds,
        makers,
        asked.overestimate,
        asked.seed,
    )
    return plan, made_by, [*(shown(note, given_log) for note in _told(logs, each)), *lines]


def _told(logs: Sequence[Workload], each: Sequence[Constraints]) -> list[str]:
    """What is to be said of reservations and outages, with the log where there are several."""
    several = len(logs) > 1
    return [
        f"{log.name}: {note}" if several else note
        for log, constraints in zip(logs, each, strict=True)
        for note in constraints.notes
    ]


def _chosen(
    asked: Several, specs: Sequence[str], folders: Sequence[Path], description: Description
) -> tuple[list[ModelWithValues | None], list[Chosen]]:
    """Of each workload the model that makes it, if one does; and the policies."""
    named = [spec_of(log) for log in several(asked.logs)]
    if asked.workload is not None:
        named = [spec_of(None, asked.workload)]
    models = [spec for spec in named if spec is not None]
    made, chosen = _both(asked, models, specs, folders, description)
    rest = iter(made)
    return [None if spec is None else next(rest) for spec in named], chosen


def _both(
    asked: Several,
    models: Sequence[str],
    specs: Sequence[str],
    folders: Sequence[Path],
    description: Description,
) -> tuple[list[ModelWithValues], list[Chosen]]:
    """Models and policies, those included that a description of the machine configures."""
    if description.site is None:
        return choose_both(models, specs, asked.set, folders, texts(asked.maui_config))
    mine, others = parameters_of_description(asked.set)
    configured = {spec: one for spec in specs if (one := description.chosen(spec, mine)) is not None}
    plain = [spec for spec in specs if spec not in configured]
    made, found = choose_both(models, plain, others, folders, texts(asked.maui_config))
    named, rest = dict(zip(plain, found, strict=False)), found[len(plain) :]
    chosen = [configured[spec] if spec in configured else named[spec] for spec in specs]
    return made, [*chosen, *rest, *description.all_of(mine)]


def _made_from(made: ModelWithValues, jobs: int | None, name: str, seed: int) -> Workload:
    """The workload of *seed* under one *name*, by which all of them are one in the tables."""
    return replace(made.workload(seed, jobs), name=name)


def _frame_as_jobs(log: Log, place: int, asked: Several) -> Log:
    """The jobs of a DataFrame, which has its *place* in its name unless it is the first; other logs alone."""
    if not is_frame(log):
        return log
    jobs = read_log(log, strict=asked.strict)
    return replace(jobs, name=f"{jobs.name} {place}") if jobs.name == FRAME and place > 1 else jobs


def _logs(asked: Several, made_by: Sequence[ModelWithValues | None], seed: int) -> list[Workload]:
    """The workloads; files that are called alike go by their whole paths, models by all that was asked."""
    given = several(asked.logs) if asked.workload is None else [asked.workload]
    given = [_frame_as_jobs(log, place, asked) for place, log in enumerate(given, 1)]
    specs = [log.name if isinstance(log, Workload) else str(log) for log in given]
    for spec, times in Counter(specs).items():
        if times > 1:
            raise BadInput(f"{spec}: the log is given {times} times")
    form = asked.input_format
    logs = [
        read_log(
            log,
            strict=asked.strict,
            jobs=asked.jobs,
            seed=asked.seed,
            form=form,
            per_node=asked.processors_per_node,
        )
        if made is None
        else _made_from(made, asked.jobs, made.model.name, seed)
        for log, made in zip(given, made_by, strict=True)
    ]
    count = Counter(log.name for log in logs)
    return [
        log if count[log.name] == 1 else replace(log, name=spec)
        for log, spec in zip(logs, specs, strict=True)
    ]


def _gather(
    plan: Plan,
    factors: Sequence[tuple[float, float]],
    seeds: Sequence[int | None],
    executor: Executor,
    host: Host,
    bands: Bands | None = None,
) -> Gathered:
    each = range(len(plan.policies))
    points = [
        Point(log, load, seed, policy, longer)
        for log, (load, longer), seed, policy in product(range(len(plan.logs)), factors, seeds, each)
    ]
    gathered = Gathered(plan, bands)
    with host.compiling(list(dict.fromkeys(one.policy.name for one in plan.policies))):
        warm(plan)
    notes = [note for one, machine in product(plan.policies, plan.machines) for note in remarks(one, machine)]
    for note in dict.fromkeys(notes):
        host.note(note)
    with host.bar("replays") as progress:
        group = []
        for done, outcome in enumerate(outcomes_of(plan, points, executor, host), 1):
            group.append(outcome)
            if len(group) == len(plan.policies):
                gathered.add(group)
                group = []
            if progress is not None:
                progress(done, len(points))
    return gathered
