"""What is over by reports that the server has not heard yet."""

from molokini.agents.unheard import Unheard
from molokini.proto.v1.agent_service_pb2 import Report
from tests.kit.agents import launch, ref


def _lost(node: str, at_s: float) -> Report:
    return Report(kind=Report.NODE_LOST, node=node, at_s=at_s)


def test_an_attempt_that_was_reported_is_over_and_its_next_one_is_not() -> None:
    unheard = Unheard([Report(kind=Report.ENDED, attempt=ref(1))])
    assert unheard.closes(launch(1, 0.0))
    assert not unheard.closes(launch(1, 0.0, attempt=2))
    assert not unheard.closes(launch(1, 0.0, index=3))


def test_what_began_up_to_the_loss_of_any_of_its_nodes_is_over() -> None:
    unheard = Unheard([_lost("n2", 30.0)])
    assert unheard.closes(launch(1, 29.0, nodes=["n1", "n2"]))
    assert unheard.closes(launch(1, 30.0, nodes=["n2"])), "a launch of that instant was still before the loss"
    assert not unheard.closes(launch(1, 30.5, nodes=["n2"]))
    assert not unheard.closes(launch(1, 0.0, nodes=["n1"]))


def test_of_two_losses_of_a_node_the_later_one_counts() -> None:
    unheard = Unheard([_lost("n1", 10.0), _lost("n1", 40.0)])
    assert unheard.closes(launch(1, 25.0, nodes=["n1"]))
    assert not unheard.closes(launch(1, 50.0, nodes=["n1"]))


def test_an_attempt_of_which_only_the_launch_was_reported_is_not_over() -> None:
    assert not Unheard([Report(kind=Report.LAUNCHED, attempt=ref(1))]).closes(launch(1, 0.0))
