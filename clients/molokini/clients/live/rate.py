"""``molokini rate``: jobs with target rates, as asked for and as achieved, iteration by iteration."""

from collections.abc import Iterator, Sequence
from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import job_name
from molokini.client.specs import job_text
from molokini.clients.arguments.rate import RateArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.messages import told
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput, Conflict
from molokini.proto.v1.job_service_pb2 import ControlledJob, RateReport

_SHOWN = 20
"""Iterations of one job that are listed, the last ones; the JSON has all that are kept."""
COLUMNS = (
    Column("job"),
    Column("target", figures=True),
    Column("rate", figures=True),
    Column("full", figures=True),
    Column("period_ms", figures=True),
    Column("slice_ms", figures=True),
    Column("orders", figures=True),
    Column("reports", figures=True),
    Column("status", cut=True),
)
ITERATIONS = (
    Column("iteration", figures=True),
    Column("at", figures=True),
    Column("per_s", figures=True),
    Column("rate", figures=True),
    Column("target", figures=True),
    Column("period_ms", figures=True),
)


def rate(arguments: RateArguments) -> int:
    """Show *job*, or all jobs with targets; or set its rate."""
    names = [job_name(arguments.job, "ID")] if arguments.job is not None else []
    if arguments.off and arguments.rate is not None:
        raise Conflict("--off", "goes with no RATE: the job goes as fast as it can")
    if arguments.rate is not None or arguments.off:
        if not names:
            raise BadInput("give the job whose rate is to be set")
        wanted = arguments.rate or ""

        async def aim(client: Client) -> list[str]:
            return await client.set_rates(
                names,
                wanted,
                full_rate=arguments.full_rate,
                threshold=arguments.threshold,
                period_s=arguments.period,
                step_s=arguments.step,
                search=arguments.search,
            )

        return told(with_client(aim))

    async def work(client: Client) -> list[ControlledJob]:
        return await client.rates(names)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.rates/1", {"jobs": [_document(one) for one in found]}, rows="jobs")
    else:
        show_listing(COLUMNS, [_row(one) for one in found])
        if names and len(found) == 1:
            show_listing(ITERATIONS, list(_iterations(found[0].reports[-_SHOWN:])))
    return told([f"job {arguments.job} has no target rate"] if names and not found else [])


def _row(one: ControlledJob) -> Sequence[str]:
    last = one.reports[-1] if one.reports else None
    return (
        job_text(one.job),
        _percent(one.target) if one.target else one.rate,
        _percent(last.rate) if last is not None and last.rate else "",
        f"{one.full_rate:.4g}/s" if one.full_rate else "",
        f"{1000 * one.period_s:g}" if one.period_s else "",
        f"{1000 * one.slice_s:.6g}" if one.period_s else "",
        str(one.orders),
        str(last.iteration) if last is not None else "0",
        one.status,
    )


def _iterations(reports: Sequence[RateReport]) -> Iterator[Sequence[str]]:
    for one in reports:
        yield (
            str(one.iteration),
            f"{one.at_s:.3f}",
            f"{one.per_s:.4g}",
            _percent(one.rate) if one.rate else "",
            _percent(one.target) if one.target else "",
            f"{1000 * one.period_s:g}" if one.period_s else "",
        )


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"


def _document(one: ControlledJob) -> dict[str, Any]:
    """Rates and targets are shares of the full rate; None where that is not known."""
    return {
        "job": job_text(one.job),
        "rate": one.rate,
        "full_rate_per_s": one.full_rate or None,
        "target": one.target or None,
        "period_s": one.period_s or None,
        "slice_s": one.slice_s or None,
        "orders": one.orders,
        "status": one.status,
        "reports": [
            {
                "iteration": report.iteration,
                "at_s": report.at_s,
                "iterations_per_s": report.per_s,
                "rate": report.rate or None,
                "target": report.target or None,
                "period_s": report.period_s or None,
            }
            for report in one.reports
        ],
    }
