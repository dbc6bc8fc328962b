"""Expressions of features: what each says of one node, and what is refused by name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.constraints import MOST_CHARACTERS, Constraint, constraint_of
from molokini.model.errors import BadValue


def sets(*clauses: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(clause) for clause in clauses)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", Constraint(sets("a"))),
        ("a&b", Constraint(sets("a", "b"))),
        (" a , b ", Constraint(sets("a", "b"))),
        ("a|b", Constraint(sets("ab"))),
        ("a|b&c", Constraint(sets("c", "ab"))),
        ("a|(b&c)", Constraint(sets("ab", "ac"))),
        ("(a&b)|(c&d)", Constraint(sets("ac", "ad", "bc", "bd"))),
        ("a|(a&b)", Constraint(sets("a"))),
        ("[a|b]", Constraint(one_of=("a", "b"))),
        ("c&[a|b]", Constraint(sets("c"), ("a", "b"))),
        ("[a&b]", Constraint(sets("a", "b"))),
        ("a*2", Constraint(counted=((sets("a"), 2),))),
        ("[(a&b)*2&c*1]", Constraint(counted=((sets("a", "b"), 2), (sets("c"), 1)))),
        ("d&(a|b)*3", Constraint(sets("d"), counted=((sets("ab"), 3),))),
    ],
)
def test_what_an_expression_says(text: str, expected: Constraint) -> None:
    assert constraint_of(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a feature on both sides"),
        ("a|", "a feature on both sides"),
        ("&a", "a feature on both sides"),
        ("()", "a feature on both sides"),
        ("[]", "a feature on both sides"),
        ("(a|b", "a ) is missing"),
        ("[a|b", "a ] is missing"),
        ("(a]", "a ) is missing"),
        ("a)", ") has no partner"),
        ("a b", "b has no partner"),
        ("a*", "a whole number of nodes"),
        ("a*0", "a whole number of nodes"),
        ("a*-1", "a whole number of nodes"),
        ("a*2*2", "no partner"),
        ("[a|b]&[c|d]", "one pair of brackets"),
        ("([a|b])", "one pair of brackets"),
        ("[[a|b]]", "one pair of brackets"),
        ("[a|b]|c", "no | beside"),
        ("a*2|b", "no | beside"),
        ("[a|(b&c)]", "names of features with |"),
        ("[a*2|b*2]", "no | beside"),
        ("a" * (MOST_CHARACTERS + 1), "at most 1,000 of them"),
        ("|".join(f"(a{k}&b{k})" for k in range(8)), "fewer alternatives"),
    ],
)
def test_what_is_no_expression(text: str, why: str) -> None:
    with pytest.raises(BadValue) as caught:
        constraint_of(text)
    assert why in str(caught.value)


trees = st.recursive(
    st.sampled_from("abcd"),
    lambda inner: st.lists(inner, min_size=2, max_size=3).flatmap(
        lambda parts: st.sampled_from("&|").map(lambda sign: f"({sign.join(parts)})")
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(text=trees, features=st.sets(st.sampled_from("abcd")))
def test_clauses_say_the_same_as_the_expression(text: str, features: set[str]) -> None:
    found = constraint_of(text)
    python = text.replace("&", " and ").replace("|", " or ")
    expected = eval(python, {}, {name: name in features for name in "abcd"})
    assert all(clause & features for clause in found.every) == bool(expected)


@pytest.mark.parametrize(
    ("text", "names"), [("a&(b|c)", "abc"), ("d&[a|b]", "abd"), ("d&(a|b)*3&a*1", "abd"), ("a|(a&b)", "a")]
)
def test_the_names_are_those_that_matter(text: str, names: str) -> None:
    assert constraint_of(text).names == set(names)
