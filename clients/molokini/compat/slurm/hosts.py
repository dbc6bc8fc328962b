"""Lists of hosts: ``n[001-003,7],login`` and the names that it means."""

from __future__ import annotations

_MOST = 1 << 20


def expanded(text: str) -> list[str]:
    """The names that *text* means. ValueError for a bracket that does not close, or a range that is none."""
    found: list[str] = []
    for word in split(text):
        made = [""]
        rest = word
        while rest:
            head, bracket, tail = rest.partition("[")
            made = [one + head for one in made]
            if not bracket:
                break
            inside, closed, rest = tail.partition("]")
            if not closed:
                raise ValueError(text)
            numbers = _numbers(inside)
            if len(made) * len(numbers) > _MOST:
                raise ValueError(text)
            made = [one + number for one in made for number in numbers]
        found += made
    return found


def split(text: str) -> list[str]:
    """The parts of *text* between commas that stand in no brackets."""
    found, depth, word = [], 0, ""
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth <= 0:
            found.append(word)
            word = ""
        else:
            word += letter
    return [one.strip() for one in [*found, word] if one.strip()]


def _numbers(text: str) -> list[str]:
    found: list[str] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(text)
        if int(last or first) - int(first) > _MOST:
            raise ValueError(text)
        found += [f"{number:0{len(first)}}" for number in range(int(first), int(last or first) + 1)]
    return found


def compressed(names: list[str]) -> str:
    """*names* as Slurm writes them, each group where its first name stands."""
    groups: dict[tuple[str, int], list[str]] = {}
    for name in names:
        stem = name.rstrip("0123456789")
        digits = name[len(stem) :]
        groups.setdefault((stem, len(digits)), []).append(digits)
    return ",".join(_group(stem, digits) for (stem, _), digits in groups.items())


def _group(stem: str, digits: list[str]) -> str:
    if len(digits) == 1 or not digits[0]:
        return f"{stem}{digits[0]}"
    return f"{stem}[{ranges(sorted(set(map(int, digits))), len(digits[0]))}]"


def ranges(numbers: list[int], width: int = 0) -> str:
    """Rising *numbers* as ``1-3,7``, each with at least *width* digits."""
    parts, start = [], 0
    for place, number in enumerate(numbers):
        if place + 1 < len(numbers) and numbers[place + 1] == number + 1:
            continue
        first, last = f"{numbers[start]:0{width}}", f"{number:0{width}}"
        parts.append(first if first == last else f"{first}-{last}")
        start = place + 1
    return ",".join(parts)
