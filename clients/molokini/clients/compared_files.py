"""The files that ``molokini compare`` writes: pictures, schedules, JSON; and what they ask for."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from molokini.clients.arguments.runs import CompareArguments
from molokini.clients.output import check_outputs, check_picture, write_json
from molokini.experiments.asked import Several
from molokini.experiments.comparing import is_one_replay_each
from molokini.experiments.comparison import Comparison
from molokini.experiments.pages import page_text, write_page
from molokini.experiments.schedules import write_schedule
from molokini.metrics import start_changes
from molokini.model.errors import BadFile, BadInput
from molokini.sim.schedule import Schedule


def wants_schedules(arguments: CompareArguments) -> bool:
    """Whether something is to be written that takes whole schedules."""
    return any((arguments.ecdf, arguments.difference, arguments.schedules, arguments.html, arguments.serve))


def check_files(arguments: CompareArguments, asked: Several) -> None:
    """Complain, before anything runs, about files that could not be written or would say nothing."""
    pictures = {"--plot": arguments.plot, "--ecdf": arguments.ecdf, "--difference": arguments.difference}
    for option, picture in pictures.items():
        check_picture(option, picture)
    if arguments.log_axis and arguments.plot is None:
        raise BadInput("--log-axis is of the picture; give --plot FILE, too")
    one = is_one_replay_each(asked)
    for option, given in {
        "--ecdf": arguments.ecdf,
        "--difference": arguments.difference,
        "--schedules": arguments.schedules,
        "--html": arguments.html,
        "--serve": arguments.serve or None,
    }.items():
        if given is not None and not one:
            raise BadInput(f"{option} is of one replay a policy: give one log, one load factor, no --seeds")
    policies = len(arguments.policies) + len(arguments.maui_config) + len(arguments.slurm_conf)
    policies += arguments.free_baseline
    if arguments.difference is not None and policies != 2:
        raise BadInput(f"--difference is of two policies; {policies} are given")
    files = [file for file in (arguments.reservations, arguments.node_events) if file is not None]
    inputs = [
        *arguments.logs,
        *arguments.maui_config,
        *arguments.slurm_conf,
        *arguments.slurm_accounts,
        *files,
    ]
    check_outputs({"--json": arguments.json, "--html": arguments.html, **pictures}, inputs)
    if arguments.schedules is not None:
        folder = Path(arguments.schedules)
        if not folder.is_dir() and (folder.exists() or not folder.parent.is_dir()):
            raise BadFile(arguments.schedules, "is no folder, and none can be made there")


def with_difference(found: Comparison, arguments: CompareArguments) -> Mapping[str, Any]:
    """The results, with what the picture of the difference shows in numbers where one is drawn."""
    if arguments.difference is None:
        return found.document
    results = dict(found.document)
    run = results.pop("run")
    return {**results, "start_changes": start_changes(*found.replayed).as_dict(), "run": run}


def write_files(found: Comparison, document: Mapping[str, Any], arguments: CompareArguments) -> None:
    """Write everything that *arguments* name."""
    pictures = {"comparison": arguments.plot, "ecdf": arguments.ecdf, "difference": arguments.difference}
    for what, file in pictures.items():
        if file is not None:
            found.plot(what, file, log_axis=arguments.log_axis)
    if arguments.schedules is not None:
        _write_schedules(arguments.schedules, found.replayed)
    if arguments.html is not None:
        write_page(found.replayed, _metrics(found), arguments.html)
    write_json(document, arguments.json)


def host_files(found: Comparison, arguments: CompareArguments) -> None:
    """Serve the page of *found* until Ctrl-C, where that is asked for."""
    if arguments.serve:
        from molokini.clients.page_host import host_page

        host_page(page_text(found.replayed, _metrics(found), plays=True))


def _metrics(found: Comparison) -> Sequence[Mapping[str, Any]]:
    return [row["metrics"] for row in found.document["results"]]


def _write_schedules(folder: str, schedules: Sequence[Schedule]) -> None:
    Path(folder).mkdir(exist_ok=True)
    names = [re.sub(r"[^\w.,=+-]+", "_", schedule.policy).strip("_") or "policy" for schedule in schedules]
    for at, (name, schedule) in enumerate(zip(names, schedules, strict=True)):
        # Two labels may differ only in signs that no file name should have.
        unique = name if names.count(name) == 1 else f"{name}-{at + 1}"
        write_schedule(schedule, str(Path(folder) / f"{unique}.csv"))
