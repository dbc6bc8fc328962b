"""Resource requirement strings: ``select[...] rusage[...] span[...]``, several of which add up.

What the server cannot grant is refused by name, and never dropped.
"""

from __future__ import annotations

from molokini.compat._types import Iterator, Sequence
from molokini.compat.lsf.quantities import is_digits, memory_kb, whole

_SECTIONS = ("select", "rusage", "span", "order", "same", "cu", "affinity")
_ANY_TYPE = ("type==any", "type==local", "type=any", "type=local")
_COMPARISONS = (">=", "<=", "==", "!=", ">", "<", "=")
_PER = ("task", "slot", "host", "job", "")


class ResourceRequirements:
    """What requirement strings ask for."""

    def __init__(self) -> None:
        self.hosts = 0
        """So many hosts, of which only 1 can be asked for."""
        self.slots_per_host = 0
        self.memory_kb = 0
        self.memory_per = "task"
        """For what *memory_kb* is: a task, a host, or the job."""
        self.generic: dict[str, int] = {}
        self.features: list[str] = []
        self.alternatives: list[str] = []
        """Of each of these a host has one side of its |: ``(a|(b&c))``."""
        self._least_kb = 0

    def add(self, text: str, unit: str) -> None:
        """What *text* asks for, too; sizes without a unit are in *unit*. Raises ValueError."""
        for name, inside in sections(text):
            if name == "span":
                self._span(inside)
            elif name == "rusage":
                self._usage(inside, unit)
            elif name == "select":
                self._select(inside, unit)
            elif name == "affinity":
                if inside.replace(" ", "") not in ("core", "core(1)", "thread", "thread(1)"):
                    raise _not_here(f"affinity[{inside}]", "a task has one processor")
            elif name != "order":
                # The order in which hosts are looked at is the policy's business, and only a preference.
                raise _not_here(f"{name}[{inside}]", "jobs do not choose hosts by each other")

    def check(self) -> None:
        """Raises ValueError where a host was asked for by memory that is not reserved."""
        if self._least_kb > self.memory_kb:
            raise _not_here(
                f"select[mem>={self._least_kb // 1024}MB]",
                "memory is counted as it is reserved, so ask for rusage[mem=...] of as much",
            )

    def _span(self, inside: str) -> None:
        name, equals, value = inside.replace(" ", "").partition("=")
        if name == "hosts" and value == "1":
            self.hosts = 1
        elif name == "ptile" and equals and is_digits(value):
            self.slots_per_host = whole(value, "number of slots per host", 1)
        elif (name, value) != ("hosts", "-1"):
            raise _not_here(f"span[{inside}]", "hosts=1, hosts=-1 and ptile=N are")

    def _usage(self, inside: str, unit: str) -> None:
        if "||" in inside:
            raise _not_here(f"rusage[{inside}]", "there is no choice between requirements")
        for part in inside.replace(":", ",").split(","):
            name, equals, value = (word.strip() for word in part.partition("="))
            value, _, per = (word.strip() for word in value.partition("/"))
            if not equals or not value or per not in _PER:
                raise _bad(f"rusage[{inside}]")
            if name == "mem":
                self.memory_kb, self.memory_per = memory_kb(value, unit), per or "task"
            elif name in ("duration", "decay"):
                raise _not_here(f"{name} in rusage[{inside}]", "what a job reserves it keeps until its end")
            elif name in ("swp", "swap", "tmp", "pg", "ut", "r15s", "r1m", "r15m", "io", "it", "ls"):
                raise _not_here(f"{name} in rusage[{inside}]", "of hosts, memory and countable resources are")
            else:
                called = "gpu" if name.startswith(("ngpus", "gpu")) else name
                self.generic[called] = whole(value, f"amount of {name}", 0)

    def _select(self, inside: str, unit: str) -> None:
        if "!" in inside.replace("!=", ""):
            raise _not_here(f"select[{inside}]", "a host cannot be asked for by what it lacks")
        for part in _split(inside, "&&", inside):
            bare = _bare(part, inside)
            if len(_split(bare, "||", inside)) > 1:
                self.alternatives.append(self._expression(bare, inside))
            elif len(_split(bare, "&&", inside)) > 1:
                self._select(bare, unit)
            else:
                self._condition(bare, inside, unit)

    def _expression(self, text: str, inside: str) -> str:
        """Names of features with && and || between, as the server reads them: all in parentheses."""
        bare = _bare(text, inside)
        for sign in ("||", "&&"):
            parts = _split(bare, sign, inside)
            if len(parts) > 1:
                return f"({sign[0].join(self._expression(part, inside) for part in parts)})"
        name = bare.removeprefix("defined(").removesuffix(")") if bare.startswith("defined(") else bare
        if any(sign in name for sign in _COMPARISONS):
            raise _not_here(f"{name} in select[{inside}]", "of conditions with || only names of features are")
        _check_name(name, inside)
        return name

    def _condition(self, term: str, inside: str, unit: str) -> None:
        if term.replace(" ", "") in _ANY_TYPE:
            return
        if term.startswith("defined("):
            self._feature(term.removeprefix("defined(").removesuffix(")").strip(), inside)
            return
        sign = next((one for one in _COMPARISONS if one in term), "")
        if not sign:
            self._feature(term, inside)
            return
        name, _, value = (word.strip() for word in term.partition(sign))
        if name == "mem" and sign in (">=", ">"):
            self._least_kb = max(self._least_kb, memory_kb(value, unit))
        elif (sign, value) in (("==", "1"), ("=", "1")) and name not in ("ncpus", "mem"):
            self._feature(name, inside)
        else:
            raise _not_here(f"{term} in select[{inside}]", "mem>=SIZE and names of features are")

    def _feature(self, name: str, inside: str) -> None:
        _check_name(name, inside)
        if name not in self.features:
            self.features.append(name)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The parts of *text*, by name; what stands without a name is a selection. Raises ValueError."""
    if "{" in text:
        raise _not_here(text, "all tasks of a job ask for the same")
    rest = text.strip()
    while rest:
        name, bracket, behind = rest.partition("[")
        if not bracket or name.strip() not in _SECTIONS:
            if "[" in rest or "]" in rest:
                raise _bad(text)
            yield "select", rest
            return
        inside, rest = _closed(behind, text)
        yield name.strip(), inside.strip()
        rest = rest.strip()


def _closed(behind: str, text: str) -> tuple[str, str]:
    """What stands before the bracket that closes, and what behind it."""
    depth = 1
    for place, letter in enumerate(behind):
        depth += (letter == "[") - (letter == "]")
        if not depth:
            return behind[:place], behind[place + 1 :]
    raise _bad(text)


def _split(text: str, sign: str, inside: str) -> list[str]:
    """The parts of *text* between *sign*, outside of parentheses. Raises ValueError."""
    parts, depth, begin, place = list[str](), 0, 0, 0
    while place < len(text):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth < 0:
            raise _bad(f"select[{inside}]")
        if not depth and text.startswith(sign, place):
            parts.append(text[begin:place].strip())
            place += len(sign)
            begin = place
        else:
            place += 1
    if depth:
        raise _bad(f"select[{inside}]")
    return [*parts, text[begin:].strip()]


def _bare(text: str, inside: str) -> str:
    """*text* without the parentheses around all of it. Raises ValueError."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        try:
            _split(text[1:-1], "||", inside)
        except ValueError:  # the first one closes before the end
            break
        text = text[1:-1].strip()
    return text


def _check_name(name: str, inside: str) -> None:
    if not name.replace("_", "").replace("-", "").replace(".", "").isalnum():
        raise _bad(f"select[{inside}]")


def _bad(text: str) -> ValueError:
    return ValueError(f"{text[:80]}: Bad resource requirement syntax")


def _not_here(text: str, why: str) -> ValueError:
    return ValueError(f"{text[:80]} is not supported: {why}")


def resources(wanted: ResourceRequirements, slots: int, hosts: int, limit_kb: int) -> dict[str, object]:
    """*wanted* for *slots* tasks as the server counts; *hosts* of ``-nnodes``, *limit_kb* of ``-M``, or 0.

    Raises ValueError for what cannot be laid out so.
    """
    wanted.check()
    made: dict[str, object] = {"processors": slots}
    hosts, each = _laid_out(wanted, slots, hosts)
    if hosts:
        made["nodes"] = hosts
    if each:
        made["processors_per_node"] = each
    if memory := _memory(wanted, slots, each, limit_kb):
        made["memory_kb"] = memory
    if wanted.generic:
        made["generic"] = wanted.generic
    if wanted.features:
        made["features"] = wanted.features
    if wanted.alternatives:
        made["constraint"] = "&".join(wanted.alternatives)
    return made


def _laid_out(wanted: ResourceRequirements, slots: int, hosts: int) -> tuple[int, int]:
    """How many hosts, and slots on each; 0 where it does not matter."""
    if hosts:
        if slots % hosts:
            raise ValueError(
                f"-nnodes {hosts} -n {slots}: Bad layout: each host must get the same number of slots"
            )
        return hosts, slots // hosts
    tile = wanted.slots_per_host
    if wanted.hosts == 1 or (tile and slots <= tile):
        return 1, slots
    if tile and slots % tile:
        raise _not_here(f"span[ptile={tile}] with -n {slots}", "the slots must be a multiple of it")
    return (slots // tile, tile) if tile else (0, 0)


def _memory(wanted: ResourceRequirements, slots: int, each: int, limit_kb: int) -> int:
    """Kilobytes a slot: what is reserved, which is the limit, too; or what the limit leaves to each."""
    per, reserved = wanted.memory_per, wanted.memory_kb
    if reserved and per == "host":
        if not each:
            raise _not_here("rusage[mem=.../host]", "without span[hosts=1] or span[ptile=N] it is unknown")
        reserved = -(-reserved // each)
    elif per == "job":
        reserved = -(-reserved // slots)
    # A limit below what is reserved is no mistake to LSF, where a site says what each of them counts by.
    return max(reserved, -(-limit_kb // slots))


def joined(texts: Sequence[str]) -> str:
    """Several requirement strings as one, as listings show them."""
    return " ".join(part.strip() for part in texts)
