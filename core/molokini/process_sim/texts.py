"""Programs as text: one operation a line, as in a scenario file.

``compute DIST``, ``io DIST [chance P]``, ``sleep DIST``, ``send TO [BYTES]``, ``receive FROM``,
``receive any``, ``reply [BYTES]``, ``exchange PATTERN [BYTES]``, ``access OBJECT``, ``report``, ``repeat
[N] ... end``.
"""

from collections.abc import Sequence

from molokini.model.errors import BadValue, UnknownName
from molokini.process_sim.keys import DISTRIBUTION, bytes_of, distribution, whole_of
from molokini.process_sim.kinds import PATTERNS, WHOLE, chance, exchanging
from molokini.process_sim.scenario import Program, Step
from molokini.process_sim.words import Op, Pattern

WORDS = (
    "compute",
    "io",
    "sleep",
    "send",
    "receive",
    "reply",
    "exchange",
    "access",
    "report",
    "repeat",
    "end",
)
MOST_NESTED = 4
MOST_ROUNDS = 10**12


def program_of(
    field: str, lines: object, names: Sequence[str], objects: dict[str, int] | None = None
) -> Program:
    """The program that *lines* say; *names* are those of the processes of its job, by rank.

    *objects*: numbers of the objects that programs of the scenario use; new ones are added.

    Raises BadValue or UnknownName, which name *field* and the line.
    """
    if isinstance(lines, str):
        lines = [line for line in lines.replace(",", "\n").splitlines() if line.strip()]
    if not isinstance(lines, list) or not lines or not all(_is_line(line) for line in lines):
        raise BadValue(field, lines, "a program: lines as 'compute 5ms', 'send B', 'receive A'")
    steps: list[Step] = []
    open_loops: list[tuple[int, int]] = []
    for line in lines:
        word, *rest = line.split()
        if word not in WORDS:
            raise UnknownName(f"operation of {field}", word, WORDS)
        if word == "repeat":
            open_loops.append((len(steps), _rounds(field, line, rest)))
            if len(open_loops) > MOST_NESTED:
                raise BadValue(field, line, f"at most {MOST_NESTED} loops inside one another")
        elif word == "access":
            if len(rest) != 1:
                raise BadValue(field, line, "'access' with the name of an object, as 'access table'")
            known = {} if objects is None else objects
            steps.append(Step(Op.ACCESS, peer=known.setdefault(rest[0], len(known))))
        elif word == "end":
            if not open_loops or rest:
                raise BadValue(field, line, "the end of a 'repeat' before it")
            to, rounds = open_loops.pop()
            steps.append(Step(Op.LOOP, peer=to, count=rounds, which=len(open_loops)))
        else:
            steps.append(_step(field, line, word, rest, names))
    if open_loops:
        raise BadValue(field, "repeat", "closed by an 'end'")
    _check_replies(field, steps)
    return tuple(steps)


def _is_line(line: object) -> bool:
    return isinstance(line, str) and bool(line.strip())


def _check_replies(field: str, steps: Sequence[Step]) -> None:
    """A reply goes to the sender of the last 'receive any'; every loop is gone through at least once."""
    kinds = [step.op for step in steps]
    if Op.REPLY in kinds and Op.RECV_ANY not in kinds[: kinds.index(Op.REPLY)]:
        raise BadValue(field, "reply", "behind a 'receive any', whose sender it answers")


def _rounds(field: str, line: str, rest: list[str]) -> int:
    if not rest:
        return -1
    rounds = whole_of(rest[0]) if len(rest) == 1 else None
    if rounds is None or not 1 <= rounds <= MOST_ROUNDS:
        raise BadValue(field, line, f"'repeat' without end, or 'repeat N' with N from 1 to {MOST_ROUNDS:,}")
    return rounds


def _step(field: str, line: str, word: str, rest: list[str], names: Sequence[str]) -> Step:
    if word in ("compute", "sleep", "io"):
        share = WHOLE
        if word == "io" and len(rest) > 2 and rest[-2] == "chance":
            share = chance(_probability(field, line, rest[-1]))
            rest = rest[:-2]
        dist = distribution(" ".join(rest))
        if dist is None:
            raise BadValue(field, line, f"'{word}' with {DISTRIBUTION}")
        return Step({"compute": Op.COMPUTE, "sleep": Op.SLEEP, "io": Op.IO}[word], dist, count=share)
    if word == "report" and not rest:
        return Step(Op.REPORT)
    if word == "receive" and rest == ["any"]:
        return Step(Op.RECV_ANY)
    if word == "receive" and len(rest) == 1:
        return Step(Op.RECV, peer=_rank(field, rest[0], names))
    if word == "reply" and len(rest) < 2:
        return Step(Op.REPLY, size=_size(field, line, rest))
    if word == "send" and 1 <= len(rest) <= 2:
        return Step(Op.SEND, peer=_rank(field, rest[0], names), size=_size(field, line, rest[1:]))
    if word == "exchange" and 1 <= len(rest) <= 2:
        return exchanging(_pattern(field, rest[0]), _size(field, line, rest[1:]))
    raise BadValue(
        field, line, "an operation as 'send B 1KB', 'receive A', 'receive any', 'exchange ring 1KB'"
    )


def _probability(field: str, line: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise BadValue(field, line, "'io DURATION chance P' with P from 0 to 1")
    return found


def _rank(field: str, name: str, names: Sequence[str]) -> int:
    if name in names:
        return names.index(name)
    rank = whole_of(name)
    if rank is not None and rank < len(names):
        return rank
    raise UnknownName(f"process of {field}", name, names)


def _size(field: str, line: str, rest: list[str]) -> int:
    found = bytes_of(rest[0]) if rest else 0
    if found is None:
        raise BadValue(field, line, "a message of bytes, as 1024 or 1KB")
    return found


def _pattern(field: str, name: str) -> Pattern:
    if name not in PATTERNS:
        raise UnknownName(f"pattern of {field}", name, PATTERNS)
    return PATTERNS[name]


def told(program: Program, names: Sequence[str]) -> list[str]:
    """*program* as lines, the contrary of ``program_of`` but for pipelines and bags."""
    lines: list[str] = []
    for step in program:
        peer = names[step.peer] if step.op in (Op.SEND, Op.RECV) else ""
        size = f" {step.size}B" if step.size else ""
        match step.op:
            case Op.COMPUTE | Op.SLEEP:
                lines.append(f"{step.op.name.lower()} {step.dist}")
            case Op.IO:
                share = "" if step.count == WHOLE else f" chance {step.count / WHOLE:.6g}"
                lines.append(f"io {step.dist}{share}")
            case Op.SEND:
                lines.append(f"send {peer}{size}")
            case Op.RECV:
                lines.append(f"receive {peer}")
            case Op.EXCHANGE:
                lines.append(f"exchange {step.pattern.name.lower().replace('_', '-')}{size}")
            case Op.LOOP:
                rounds = "without end" if step.count < 0 else f"{step.count:,} rounds in all"
                lines.append(f"back to line {step.peer + 1}, {rounds}")
            case Op.ACCESS:
                lines.append(f"access object {step.peer}")
            case Op.REPORT:
                lines.append("report")
            case Op.TAKE:
                lines.append("take a task, or end")
            case _:
                words = {Op.RECV_ANY: "receive any", Op.REPLY: f"reply{size}", Op.FRAME_IN: "begin a frame"}
                lines.append(words.get(step.op, "finish a frame"))
    return lines
