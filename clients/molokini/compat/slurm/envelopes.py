"""What stands around the records in JSON."""

from __future__ import annotations

from molokini.compat._types import Any, Sequence


def enveloped(command: str, words: Sequence[str], records: dict[str, Any]) -> dict[str, Any]:
    """*records* with who wrote them, as Slurm 22.05 has it."""
    return {
        "meta": {
            "plugins": {"data_parser": "v0.0.38", "accounting_storage": "accounting_storage/molokini"},
            "command": [command, *words],
            "Slurm": {"version": {"major": "22", "micro": "8", "minor": "05"}, "release": "22.05.8"},
        },
        "errors": [],
        "warnings": [],
        **records,
    }
