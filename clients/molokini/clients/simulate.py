"""``molokini simulate``: one workload under one policy."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from molokini.clients import results
from molokini.clients.arguments import SimulateArguments
from molokini.clients.compiling import compilation_told
from molokini.clients.counting import counted_part
from molokini.clients.generating import Made, check_source, choose_both
from molokini.clients.maui_banks import bank_part
from molokini.clients.maui_files import chosen_for, node_names
from molokini.clients.maui_simulation import MauiSimulation, simulation_of
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, check_table, write_json
from molokini.clients.preparing import (
    Chosen,
    breakdowns,
    check_clone,
    check_load_factor,
    check_machine,
    check_statistics,
    loaded,
    machine_for,
    policy_folders,
    read_log,
    remarks,
    replay_options,
)
from molokini.clients.replaying import finished, prepared
from molokini.clients.show.text import counted
from molokini.clients.stopping import check_stop, stopped
from molokini.metrics import breakdown, measure
from molokini.model.decisions import Refusal
from molokini.model.errors import BadInput
from molokini.model.machine import Machine
from molokini.model.reservations import placed
from molokini.model.resources import Resource
from molokini.parallel.progress import progress_bar
from molokini.reports.unfinished import unfinished_by_rule
from molokini.sim.reserving import Reservations
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Workload

SCHEMA = "molokini.simulate/1"

_OF_DEADLINES = {Refusal.DEADLINE_TOO_TIGHT.name.lower(), Refusal.DEADLINE_NOT_GUARANTEED.name.lower()}
"""Refusals of jobs that would fit, had they more time."""


def simulate(arguments: SimulateArguments) -> Schedule:
    """Replay, write what was asked for, and print the table; also returns the schedule."""
    _check(arguments)
    stepped = simulation_of(arguments.policy, arguments.maui_config)
    if stepped is not None and arguments.stop_at is not None:
        raise BadInput("--stop-at is of a replay; SERVERMODE SIMULATION goes in steps of its own")
    chosen, made, log = _taken(arguments, stepped)
    machine = stepped.machine_for(log, arguments) if stepped is not None else machine_for(log, arguments)
    options = replay_options(arguments)
    if arguments.reservations is not None:
        names = node_names(len(machine.nodes))
        kept = _reserved(arguments.reservations, machine, names)
        options = replace(options, reservations=kept, node_names=names)
    given = loaded(log, arguments)
    workload = chosen.workload(given)
    part = counted_part(arguments)
    window = part.window(workload)
    if stepped is not None:
        workload, chosen = stepped.workload(workload), stepped.policy(chosen)
    whole = chosen.options(options, workload, machine)
    with compilation_told():
        replay = prepared(workload, machine, chosen, options)
    if arguments.stop_at is not None:
        return stopped(arguments, replay, chosen, workload)
    with progress_bar(chosen.policy.name) as progress:
        done = finished(replay, progress, None if stepped is None else stepped.stepping)
        schedule = replace(done, policy=chosen.name, counted_s=window)
    bank = bank_part(replay)
    notes = [*chosen.notes([given]), *([] if stepped is None else [stepped.note])]
    for note in [*notes, *remarks(chosen, machine)]:
        print(f"molokini: {note}", file=sys.stderr)
    metrics = measure(schedule, arguments.tau)
    metrics["unfinished"] = unfinished_by_rule(replay) if metrics["unfinished_jobs"] else {}
    found = {
        "schema": SCHEMA,
        "workload": {
            **results.workload_part(workload, arguments.load_factor, arguments.clone),
            **({} if made is None else {"generated": made.part(log)}),
            **({} if made is not None or arguments.jobs is None else {"first_jobs": arguments.jobs}),
        },
        "cluster": results.cluster_part(machine, options.placement),
        "policy": results.policy_part(chosen, [given]),
        "options": results.options_part(whole, arguments.tau, part),
        **({} if stepped is None else {"stepping": stepped.part}),
        "notes": remarks(chosen, machine),
        "metrics": metrics,
        "intervals": results.intervals_part(schedule, arguments.tau, arguments.batch_size),
        **({} if bank is None else {"bank": bank}),
        "breakdowns": {by: breakdown(schedule, by, arguments.tau) for by in breakdowns(arguments.by)},
        "run": results.run_part(schedule.elapsed_s, len(workload), arguments.seed),
    }
    _write(schedule, found, arguments)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.tables import show_simulation

        show_simulation(found)
        if bank is not None:
            from molokini.clients.show.bank_tables import show_bank
            from molokini.clients.show.tables import console

            show_bank(console(), bank)
    _check_some_ran(metrics, chosen.policy.origin)
    return schedule


def _check_some_ran(metrics: Mapping[str, Any], policy: str) -> None:
    """Complain where each job was refused because of what it asks for, or none was started.

    What was found is told all the same. Deadlines are another matter: that all are refused is a result.
    """
    refused = metrics["refused"]
    if metrics["jobs"] and sum(refused.values()) == metrics["jobs"] and not _OF_DEADLINES & set(refused):
        reasons = counted(refused)
        raise BadInput(f"no job can run here: {reasons}; give another machine (--procs, --nodes) or --policy")
    if metrics["unfinished_jobs"] and not metrics["started_jobs"]:
        reasons = counted(metrics["unfinished"])
        raise BadInput(f"policy {policy} started none of {metrics['unfinished_jobs']:,} jobs: {reasons}")


def _taken(
    arguments: SimulateArguments, stepped: MauiSimulation | None
) -> tuple[Chosen, Made | None, Workload]:
    """The policy and the workload, and the model that makes the latter if one does."""
    folders = policy_folders(arguments.policy_dir)
    if arguments.workload is not None:
        made, (chosen,) = choose_both(arguments.workload, [arguments.policy], arguments.set, folders)
        return chosen, made, made.workload(arguments.seed, arguments.jobs)
    chosen = chosen_for(arguments.policy, arguments.maui_config, arguments.set, folders)
    source = arguments.log or (stepped.trace if stepped is not None else None)
    if source is None:
        raise BadInput(
            f"a workload is needed: give a LOG, or have SERVERMODE SIMULATION in {arguments.maui_config}"
        )
    log = read_log(source, strict=arguments.strict, jobs=arguments.jobs, seed=arguments.seed)
    return chosen, None, log


def _reserved(file: str, machine: Machine, names: Sequence[str]) -> Reservations:
    """What *file* reserves on *machine*, whose nodes are called *names*."""
    from molokini.clients.reservation_files import read_reservations

    each = [int(node.capacity.get(Resource.PROCESSORS, 0)) for node in machine.nodes]
    sizes = dict(zip(names, each, strict=True))
    return [placed(one, sizes) for one in read_reservations(file)]


def _check(arguments: SimulateArguments) -> None:
    """Complain, before anything is read or compiled, about what can be seen to be wrong."""
    breakdowns(arguments.by)
    check_stop(arguments)
    if arguments.maui_config is not None and arguments.workload is not None:
        raise BadInput("--maui-config goes with a log: the jobs of a model have no users")
    if arguments.maui_config is None or arguments.log is not None:
        check_source(arguments.log, arguments.workload)
    check_machine(arguments)
    check_statistics(arguments)
    counted_part(arguments)
    check_load_factor(arguments.load_factor)
    check_clone(arguments.clone)
    check_table("--schedule", arguments.schedule)
    pictures = {"--plot": arguments.plot, "--ecdf": arguments.ecdf, "--convergence": arguments.convergence}
    for option, picture in pictures.items():
        check_picture(option, picture)
    check_outputs(
        {"--json": arguments.json, "--schedule": arguments.schedule, **pictures},
        [name for name in (arguments.log, arguments.maui_config) if name],
    )


def _write(schedule: Schedule, found: dict[str, Any], arguments: SimulateArguments) -> None:
    if arguments.schedule is not None:
        from molokini.clients.schedules import write_schedule

        write_schedule(schedule, arguments.schedule)
    if arguments.plot is not None:
        from molokini.pictures import overview, save

        save(overview(schedule, note=_changed(arguments)), arguments.plot)
    if arguments.ecdf is not None:
        from molokini.pictures import distributions, save

        save(distributions([schedule], arguments.tau, _changed(arguments)), arguments.ecdf)
    if arguments.convergence is not None:
        from molokini.pictures import convergence, save

        drawn = convergence(
            schedule, tau_s=arguments.tau, batch_size=arguments.batch_size, note=_changed(arguments)
        )
        save(drawn, arguments.convergence)
    write_json(found, arguments.json)


def _changed(arguments: SimulateArguments) -> str:
    """What was done to the log, and rules that are not the usual ones, for the headings of pictures."""
    from molokini.clients.show.tables import rules_text

    told = []
    if arguments.load_factor != 1:
        told.append(f"load factor {arguments.load_factor:.15g}")
    if arguments.clone > 1:
        told.append(f"each job {arguments.clone} times")
    part = counted_part(arguments).part()
    if rules := rules_text({"overrun": arguments.overrun, "ties": arguments.ties, "counted": part}):
        told.append(rules.removeprefix(", "))
    return ", ".join(told)
