"""``molokini rate``: jobs with target rates, as asked for and as achieved, iteration by iteration."""

from operator import attrgetter
from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import job_name
from molokini.client.specs import job_text
from molokini.clients.arguments.rate import RateArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.messages import told
from molokini.clients.live.submit_fields import full_use
from molokini.clients.show.lines import Column, show_json, show_things
from molokini.model.errors import BadInput, Conflict
from molokini.proto.v1.job_service_pb2 import ControlledJob, RateReport

_SHOWN = 20
"""Iterations of one job that are listed, the last ones; the JSON has all that are kept."""


def _percent(share: float) -> str:
    """A share of the full rate; empty where it is not known."""
    return f"{100 * share:.4g}%" if share else ""


def _last(one: ControlledJob) -> RateReport:
    return one.reports[-1] if one.reports else RateReport()


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:g}" if seconds else ""


def _use(one: ControlledJob) -> str:
    """What it uses of its processor at the full rate; empty where that is not known yet."""
    return "" if one.full_use_from == "measuring" else _percent(one.full_use)


COLUMNS = (
    Column("job", of=lambda one: job_text(one.job)),
    Column("target", figures=True, of=lambda one: _percent(one.target) or one.rate),
    Column("rate", figures=True, of=lambda one: _percent(_last(one).rate)),
    Column("full", figures=True, of=lambda one: f"{one.full_rate:.4g}/s" if one.full_rate else ""),
    Column("use", figures=True, of=_use),
    Column("period_ms", figures=True, of=lambda one: _ms(one.period_s)),
    Column("slice_ms", figures=True, of=lambda one: f"{1000 * one.slice_s:.6g}" if one.period_s else ""),
    Column("orders", figures=True, of=lambda one: str(one.orders)),
    Column("misses", figures=True, of=lambda one: f"{one.misses} of {one.periods}" if one.periods else ""),
    Column("reports", figures=True, of=lambda one: str(_last(one).iteration)),
    Column("status", cut=True, of=attrgetter("status")),
)
ITERATIONS = (
    Column("iteration", figures=True, of=lambda one: str(one.iteration)),
    Column("at", figures=True, of=lambda one: f"{one.at_s:.3f}"),
    Column("per_s", figures=True, of=lambda one: f"{one.per_s:.4g}"),
    Column("rate", figures=True, of=lambda one: _percent(one.rate)),
    Column("target", figures=True, of=lambda one: _percent(one.target)),
    Column("period_ms", figures=True, of=lambda one: _ms(one.period_s)),
)


def rate(arguments: RateArguments) -> int:
    """Show *job*, or all jobs with targets; or set its rate."""
    names = [job_name(arguments.job, "ID")] if arguments.job is not None else []
    if arguments.off and arguments.rate is not None:
        raise Conflict("--off", "goes with no RATE: the job goes as fast as it can")
    if arguments.rate is not None or arguments.off:
        if not names:
            raise BadInput("give the job whose rate is to be set")
        wanted, use = arguments.rate or "", full_use(arguments.full_use)

        async def aim(client: Client) -> list[str]:
            return await client.set_rates(
                names,
                wanted,
                full_rate=arguments.full_rate or 0.0,
                threshold=arguments.threshold or 0.0,
                period_s=arguments.period or 0.0,
                step_s=arguments.step or 0.0,
                search=arguments.search or "",
                **use,
            )

        return told(with_client(aim))

    async def work(client: Client) -> list[ControlledJob]:
        return await client.rates(names)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.rates/1", {"jobs": [_document(one) for one in found]}, rows="jobs")
    else:
        show_things(COLUMNS, found)
        if names and len(found) == 1:
            show_things(ITERATIONS, found[0].reports[-_SHOWN:])
    return told([f"job {arguments.job} has no target rate"] if names and not found else [])


def _document(one: ControlledJob) -> dict[str, Any]:
    """Rates and targets are shares of the full rate; None where that is not known."""
    return {
        "job": job_text(one.job),
        "rate": one.rate,
        "full_rate_per_s": one.full_rate or None,
        "full_use": one.full_use if one.full_use and one.full_use_from != "measuring" else None,
        "full_use_from": one.full_use_from or None,
        "target": one.target or None,
        "period_s": one.period_s or None,
        "slice_s": one.slice_s or None,
        "orders": one.orders,
        "periods": one.periods or None,
        "misses": one.misses if one.periods else None,
        "status": one.status,
        "work": one.work or None,
        "deadline_s": one.deadline_s if one.work else None,
        "needed": one.needed if one.work and one.needed else None,
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
