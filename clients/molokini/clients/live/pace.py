"""How running jobs go: the rates that their programs tell, and their slices, as ordered and as achieved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from molokini.clients.show.lines import finite
from molokini.model.slicing import Slicing
from molokini.model.text import figure
from molokini.proto.v1 import jobs_pb2 as wire


def pace_facts(job: wire.Job) -> dict[str, str]:
    """Lines for one job; empty ones where nothing is known."""
    return {
        "iterations": "; ".join(_rate_text(agent, rate) for agent, rate in sorted(job.rates.items())),
        "slices": ordered_text(job.slicing) if job.HasField("slicing") else "",
        "achieved": "; ".join(
            f"{agent}: {_achieved_text(one)}" for agent, one in sorted(job.achieved.items())
        ),
    }


def _rate_text(agent: str, rate: wire.Rate) -> str:
    return f"{rate.iteration:,} done, the last at {figure(rate.per_s)} a second, as {agent} heard"


def _achieved_text(found: wire.Sliced) -> str:
    if not found.periods:
        return found.trouble or "nothing is known yet"
    return ", ".join(_parts(found))


def _parts(found: wire.Sliced) -> Iterator[str]:
    _, on, cpu, period, misses, late_ms, jitter_ms = figures(found)
    yield f"on {on}"
    yield f"cpu {cpu}"
    yield f"{found.periods:,} periods of {period} s"
    yield f"misses {misses}"
    yield f"late {late_ms} ms"
    yield f"jitter {jitter_ms} ms"
    if found.trouble:
        yield found.trouble


def pace_document(job: wire.Job) -> dict[str, Any]:
    """The same for JSON; instants and durations are seconds."""
    return {
        "rates": [
            {
                "agent": agent,
                "iteration": rate.iteration,
                "iterations_per_s": finite(rate.per_s),
                "at_s": finite(rate.at_s),
            }
            for agent, rate in sorted(job.rates.items())
        ],
        "slices": ordered_document(job.slicing) if job.HasField("slicing") else None,
        "achieved": [
            {"agent": agent, **achieved_document(one)} for agent, one in sorted(job.achieved.items())
        ],
    }


def slicing_from(ordered: wire.Slicing) -> Slicing:
    """What was ordered."""
    fields = {field.name: getattr(ordered, field.name) for field in ordered.DESCRIPTOR.fields}
    fields["cores"] = {one.node: list(one.core) for one in ordered.cores}
    return Slicing.from_json(fields)


def ordered_text(ordered: wire.Slicing) -> str:
    """The same in words."""
    slicing = slicing_from(ordered)
    if slicing.rows:
        return f"row {','.join(map(str, slicing.row))} of {slicing.rows}, {slicing.quantum_s:g} s each"
    first = "real-time " if slicing.real_time else ""
    return f"{first}{slicing.slice_s:g} of {slicing.period_s:g} s"


def ordered_document(ordered: wire.Slicing) -> dict[str, Any]:
    """The same for JSON."""
    slicing = slicing_from(ordered)
    return {**slicing.as_json(), "share": slicing.share}


def figures(found: wire.Sliced) -> Sequence[str]:
    """What was achieved: periods, on, cpu, period, misses, late_ms, jitter_ms."""
    if not found.periods:
        return ("0", "", "", "", "", "", "")
    return (
        str(found.periods),
        f"{found.on_s / found.elapsed_s:.3f}",
        f"{found.ran_s / found.elapsed_s:.3f}",
        f"{found.elapsed_s / found.periods:.4g}",
        str(found.misses),
        _three(found.late_s),
        _three(found.jitter_s),
    )


def _three(values: Sequence[float]) -> str:
    """Median, 99 of a hundred, and the largest: milliseconds."""
    return "/".join(f"{1000 * value:.2f}" for value in values)


def achieved_document(found: wire.Sliced) -> Mapping[str, Any]:
    """Shares are of the time of whole periods; the processor's counts each processor."""
    known = found.periods > 0
    return {
        "periods": found.periods,
        "elapsed_s": found.elapsed_s,
        "period_s": found.elapsed_s / found.periods if known else None,
        "slice_s": found.on_s / found.periods if known else None,
        "share": found.on_s / found.elapsed_s if known else None,
        "cpu_share": found.ran_s / found.elapsed_s if known else None,
        "cpu_s": found.ran_s,
        "waited_s": found.waited_s,
        "misses": found.misses,
        "late_s": list(found.late_s),
        "jitter_s": list(found.jitter_s),
        "trouble": found.trouble,
    }
