"""Outages of nodes from files: our own table, and what sacctmgr prints."""

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from molokini.model.dates import Clock
from molokini.model.errors import BadFile
from molokini.model.outages import Outage
from molokini.workloads.calendar import UNDATED
from molokini.workloads.node_events import NodeEvents, Place, read_node_events

ZERO_S = 1767603600
"""2026-01-05 09:00 UTC."""
DATED = Clock(zero_s=float(ZERO_S))
FOUR = {f"node{number:03d}": 8 for number in range(1, 5)}
ON_NODES = Place(32, FOUR, DATED)
COUNTED = Place(32, {}, DATED)


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates below are in UTC."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def read(folder: Path, text: str | bytes, place: Place = ON_NODES) -> NodeEvents:
    path = folder / "events"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_node_events(str(path), place)


def node(number: int, start_s: float, end_s: float, reason: str = "") -> Outage:
    return Outage(start_s, end_s, 8, number - 1, f"node{number:03d}", reason)


def test_a_table_of_nodes(tmp_path: Path) -> None:
    text = """\ufefftime,node,state,reason
    # comment lines and empty ones say nothing

3600,"node[001-002,004]",down,"power, again"
7200,node001,up,
2026-01-05T12:00,node002,up,
"""
    # node004 never comes back.
    assert read(tmp_path, text.replace("    #", "#")).outages == [
        node(1, 3600, 7200, "power, again"),
        node(2, 3600, 10800, "power, again"),
        node(4, 3600, inf, "power, again"),
    ]


def test_lines_in_any_order_and_a_node_that_is_told_twice(tmp_path: Path) -> None:
    text = """state,node,time
up,node001,50
down,node001,10
DOWN,node001,20
down,node001,50
up,node001,70
"""
    assert read(tmp_path, text).outages == [node(1, 10, 70)], "of one instant in the order of the lines"


def test_counted_processors_add_up_and_return_in_their_order(tmp_path: Path) -> None:
    text = "time,processors,state,reason\n0,10,down,a\n5,20,down,b\n10,15,up,\n20,10,up,\n"
    assert read(tmp_path, text, COUNTED).outages == [
        Outage(0, 10, 10, reason="a"),
        Outage(5, 10, 5, reason="b"),
        Outage(5, 20, 10, reason="b"),
        Outage(5, inf, 5, reason="b"),
    ]


SACCTMGR = """\
Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User
hpc||2026-01-01T00:00:00|2026-01-05T09:00:10||Cluster Registered TRES|slurm(64030)
hpc|node001|2026-01-05T10:00:00|2026-01-05T11:00:00|DOWN*|Not responding|slurm(64030)
hpc|node001|2026-01-05T10:30:00|2026-01-05T12:00:00|DRAIN|bad fan|root(0)
hpc|node[002-003]|2026-01-04T09:00:00|Unknown|DOWN|Kill task failed|root(0)
"""


def test_what_sacctmgr_prints(tmp_path: Path) -> None:
    wanted = [
        node(2, -86400, inf, "Kill task failed"),
        node(3, -86400, inf, "Kill task failed"),
        node(1, 3600, 7200, "Not responding"),
        replace(node(1, 5400, 10800, "bad fan"), drain=True),
    ]
    assert read(tmp_path, SACCTMGR) == NodeEvents(wanted, of_cluster=1, drains=1)
    # With -p each line ends with the separator; with SLURM_TIME_FORMAT=%s times are seconds since 1970.
    assert read(tmp_path, SACCTMGR.replace("\n", "|\r\n")).outages == wanted
    seconds = f"NodeName|TimeStart|TimeEnd\nnode001|{ZERO_S + 60}|{ZERO_S + 90}\n"
    assert read(tmp_path, seconds).outages == [node(1, 60, 90)]


def test_a_node_of_a_machine_without_nodes_has_the_processors_that_its_line_says(tmp_path: Path) -> None:
    text = "NodeName|TimeStart|TimeEnd|TRES\ncn1|2026-01-05T09:00:01|Unknown|billing=4,cpu=16,mem=1G,node=1\n"
    assert read(tmp_path, text, COUNTED).outages == [Outage(1, inf, 16, name="cn1")]
    text = "time,node,processors,state\n1,cn1,16,down\n2,cn1,16,down\n9,cn1,16,up\n"
    assert read(tmp_path, text, COUNTED).outages == [Outage(1, 9, 16, name="cn1")]


HEAD = "time,node,state,reason\n"
SLURM = "NodeName|TimeStart|TimeEnd|State\n"


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("", ON_NODES, "events: the file is empty"),
        ("# nothing\n", ON_NODES, "events:1: header: .* it must be time,node,state,reason, or"),
        ("time,nodes,state\n", ON_NODES, "events:1: header: .*did you mean 'node'"),
        ("time,node,node,state\n", ON_NODES, "events:1: header: column 'node' comes twice"),
        ("JobID|State\n1|COMPLETED\n", ON_NODES, "events:1: header: .*'jobid'.* 'sacctmgr show event -P'"),
        (HEAD + "1,node001,down\n", ON_NODES, "events:2: 3 cells where the header has 4: .*cut short"),
        (SLURM + "node001|2026-01-05T10:0", ON_NODES, "events:2: 2 cells .* cut short"),
        (HEAD + '1,"node001,down,\n', ON_NODES, "events:2: .*a quoted cell ends with a quote"),
        (HEAD.encode("utf-16-le"), ON_NODES, "events: looks like UTF-16 without a byte order mark"),
        (HEAD + "1,node009,down,\n", ON_NODES, "events:2: no node named 'node009'; did you mean 'node00"),
        (HEAD + "1,node[1-,down,\n", ON_NODES, "events:2: node: names: "),
        (HEAD + "1,,down,\n", ON_NODES, "events:2: node: it is missing; the machine has nodes"),
        (HEAD + "1,node001,off,\n", ON_NODES, "events:2: state: 'off' is not allowed; it must be down or up"),
        (HEAD + "soon,node001,down,\n", ON_NODES, "events:2: time: 'soon' is not allowed; .* be seconds"),
        (HEAD + "nan,node001,down,\n", ON_NODES, "events:2: time: "),
        (
            HEAD + "9,node001,up,\n",
            ON_NODES,
            "events:2: state: node 'node001' comes up and had not gone down",
        ),
        (
            HEAD + "1,node001,down,\n9,node001,up,\n12,node001,up,\n",
            ON_NODES,
            "events:4: state: node 'node001' comes up and had not gone down; give the event before",
        ),
        (
            HEAD + "2026-01-05,node001,down,\n",
            Place(32, FOUR, Clock(undated=UNDATED)),
            "events:2: time: .*the log's header has no UnixStartTime",
        ),
        (
            HEAD + "1,node001,down,\n",
            COUNTED,
            "events:2: node 'node001': .*give --nodes N --procs-per-node M",
        ),
        ("time,processors,state\n1,0,down\n", COUNTED, "events:2: processors: '0' is not allowed"),
        ("time,processors,state\n1,,down\n", COUNTED, "events:2: processors: it is missing"),
        ("time,processors,state\n1,4,down\n2,6,up\n", COUNTED, "events:3: state: 2 processors come up"),
        (
            "time,processors,state\n1,20,down\n2,20,down\n5,20,up\n",
            COUNTED,
            "events:3: processors: 40 are down at 2 s of the log, and the machine has 32",
        ),
        (
            SLURM + "node001|2026-01-05T10:00:00|2026-01-05T09:00:00|DOWN\n",
            ON_NODES,
            "events:2: TimeEnd: 2026-01-05T09:00:00 is before TimeStart",
        ),
        (SLURM + "node001|Unknown|Unknown|DOWN\n", ON_NODES, "events:2: TimeStart: 'Unknown' is not allowed"),
    ],
)
def test_what_does_not_fit_names_file_line_and_field(
    tmp_path: Path, text: str | bytes, place: Place, why: str
) -> None:
    with pytest.raises(BadFile, match=why) as raised:
        read(tmp_path, text, place)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="No such file"):
        read_node_events(str(tmp_path / "none"), ON_NODES)
