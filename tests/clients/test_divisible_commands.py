"""``molokini divisible`` and ``molokini workload models``."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran

Command = Callable[..., Ran]


def test_table_2_to_the_digit_and_the_tight_range_beside_it(molokini: Command) -> None:
    shown = molokini("divisible", "range", "--nodes", 64, "--sigma", 200, "--k", "1:8").out
    rows = [line.split() for line in shown.splitlines() if line.strip()[:1].isdigit()]
    assert [" ".join(row[3:5]) for row in rows] == [
        f"[{low}, 425)" for low in (316, 318, 335, 321, 350, 357, 366, 327)
    ]
    assert [row[6] for row in rows] == [f"[{low}," for low in (316, 318, 324, 321, 344, 346, 331, 327)]
    assert "common to all: [366, 425)" in shown


def test_table_1_is_what_is_shown_without_options(molokini: Command) -> None:
    found = molokini("divisible", "range", "--json", "-").json
    assert next(iter(found)) == "schema"
    assert {one["k"]: one["range"] for one in found["ranges"]} == {
        1: [1263, 1359],
        2: [1269, 1359],
        4: [1282, 1359],
        8: [1307, 1359],
    }
    assert found["lemma_applies"] is True


def test_all_nodes_have_no_range_and_no_infinity_in_the_json(molokini: Command) -> None:
    found = molokini("divisible", "range", "--k", "16", "--json", "-").json
    assert found["ranges"][0]["printed_bound_s"] is None
    assert found["common"] is None
    shown = molokini("divisible", "range", "--k", "16", "--cms", 10).out
    assert "none" in shown
    assert "no period is common to all" in shown
    assert "which the printed lemma asks for" in shown


def test_chunks_in_order_of_sending(molokini: Command) -> None:
    found = molokini("divisible", "split", "--nodes", 4, "--json", "-").json
    nodes = found["nodes"]
    assert sum(one["chunk"] for one in nodes) == pytest.approx(200)
    assert {round(one["end_s"], 6) for one in nodes} == {round(found["execution_s"], 6)}
    assert [one["from_s"] for one in nodes[1:]] == [one["sent_s"] for one in nodes[:-1]]
    assert "200 units by epr" in molokini("divisible", "split", "--nodes", 4, "--rule", "epr").out


def test_nodes_that_differ_by_link_speed(molokini: Command, tmp_path: Path) -> None:
    arguments = ("divisible", "split", "--node", "1,100", "--node", "0.5,200", "--node", "2,50,1e6")
    assert "(beyond the paper)" in molokini(*arguments).out
    found = molokini(*arguments, "--json", "-").json
    assert found["beyond_the_paper"] is True
    assert [one["node"] for one in found["nodes"]] == [2, 1, 3]
    assert found["nodes"][2]["end_s"] is None


def test_a_list_names_commands_that_work(molokini: Command) -> None:
    shown = " ".join(molokini("workload", "models").out.split())
    named = re.findall(r"\(molokini ([a-z -]+) lists them\)", shown)
    assert named
    for words in named:
        ran = molokini(*words.split())
        assert (ran.code, ran.err) == (0, "")
        assert "parameters" in ran.out


def test_models_are_listed_with_their_parameters(molokini: Command) -> None:
    assert "divisible" in molokini("workload", "models").out
    assert "dcratio" in molokini("workload", "models", "divisible").out
    found = molokini("workload", "models", "divisible", "--json", "-").json
    names = [parameter["name"] for parameter in found["models"][0]["parameters"]]
    assert {"nodes", "cms", "cps", "load", "sigma", "dcratio", "time"} <= set(names)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("range", "--k", "17"), "k: 17 is not allowed; it must be from 1 to the 16 nodes"),
        (("range", "--k", "0"), "from 1 to the 16 nodes"),
        (("range", "--k", "5:3"), "--k"),
        (("range", "--k", "x"), "--k"),
        (("range", "--sigma", 0), "sigma"),
        (("range", "--cps", -1), "cps"),
        (("range", "--cps", 0), "cps: 0.0 is not allowed; it must be a finite number above 0"),
        (("range", "--cms", 0), "cms: 0.0 is not allowed; it must be a finite number above 0"),
        (("split", "--node", "0,100"), "cms: 0.0 is not allowed"),
        (("range", "--nodes", 0), "nodes"),
        (("range", "--nodes", 1_000_000), "--k: say which"),
        (("split", "--sigma", "nan"), "sigma"),
        (("split", "--rule", "mpr"), "one of opr, epr"),
        (("split", "--node", "1"), "CMS,CPS[,ST[,SC]]"),
        (("split", "--node", "1,-1"), "cps"),
        (("split", "--node", "1,1", "--rule", "epr"), "opr"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(molokini: Command, arguments: tuple[str], told: str) -> None:
    ran = molokini("divisible", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1
