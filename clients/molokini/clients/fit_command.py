"""``molokini workload fit``."""

from typing import Any

from molokini.clients.arguments.workload_tools import FitArguments
from molokini.clients.output import STANDARD_OUTPUT, check_outputs, check_picture, write_json
from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.experiments.logs import read_log
from molokini.model.errors import BadValue
from molokini.model.text import duration, figure, percent, plural
from molokini.workloads.fits.files import write_site
from molokini.workloads.fits.fitting import fit_log

SCHEMA = "molokini.fitted/1"
_SHOWN = 4


def fit(arguments: FitArguments) -> dict[str, Any]:
    """Fit distributions to a log, write the parameters; also returns what the JSON holds."""
    output = arguments.output
    if output is not None and not output.lower().endswith(".toml"):
        raise BadValue("--output", output, "a file name that ends in .toml")
    check_picture("--plot", arguments.plot)
    files = {"--output": output, "--plot": arguments.plot, "--json": arguments.json}
    check_outputs(files, [arguments.log])
    workload = read_log(arguments.log, seed=arguments.seed, form=arguments.input_format, given=arguments.set)
    result = fit_log(workload, keep_downtime=arguments.keep_downtime)
    if output is not None:
        write_site(result, output)
    if arguments.plot is not None:
        from molokini.plots import fit_picture, save

        save(fit_picture(workload, result), arguments.plot)
    found = {"schema": SCHEMA, "written": output, **result.told()}
    write_json(found, arguments.json)
    if arguments.json != STANDARD_OUTPUT:
        _show(found)
    return found


def _show(found: dict[str, Any]) -> None:
    out = console()
    lines(
        out, [f"{found['file']}: {plural(found['jobs'], 'job')}, {plural(found['processors'], 'processor')}"]
    )
    named = {
        **found["attributes"],
        "interarrival_s without downtime": found["interarrival_s_without_downtime"],
        "interarrival_s, rhythm of the week taken out": found["interarrival_s_operational"],
    }
    made = table(
        "fits, the nearest first (KS distance; no p-values: parameters are fitted)",
        *("attribute", "distribution", "KS", "A2/n", "AIC", "mean", "CV", "median"),
        words=(0, 1),
        keys=2,
    )
    for name, fits in named.items():
        row(made, name, "the log", "", "", "", *(figure(fits[key]) for key in ("mean", "cv", "median")))
        for one in fits["candidates"][:_SHOWN]:
            near = [f"{one['ks']:.4f}", "-" if one["ad"] is None else f"{one['ad']:.4f}"]
            row(made, "", one["name"], *near, *(figure(one[key]) for key in ("aic", "mean", "cv", "median")))
    show(out, made)
    made = table(
        "run times by size, for making jobs", "processors", "jobs", "distribution", "KS", "run time 0"
    )
    for one in found["run_s_by_size"]:
        best = next(fits for fits in one["candidates"] if fits["name"] == one["for_making"])
        sizes = f"{one['least']:,}-{one['most']:,}"
        row(made, sizes, figure(one["values"]), best["name"], f"{best['ks']:.4f}", percent(one["zero_share"]))
    show(out, made)
    gone = found["downtimes"]
    lines(
        out,
        [
            *_bursts(found["hurst"]),
            f"gaps that may be downtime: {gone['gaps']:,}, {duration(gone['total_s'])} in all",
            *(f"left out: {cause}" for cause in found["left_out"].values()),
            f"{found['written']}: jobs by --workload 'fitted:{found['written']}?jobs=100000'"
            if found["written"]
            else "",
        ],
    )


def _bursts(found: dict[str, Any]) -> list[str]:
    """Hurst's parameter of the log beside those of jobs that were made with bursts and without."""
    if found["log"] is None or found["made"] is None:
        return ["Hurst's parameter of arrivals: the log is too short for one, so gaps are independent"]
    jobs, ways = found["jobs_of_a_visit"], ("variance_time", "rescaled_range")
    each = {
        name: " and ".join(figure(found[key][way]) for way in ways)
        for name, key in (("log", "log"), ("made", "made"), ("independent", "independent_gaps"))
    }
    how = "as they are drawn, independent" if jobs is None else f"in bursts of {figure(jobs)} jobs"
    return [
        f"Hurst's parameter of arrivals (variance-time and rescaled range): {each['log']} in the log, "
        f"{each['made']} in jobs made from the fit",
        f"gaps come {how}; independent gaps would have {each['independent']}",
    ]
