"""``-w``: conditions on other jobs. All of them must be met; LSF's ``||`` and ``!`` are refused.

A name with ``*`` is every job of the user's that fits, and of an array all elements are meant: ``a[*]``, or
``numdone(a, *)``.
"""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.lsf.quantities import is_digits

_KINDS = {
    "done": "AFTER_OK",
    "post_done": "AFTER_OK",
    "exit": "AFTER_NOT_OK",
    "ended": "AFTER_ANY",
    "started": "AFTER",
}
_ALL_OF = {"numdone": "done", "numended": "ended"}
"""Counts of an array's elements that are conditions on the whole where all are asked for."""
_NOT_HERE = ("numdone", "numended", "numexit", "numhold", "numpend", "numrun", "numstart", "post_err")


def conditions(text: str) -> list[tuple[str, str]]:
    """Kind and job (a number, or a name) of each condition of *text*. Raises ValueError."""
    words = _words(text)
    if not words:
        raise _bad(text, "it is empty")
    found, k = [], 0
    depth = 0
    while k < len(words):
        while k < len(words) and words[k] == "(":
            depth, k = depth + 1, k + 1
        condition, k = _condition(words, k, text)
        found.append(condition)
        while k < len(words) and words[k] == ")":
            depth, k = depth - 1, k + 1
        if depth < 0 or (k < len(words) and words[k] != "&&"):
            raise _bad(text, f"{words[min(k, len(words) - 1)]!r} is not expected there")
        k += 1
        if k == len(words):
            raise _bad(text, "a condition is missing after &&")
    if depth:
        raise _bad(text, "a bracket is not closed")
    return found


def _condition(words: list[str], k: int, text: str) -> tuple[tuple[str, str], int]:
    """The condition that begins at word *k*, and the place behind it."""
    word = words[k] if k < len(words) else ""
    if word in ("", "(", ")", "&&", ","):
        raise _bad(text, "a condition is missing")
    if words[k + 1 : k + 2] != ["("]:
        return ("AFTER_OK", _job(word, text)), k + 1
    if word in _ALL_OF and words[k + 3 : k + 6] == [",", "*", ")"]:
        return (_KINDS[_ALL_OF[word]], _job(words[k + 2], text)), k + 6
    if word in _NOT_HERE:
        raise _bad(text, f"{word}() is not supported: no job here waits for counts of others")
    if word not in _KINDS:
        raise _bad(text, f"{word!r} is none of {', '.join(_KINDS)}")
    if words[k + 3 : k + 4] == [","]:
        raise _bad(text, f"{word}(job, code) is not supported: {word}(job) is")
    if words[k + 3 : k + 4] != [")"]:
        raise _bad(text, f"expected {word}(job)")
    return (_KINDS[word], _job(words[k + 2], text)), k + 4


def _job(word: str, text: str) -> str:
    name = word.strip("\"'").removesuffix("[*]")
    if "[" in name:
        raise _bad(text, "a condition on one element is not supported: an array counts as one job")
    return name


def _words(text: str) -> list[str]:
    found, k = [], 0
    while k < len(text):
        letter = text[k]
        if letter in " \t":
            k += 1
        elif letter in "(),":
            found.append(letter)
            k += 1
        elif text.startswith("&&", k):
            found.append("&&")
            k += 2
        elif letter in "!|":
            raise _bad(text, f"{letter} is not supported: all conditions must be met (&&)")
        elif letter in "\"'":
            end = text.find(letter, k + 1)
            if end < 0:
                raise _bad(text, "a quotation does not end")
            found.append(text[k : end + 1])
            k = end + 1
        else:
            end = k
            while end < len(text) and text[end] not in " \t(),&|!":
                end += 1
            if end == k:
                raise _bad(text, f"{letter!r} is not expected there")
            found.append(text[k:end])
            k = end
    return found


def _bad(text: str, why: str) -> ValueError:
    return ValueError(f"{text[:80]}: Bad dependency condition: {why}")


def dependencies(run: Invocation, text: str, user: str) -> list[dict[str, Any]]:
    """The dependencies that *text* asks for; a name is *user*'s last job that has it. Raises ValueError."""
    found = []
    for kind, job in conditions(text):
        numbers = [_there(run, int(job), user)] if is_digits(job) else _called(run, job, user)
        found += [{"kind": kind, "job_id": number} for number in numbers]
    return found


def _there(run: Invocation, number: int, user: str) -> int:
    from molokini.compat.listing import jobs

    if not any(jobs(run, ("state",), users=[user], job_ids=[number], include_ended=True)):
        raise ValueError(f"{number}: No matching job found")
    return number


def _called(run: Invocation, name: str, user: str) -> list[int]:
    """The last job of this name, or all whose names fit one with a ``*``."""
    from molokini.compat.listing import jobs

    if "*" in name:
        from fnmatch import fnmatchcase

        listed = jobs(run, ("state", "spec.name"), users=[user], include_ended=True)
        if numbers := [one.id for one in listed if fnmatchcase(one.name, name)]:
            return numbers
    numbers = [one.id for one in jobs(run, ("state",), users=[user], name=name, include_ended=True)]
    if not numbers:
        raise ValueError(f"{name[:80]}: No matching job found")
    return [max(numbers)]
