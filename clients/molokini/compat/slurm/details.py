"""What Slurm's commands know of a job and no field of ours holds: kept with the job in a variable.

``MOLOKINI_SLURM`` in the environment of a job is a JSON object. Only the owner of a job, and operators, get
environments to see; to others it looks as if nothing of this had been asked for.
"""

from __future__ import annotations

import json

from molokini.compat._types import Any

VARIABLE = "MOLOKINI_SLURM"


def written(details: dict[str, Any]) -> str:
    """*details* as a variable holds them, without what is empty."""
    kept = {name: value for name, value in details.items() if value not in ("", None, 0)}
    return json.dumps(kept, separators=(",", ":"))


def read(spec: dict[str, Any]) -> dict[str, Any]:
    """The details of the job that *spec* specifies; none where they are not shown, or another made it."""
    text = spec.get("environment", {}).get(VARIABLE)
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
