"""The quick check and the slow look agree, for any message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.cluster_service_pb2 import SetPolicyRequest
from molokini.server.security.strings import check_strings

TEXT = st.text(alphabet="aé‏\0\n\x1b\x85 ", max_size=4)


@given(
    name=TEXT,
    argv=st.lists(TEXT, max_size=3),
    script=TEXT,
    environment=st.dictionaries(TEXT, TEXT, max_size=2),
    features=st.lists(TEXT, max_size=2),
    generic=st.dictionaries(TEXT, st.integers(0, 9), max_size=2),
)
def test_exactly_what_is_forbidden_is_refused(
    name: str,
    argv: list[str],
    script: str,
    environment: dict[str, str],
    features: list[str],
    generic: dict[str, int],
) -> None:
    spec = jobs_pb2.JobSpec(name=name, argv=argv, script=script, environment=environment)
    spec.resources.features.extend(features)
    spec.resources.generic.update(generic)
    lines = [name, *environment, *features, *generic]
    free = [*argv, script, *environment.values()]
    bad = any(letter in text for text in lines for letter in "\0\n\x1b\x85") or any(
        "\0" in one for one in free
    )
    if bad:
        with pytest.raises(BadValue, match="it must be without"):
            check_strings(spec)
    else:
        check_strings(spec)


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        (jobs_pb2.JobSpec(name="a\n"), "name"),
        (jobs_pb2.JobSpec(argv=["a", "b\0"]), "argv"),
        (jobs_pb2.JobSpec(environment={"A\x1b": "1"}), "name in environment"),
        (jobs_pb2.JobSpec(environment={"A": "1\0"}), r"environment\['A'\]"),
        (jobs_pb2.JobSpec(resources=jobs_pb2.Resources(features=["a", "b\x85"])), r"resources\.features"),
        (jobs_pb2.JobSpec(resources=jobs_pb2.Resources(generic={"a\n": 1})), r"name in resources\.generic"),
    ],
)
def test_each_place_is_looked_at_and_named_as_often_as_it_comes(spec: jobs_pb2.JobSpec, place: str) -> None:
    for _ in range(3):
        with pytest.raises(BadValue, match=f"^{place}: "):
            check_strings(spec)


def test_values_of_a_map_that_is_no_text_of_the_users_own_are_lines() -> None:
    check_strings(SetPolicyRequest(name="easy", parameters={"order": "best fit"}))
    with pytest.raises(BadValue, match=r"^parameters\['order'\]: .* without control characters"):
        check_strings(SetPolicyRequest(name="easy", parameters={"order": "best\nfit"}))
    with pytest.raises(BadValue, match=r"^name in parameters: "):
        check_strings(SetPolicyRequest(name="easy", parameters={"or\nder": "1"}))
