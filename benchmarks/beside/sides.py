"""A list of command lines through two shells, and in what their answers differ, times and ids masked."""

import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

_LINE_S = 60.0
_ACCOUNT = {"SBATCH_ACCOUNT": "root"}
"""Jobs name their account, as on a site that has several."""
_WAIT_S = 60.0
_MASKS = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "YYYY-MM-DDTHH:MM:SS"),
    (r"\b(00:\d\d:\d\d|\d\d:\d\d\.\d{3})\b", "00:MM:SS"),
    (r"Submitted batch job \d+", "Submitted batch job N"),
    (r" *(?<![:\d])\d{1,2}:\d\d\b(?!:)", " M:SS"),
    (r"\bJob \d+ to start", "Job N to start"),
    (r"AllocNode:Sid=\S+", "AllocNode:Sid=HOST:SESSION"),
    (r"CPULoad=\S+", "CPULoad=N"),
    (r"FreeMem=\S+", "FreeMem=N"),
    (r"slurmstepd-n\d", "slurmstepd-NODE"),
    (r"ON n\d CANCELLED", "ON NODE CANCELLED"),
)
"""What two runs of one command differ in, however alike the programs are."""


class Answer(NamedTuple):
    """What a command said, and its exit code."""

    out: str
    err: str
    code: int


class Line(NamedTuple):
    """A line of the list: the command, under which name its answer is kept, whether it is only waited for."""

    command: str
    keeps: str = ""
    waits: bool = False


class Compared(NamedTuple):
    """One line, and what both sides said, masked."""

    line: Line
    real: Answer
    ours: Answer

    @property
    def alike(self) -> bool:
        return self.real == self.ours


def lines(text: str) -> Iterator[Line]:
    """The lines of the list *text*."""
    for row in text.splitlines():
        if not row.strip() or row.startswith("#"):
            continue
        waits, row = row.startswith("+ "), row.removeprefix("+ ")
        kept = re.match(r"([A-Z][A-Z0-9]?): ", row)
        command = row[kept.end() :] if kept else row
        choice = re.search(r"\{([^{}]*\|[^{}]*)\}", command)
        if not choice:
            yield Line(command, kept[1] if kept else "", waits)
            continue
        for one in choice[1].split("|"):
            yield Line(command[: choice.start()] + one + command[choice.end() :])


class Side:
    """A shell of one side, in a folder of its own."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._environment, self._folder = {**environment, **_ACCOUNT}, folder
        self._kept: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def answer(self, line: Line) -> Answer:
        """What it says to *line*; of one that waits, the last answer."""
        end_s = time.monotonic() + _WAIT_S
        answer = self._ran(line.command)
        while line.waits and answer.code and time.monotonic() < end_s:
            time.sleep(0.3)
            answer = self._ran(line.command)
        if line.keeps:
            words = answer.out.split()
            last = next((word for word in reversed(words) if word[:1].isdigit()), "")
            self._kept[line.keeps] = self._environment[line.keeps] = last.partition(";")[0]
        return self._masked(answer)

    def _ran(self, command: str) -> Answer:
        try:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_LINE_S,
            )
        except subprocess.TimeoutExpired:
            return Answer("", f"no end after {_LINE_S:.0f} s", -1)
        return Answer(done.stdout, done.stderr, done.returncode)

    def _masked(self, answer: Answer) -> Answer:
        return Answer(self._mask(answer.out), self._mask(answer.err), answer.code)

    def _mask(self, text: str) -> str:
        for pattern, word in _MASKS:
            text = re.sub(pattern, word, text)
        for name, number in self._kept.items():
            number = number.partition(";")[0]
            # Small numbers are too often something else, and numbers in lists are elements of arrays.
            if number.isdigit() and int(number) > 9:
                text = re.sub(rf"(?<![\d.,\[=/-])(?<!_){number}(?![\d.,\]/-])", f"${name}", text)
                text = re.sub(rf"(?<=JobId=){number}\b", f"${name}", text)
        return text.replace(str(self._folder), "FOLDER").rstrip("\n")


def compared(listed: Sequence[Line], real: Side, ours: Side) -> Iterator[Compared]:
    """Each line through both sides at once; those that are only waited for are left out."""
    with ThreadPoolExecutor(2) as both:
        for line in listed:
            said = [both.submit(side.answer, line) for side in (real, ours)]
            if not line.waits:
                yield Compared(line, said[0].result(), said[1].result())
            else:
                for one in said:
                    one.result()
