"""One workload under one policy, as a value: ``simulate`` of the command and of Python."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from molokini.experiments import distances, parts
from molokini.experiments.asked import Simulation
from molokini.experiments.asked_nodes import settled
from molokini.experiments.calling import asking
from molokini.experiments.checks import (
    breakdowns,
    check_clone,
    check_load_factor,
    check_overestimate,
    check_run_time_factor,
    check_statistics,
)
from molokini.experiments.choices_part import choices_note, choices_part
from molokini.experiments.choosing import Chosen, policy_folders, remarks
from molokini.experiments.constraints import constrained
from molokini.experiments.counting import counted_part
from molokini.experiments.described import Description, described, parameters_of_description
from molokini.experiments.host import NOBODY, Host
from molokini.experiments.logs import loaded, read_log
from molokini.experiments.machines import check_machine, machine_for
from molokini.experiments.maui_banks import bank_part
from molokini.experiments.maui_files import check_configurable, chosen_for
from molokini.experiments.maui_simulation import MauiSimulation, simulation_of
from molokini.experiments.models import ModelWithValues, check_source, choose_both, spec_of
from molokini.experiments.packs import called, in_pack, outside, renamed, shown, simulation_in
from molokini.experiments.phases import check_seeds, drawn, phases_part
from molokini.experiments.replaying import finished, prepared, replay_options
from molokini.experiments.result import Result
from molokini.metrics import breakdown, measure
from molokini.metrics.settling import checked_precision, settling
from molokini.model.errors import BadInput
from molokini.model.text import rules_text
from molokini.reports.unfinished import unfinished_by_rule
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.eligible import at_eligible
from molokini.workloads.workload import Workload

SCHEMA = "molokini.simulate/1"


@asking(Simulation)
def simulate(asked: Simulation) -> Result:
    """Replay a workload under one policy and measure the schedule, as ``molokini simulate`` does.

    The arguments are the options of the command. Raises BadInput for what cannot be used.
    """
    return simulated(prepare(asked))


@dataclass(frozen=True)
class Prepared:
    """A run of which everything is read, checked and compiled."""

    asked: Simulation
    chosen: Chosen
    made: ModelWithValues | None
    """The model that makes the jobs, if one does."""
    log: Workload
    """As it was read."""
    given: Workload
    """Under the load that was asked for."""
    replay: Replay
    options: Options
    counted_s: tuple[float, float]
    given_as: Simulation
    """What was asked for, a pack not opened."""
    stepped: MauiSimulation | None
    """The simulation that a configuration of Maui asks for."""
    told: Sequence[str] = ()
    """What is to be said of reservations and outages, one line each."""

    @property
    def notes(self) -> list[str]:
        """What the user should know, one line each."""
        stepped = [] if self.stepped is None else [self.stepped.note]
        return [
            *self.told,
            *self.chosen.notes([self.given]),
            *outside(self.chosen, self.given_as.log),
            *stepped,
            *remarks(self.chosen, self.replay.machine),
        ]


def prepare(asked: Simulation, host: Host = NOBODY) -> Prepared:
    """Read, check and compile what *asked* needs. Raises BadInput."""
    given_as, asked = asked, simulation_in(asked)
    check(asked)
    with in_pack(given_as.log):
        return _prepared(asked, given_as, host)


def _prepared(asked: Simulation, given_as: Simulation, host: Host) -> Prepared:
    given_log = given_as.log
    stepped = simulation_of(asked.policy, asked.maui_config)
    description = described(asked.slurm_conf, asked.slurm_accounts)
    chosen, made, log = _taken(asked, stepped, description)
    chosen = renamed(chosen, given_log)
    log = called(log if description.site is None else at_eligible(log), given_log)
    if stepped is None:
        machine = machine_for(log, asked, description.machine)
    else:
        machine = stepped.machine_for(log, asked)
    if stepped is not None and asked.node_events is not None:
        raise BadInput("--node-events is of the log's clock; SERVERMODE SIMULATION goes in steps of its own")
    log, lines = settled(log, machine, [chosen])
    given = loaded(log, asked)
    constraints = constrained(asked, replay_options(asked), given, machine)
    options = constraints.options
    workload = chosen.workload(given)
    window = counted_part(asked).window(workload)
    if stepped is not None:
        workload, chosen = stepped.workload(workload), stepped.policy(chosen)
    whole = chosen.options(options, workload, machine)
    with host.compiling([chosen.policy.name]):
        replay = prepared(workload, machine, chosen, options)
    told = [*(shown(note, given_log) for note in constraints.notes), *lines]
    if given_as.seeds:
        drawn(given_as, chosen)  # complains before anything runs
    return Prepared(asked, chosen, made, log, given, replay, whole, window, given_as, stepped, told)


def simulated(run: Prepared, host: Host = NOBODY) -> Result:
    """Replay *run* to its end, and measure what came of it."""
    policy, stepped = run.chosen.policy, run.stepped
    with host.bar(policy.name) as progress, host.guard(policy):
        done = finished(run.replay, progress, None if stepped is None else stepped.stepping)
    schedule = replace(done, policy=run.chosen.name, counted_s=run.counted_s)
    bank = bank_part(run.replay)
    chosen_among = choices_part(schedule)
    for note in (*run.notes, *choices_note(schedule)):
        host.note(note)
    asked, made, machine, workload = run.asked, run.made, run.replay.machine, schedule.workload
    metrics = measure(schedule, asked.tau)
    metrics["unfinished"] = unfinished_by_rule(run.replay) if metrics["unfinished_jobs"] else {}
    near = distances.of_replay(schedule, run.chosen, asked.tau)
    if near is None and asked.fidelity is not None:
        raise BadInput(f"--fidelity: {workload.name} records no start; give a log of sacct, or a pack")
    # What they have to say the first has said.
    quiet = replace(host, note=str)
    others = [simulated(prepare(one, quiet), quiet).document for one in _drawn(run)]
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "workload": {
            **parts.workload_part(
                workload, asked.load_factor, asked.clone, asked.run_time_factor, asked.overestimate
            ),
            **({} if made is None else {"generated": made.part(run.log)}),
            **({} if made is not None or asked.jobs is None else {"first_jobs": asked.jobs}),
        },
        "cluster": parts.cluster_part(machine, run.options),
        "policy": parts.policy_part(run.chosen, [run.given]),
        "options": parts.options_part(run.options, asked.tau, counted_part(asked)),
        **({} if stepped is None else {"stepping": stepped.part}),
        "notes": remarks(run.chosen, machine),
        "metrics": metrics,
        "intervals": parts.intervals_part(schedule, asked.tau, asked.batch_size),
        **({} if bank is None else {"bank": bank}),
        **({} if chosen_among is None else {"choices": chosen_among}),
        **({} if asked.precision is None else {"settling": _settling_part(schedule, asked)}),
        **({} if near is None else {"fidelity": distances.part(near, schedule.policy, workload.name)}),
        **({"phases": phases_part(others)} if others else {}),
        "breakdowns": {by: breakdown(schedule, by, asked.tau) for by in breakdowns(asked.by)},
        "run": parts.run_part(schedule.elapsed_s, len(workload), asked.seed),
    }
    result = Result(document, schedule, asked.tau, asked.batch_size, _changed(asked), run.notes)
    return replace(result, precision=asked.precision)


def _drawn(run: Prepared) -> list[Simulation]:
    """The same run with other phases of the policy's timers, as often as was asked for."""
    return drawn(run.given_as, run.chosen) if run.given_as.seeds else []


def _settling_part(schedule: Schedule, asked: Simulation) -> dict[str, Any]:
    """The crossing report of every metric."""
    assert asked.precision is not None
    found = settling(schedule, asked.precision, asked.batch_size)
    return {"precision": asked.precision, "metrics": [one.as_dict() for one in found]}


def check(asked: Simulation) -> None:
    """Complain, before anything is read or compiled, about what can be seen to be wrong."""
    breakdowns(asked.by)
    if asked.maui_config is not None and asked.slurm_conf is not None:
        raise BadInput("--maui-config and --slurm-conf configure different policies; give one of them")
    if asked.maui_config is None or asked.log is not None:
        check_source(asked.log, asked.workload)
    check_machine(asked)
    check_statistics(asked)
    check_seeds(asked.seeds)
    counted_part(asked)
    if asked.precision is not None:
        checked_precision(asked.precision)
    check_load_factor(asked.load_factor)
    check_run_time_factor(asked.run_time_factor)
    check_overestimate(asked.overestimate)
    check_clone(asked.clone)


def _taken(
    asked: Simulation, stepped: MauiSimulation | None, description: Description
) -> tuple[Chosen, ModelWithValues | None, Workload]:
    """The policy and the workload, and the model that makes the latter if one does."""
    folders = policy_folders(asked.policy_dir)
    spec = spec_of(asked.log, asked.workload)
    configured = description.chosen(asked.policy, asked.set)
    if spec is not None:
        if configured is not None:
            mine, others = parameters_of_description(asked.set)
            (made,), _ = choose_both([spec], (), others, folders)
            configured = description.chosen(asked.policy, mine)
            assert configured is not None
            return configured, made, made.workload(asked.seed, asked.jobs)
        file = () if asked.maui_config is None else asked.maui_config
        named = (asked.policy,) if asked.maui_config is None else ()
        check_configurable(asked.policy, asked.maui_config)
        (made,), (chosen,) = choose_both([spec], named, asked.set, folders, file)
        return chosen, made, made.workload(asked.seed, asked.jobs)
    chosen = configured or chosen_for(asked.policy, asked.maui_config, asked.set, folders)
    source = stepped.trace if asked.log is None and stepped is not None else asked.log
    if source is None:
        raise BadInput(
            f"a workload is needed: give a LOG, or have SERVERMODE SIMULATION in {asked.maui_config}"
        )
    form = asked.input_format
    log = read_log(
        source,
        strict=asked.strict,
        jobs=asked.jobs,
        seed=asked.seed,
        form=form,
        per_node=asked.processors_per_node,
    )
    return chosen, None, log


def _changed(asked: Simulation) -> str:
    """What was done to the log, and rules that are not the usual ones, for the headings of pictures."""
    changes = []
    if asked.load_factor != 1:
        changes.append(f"load factor {asked.load_factor:.15g}")
    if asked.run_time_factor != 1:
        changes.append(f"run-time factor {asked.run_time_factor:.15g}")
    if asked.overestimate is not None:
        changes.append(f"estimates by phi {asked.overestimate:.15g}")
    if asked.clone > 1:
        changes.append(f"each job {asked.clone} times")
    rules = {"overrun": asked.overrun, "ties": asked.ties, "counted": counted_part(asked).part()}
    return ", ".join(changes) + (rules_text(rules) if changes else rules_text(rules).removeprefix(", "))
