"""What a session knows of its agent."""

import pytest

from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.session import Session


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (["launch"], True),
        (["launch", "acknowledge"], True),
        (["order"], True),
        (["acknowledge"], False),
        (["launch", "grant"], False),
        (["launch", "grant", "acknowledge"], False),
    ],
)
def test_an_agent_is_asked_again_only_if_it_was_given_something_to_do(sent: list[str], told: bool) -> None:
    """Each question costs an answer: an acknowledgement alone changes nothing of what comes next."""
    contents = {
        "launch": wire.Launch(),
        "order": wire.Order(),
        "acknowledge": wire.Acknowledge(),
        "grant": wire.Grant(),
    }
    session = Session("a", "boot", follows_clock=True)
    for name in sent:
        session.send(**{name: contents[name]})
    assert session.told is told
    assert session.outgoing.qsize() == len(sent)
