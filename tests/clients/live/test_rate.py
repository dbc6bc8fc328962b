"""``molokini rate``."""

from collections.abc import Callable

import pytest

from molokini.proto.v1.job_service_pb2 import ControlledJob, RateReport
from molokini.proto.v1.jobs_pb2 import JobRef
from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]

REPORTS = [
    RateReport(iteration=7, at_s=10.0, per_s=0.5, rate=0.4, target=0.5, period_s=0.2),
    RateReport(iteration=8, at_s=12.0, per_s=0.625, rate=0.5, target=0.5, period_s=0.198),
]
CONTROLLED = ControlledJob(
    job=JobRef(id=3),
    rate="50%",
    full_rate=1.25,
    full_use=0.14,
    full_use_from="measured",
    target=0.5,
    period_s=0.198,
    slice_s=0.099,
    orders=2,
    status="within",
    periods=400,
    misses=3,
    reports=REPORTS,
)


def rows(ran: Ran) -> list[str]:
    """Its lines, with one space between words."""
    return [" ".join(line.split()) for line in ran.out.splitlines()]


def test_a_job_with_its_iterations(molokini: Command, server: FakeServer) -> None:
    server.state.rates = [CONTROLLED, ControlledJob(job=JobRef(id=4, array_index=1), rate="0.5/s")]
    first, second, third = rows(molokini("rate"))
    assert first == "job target rate full use period_ms slice_ms orders misses reports status"
    assert second == "3 50% 50% 1.25/s 14% 198 99 2 3 of 400 8 within"
    assert third == "4[1] 0.5/s 0 0"
    lines = rows(molokini("rate", 3))
    assert lines[1] == second
    assert lines[-2:] == ["7 10.000 0.5 40% 50% 200", "8 12.000 0.625 50% 50% 198"]
    ran = molokini("rate", 9)
    assert (ran.code, ran.err) == (1, "molokini: job 9 has no target rate\n")


def test_the_same_for_programs(molokini: Command, server: FakeServer) -> None:
    server.state.rates = [CONTROLLED, ControlledJob(job=JobRef(id=4), rate="0.5/s")]
    found = molokini("rate", "--json").json
    assert found["schema"] == "molokini.rates/1"
    first, second = found["jobs"]
    assert (first["job"], first["periods"], first["misses"], len(first["reports"])) == ("3", 400, 3, 2)
    assert (first["full_use"], first["full_use_from"]) == (0.14, "measured")
    assert (second["full_rate_per_s"], second["periods"], second["misses"]) == (None, None, None)


def test_a_use_that_is_not_known_yet_is_not_shown(molokini: Command, server: FakeServer) -> None:
    server.state.rates = [
        ControlledJob(
            job=JobRef(id=3), rate="50%", full_use=1.0, full_use_from="measuring", status="measuring"
        )
    ]
    assert rows(molokini("rate"))[1] == "3 50% 0 0 measuring"
    [found] = molokini("rate", "--json").json["jobs"]
    assert (found["full_use"], found["full_use_from"]) == (None, "measuring")


@pytest.mark.parametrize(
    ("given", "full_use", "measures"),
    [((), 0.0, False), (("0.14",), 0.14, False), (("measured",), 0.0, True)],
)
def test_the_use_is_given_or_measured(
    molokini: Command, server: FakeServer, given: tuple[str, ...], full_use: float, measures: bool
) -> None:
    options = [word for text in given for word in ("--full-use", text)]
    assert molokini("rate", 3, "50%", *options).code == 0
    [asked] = server.state.rates_set
    assert (asked.rate, asked.full_use, asked.measure_full_use) == ("50%", full_use, measures)
    assert molokini("submit", "--rate", "50%", *options, "--", "x").code == 0
    [job] = server.state.jobs.values()
    assert (job.spec.rate, job.spec.full_use, job.spec.measure_full_use) == ("50%", full_use, measures)


@pytest.mark.parametrize("text", ["half", "0", "1.1", "nan", ""])
def test_a_use_that_cannot_be(molokini: Command, server: FakeServer, text: str) -> None:
    told = f"molokini: --full-use: {text!r} is not allowed; it must be from 0.01 to 1, or measured\n"
    for words in (("rate", 3, "50%", "--full-use", text), ("submit", "--full-use", text, "--", "x")):
        ran = molokini(*words)
        assert (ran.code, ran.out, ran.err) == (2, "", told)
    assert server.state.rates_set == []
