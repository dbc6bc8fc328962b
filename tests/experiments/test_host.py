"""A host looks on while a run goes on, and changes nothing of what comes of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from molokini.cycle.ports import Progress
from molokini.experiments.asked import Several, Simulation
from molokini.experiments.comparing import compared
from molokini.experiments.host import NOBODY, Host
from molokini.experiments.simulating import prepare, simulated
from molokini.model.errors import BadInput, MolokiniError
from molokini.policies import LoadedPolicy
from tests.clients.command_runs import EXAMPLE, ROOT, without_run

ASKED = Simulation(EXAMPLE, policy="maui", maui_config=str(ROOT / "examples" / "maui.cfg"), jobs=300)


@dataclass
class Diary:
    """What a host is told, in order."""

    lines: list[str] = field(default_factory=list)

    @contextmanager
    def guard(self, policy: LoadedPolicy) -> Iterator[None]:
        self.lines.append(f"guard {policy.name}")
        yield
        self.lines.append("guarded")

    @contextmanager
    def compiling(self, policies: Sequence[str]) -> Iterator[None]:
        self.lines.append(" ".join(["compile", *policies]))
        yield

    @contextmanager
    def bar(self, what: str) -> Iterator[Progress]:
        self.lines.append(f"bar {what}")
        yield lambda done, total: self.lines.append(f"{done} of {total}")

    def host(self) -> Host:
        return Host(self.guard, self.compiling, self.bar, lambda text: self.lines.append(f"note {text}"))


def test_a_replay_is_guarded_and_its_notes_follow() -> None:
    diary, alone = Diary(), simulated(prepare(ASKED))
    host = diary.host()
    result = simulated(prepare(ASKED, host), host)
    told = [line for line in diary.lines if " of " not in line or line.startswith("note")]
    notes = [f"note {note}" for note in alone.notes]
    assert notes
    assert told == ["compile maui", "bar maui", "guard maui", "guarded", *notes]
    assert without_run(dict(result.document)) == without_run(dict(alone.document))


def test_a_sweep_says_how_far_it_is() -> None:
    diary = Diary()
    asked = Several([EXAMPLE], policies=["fcfs", "easy"], jobs=100, workers=1)
    found = compared(asked, diary.host())
    each = [["guard fcfs", "guarded", "1 of 2"], ["guard easy", "guarded", "2 of 2"]]
    assert diary.lines == ["compile fcfs easy", "bar replays", *each[0], *each[1]]
    assert without_run(dict(found.document)) == without_run(dict(compared(asked).document))


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_replay_is_told_in_the_words_of_the_host(tmp_path: Path, workers: int) -> None:
    policy = tmp_path / "broken.py"
    shipped = ROOT / "core" / "molokini" / "policies" / "fcfs.py"
    policy.write_text(shipped.read_text() + "\n\ndef schedule(view, now):\n    open('nothing')[0]\n")
    asked = Several(EXAMPLE, policies=["fcfs", str(policy)], jobs=20, workers=workers)
    with pytest.raises(MolokiniError, match=r"broken\.py"):
        compared(asked)
    with pytest.raises(BadInput, match="in our words"):
        compared(asked, replace(NOBODY, describe=lambda error: ("in our words", BadInput.exit_code)))
