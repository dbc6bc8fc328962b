"""Memory as Slurm reads and writes it."""

from __future__ import annotations

_UNITS = {"K": 1, "M": 1024, "G": 1024**2, "T": 1024**3, "P": 1024**4}


def kilobytes(text: str) -> int:
    """Kilobytes that *text* says: a number with K, M, G, T (or KB, ...); megabytes without."""
    word = text.strip().upper()
    number = word.removesuffix("B") if word[-2:-1] in _UNITS else word
    unit = 1024
    if number[-1:] in _UNITS:
        unit, number = _UNITS[number[-1]], number[:-1]
    whole, _, part = number.partition(".")
    if not (whole + part).isdigit() or not (whole + part).isascii() or len(whole) > 15:
        raise ValueError(text)
    found = float(number) * unit
    return int(found) if found == int(found) else int(found) + 1


def shown(kb: int) -> str:
    """As squeue and scontrol write a request: ``62K``, ``382M``, ``1G``, ``1.50G``."""
    if not kb:
        return "0"
    size, unit = float(kb), "K"
    for larger in "MGTP":
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.0f}{unit}" if size == int(size) else f"{size:.2f}{unit}"
