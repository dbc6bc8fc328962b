"""``molokini workload info`` and ``molokini workload convert``."""

import math
from dataclasses import replace
from typing import Any

from molokini.clients.arguments.workloads import ConvertArguments, InfoArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, check_table, write_json
from molokini.experiments.checks import check_load_factor
from molokini.experiments.logs import read_log
from molokini.experiments.machines import MACHINE_SIZES, MOST_PROCESSORS
from molokini.model.dates import instant_of, is_number, of_log
from molokini.model.errors import BadInput, BadValue
from molokini.model.text import plural
from molokini.workloads.calendar import log_clock
from molokini.workloads.filters import by_processors, by_users, first_jobs, in_window, with_note
from molokini.workloads.info import sita_cutoffs, workload_info
from molokini.workloads.readers import write_workload
from molokini.workloads.scaling import scale_load
from molokini.workloads.statistics.all import statistics
from molokini.workloads.workload import Workload


def info(arguments: InfoArguments) -> dict[str, Any]:
    """Show what a log contains; also returns what the JSON holds."""
    if arguments.sita is not None and arguments.sita < 2:
        raise BadValue("--sita", arguments.sita, "a whole number of partitions, 2 or more")
    if arguments.processors is not None and not 1 <= arguments.processors <= MOST_PROCESSORS:
        raise BadValue("--procs", arguments.processors, MACHINE_SIZES)
    check_picture("--plot", arguments.plot)
    check_outputs({"--json": arguments.json, "--plot": arguments.plot}, [arguments.log])
    workload = read_log(
        arguments.log,
        strict=arguments.strict,
        jobs=arguments.jobs,
        seed=arguments.seed,
        form=arguments.input_format,
        given=arguments.set,
        per_node=arguments.processors_per_node,
    )
    if arguments.processors is not None:
        workload = replace(workload, machine_processors=arguments.processors)
    found = workload_info(workload)
    if arguments.sita is not None:
        # A policy sees estimates, so that is what the cutoffs are of.
        cutoffs = sita_cutoffs(workload, arguments.sita, by_estimate=True)
        found["sita"] = {"partitions": arguments.sita, "cutoffs_s": cutoffs}
    found["statistics"] = statistics(workload)
    if arguments.plot is not None:
        from molokini.plots import save, workload_picture

        save(workload_picture(workload, found["statistics"]), arguments.plot)
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        from molokini.clients.show.workload_tables import show_info

        show_info(found)
    return found


def convert(arguments: ConvertArguments) -> Workload:
    """Read, filter, write in the format of the target's ending; also returns what was written."""
    check_table("OUT", arguments.target)
    check_outputs({"OUT": arguments.target}, [arguments.source])
    check_load_factor(arguments.load_factor)
    users = _users(arguments.users)
    _check_ranges(arguments)
    log = read_log(
        arguments.source,
        strict=arguments.strict,
        seed=arguments.seed,
        form=arguments.input_format,
        given=arguments.set,
        per_node=arguments.processors_per_node,
    )
    workload, done = _filtered(log, arguments, users)
    if len(workload) == 0:
        raise BadInput(f"{log.name}: no job is left after the filters")
    if done:
        workload = with_note(workload, f"made by molokini from {log.name}: {', '.join(done)}")
    write_workload(workload, arguments.target)
    from molokini.clients.show.workload_tables import show_conversion

    show_conversion(log, workload, arguments.target)
    return workload


def _filtered(
    workload: Workload, arguments: ConvertArguments, users: list[int]
) -> tuple[Workload, list[str]]:
    """The jobs that were asked for, and what was done in words; filters in the order of the options."""
    done = []
    clock = log_clock(workload.header)
    start = -math.inf if arguments.from_s is None else instant_of("--from-s", arguments.from_s, clock)
    end = math.inf if arguments.until_s is None else instant_of("--until-s", arguments.until_s, clock)
    if not start < end:
        raise _no_time(arguments)
    if arguments.from_s is not None or arguments.until_s is not None:
        workload = in_window(workload, start, end)
        done.append("submitted" + _window(arguments))
    if users:
        workload = by_users(workload, users)
        done.append("users " + " ".join(map(str, users)))
    if arguments.least is not None or arguments.most is not None:
        least = 1 if arguments.least is None else arguments.least
        workload = by_processors(workload, least, arguments.most)
        done.append(f"processors from {least} to {arguments.most or 'any'}")
    if arguments.jobs is not None:
        workload = first_jobs(workload, arguments.jobs)
        done.append(f"the first {plural(arguments.jobs, 'job')}")
    if arguments.load_factor != 1:
        workload = scale_load(workload, arguments.load_factor)
        done.append(f"gaps between arrivals divided by {arguments.load_factor!r}")
    return workload, done


def _check_ranges(arguments: ConvertArguments) -> None:
    given = {"--from-s": arguments.from_s, "--until-s": arguments.until_s}
    found = [of_log(option, text) for option, text in given.items() if text is not None]
    first, last = found[0] if found else None, found[-1] if found else None
    if len(found) > 1 and isinstance(first, float) and isinstance(last, float) and not first < last:
        raise _no_time(arguments)
    least, most = arguments.least or 1, arguments.most
    if most is not None and most < least:
        raise BadValue("--most", most, f"the least number of processors, {least:,}, or more")


def _no_time(arguments: ConvertArguments) -> BadValue:
    """There is nothing between the two."""
    return BadValue("--until-s", arguments.until_s, f"later than --from-s, {arguments.from_s}")


def _window(arguments: ConvertArguments) -> str:
    first, last = (
        None if text is None else f"{text} s" if is_number(text) else text
        for text in (arguments.from_s, arguments.until_s)
    )
    return ("" if first is None else f" at {first} or later") + ("" if last is None else f" before {last}")


def _users(text: str | None) -> list[int]:
    try:
        return [int(part) for part in text.split(",")] if text is not None else []
    except ValueError:
        raise BadValue("--users", text, "whole numbers separated by commas") from None
