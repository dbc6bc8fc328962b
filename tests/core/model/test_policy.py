"""Parameters of policies: what is parsed, what is refused and how, and the vector that they become."""

from dataclasses import replace

import pytest

from molokini.model.errors import BadValue, UnknownName
from molokini.model.policy import Kind, Parameter, Policy
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
