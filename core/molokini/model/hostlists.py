"""Names of nodes in one short text; standard library only."""

from collections.abc import Iterable
from itertools import groupby


def folded(names: Iterable[str]) -> str:
    """*names* as Slurm writes them: ``node[001-003,007],login``; each group where its first name stands."""
    groups: dict[tuple[str, int], list[str]] = {}
    for name in names:
        stem = name.rstrip("0123456789")
        digits = name[len(stem) :]
        groups.setdefault((stem, len(digits)), []).append(digits)
    return ",".join(_group(stem, digits) for (stem, _), digits in groups.items())


def _group(stem: str, digits: list[str]) -> str:
    if len(digits) == 1 or not digits[0]:
        return stem + digits[0]
    width, numbers = len(digits[0]), sorted({int(one) for one in digits})
    spans = []
    for _, run in groupby(enumerate(numbers), key=lambda placed: placed[1] - placed[0]):
        found = [number for _, number in run]
        first, last = f"{found[0]:0{width}}", f"{found[-1]:0{width}}"
        spans.append(first if first == last else f"{first}-{last}")
    return f"{stem}[{','.join(spans)}]"
