"""What a divisible job was promised, in a line for people."""

from datetime import UTC, datetime

import pytest

from molokini.clients.arguments.submit import AlterArguments, SubmitArguments, WishArguments
from molokini.clients.live.promises import promise_text
from molokini.clients.live.submit_fields import instants
from molokini.proto.v1.jobs_pb2 import Promise


def refused(deadline_s: float, earliest_s: float) -> str:
    return promise_text(
        Promise(
            verdict=Promise.REFUSED,
            refusal="deadline_too_tight",
            deadline_s=deadline_s,
            earliest_deadline_s=earliest_s,
        )
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (SubmitArguments(divisible=200.0, deadline="50"), {}),
        (SubmitArguments(divisible=200.0, deadline="@50"), {"deadline_s": ("--deadline", "50")}),
        (SubmitArguments(deadline="50"), {"deadline_s": ("--deadline", "50")}),
        (SubmitArguments(work=9, deadline="2h"), {"deadline_s": ("--deadline", "+7200")}),
        (SubmitArguments(work=9, deadline="1:30:00"), {"deadline_s": ("--deadline", "+5400")}),
        (SubmitArguments(work=9, deadline="@50"), {"deadline_s": ("--deadline", "50")}),
        (SubmitArguments(work=9, deadline="Fri 18:00"), {"deadline_s": ("--deadline", "Fri 18:00")}),
        (SubmitArguments(deadline="@50"), {"deadline_s": ("--deadline", "50")}),
        (AlterArguments(job="1", deadline="50"), {"deadline_s": ("--deadline", "50")}),
        (AlterArguments(job="1", deadline="@50"), {"deadline_s": ("--deadline", "50")}),
        (AlterArguments(job="1", deadline="+50"), {"deadline_s": ("--deadline", "+50")}),
    ],
)
def test_a_deadline_is_an_instant_where_it_says_so(arguments: WishArguments, told: object) -> None:
    """The offer is printed as an instant: ``alter --deadline @...`` takes it as ``submit`` does."""
    assert instants(arguments) == told


def test_an_admitted_one() -> None:
    made = Promise(verdict=Promise.ADMITTED, start_s=5.0, processors=3, end_s=90.5, deadline_s=100.0)
    assert promise_text(made) == (
        "admitted: starts at 5 s on 3 processors, ends at 90.5 s; its deadline is 100 s"
    )
    made.ClearField("deadline_s")
    assert promise_text(made).endswith("ends at 90.5 s")


def test_a_refused_one_says_what_could_be_had() -> None:
    assert refused(100.0, 0.0) == "refused: deadline_too_tight"
    assert refused(100.0, 390.25) == (
        "refused: deadline_too_tight; the earliest deadline that could be met: 390.25 s, 291 s later"
    )


def test_undecided() -> None:
    assert promise_text(Promise()).startswith("undecided")


@pytest.mark.parametrize("offer_s", [1358.9012345678902, 0.1 + 0.2, 2.0**40 + 2.0**-12])
def test_the_offer_can_be_asked_for_digit_by_digit(offer_s: float) -> None:
    told = refused(offer_s - 0.5, offer_s).rsplit(": ", 1)[1]
    assert told.endswith(" s")
    assert float(told.removesuffix(" s")) == offer_s


def test_a_date_is_not_before_the_offer() -> None:
    offer_s = 1_800_000_000.25
    told = refused(offer_s - 100.0, offer_s).rsplit(": ", 1)[1].split(",")[0]
    assert datetime.strptime(told, "%Y-%m-%d %H:%M:%SZ").replace(tzinfo=UTC).timestamp() == 1_800_000_001
