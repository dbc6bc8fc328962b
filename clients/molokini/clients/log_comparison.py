"""``molokini workload compare``."""

from typing import Any

from molokini.clients.arguments.workload_tools import CompareLogsArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.experiments.logs import read_log
from molokini.experiments.models import given_to
from molokini.model.text import figure, plural
from molokini.workloads.tools.comparing import compare as compared

SCHEMA = "molokini.logs-compared/1"
_FIGURES = ("mean", "cv", "median", "p95", "max", "alpha")


def compare(arguments: CompareLogsArguments) -> dict[str, Any]:
    """Show how far two logs differ; also returns what the JSON holds."""
    check_picture("--plot", arguments.plot)
    sources = [arguments.first, arguments.second]
    check_outputs({"--json": arguments.json, "--plot": arguments.plot}, sources)
    logs = [
        read_log(one, jobs=arguments.jobs, seed=arguments.seed, form=arguments.input_format, given=given)
        for one, given in zip(sources, given_to(sources, arguments.set), strict=True)
    ]
    found = {"schema": SCHEMA, "files": [log.name for log in logs], **compared(logs[0], logs[1])}
    if arguments.plot is not None:
        from molokini.plots import logs_compared, save

        save(logs_compared(logs[0], logs[1], found["attributes"]), arguments.plot)
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        _show(found)
    return found


def _show(found: dict[str, Any]) -> None:
    out = console()
    names = [f"{letter}: {name}" for letter, name in zip("AB", found["files"], strict=True)]
    jobs = [plural(count, "job") for count in found["jobs"]]
    lines(out, [f"{name} ({count})" for name, count in zip(names, jobs, strict=True)])
    made = table("figures", "attribute", "log", *_FIGURES, words=(0, 1), keys=2)
    for name, one in found["attributes"].items():
        for letter, figures in zip("AB", one["figures"], strict=True):
            row(made, name, letter, *(figure(figures[key]) for key in _FIGURES))
    show(out, made)
    made = table("distances", "attribute", "KS", "decades apart", "Anderson-Darling")
    for name, one in found["attributes"].items():
        cells = (one["ks"], one["wasserstein_log10"], one["anderson_darling"])
        row(made, name, *("-" if cell is None else f"{cell:.4f}" for cell in cells))
    show(out, made)
    lines(
        out, [f"Hurst's parameter of arrivals: {figure(found['hurst'][0])} and {figure(found['hurst'][1])}"]
    )
