"""Closed forms of queues, for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.text import percent

_DIVERGES = "infinite"


def _number(value: float | None) -> str:
    """Six digits, as a formula is exact; thousands marked."""
    if value is None:
        return _DIVERGES
    if value == 0 or 1e-3 <= abs(value) < 1e9:
        digits = max(0, 5 - len(str(int(abs(value))))) if abs(value) >= 1 else 5
        return f"{value:,.{digits}f}"
    return f"{value:.5g}"


def show_srpt(found: Mapping[str, Any]) -> None:
    """Means by load and discipline, who gains and who loses, times by size."""
    out = console()
    title = f"one server, sizes {found['distribution']}; slowdown is {found['slowdown']}"
    columns = ("load", "discipline", "mean response", "in means of the sizes", "mean slowdown")
    made = table(title, *columns, words=(1,))
    for one in found["loads"]:
        for name, queue in one["disciplines"].items():
            numbers = [queue[key] for key in ("mean_response", "mean_response_in_means", "mean_slowdown")]
            row(made, f"{one['load']:g}", name, *(_number(value) for value in numbers))
    show(out, made)
    gained = ("load", "largest ratio", "at size", "ratio of the largest", "jobs better", "slowdown of 99%")
    made = table("mean response under srpt over that under ps, by size", *gained, words=())
    for one in found["loads"]:
        gains = one["srpt_over_ps"]
        ratios = [_number(gains[key]) for key in ("largest_ratio", "largest_ratio_at", "ratio_of_largest")]
        share = percent(gains["share_better"], 4)
        small = _number(gains["mean_slowdown_of_smaller_99_percent"])
        row(made, f"{one['load']:g}", *ratios, share, small)
    show(out, made)
    last = found["loads"][-1]
    made = table(f"mean response by size at load {last['load']:g}", *_BY_SIZE, words=())
    for one in last["by_size"]:
        times = (_number(one[name]) for name in ("srpt", "ps", "fcfs"))
        row(made, percent(one["quantile"], 2), _number(one["size"]), *times)
    show(out, made)
    for one in found["simulated"]:
        _show_simulated(out, one)
    notes = ["slowdown of 99%: of the smaller 99% of the jobs, under srpt"]
    if found["second_moment_over_mean_squared"] is None or found["mean_inverse"] is None:
        notes.append("infinite: the formula needs a moment that these sizes do not have")
    lines(out, notes)


_BY_SIZE = ("jobs up to this size", "size", "srpt", "ps", "fcfs")


def _show_simulated(out: Any, found: Mapping[str, Any]) -> None:
    title = f"load {found['load']:g}, {found['jobs']:,} jobs simulated, beside the formula on their sizes"
    made = table(title, "sizes", "jobs", "policy", "simulated", "95% interval", "formula", words=(0, 2))
    for one in found["by_size"]:
        interval = "-" if one["low"] is None else f"{_number(one['low'])} to {_number(one['high'])}"
        sizes = f"{_number(one['from'])} to {_number(one['to'])}"
        numbers = (_number(one["mean_response"]), interval, _number(one["formula"]))
        row(made, sizes, f"{one['jobs']:,}", one["policy"], *numbers)
    show(out, made)


def show_sita(found: Mapping[str, Any]) -> None:
    """Cutoffs, loads, waits and slowdowns of each way of sharing out."""
    out = console()
    title = (
        f"{found['hosts']} hosts, sizes {found['distribution']}; load of each host on average; "
        f"slowdown is {found['slowdown']}"
    )
    columns = ("load", "assignment", "cutoffs", "loads", "mean wait", "in means of the sizes", "slowdown")
    made = table(title, *columns, words=(1, 2, 3))
    for one in found["loads"]:
        for name, key in (("sita-e", "sita_e"), ("sita-u", "sita_u"), ("random", "random")):
            part = one[key]
            means = (part["mean_wait"], part["mean_wait_in_means"], part["mean_slowdown"])
            cutoffs, loads = (_listed(part.get(what, ())) for what in ("cutoffs", "loads"))
            row(made, f"{one['load']:g}", name, cutoffs, loads, *(_number(value) for value in means))
    show(out, made)
    cutoffs = ",".join(f"{value:.6g}" for value in found["loads"][-1]["sita_u"]["cutoffs"])
    equal = ",".join(f"{value:.6g}" for value in found["loads"][-1]["sita_e"]["cutoffs"])
    lines(out, [f"--policy 'sita-e?cutoffs={equal}'", f"--policy 'sita-u?cutoffs={cutoffs}'"])


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values) or "-"


def show_tail(found: Mapping[str, Any]) -> None:
    """The mass, and what to expect beyond a size."""
    out = console()
    made = table(f"{found['distribution']}", "figure", "value", words=(0,))
    row(made, "mean", _number(found["mean"]))
    row(made, "E[X^2] over the mean squared", _number(found["second_moment_over_mean_squared"]))
    row(made, "E[1/X]", _number(found["mean_inverse"]))
    mass = found["mass_count"]
    row(made, "joint ratio", f"{percent(mass['joint_items'], 2)} / {percent(mass['joint_mass'], 2)}")
    row(made, "mass of the largest 1%", percent(mass["top_1"], 2))
    row(made, "jobs that hold half of the mass", percent(mass["n_half"], 3))
    row(made, "mass of the smaller half", percent(mass["w_half"], 2))
    row(made, "median of the mass over median", _number(mass["mm_distance"]))
    row(made, "Gini", _number(mass["gini"]))
    show(out, made)
    made = table(
        "expected size, given that it is above x", "jobs up to x", "x", "expected", "over x", words=()
    )
    for one in found["beyond"]:
        row(
            made, percent(one["quantile"], 2), *(_number(one[name]) for name in ("size", "expected", "ratio"))
        )
    show(out, made)
