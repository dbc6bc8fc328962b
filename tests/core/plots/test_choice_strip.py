"""The strip above a Gantt chart has a part for each time in which one policy decided."""

from dataclasses import replace

from matplotlib.patches import Rectangle

from molokini.model.choices import ChoiceMade, reigns
from molokini.plots.gantt import gantt
from tests.kit.replays import finished
from tests.kit.workloads import Job


def made(at_s: float, chosen: str, before: str) -> ChoiceMade:
    return ChoiceMade(at_s, chosen, before, (("fcfs", 1.0), ("sjf", 2.0)), 3, "because")


CHOICES = (
    made(0.0, "fcfs", ""),
    made(10.0, "sjf", "fcfs"),
    made(15.0, "sjf", "sjf"),
    made(40.0, "fcfs", "sjf"),
)


def test_reigns_follow_one_another() -> None:
    assert reigns(CHOICES, 100.0) == [("fcfs", 0.0, 10.0), ("sjf", 10.0, 40.0), ("fcfs", 40.0, 100.0)]
    assert reigns((), 100.0) == []


def test_the_strip_is_drawn_with_a_legend_of_its_own() -> None:
    plain = finished([Job(0, 100, 4)] * 2, "fcfs").schedule()
    for schedule, parts in ((plain, 0), (replace(plain, choices=CHOICES), 3)):
        axes = gantt(schedule).axes[0]
        strip = [one for one in axes.patches if isinstance(one, Rectangle) and one.get_y() > 1.0]
        assert len(strip) == parts
    box = axes.get_legend()
    assert box is not None
    assert {text.get_text() for text in box.get_texts()} == {"fcfs", "sjf"}
