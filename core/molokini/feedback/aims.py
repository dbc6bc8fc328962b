"""The target rate of a running job, as a server keeps it: what was asked for, and where its control is."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from molokini.feedback.controlling import Control, Rules, rate_of
from molokini.feedback.targets import target_of


@dataclass(frozen=True)
class Aim:
    """What was asked for of a job, and the control once the full rate is known."""

    rate: str
    """As the user wrote it."""
    full: float = 0.0
    """The full rate, iterations a second; 0: not known yet."""
    rules: Rules = field(default_factory=Rules)
    control: Control | None = None

    @property
    def target(self) -> int:
        """Millionths of the full rate; 0 where iterations a second are asked for and it is not known."""
        asked = target_of("rate", self.rate)
        return asked.of(self.full) if asked.share or self.full > 0 else 0

    def begun(self, full: float) -> "Aim":
        """Controlled from now on, with this full rate. The target may be refused (``check_target``)."""
        known = replace(self, full=full)
        return replace(known, control=Control.begun(self.rules, known.target))

    def at(self, rate: str) -> "Aim":
        """With another target: its control goes on from where it is."""
        asked = replace(self, rate=rate)
        if self.control is None:
            return asked.begun(self.full) if self.full > 0 else asked
        return replace(asked, control=self.control.aimed(asked.target))

    def rate_of(self, iterations_a_second: float) -> int:
        """Millionths of the full rate; 0 where that is not known."""
        return rate_of(iterations_a_second, self.full) if self.full > 0 else 0

    def as_json(self) -> dict[str, Any]:
        """As the journal has it."""
        found = asdict(self)
        if self.control is not None:
            del found["control"]["rules"]
        return found

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> "Aim":
        """What ``as_json`` has written."""
        rules = Rules(**written["rules"])
        control = Control(rules=rules, **written["control"]) if written["control"] else None
        return cls(written["rate"], written["full"], rules, control)
