"""Pictures into files: whole or not at all, and the same bytes for the same picture."""

import os
from pathlib import Path

from matplotlib.figure import Figure

from molokini.model.errors import BadValue
from molokini.plots.style import styled
from molokini.workloads.atomic import atomic_path

FORMATS = (".png", ".svg", ".pdf")
"""The endings that a picture's file may have."""

_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Metadata that matplotlib would write although it differs from run to run, or by version."""

DOTS_PER_INCH = 120


def checked_format(path: str | os.PathLike[str]) -> str:
    """The format that the ending of *path* stands for; for any other ending BadValue, which names all."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise BadValue(
            "picture", os.fspath(path), f"a file name that ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        )
    return ending[1:]


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write *figure* to *path* as PNG, SVG or PDF, by the ending.

    The picture is written beside *path* and renamed, so that no reader ever finds half of it. The bytes
    depend on the picture alone: no dates, no random names.
    """
    kind = checked_format(path)
    with styled(), atomic_path(Path(path)) as beside:
        figure.savefig(beside, format=kind, dpi=DOTS_PER_INCH, metadata=_METADATA[kind])
