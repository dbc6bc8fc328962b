"""Which format a file has, by its first lines: a site's own history comes under any name.

Only what no other format looks like is taken for one: a file of unknown content goes by its name.
"""

from collections.abc import Iterator
from pathlib import Path

from molokini.accounting import lsf_reading, pbs_reading, sacct_reading
from molokini.model.errors import BadFile
from molokini.workloads.blocks import blocks
from molokini.workloads.header import decode_line
from molokini.workloads.maui_jobs import FIELDS

_LINES = 50
"""So many lines are looked at."""
_FOR_PEOPLE = ("JobID", "JobIDRaw")


def detected(path: Path) -> str | None:
    """``pbs``, ``lsf``, ``sacct`` or ``trace``; None where it is none of them.

    A pipe can be read only once, so it is not looked at. Raises BadFile for a file that cannot be read, and
    for a table of sacct that is not made for machines.
    """
    if not path.is_file():
        return None
    for text in _first_lines(path):
        if pbs_reading.STAMP.match(text):
            return "pbs"
        if lsf_reading.START.match(text):
            return "lsf"
        if sacct_reading.is_header(text) or sacct_reading.is_row(text):
            return "sacct"
        words = text.split()
        if words[0] in _FOR_PEOPLE and "|" not in text and "," not in text:
            raise BadFile(str(path), "is a table of padded columns; print it with sacct --parsable2")
        if words[0] == "VERSION" or len(words) in (FIELDS - 1, FIELDS):
            return "trace"
        if not text.startswith(("#", ";")):
            return None
    return None


def _first_lines(path: Path) -> Iterator[str]:
    """The first lines that are not empty."""
    first = next(blocks(path), b"")
    for raw in first.splitlines()[:_LINES]:
        text = decode_line(raw).strip()
        if text:
            yield text
