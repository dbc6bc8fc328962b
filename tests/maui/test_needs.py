"""A setting alone in a file changes a decision or a priority, or it is said to have no effect, and why."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from molokini.maui import check_text, kinds, values
from molokini.maui.access import Flags
from molokini.maui.compiling import compiled
from molokini.maui.findings import Status
from molokini.maui.parameters import Parameter, every
from tests.kit.maui import Whose, maui, nodes, priorities, request
from tests.kit.workloads import Job

_SECTIONS = ("priority", "fairshare", "backfill", "reservations", "preemption", "node_sets", "scheduling")
_OBJECTS = {
    "USERCFG": ("ann",),
    "GROUPCFG": ("staff",),
    "ACCOUNTCFG": ("p1",),
    "CLASSCFG": ("long",),
    "QOSCFG": ("high", "DEFAULT"),
    "SYSCFG": ("0",),
    "NODECFG": ("n1",),
}
EXAMPLES = Path(__file__).parents[2] / "examples"
_ALIKE = ("GROUPCFG", "ACCOUNTCFG", "CLASSCFG")
"""Their limits are those of USERCFG, kept by the same code."""
_STOPS_S = (40.0, 90.0, 150.0)


def _samples(one: Parameter) -> tuple[str, ...]:
    """Values that are not the default."""
    kind = one.kind
    if isinstance(kind, values.FairsharePolicy):
        return ("DEDICATEDPS",)
    if isinstance(kind, values.FairshareTarget):
        return ("20",)
    if isinstance(kind, kinds.Choice):
        given = {word: value for word, value in kind.words.items() if value is not one.default}
        return tuple(word for word in given if word != "OVERCOMMIT")
    if isinstance(kind, kinds.Flag):
        return ("FALSE",) if one.default else ("TRUE",)
    if isinstance(kind, kinds.Limits | kinds.Duration):
        return ("1", "3", "50")
    if isinstance(kind, values.ComponentWeight | kinds.Number | kinds.Whole):
        return ("0.5",) if one.name == "FSDECAY" else ("2", "1", "20")
    if isinstance(kind, Flags):
        return ("NOQUEUE",) if "NOQUEUE" in kind.known else ("NOBF",)
    return ()


def _alone() -> Iterator[tuple[str, list[str]]]:
    """What each setting is called, and lines of it alone."""
    for one in every():
        if one.subject in _SECTIONS and not one.without:
            name = f"{one.name}[0]" if one.array else one.name
            # One word of a list may mean what another does; of numbers only some are small enough.
            if isinstance(one.kind, kinds.Choice):
                yield from ((one.name, [f"{name} {value}"]) for value in _samples(one))
            elif _samples(one):
                yield one.name, [f"{name} {value}" for value in _samples(one)]
        if one.subject in _ALIKE and one.name.startswith(("MAX", "MINPROC")) and "." not in one.name:
            continue
        for id_ in _OBJECTS.get(one.subject, ()) if not one.without and _samples(one) else ():
            lines = [f"{one.subject}[{id_}] {one.name}={value}" for value in _samples(one)]
            yield f"{one.subject} {one.name}", lines


_OUTSIDE = {
    "RMPOLLINTERVAL": "a timer of the live server; replays look when something happens",
    "JOBMAXOVERRUN": "run times, not decisions",
    "CLASSCFG OVERRUN": "run times, not decisions",
    "SYSTEMDEFAULTJOBWALLTIME": "jobs without an estimate, which this workload has not",
    "CLASSCFG DEFAULT.WCLIMIT": "jobs without an estimate, which this workload has not",
    "DEFERTIME": "jobs that are wider than what is up: no node is lost here",
    "DEFERCOUNT": "jobs that are wider than what is up: no node is lost here",
    "DISKWEIGHT": "jobs that ask for disk, which this workload has not",
    "REJECTNEGPRIOJOBS": "negative priorities, for which nobody here has cause",
    "ENABLENEGJOBPRIORITY": "negative priorities, for which nobody here has cause",
    "JOBPRIOACCRUALPOLICY": "holds, of which replays have none, and limits",
    **dict.fromkeys(
        ("NODESETPOLICY", "NODESETATTRIBUTE"), "features of nodes, of which one setting alone cannot speak"
    ),
}
"""Settings whose effect this workload cannot show, each with the reason."""


@cache
def _scenario(seed: int) -> tuple[tuple[Job, ...], tuple[Whose, ...], dict[int, Any]]:
    draw = random.Random(seed)
    jobs, owners, wishes = [], [], {}
    at_s = 0.0
    for k in range(22):
        at_s += draw.choice([0, 1, 4, 12])
        run_s = draw.choice([5.0, 20.0, 45.0, 110.0])
        width = draw.choice([1, 1, 2, 3, 6, 10, 14])
        jobs.append(Job(at_s, run_s, width, run_s * draw.choice([1.0, 1.5, 4.0])))
        owners.append(
            Whose(
                draw.choice(["ann", "ann", "bob", "cy"]),
                draw.choice(["staff", "guests"]),
                draw.choice(["long", "short"]),
                draw.choice(["p1", "p2", ""]),
                draw.choice(["high", "", ""]),
            )
        )
        if draw.random() < 0.5:
            tasks = max(n for n in (1, 2, 3, 4) if (width % n == 0 and width // n <= 4) or n == 1)
            spread = tasks if width // tasks <= 4 and draw.random() < 0.6 else 0
            wishes[k] = request(width, draw.choice([0, 100, 900]) * width, spread, draw.choice([0, 300]))
    return tuple(jobs), tuple(owners), wishes


@cache
def _outcome(text: str, seed: int) -> tuple[Any, ...]:
    """Who starts when and where, and how important whoever waits is."""
    jobs, owners, wishes = _scenario(seed)
    settings = compiled(check_text(text).checked())
    replay = maui(jobs, settings, owners, nodes(4, 4, 4000, 4000), compiled=True, requests=dict(wishes))
    seen = []
    for stop_s in _STOPS_S:
        replay.run(stop_s)
        seen.append((priorities(replay.tables), replay.tables.nodes.free.tolist()))
    replay.run()
    return tuple(map(str, (*seen, replay.schedule().start_s.tolist())))


def _changes(text: str, beside: str = "", seeds: int = 6) -> bool:
    return any(_outcome(f"{beside}\n{text}", seed) != _outcome(beside, seed) for seed in range(seeds))


@pytest.mark.quick(one_in=37)
@pytest.mark.parametrize(("name", "lines"), [pytest.param(*one, id=one[1][0]) for one in _alone()])
def test_a_setting_alone_has_an_effect_or_is_said_to_have_none(name: str, lines: list[str]) -> None:
    found = [check_text(line).findings[0] for line in lines]
    assert all(one.status is not Status.REFUSED or _NO_POLICY in one.cause for one in found)
    usable = [line for line, one in zip(lines, found, strict=True) if one.status is not Status.REFUSED]
    statuses = {one.status for one in found} - {Status.REFUSED}
    if statuses == {Status.UNDERSTOOD} and not any(one.note for one in found) and name not in _OUTSIDE:
        assert any(map(_changes, usable)), f"{name}: no effect, and no note"
    elif statuses == {Status.WITHOUT_EFFECT}:
        assert all(one.cause for one in found)
        assert not any(_changes(line, seeds=2) for line in usable), (
            f"{name}: said to have no effect, and has one"
        )


_NO_POLICY = "without a fairshare policy"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PREEMPTPOLICY SUSPEND", "no job may preempt"),
        ("QOSCFG[a] QFLAGS=PREEMPTOR\nUSERCFG[b] QDEF=a\nPREEMPTPOLICY SUSPEND", "may be preempted"),
        ("BACKFILLMETRIC PROCS", "BACKFILLPOLICY is FIRSTFIT"),
        ("BACKFILLPOLICY PREEMPT\nRESERVATIONDEPTH 4", "under BACKFILLPOLICY PREEMPT"),
        ("QOSWEIGHT 1\nQOSCFG[a] PRIORITY=4", "no QDEF or QLIST names this QOS"),
        ("SYSCFG MAXPROC=4", "limits of the whole system are not kept"),
    ],
)
def test_what_a_setting_lacks_is_said(text: str, said: str) -> None:
    report = check_text(text)
    assert report.config is not None
    idle = [one for one in report.findings if one.status is Status.WITHOUT_EFFECT]
    assert [one for one in idle if said in one.cause]


@pytest.mark.parametrize(
    "text",
    [
        "QOSCFG[a] QFLAGS=PREEMPTOR\nQOSCFG[b] QFLAGS=PREEMPTEE\nUSERCFG[x] QLIST=a,b\nPREEMPTPOLICY SUSPEND",
        "BACKFILLPOLICY GREEDY\nBACKFILLMETRIC PROCS\nBACKFILLMAXSCHEDULES 9",
        "NODECFG[n1] SPEED=2\nNODEALLOCATIONPOLICY FASTEST",
    ],
)
def test_a_setting_with_what_it_needs_is_understood(text: str) -> None:
    report = check_text(text)
    assert report.config is not None
    assert {one.status for one in report.findings} == {Status.UNDERSTOOD}
    assert not [one for one in report.findings if one.cause]


def test_no_line_of_the_example_is_without_effect() -> None:
    report = check_text((EXAMPLES / "maui.cfg").read_text())
    assert not [one.text for one in report.findings if one.status is not Status.UNDERSTOOD]
