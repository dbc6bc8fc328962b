"""Jobs as command lines name them: a number, an element as ``17[3]``, ``ALL``, or a regular expression."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, JobRef, Sequence
from molokini.compat.maui.failing import no

_MOST_DIGITS = 15


def ref(text: str) -> JobRef | None:
    """The reference that *text* is; None: it is none."""
    number, bracket, rest = text.partition("[")
    index = rest.removesuffix("]")
    if not _digits(number) or (bracket and not (rest.endswith("]") and _digits(index))):
        return None
    return {"id": int(number), "array_index": int(index)} if bracket else {"id": int(number)}


def one(text: str) -> JobRef:
    """The reference that *text* is. Raises Failed."""
    found = ref(text)
    if found is None:
        raise no(
            f"invalid job specified '{text[:60]}': expected a job number, or an array element such as 17[3]"
        )
    return found


def named(run: Invocation, words: Sequence[str]) -> dict[str, JobRef]:
    """The open jobs that *words* name, by what each is called: numbers, ALL, or whole regular expressions."""
    if not words:
        raise no(f"{run.name}: a job is missing; try '{run.name} --help'")
    found: dict[str, JobRef] = {}
    for word in words:
        known = ref(word)
        found.update({word: known} if known is not None else _matching(run, word))
    return found


def _matching(run: Invocation, expression: str) -> dict[str, JobRef]:
    import re

    from molokini.compat.listing import jobs

    try:
        pattern = re.compile(".*" if expression == "ALL" else expression.strip('"'))
    except re.error as error:
        raise no(f"invalid job expression '{expression[:60]}': {error}") from None
    wanted = {str(job.id): {"id": job.id} for job in jobs(run, ("state",))}
    found = {name: ref for name, ref in wanted.items() if pattern.fullmatch(name)}
    if not found:
        raise no(f"no job matches '{expression[:60]}'")
    return found


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def change(run: Invocation, method: str, wanted: dict[str, JobRef], done: str, **more: Any) -> int:
    """Have *method* change each job of *wanted*; *done* is what is said of each (``{}``: its name).

    The exit code: 1 where one was refused, with the reason on the stream of errors.
    """
    from molokini.compat.failures import Refused

    try:
        answer = run.transport.call("JobService", method, {"jobs": list(wanted.values()), **more})
    except Refused as refusal:
        if len(wanted) > 1:
            raise
        answer = {"refusals": [str(refusal)]}
    refusals = answer.get("refusals") or [""] * len(wanted)
    for name, why in zip(wanted, refusals, strict=True):
        if why:
            run.complain(f"ERROR:    {why}")
        elif done:
            run.say(done.format(name))
    return int(any(refusals))
