"""What every submission has: a key, so that a lost answer makes no second job; directory and environment."""

from __future__ import annotations

import os

from molokini.compat._types import Any, Invocation, Mapping

_NOT_FOR_JOBS = ("MOLOKINI_TOKEN", "MOLOKINI_TOKEN_FILE", "MOLOKINI_TLS_KEY")
"""A job that needs to call has a token of its own; the submitter's stays where it is."""


def submit(run: Invocation, spec: dict[str, Any]) -> int:
    """The number of the job that *spec* has become. Raises what the transport raises."""
    spec.setdefault("submission_key", os.urandom(16).hex())
    return int(run.transport.call("JobService", "Submit", {"spec": spec})["job_id"])


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """All of *variables* that can be sent to a job: text, and none of our secrets."""
    return {
        name: value
        for name, value in variables.items()
        if name not in _NOT_FOR_JOBS and name and _is_text(name) and _is_text(value)
    }


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def here(variables: Mapping[str, str]) -> str:
    """The directory in which the user stands: as the shell names it, where that is true."""
    named = variables.get("PWD", "")
    try:
        if named.startswith("/") and os.path.samefile(named, "."):
            return named
    except OSError:
        pass
    return os.getcwd()


def with_interpreter(script: str, shell: str) -> str:
    """*script* run by *shell*, where it does not name its own interpreter in its first line."""
    return script if script.startswith("#!") else f"#!{shell}\n{script}"


def without_patterns(path: str) -> str:
    """*path* so that a per cent sign in it stands for itself."""
    return path.replace("%", "%%")
