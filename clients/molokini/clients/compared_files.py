"""The files that ``molokini compare`` writes: pictures, schedules, JSON; and what they ask for."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from molokini.clients.arguments import CompareArguments
from molokini.clients.counting import counted_part
from molokini.clients.output import check_outputs, check_picture, write_json
from molokini.clients.show.text import counted_text, plural
from molokini.metrics import Cell, start_changes
from molokini.model.errors import BadFile, BadInput
from molokini.sim.schedule import Schedule

PICTURED = (
    "mean_wait_s",
    "p95_wait_s",
    "mean_bounded_slowdown",
    "mean_response_s",
    "utilization",
    "loss_of_capacity",
)
"""The panels of the picture."""


def wants_schedules(arguments: CompareArguments) -> bool:
    """Whether something is to be written that takes whole schedules."""
    return any((arguments.ecdf, arguments.difference, arguments.schedules))


def check_files(arguments: CompareArguments, factors: Sequence[float]) -> None:
    """Complain, before anything runs, about files that could not be written or would say nothing."""
    pictures = {"--plot": arguments.plot, "--ecdf": arguments.ecdf, "--difference": arguments.difference}
    for option, picture in pictures.items():
        check_picture(option, picture)
    if arguments.log_axis and arguments.plot is None:
        raise BadInput("--log-axis is of the picture; give --plot FILE, too")
    one = len(arguments.logs) + (arguments.workload is not None) == 1 and len(factors) == 1
    for option, given in {
        "--ecdf": arguments.ecdf,
        "--difference": arguments.difference,
        "--schedules": arguments.schedules,
    }.items():
        if given is not None and (not one or arguments.seeds):
            raise BadInput(f"{option} is of one replay a policy: give one log, one load factor, no --seeds")
    policies = len(arguments.policy) + len(arguments.maui_config)
    if arguments.difference is not None and policies != 2:
        raise BadInput(f"--difference is of two policies; {policies} are given")
    inputs = [*arguments.logs, *arguments.maui_config]
    check_outputs({"--json": arguments.json, **pictures}, inputs)
    if arguments.schedules is not None:
        folder = Path(arguments.schedules)
        if not folder.is_dir() and (folder.exists() or not folder.parent.is_dir()):
            raise BadFile(arguments.schedules, "is no folder, and none can be made there")


def difference_part(arguments: CompareArguments, schedules: Sequence[Schedule]) -> dict[str, Any]:
    """What the picture of the difference shows, in numbers; nothing where none is drawn."""
    if arguments.difference is None:
        return {}
    return {"start_changes": start_changes(*schedules).as_dict()}


def write_files(
    found: Mapping[str, Any],
    cells: Sequence[Cell],
    schedules: Sequence[Schedule],
    arguments: CompareArguments,
) -> None:
    """Write everything that *arguments* name."""
    if arguments.plot is not None:
        _plot(found, cells, arguments)
    if arguments.ecdf is not None:
        from molokini.pictures import distributions, save

        save(distributions(schedules, arguments.tau, _note(found, arguments)), arguments.ecdf)
    if arguments.difference is not None:
        from molokini.pictures import difference, save

        save(difference(schedules[0], schedules[1], _note(found, arguments)), arguments.difference)
    if arguments.schedules is not None:
        _write_schedules(arguments.schedules, schedules)
    write_json(found, arguments.json)


def _plot(found: Mapping[str, Any], cells: Sequence[Cell], arguments: CompareArguments) -> None:
    from molokini.pictures import Parts, comparison, save

    files = [workload["file"] for workload in found["workloads"]]
    shown = [cell for cell in cells if cell.metric in PICTURED]
    shown.sort(key=lambda cell: (files.index(cell.workload), PICTURED.index(cell.metric)))
    parts = [Parts(**one) for one in found["breakdowns"]]
    sizes = {
        one["file"]: ", ".join(
            (plural(one["jobs"], "job"), plural(one["cluster"]["processors"], "processor"), *_part(arguments))
        )
        for one in found["workloads"]
    }
    save(comparison(shown, parts=parts, sizes=sizes, logarithmic=arguments.log_axis), arguments.plot or "")


def _part(arguments: CompareArguments) -> list[str]:
    part = counted_part(arguments).part()
    return [f"counted: {counted_text(part)}"] if part else []


def _note(found: Mapping[str, Any], arguments: CompareArguments) -> str:
    """The load factor and the part that counts, for headings."""
    factor = found["load_factors"][0]
    return ", ".join([*([] if factor == 1 else [f"load factor {factor:.15g}"]), *_part(arguments)])


def _write_schedules(folder: str, schedules: Sequence[Schedule]) -> None:
    from molokini.clients.schedules import write_schedule

    Path(folder).mkdir(exist_ok=True)
    names = [re.sub(r"[^\w.,=+-]+", "_", schedule.policy).strip("_") or "policy" for schedule in schedules]
    for at, (name, schedule) in enumerate(zip(names, schedules, strict=True)):
        # Two labels may differ only in signs that no file name should have.
        unique = name if names.count(name) == 1 else f"{name}-{at + 1}"
        write_schedule(schedule, str(Path(folder) / f"{unique}.csv"))
