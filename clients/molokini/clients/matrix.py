"""``molokini matrix``: the matrix of gang scheduling, of a replay at an instant, or of a live cluster."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from molokini.clients.arguments.runs import MatrixArguments
from molokini.clients.hosting import COMMAND, note
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.clients.stopping import before_all, site_of
from molokini.clients.watching import watched
from molokini.experiments.asked import Simulation
from molokini.experiments.parts import cluster_part, policy_part
from molokini.experiments.simulating import Prepared, prepare
from molokini.model.dates import instant_of, of_log
from molokini.model.errors import BadInput, BadValue
from molokini.model.instants import instant
from molokini.model.text import percent, plural
from molokini.reports import report
from molokini.reports.matrix_report import NEEDED
from molokini.reports.stopped import numbers_of, picture_of
from molokini.sim.agenda import next_instant
from molokini.tables.tables import NEVER
from molokini.workloads.calendar import log_clock

SCHEMA = "molokini.matrix/1"
STEPS = 20
"""Events that ``--watch`` shows at most where there is no terminal to stop it."""
_Found = Mapping[str, Any]


def matrix(arguments: MatrixArguments) -> None:
    """Show the matrix, and write what was asked for."""
    check_picture("--plot", arguments.plot)
    inputs = [name for name in (arguments.log, arguments.node_events) if name]
    check_outputs({"--json": arguments.json, "--plot": arguments.plot}, inputs)
    if arguments.steps is not None and (arguments.steps < 1 or not arguments.watch):
        raise BadValue("--steps", arguments.steps, "a whole number of 1 or more, with --watch")
    if arguments.log is None and arguments.workload is None:
        _live(arguments)
        return
    run = _prepared(arguments)
    of = Path(arguments.log or run.replay.workload.name).name
    shown = _shown(_instants(arguments, run), arguments, of)
    _write(shown, arguments, of, **_parts(run, of))


def _prepared(arguments: MatrixArguments) -> Prepared:
    """The replay. Raises BadInput where the policy is missing or has no matrix."""
    if arguments.policy is None:
        raise BadInput("a policy is needed: --policy bgs, or another one with a matrix of rows")
    if arguments.at is None and not arguments.watch:
        raise BadInput("an instant is needed: --at WHEN, a date or seconds of the log; or --watch")
    if arguments.at is not None:
        of_log("--at", arguments.at)
    given = {field.name for field in fields(arguments)}
    asked = {one.name: getattr(arguments, one.name) for one in fields(Simulation) if one.name in given}
    run = prepare(Simulation(**asked), COMMAND)
    if not run.replay.tables.matrix.count:
        raise BadValue("--policy", run.chosen.policy.name, NEEDED)
    for text in run.told:
        note(text)
    return run


def _instants(arguments: MatrixArguments, run: Prepared) -> Iterator[_Found]:
    """The report at ``--at``, and with ``--watch`` after each event that follows."""
    replay = run.replay
    if arguments.at is None:
        at_s = next_instant(replay.agenda, replay.tables)
    else:
        at_s = instant_of("--at", arguments.at, log_clock(replay.workload.header))
        for text in before_all("--at", at_s, replay.workload):
            note(text)
    numbers, site, done = numbers_of(replay.workload), site_of(run.chosen), False
    while at_s < NEVER:
        with watched(replay.policy):
            done = replay.run(at_s)
        yield report("matrix", picture_of(replay, at_s, numbers, site=site))
        at_s = NEVER if done or not arguments.watch else next_instant(replay.agenda, replay.tables)


def _live(arguments: MatrixArguments) -> None:
    """Of the cluster that answers."""
    for option, given in {
        "--at": arguments.at is not None,
        "--policy": arguments.policy,
        "--node-events": arguments.node_events,
    }.items():
        if given:
            raise BadInput(f"{option} is of a replay; give a LOG, or leave it out to see the live cluster")
    if arguments.watch and not _is_terminal():
        raise BadInput("--watch of a live cluster asks again at each Enter; it needs a terminal")
    from molokini.clients.live.connection import with_client

    def asked() -> Iterator[_Found]:
        while True:
            yield with_client(lambda client: client.report("matrix"))

    found = asked() if arguments.watch else islice(asked(), 1)
    _write(_shown(found, arguments, "live"), arguments, "live")


def _shown(instants: Iterator[_Found], arguments: MatrixArguments, of: str) -> list[_Found]:
    """Show one instant after the other: on a terminal the next at each Enter, until ``q`` or the end."""
    terminal = arguments.watch and _is_terminal() and arguments.json != STANDARD_OUTPUT
    most = arguments.steps or (None if terminal else STEPS)
    kept: list[_Found] = []
    for found in islice(instants, most if arguments.watch else 1):
        # Only the last is drawn, and a terminal may be watched for long.
        kept = [found] if terminal and arguments.json is None else [*kept, found]
        if arguments.json == STANDARD_OUTPUT:
            continue
        from molokini.clients.show.matrix_tables import show_matrix

        show_matrix(found, of)
        if terminal and _is_enough():
            break
    return kept


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _is_enough() -> bool:
    """Whether the user has seen enough."""
    try:
        return input("Enter: next event; q: end ").strip().lower().startswith("q")
    except EOFError:
        return True


def _parts(run: Prepared, of: str) -> dict[str, Any]:
    replay = run.replay
    return {
        "workload": {"file": of, "jobs": len(replay.workload)},
        "cluster": cluster_part(replay.machine, run.options),
        "policy": policy_part(run.chosen, [run.given]),
    }


def _write(shown: list[_Found], arguments: MatrixArguments, of: str, **parts: Any) -> None:
    write_json({"schema": SCHEMA, **parts, "instants": shown}, arguments.json)
    if arguments.plot is not None and shown:
        from molokini.plots import matrix_picture, save

        last = shown[-1]
        size = (
            f"{plural(len(last['jobs']), 'job')} in the matrix, {last['waiting']:,} waiting, "
            f"{percent(last['occupied'])} occupied"
        )
        heading = f"{of}, {last['policy']} at {instant(last['now_s'])}"
        save(matrix_picture(last, heading, size), arguments.plot)
