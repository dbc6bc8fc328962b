"""``molokini simulate``: one workload under one policy."""

from collections.abc import Mapping
from typing import Any

from molokini.clients.arguments.runs import SimulateArguments
from molokini.clients.hosting import COMMAND
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, check_table, write_json
from molokini.clients.stopping import check_stop, show_stopped
from molokini.experiments.result import Result
from molokini.experiments.simulating import prepare, simulated
from molokini.model.decisions import Refusal
from molokini.model.errors import BadInput, BadValue
from molokini.model.text import counted
from molokini.reports.matrix_report import NEEDED

_OF_DEADLINES = {Refusal.DEADLINE_TOO_TIGHT.name.lower(), Refusal.DEADLINE_NOT_GUARANTEED.name.lower()}
"""Refusals of jobs that would fit, had they more time."""


def simulate(arguments: SimulateArguments) -> None:
    """Replay, write what was asked for, and print the table."""
    _check(arguments)
    run = prepare(arguments, COMMAND)
    if arguments.rows is not None and not run.replay.tables.matrix.count:
        raise BadValue("--policy", run.chosen.policy.name, f"{NEEDED}, with --rows")
    if arguments.stop_at is not None:
        show_stopped(arguments, run)
        return
    result = simulated(run, COMMAND)
    _write(result, arguments)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.rich_tables import show_simulation

        show_simulation(result.document)
        if "bank" in result.document:
            from molokini.clients.show.bank_tables import show_bank

            show_bank(result.document["bank"])
    _check_some_ran(result.metrics, run.chosen.policy.origin)
    if arguments.serve:
        from molokini.clients.page_host import host_page

        host_page(result.page(plays=True))


def _check_some_ran(metrics: Mapping[str, Any], policy: str) -> None:
    """Complain where each job was refused because of what it asks for, or none was started.

    What was found is shown all the same. Deadlines are another matter: that all are refused is a result.
    """
    refused = metrics["refused"]
    if metrics["jobs"] and sum(refused.values()) == metrics["jobs"] and not _OF_DEADLINES & set(refused):
        reasons = counted(refused)
        raise BadInput(f"no job can run here: {reasons}; give another machine (--procs, --nodes) or --policy")
    if metrics["unfinished_jobs"] and not metrics["started_jobs"]:
        reasons = counted(metrics["unfinished"])
        raise BadInput(f"policy {policy} started none of {metrics['unfinished_jobs']:,} jobs: {reasons}")


def _check(arguments: SimulateArguments) -> None:
    """Complain, before anything is read or compiled, about what the command alone has."""
    check_stop(arguments)
    check_table("--schedule", arguments.schedule)
    pictures = {"--plot": arguments.plot, "--ecdf": arguments.ecdf, "--convergence": arguments.convergence}
    pictures["--rows"] = arguments.rows
    for option, picture in pictures.items():
        check_picture(option, picture)
    inputs = (
        *(arguments.log, arguments.maui_config, arguments.slurm_conf, *arguments.slurm_accounts),
        *(arguments.reservations, arguments.node_events),
    )
    check_outputs(
        {
            "--json": arguments.json,
            "--fidelity": arguments.fidelity,
            "--schedule": arguments.schedule,
            "--html": arguments.html,
            **pictures,
        },
        [name for name in inputs if name],
    )


def _write(result: Result, arguments: SimulateArguments) -> None:
    if arguments.schedule is not None:
        result.write(arguments.schedule)
    pictures = {"overview": arguments.plot, "ecdf": arguments.ecdf, "convergence": arguments.convergence}
    pictures["rows"] = arguments.rows
    for what, file in pictures.items():
        if file is not None:
            result.plot(what, file)
    if arguments.html is not None:
        result.write_page(arguments.html)
    if arguments.fidelity is not None:
        write_json(result.document["fidelity"], arguments.fidelity)
    write_json(result.document, arguments.json)
