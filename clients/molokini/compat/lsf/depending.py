"""``-w``: conditions on other jobs, with ``&&``, ``||``, ``!`` and parentheses.

A name with ``*`` is every job of the user's that fits; ``a[3]`` is one element of an array, and ``a[*]``
means that each element waits for the one of the same index.
"""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Invocation, Job, Sequence
from molokini.compat.lsf.quantities import is_digits

_KINDS = {
    "done": "AFTER_OK",
    "post_done": "AFTER_OK",
    "exit": "AFTER_NOT_OK",
    "ended": "AFTER_ANY",
    "started": "AFTER",
}
_COUNTS = {
    "numdone": "COUNT_DONE",
    "numexit": "COUNT_EXITED",
    "numended": "COUNT_ENDED",
    "numstart": "COUNT_STARTED",
    "numrun": "COUNT_RUNNING",
    "numpend": "COUNT_WAITING",
    "numhold": "COUNT_HELD",
}
_SIGNS = {
    "==": "EQUAL",
    "=": "EQUAL",
    "!=": "NOT_EQUAL",
    "<": "LESS",
    "<=": "AT_MOST",
    ">": "MORE",
    ">=": "AT_LEAST",
}
_ALL = "*"
_MOST_GROUPS, _DEEPEST, _LARGEST = 1000, 100, 2**31 - 1
_WORD_ENDS = " \t(),&|!<>="


class Atom:
    """One condition: a function of the job that it names, negated or not."""

    __slots__ = ("index", "job", "kind", "negated", "sign", "value")

    def __init__(self, kind: str, job: str, index: str, sign: str = "", value: int = 0) -> None:
        self.kind, self.job, self.index, self.sign, self.value = kind, job, index, sign, value
        """*index*: of an element, ``*`` for that of the same index, empty for the whole job."""
        self.negated = False

    def document(self, number: int, size: int) -> dict[str, Any]:
        """As a Dependency on job *number*, which has *size* elements."""
        sign, value = self.sign, self.value
        if sign == _ALL:
            sign, value = "AT_LEAST", size
        made: dict[str, Any] = {"kind": self.kind, "job_id": number}
        more = {"negated": self.negated, "elementwise": self.index == "*", "comparison": sign, "value": value}
        made.update((name, value) for name, value in more.items() if value)
        if is_digits(self.index):
            made["array_index"] = int(self.index)
        return made


Clauses = list[list[Atom]]
"""All clauses have to hold, of each one atom."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.words, self.k = text, _words(text), 0
        self.depth = 0

    @property
    def word(self) -> str:
        return self.words[self.k] if self.k < len(self.words) else ""

    def bad(self, why: str) -> ValueError:
        return _bad(self.text, why)

    def whole(self) -> Clauses:
        if not self.words:
            raise self.bad("it is empty")
        found = self.either(False)
        if self.word:
            raise self.bad(f"{self.word!r} is not expected there")
        return found

    def either(self, negated: bool) -> Clauses:
        return self._chain("||", self.both, negated)

    def both(self, negated: bool) -> Clauses:
        return self._chain("&&", self.one, negated)

    def _chain(self, between: str, part: Callable[[bool], Clauses], negated: bool) -> Clauses:
        found = part(negated)
        # Of what is negated, alternatives are conditions that all have to hold, and the other way round.
        joined = (between == "&&") != negated
        while self.word == between:
            self.k += 1
            more = part(negated)
            found = found + more if joined else [left + right for left in found for right in more]
            if len(found) > _MOST_GROUPS:
                raise self.bad(f"as alternatives it has more than {_MOST_GROUPS:,} parts")
        return found

    def one(self, negated: bool) -> Clauses:
        while self.word == "!":
            self.k, negated = self.k + 1, not negated
        if self.word == "(":
            self.k, self.depth = self.k + 1, self.depth + 1
            if self.depth > _DEEPEST:
                raise self.bad(f"more than {_DEEPEST} brackets within each other")
            found = self.either(negated)
            self.depth -= 1
            if self.word != ")":
                raise self.bad("a bracket is not closed")
            self.k += 1
            return found
        atom = self.atom()
        atom.negated = negated
        return [[atom]]

    def atom(self) -> Atom:
        word = self.word
        if word in ("", "(", ")", "&&", "||", ",", *_SIGNS):
            raise self.bad("a condition is missing")
        self.k += 1
        if self.word != "(":
            return Atom("AFTER_OK", *self.job(word))
        if word == "post_err":
            raise self.bad("post_err() is not supported: nothing runs after a job")
        if word not in _KINDS and word not in _COUNTS:
            raise self.bad(f"{word!r} is none of {', '.join((*_KINDS, *_COUNTS))}")
        self.k += 1
        name = self.word
        if name in ("", "(", ")", ",", "&&", "||", "!", *_SIGNS):
            raise self.bad(f"expected {word}(job)")
        self.k += 1
        sign, value = self.number(word) if self.word == "," else ("", 0)
        if self.word != ")":
            raise self.bad("a bracket is not closed" if not self.word else f"expected {word}(job)")
        self.k += 1
        if word in _COUNTS and not sign:
            raise self.bad(f"expected {word}(job, operator number)")
        return Atom(_COUNTS.get(word) or _KINDS[word], *self.job(name), sign, value)

    def number(self, function: str) -> tuple[str, int]:
        """``, > 5``; of counts ``, *`` as well, of exit ``, 5``."""
        if function not in (*_COUNTS, "exit"):
            raise self.bad(f"{function}(job) takes no number")
        self.k += 1
        if self.word == _ALL and function in _COUNTS:
            self.k += 1
            return _ALL, 0
        sign = "=="
        if self.word in _SIGNS:
            sign = self.word
            self.k += 1
        elif function in _COUNTS:
            raise self.bad(f"expected {function}(job, operator number)")
        if not is_digits(self.word) or int(self.word) > _LARGEST:
            raise self.bad(f"{self.word[:20]!r} is no number")
        self.k += 1
        return _SIGNS[sign], int(self.words[self.k - 1])

    def job(self, word: str) -> tuple[str, str]:
        """The job, a number or a name, and the element."""
        name, bracket, index = word.strip("\"'").partition("[")
        if not bracket:
            return name, ""
        if not index.endswith("]") or not (index[:-1] == "*" or is_digits(index[:-1])):
            raise self.bad(f"{word[:40]!r} is no job and no element of one")
        return name, index[:-1]


def conditions(text: str) -> Clauses:
    """What *text* asks for: all clauses have to hold, of each one atom. Raises ValueError."""
    return _Parser(text).whole()


def _words(text: str) -> list[str]:
    found, k = [], 0
    while k < len(text):
        letter = text[k]
        end = k + 1
        if letter in "\"'":
            end = text.find(letter, k + 1) + 1
            if not end:
                raise _bad(text, "a quotation does not end")
            # What follows a name in quotation marks up to its element belongs to it.
            if text[end : end + 1] == "[":
                end = text.find("]", end) + 1 or len(text)
            found.append(text[k:end].replace(letter, ""))
        elif text[k : k + 2] in ("&&", "||", "!=", "<=", ">=", "=="):
            end = k + 2
            found.append(text[k:end])
        elif letter in "(),!<>=":
            found.append(letter)
        elif letter not in " \t":
            while end < len(text) and text[end] not in _WORD_ENDS:
                end += 1
            if letter in "&|":
                raise _bad(text, f"{letter!r} is not expected there")
            found.append(text[k:end])
        k = end
    return found


def _bad(text: str, why: str) -> ValueError:
    return ValueError(f"{text[:80]}: Bad dependency condition: {why}")


def dependencies(run: Invocation, text: str, user: str) -> list[dict[str, Any]]:
    """The dependencies that *text* asks for; a name is *user*'s last job that has it. Raises ValueError."""
    found: list[dict[str, Any]] = []
    group = 0
    known: dict[str, list[Job]] = {}
    for clause in conditions(text):
        parts: list[list[dict[str, Any]]] = []
        for atom in clause:
            if atom.job not in known:
                is_number = is_digits(atom.job)
                known[atom.job] = [_there(run, atom.job, user)] if is_number else _called(run, atom.job, user)
            parts.append([atom.document(one.id, len(one.indices) or 1) for one in known[atom.job]])
        # One name may be many jobs: all are meant, and where it is negated one of them is enough.
        for chosen in _spread(clause, parts, text):
            group += 1
            found += [{**one, "group": group} for one in chosen] if len(chosen) > 1 else chosen
    return found


def _spread(clause: list[Atom], parts: list[list[dict[str, Any]]], text: str) -> list[list[dict[str, Any]]]:
    made: list[list[dict[str, Any]]] = [[]]
    for atom, each in zip(clause, parts, strict=True):
        if atom.negated:
            made = [one + each for one in made]
        else:
            made = [[*one, more] for one in made for more in each]
        if len(made) > _MOST_GROUPS:
            raise _bad(text, f"as alternatives it has more than {_MOST_GROUPS:,} parts")
    return made


_ASKED = ("state", "spec.name", "spec.array")


def _there(run: Invocation, number: str, user: str) -> Job:
    from molokini.compat.listing import jobs

    known = int(number) < 2**63
    found = [*jobs(run, _ASKED, users=[user], job_ids=[int(number)], include_ended=True)] if known else []
    if not found:
        raise ValueError(f"{number[:40]}: No matching job found")
    return found[0]


def _called(run: Invocation, name: str, user: str) -> list[Job]:
    """The last job of this name, or all whose names fit one with a ``*``."""
    from molokini.compat.listing import jobs

    if "*" in name:
        from fnmatch import fnmatchcase

        listed = jobs(run, _ASKED, users=[user], include_ended=True)
        if found := [one for one in listed if fnmatchcase(one.name, name)]:
            return found
    found = [*jobs(run, _ASKED, users=[user], name=name, include_ended=True)]
    if not found:
        raise ValueError(f"{name[:80]}: No matching job found")
    return [max(found, key=lambda one: one.id)]


_OF_KIND = {kind: word for word, kind in {**_COUNTS, **_KINDS}.items() if word != "post_done"}
_OF_SIGN = {name: sign for sign, name in _SIGNS.items() if sign != "="}


def written(dependencies: Sequence[dict[str, Any]]) -> str:
    """*dependencies* as an expression of ``-w``."""
    groups: dict[int, list[str]] = {}
    for place, one in enumerate(dependencies):
        groups.setdefault(one.get("group", 0) or -1 - place, []).append(_written(one))
    parts = [f"({' || '.join(group)})" if len(group) > 1 else group[0] for group in groups.values()]
    return " && ".join(parts)


def _written(one: dict[str, Any]) -> str:
    job = str(one.get("job_id", 0))
    if one.get("elementwise"):
        job += "[*]"
    elif "array_index" in one:
        job += f"[{one['array_index']}]"
    if sign := one.get("comparison"):
        job += f",{_OF_SIGN[sign]} {one.get('value', 0)}"
    kind = str(one.get("kind", ""))
    return f"{'!' if one.get('negated') else ''}{_OF_KIND.get(kind, kind)}({job})"
