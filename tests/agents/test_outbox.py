"""Reports are numbered, and kept until they are durable elsewhere."""

from molokini.agents.outbox import Outbox
from molokini.proto.v1.agent_service_pb2 import Report


def _serials(box: Outbox) -> list[int]:
    return [report.serial for report in box.kept]


def test_serials_count_from_one_and_acknowledged_ones_go() -> None:
    box = Outbox()
    for _ in range(4):
        box.add(Report())
    assert _serials(box) == [1, 2, 3, 4]
    box.acknowledge(2)
    assert _serials(box) == [3, 4]
    box.add(Report())
    assert _serials(box) == [3, 4, 5]


def test_an_old_word_changes_nothing() -> None:
    box = Outbox()
    for _ in range(3):
        box.add(Report())
    box.acknowledge(2)
    box.acknowledge(1)
    box.acknowledge(2)
    assert _serials(box) == [3]
