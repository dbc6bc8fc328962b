"""What was measured of real programs at target rates, beside what is simulated: a run of the benchmark.

``python -m benchmarks.target_rates | python -m benchmarks.record_rates`` writes the file. It is a run of one
machine, so that it decides only what no simulation can; elsewhere it stands beside the verdict.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.studies.claims import Finding, Verdict, untestable

FILE = Path(__file__).with_name("real_figures.json")
SCHEMA = "molokini.real-rates/1"
HOW = "python -m benchmarks.target_rates | python -m benchmarks.record_rates"
MEASURED: Mapping[str, str] = {
    "C2": r"alone at .*: a core is idle",
    "C3": r"at 50%: orders an iteration",
    "C6": r"\d+ ms, slices of .*: misses",
    "C7": r"all periods and slices: missing time",
    "C8": r"\d+ ms, slices of .*: share from the intended",
    "C9": r"another pair in force, 99th",
    "C10": r"\d+ loops have \d+% of a core, .*: misses",
    "C13": r"\d+ ms, slices of .*: share from the intended",
    "C20": r"at 50%: (iterations until|of \d+ further|the mean from)",
    "C21": r"alone at .*: iterations a second at full speed",
    "C24": r"five more targets: iterations until",
    "C27": r"five more targets: iterations until",
    "C28": r"the second beside a busy loop",
    "C30": r"two programs, 30% and 40%",
    "C31": r"\d+ programs at 10%: means",
    "C32": r"\d+ programs at 10%: deviation",
}
"""By claim: the names of the benchmark's rows that are about it."""


@dataclass(frozen=True)
class Measured:
    """A row of the benchmark."""

    what: str
    value: float
    unit: str
    reached: bool | None
    """Whether it is what is promised; None: nothing is."""

    @property
    def text(self) -> str:
        """It in words."""
        kept = {True: "", False: " (not as promised)", None: ""}[self.reached]
        return f"{self.what}: {self.value:g}{' ' if self.unit not in ('', '%') else ''}{self.unit}{kept}"


@dataclass(frozen=True)
class Record:
    """A run of the benchmark."""

    machine: str
    date: str
    load: float
    """The mean load of the last minute when it was written."""
    rows: Sequence[Measured]

    def of(self, claim: str) -> list[Measured]:
        """The rows about *claim*."""
        pattern = MEASURED.get(claim)
        return [] if pattern is None else [one for one in self.rows if re.match(pattern, one.what)]

    @property
    def where(self) -> str:
        """Which machine it was, and when."""
        return f"{self.machine}, {self.date}, load {self.load:g}"

    def as_text(self) -> str:
        """As it is written."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1) + "\n"


def recorded(file: Path = FILE) -> Record | None:
    """The recorded run; None: there is none. Raises BadFile for a file that is no record."""
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text())
        if found["schema"] != SCHEMA:
            raise BadFile(str(file), f"has the schema {found['schema']!r}, and {SCHEMA} is read here")
        rows = [
            Measured(one["what"], float(one["value"]), one["unit"], one["reached"]) for one in found["rows"]
        ]
        return Record(found["machine"], found["date"], float(found["load"]), rows)
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(str(file), f"is no record of real rates: {error}; write it by {HOW}") from None


def by_real(claim: str, record: Record | None) -> Finding:
    """The verdict on a claim that no simulation can judge."""
    rows = record.of(claim) if record is not None else []
    if record is None or not rows:
        return untestable(f"it is about real nodes, and no run is recorded: {HOW}")
    judged = [one for one in rows if one.reached is not None]
    told = f"real ({record.where}): {'; '.join(one.text for one in rows)}"
    if not judged:
        return untestable(told)
    if all(one.reached for one in judged):
        return Finding(Verdict.HOLDS, told, exact=True)
    return Finding(
        Verdict.UNDECIDED, f"{told}; one run of a machine that others used tells no more", exact=True
    )
