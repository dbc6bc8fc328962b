"""A configuration while its lines are read: values by section, objects by name, and what was found."""

from dataclasses import dataclass, field
from typing import Any

from molokini.model.findings import Finding, Status
from molokini.slurm.conf_lines import SHOWN_ALONE
from molokini.slurm.declared import Parameter
from molokini.slurm.grammar import Pair
from molokini.slurm.model import NEWEST, PARAMETERS, PASS_PARAMETERS
from molokini.slurm.sections import WITHOUT_NAMES
from molokini.slurm.values import UNSET
from molokini.slurm.without import WITHOUT_EFFECT

_NEAR = 0.84
"""How alike a name must be to a parameter that matters to count as a slip of the pen."""
NOT_KNOWN = (
    "it is not known here: perhaps of another release than {}.{:02d}; it changes nothing in a simulation"
)


@dataclass
class Draft:
    """What has been read so far."""

    findings: list[Finding] = field(default_factory=list)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By section, then by field."""
    places: dict[str, int] = field(default_factory=dict)
    """The finding that last set a parameter, by its name in lower case."""

    def add(
        self, pair: Pair, status: Status, meaning: str = "", cause: str = "", parameter: str = ""
    ) -> None:
        """Say what becomes of *pair*."""
        self.findings.append(
            Finding(pair.file, pair.line, parameter or pair.key, pair.value[:200], status, meaning, cause)
        )

    def note(self, at: int, text: str) -> None:
        """Say something more of the finding *at*."""
        one = self.findings[at]
        joined = f"{one.note}; {text}" if one.note else text
        self.findings[at] = Finding(
            one.file, one.line, one.parameter, one.value, one.status, one.meaning, one.cause, joined
        )

    def refuse(self, at: int, cause: str) -> None:
        """Refuse what the finding *at* is about after all."""
        one = self.findings[at]
        self.findings[at] = Finding(
            one.file, one.line, one.parameter, one.value, Status.REFUSED, one.meaning, cause, one.note
        )

    def value(self, pair: Pair, one: Parameter, into: dict[str, Any], prefix: str = "") -> None:
        """Read *pair* as the parameter *one* and keep its value in *into*."""
        name = f"{prefix}{one.name}"
        try:
            read = one.kind.read(pair.value)
        except (ValueError, IndexError):
            if pair.value.strip().lower() in UNSET:
                self.add(pair, Status.WITHOUT_EFFECT, one.meaning, "it has no value", name)
                return
            cause = f"{pair.value[:60]!r} is not allowed; it must be {one.kind.allowed}"
            self.add(pair, Status.REFUSED, one.meaning, cause, name)
            return
        status = Status.WITHOUT_EFFECT if one.without else Status.UNDERSTOOD
        self.places[name.lower()] = len(self.findings)
        self.add(pair, status, one.meaning, one.without, name)
        into[one.field] = read

    def scalar(self, pair: Pair) -> None:
        """A parameter that stands by itself."""
        key = pair.key.lower()
        one = PARAMETERS.get(key)
        if one is None:
            self._unknown(pair, key)
            return
        if (before := self.places.get(one.name.lower())) is not None:
            self.note(before, f"line {pair.line} says it again, and the last counts")
        self.places[one.name.lower()] = len(self.findings)
        into = self.values.setdefault(one.section, {})
        if pair.operator and isinstance(into.get(one.field), (frozenset, tuple)):
            self._changed(pair, one, into)
            return
        self.value(pair, one, into)

    def _changed(self, pair: Pair, one: Parameter, into: dict[str, Any]) -> None:
        """``+=`` and ``-=`` on a list."""
        before = into[one.field]
        self.value(pair, one, into)
        now = into[one.field]
        if pair.operator == "+":
            into[one.field] = (before | now) if isinstance(before, frozenset) else before + now
        else:
            kept = [each for each in before if each not in now]
            into[one.field] = frozenset(kept) if isinstance(before, frozenset) else tuple(kept)

    def passes(self, pair: Pair) -> None:
        """``SchedulerParameters``: each of its names for itself."""
        into = self.values.setdefault("passes", {})
        seen: dict[str, str] = {}
        if not pair.operator:
            into.clear()
        for part in filter(None, (one.strip() for one in pair.value.split(","))):
            name, equals, text = part.partition("=")
            own = Pair(pair.file, pair.line, f"SchedulerParameters {name}", text or "yes" * (not equals))
            one = PASS_PARAMETERS.get(name.strip().lower())
            if one is not None and one.field in seen:
                # Slurm looks for the name in the text, and finds the first.
                text = f"{one.name} stands twice in this line: the first, {seen[one.field]}, counts"
                self.add(own, Status.WITHOUT_EFFECT, one.meaning, "the first one counts")
                self.note(len(self.findings) - 1, f"{text}; take one out")
            elif one is not None:
                seen[one.field] = own.value
                self.places[f"schedulerparameters {one.name.lower()}"] = len(self.findings)
                self.value(own, one, into, "SchedulerParameters ")
            elif (why := WITHOUT_NAMES.get(name.strip().lower())) is not None:
                self.add(own, Status.WITHOUT_EFFECT, cause=why)
            elif (near := near_to(name, [each.name for each in PASS_PARAMETERS.values()])) is not None:
                said = f"Slurm has no {name[:40]!r} here, and ignores it in silence"
                cause = f"{said}; did you mean {near!r}?"
                self.add(own, Status.REFUSED, cause=cause)
            else:
                self.add(own, Status.WITHOUT_EFFECT, cause=NOT_KNOWN.format(*NEWEST))

    def _unknown(self, pair: Pair, key: str) -> None:
        if (why := WITHOUT_EFFECT.get(key)) is not None or key in SHOWN_ALONE:
            self.add(
                pair, Status.WITHOUT_EFFECT, cause=why or "it is what a controller answered, and no parameter"
            )
            return
        if (near := near_to(key, [one.name for one in PARAMETERS.values()])) is not None:
            self.add(pair, Status.REFUSED, cause=f"no parameter named {pair.key!r}; did you mean {near!r}?")
            return
        self.add(pair, Status.WITHOUT_EFFECT, cause=NOT_KNOWN.format(*NEWEST))


def near_to(name: str, known: list[str]) -> str | None:
    """The one of *known* of which *name* is probably a misspelling; None: none is near."""
    from difflib import get_close_matches

    folded = {one.lower(): one for one in known}
    found = get_close_matches(name.lower()[:80], folded, n=1, cutoff=_NEAR)
    return folded[found[0]] if found else None
