"""Parameters of policies: what is parsed, what is refused and how, and the vector that they become."""

from dataclasses import replace

import pytest

from molokini.model.errors import BadValue, UnknownName
from molokini.model.policy import COUNTED_MOST, Kind, Parameter, Policy, Rows
from molokini.policies import load_policy, policy_names

ORDER = Parameter("order", "queue", "in which order", kind=Kind.CHOICE, choices=("queue", "shortest"))
DEPTH = Parameter("depth", 4, "how deep", kind=Kind.INTEGER, low=1, high=100)
WEIGHT = Parameter("weight", 0.5, "how heavy", low=0.0, high=1.0)
CUTOFFS = Parameter("cutoffs", (1.0,), "where", kind=Kind.LIST, low=0.0)
POLICY = Policy("odd", "", "", "", (ORDER, DEPTH, WEIGHT, CUTOFFS))


@pytest.mark.parametrize(
    ("parameter", "text", "value", "vector"),
    [
        (ORDER, "shortest", "shortest", [1.0]),
        (ORDER, "SHORTEST", "shortest", [1.0]),
        (DEPTH, "7", 7, [7.0]),
        (WEIGHT, "1e-1", 0.1, [0.1]),
        (CUTOFFS, "1,2.5,9", (1.0, 2.5, 9.0), [1.0, 2.5, 9.0]),
        (CUTOFFS, "", (), []),
    ],
)
def test_what_is_allowed(parameter: Parameter, text: str, value: object, vector: list[float]) -> None:
    parsed = parameter.parse(text)
    assert (parsed, type(parsed)) == (value, type(value))
    assert parameter.encode(parsed) == vector


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (ORDER, "longest"), (DEPTH, "0"), (DEPTH, "101"), (DEPTH, "2.5"), (DEPTH, "1,2"), (DEPTH, ""),
        (DEPTH, "nan"), (DEPTH, "inf"), (WEIGHT, "x"), (WEIGHT, "nan"), (WEIGHT, "-0.1"),
        (CUTOFFS, "2,1"), (CUTOFFS, "1,1"), (CUTOFFS, "1,,2"), (CUTOFFS, "-1"), (CUTOFFS, "nan"),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_would_be_right(parameter: Parameter, text: str) -> None:
    with pytest.raises(BadValue) as caught:
        parameter.parse(text)
    assert str(caught.value) == f"{parameter.name}: {text!r} is not allowed; it must be {parameter.allowed}"


def test_values_and_vector_in_the_order_of_declaration() -> None:
    values = POLICY.values({"cutoffs": "3,4", "order": "shortest"})
    assert values == {"order": "shortest", "depth": 4, "weight": 0.5, "cutoffs": (3.0, 4.0)}
    assert list(POLICY.vector(values)) == [1.0, 4.0, 0.5, 3.0, 4.0]
    with pytest.raises(UnknownName, match="did you mean 'depth'"):
        POLICY.values({"detph": "3"})


def test_a_rare_parameter_is_among_the_values_only_where_it_is_given() -> None:
    policy = Policy("odd", "", "", "", (replace(ORDER, rare=True), DEPTH))
    assert policy.values({}) == {"depth": 4}
    assert list(policy.vector(policy.values({}))) == [0.0, 4.0]
    assert policy.values({"order": "shortest"}) == {"order": "shortest", "depth": 4}
    assert list(policy.vector(policy.values({"order": "shortest"}))) == [1.0, 4.0]
    policy.check_machine(policy.values({}), 8, 0)


def test_numbers_behind_the_parameters_are_those_of_another_name() -> None:
    named = Policy("odd", "", "", "", (DEPTH,), fixed=(7.0,), fixed_last=(1.0, 2.0))
    assert list(named.vector(named.values({}))) == [7.0, 4.0, 1.0, 2.0]


def test_whether_jobs_that_wish_for_nodes_are_refused_may_depend_on_a_value() -> None:
    counting = Policy("odd", "", "", "", (ORDER,), counted_only=True, counted_unless=("order", "shortest"))
    assert counting.counts({})
    assert counting.counts({"order": "queue"})
    assert not counting.counts({"order": "shortest"})
    assert replace(counting, counted_unless=None).counts({"order": "shortest"})
    assert not replace(counting, counted_only=False).counts({})


@pytest.mark.parametrize("name", policy_names())
def test_every_shipped_policy_says_who_it_is(name: str) -> None:
    declaration = load_policy(name).declaration
    assert declaration.name == name
    assert all((declaration.summary, declaration.promise, declaration.source))
    for parameter in declaration.parameters:
        assert parameter.meaning
        assert parameter.allowed
        assert parameter.encode(parameter.default) is not None
    assert load_policy(name).schedule.__doc__


def test_a_policy_that_does_not_exist_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'conservative'"):
        load_policy("conservativ")


SHARES = Parameter("mix", "a", "which", kind=Kind.SHARES, choices=("a", "b", "c"))


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("b", [0, 1, 0]),
        ("c:0.25,a:0.75", [0.75, 0, 0.25]),
        ("a:0.5,a:0.5", [1, 0, 0]),
        ("a:1,b:0", [1, 0, 0]),
    ],
)
def test_shares_stand_in_the_order_of_the_choices(text: str, vector: list[float]) -> None:
    assert SHARES.encode(SHARES.parse(text)) == vector


@pytest.mark.parametrize(
    "text", ["", "d", "a,b", "a:0.5", "a:0.5,b:0.6", "a:1.5,b:-0.5", "a:nan,b:1", "a:x", "a:0.5,b", "d:1"]
)
def test_shares_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadValue, match="add up to 1"):
        SHARES.parse(text)


def test_a_list_holds_so_many_numbers() -> None:
    few = replace(CUTOFFS, most=2)
    assert few.parse("1,2") == (1.0, 2.0)
    with pytest.raises(BadValue, match="at most 2"):
        few.parse("1,2,3")


def test_what_the_machine_must_have() -> None:
    wide = Policy("odd", "", "", "", (replace(DEPTH, within_machine=True),))
    wide.check_machine({"depth": 8}, 8, 0)
    with pytest.raises(BadValue, match="at most the machine's 7"):
        wide.check_machine({"depth": 8}, 7, 0)
    with pytest.raises(BadValue, match="at most the machine's 3"):
        wide.check_machine({}, 3, 0)  # the default counts where no value is given
    counting = Policy("odd", "", "", "", (replace(ORDER, counted="shortest"),))
    counting.check_machine({"order": "shortest"}, COUNTED_MOST, 0)
    counting.check_machine({"order": "queue"}, COUNTED_MOST + 1, 1)
    for processors, nodes in ((COUNTED_MOST + 1, 0), (8, 1)):
        with pytest.raises(BadValue, match="where processors are counted"):
            counting.check_machine({"order": "shortest"}, processors, nodes)


def test_blocks_need_a_power_of_two() -> None:
    blocks = Policy("odd", "", "", "", in_rows=True, in_blocks=True)
    for processors in (1, 2, 64):
        blocks.check_machine({}, processors, 0)
    for processors, near in ((3, "2 or 4"), (1100, "1,024 or 2,048")):
        with pytest.raises(BadValue, match=near):
            blocks.check_machine({}, processors, 0)


def test_the_matrix_and_the_charge_are_read_from_behind_the_parameters_before_them() -> None:
    """A list takes as many places of the vector as it has numbers, here by default one."""
    switch = Parameter("context_switch", 0.0, "what is lost")
    mode = Parameter("mode", "fluid", "how", kind=Kind.CHOICE, choices=("fluid", "exact"))
    when = Parameter("switch", "always", "when", kind=Kind.CHOICE, choices=("always", "changed"))
    rows = Parameter("mpl", 4, "rows", kind=Kind.INTEGER)
    quantum = Parameter("quantum_s", 60.0, "quantum")
    policy = Policy(
        "odd", "", "", "", (WEIGHT, mode, rows, quantum, switch, when), fixed=(7.0, 8.0), in_rows=True
    )
    given = policy.values({"mpl": "3", "quantum_s": "20", "context_switch": "0.5"})
    assert policy.rows(policy.vector(given)) == Rows(3, 20.0, 0.5, False, False, False)
    given |= {"mode": "exact"}
    assert policy.rows(policy.vector(given)) == Rows(3, 20.0, 0.5, True, False, False)
    given |= {"mode": "fluid", "switch": "changed"}
    assert policy.rows(policy.vector(given)) == Rows(3, 20.0, 0.5, False, False, True)
    assert replace(policy, in_rows=False).rows(policy.vector(given)) == Rows()
    charged = Policy("odd", "", "", "", (WEIGHT, DEPTH, quantum), charging=("depth", "quantum_s"))
    assert charged.charged(charged.vector(charged.values({"depth": "2"}))) == (2, 60.0)
    assert POLICY.charged([]) == (0, 1.0)


def test_whether_jobs_move_may_depend_on_a_value() -> None:
    assert Policy("odd", "", "", "", moves=True).moves_jobs({})
    assert not POLICY.moves_jobs({})
    moving = replace(POLICY, moves_with=("order", "shortest"))
    assert moving.moves_jobs({"order": "shortest"})
    assert not moving.moves_jobs({"order": "queue"})
