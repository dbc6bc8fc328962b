"""Names of queues: one, or several that a job names together."""

import pytest

from molokini.model.credentials import queues_in


@pytest.mark.parametrize(
    ("name", "queues"),
    [("low", ("low",)), ("low,batch", ("low", "batch")), (" b, a,,b ", ("b", "a")), ("", ()), (",", ())],
)
def test_a_name_is_one_queue_or_several(name: str, queues: tuple[str, ...]) -> None:
    assert queues_in(name) == queues
