"""What each step of an iteration did: counted, and told in words in the order of the steps."""

from molokini.model.machine import Machine
from molokini.policies.maui.knowledge.steps import Step
from molokini.policies.maui.knowledge.trace import forget_steps, note, note_more, steps_of, steps_told
from molokini.tables.making import make_tables
from tests.kit.maui import at, maui
from tests.kit.workloads import Job


def test_steps_are_counted_each_by_itself_until_they_are_forgotten() -> None:
    t = make_tables(Machine.counted(4))
    note(t, Step.RESERVED)
    note(t, Step.RESERVED)
    note_more(t, Step.INELIGIBLE, 5)
    assert {name: times for name, times in steps_of(t).items() if times} == {"reserved": 2, "ineligible": 5}
    forget_steps(t)
    assert set(steps_of(t).values()) == {0}
    assert list(steps_of(t)) == [step.name.lower() for step in Step]


def test_the_steps_of_an_iteration_say_what_they_did_and_why_they_start_jobs() -> None:
    """The second is too wide and gets a reservation, and the third is over before that begins."""
    told = steps_told(at(maui([Job(0, 100, 4), Job(0, 50, 6), Job(0, 90, 2)]), 0))
    assert len(told) == 8
    assert [(one.starts, one.why) for one in told if one.starts] == [
        (1, "the next by priority, and there is room"),
        (1, "it fits a window and delays no reservation"),
    ]
    assert told[5].counts == {"priority-started": 1, "reserved": 1}
    assert told[3].counts == {"eligible-soft": 3, "eligible-hard": 0, "ineligible": 0}
