"""``-env``, and the variables that LSF gives a job; those that only the node knows its agent adds."""

from __future__ import annotations

import os

from molokini.compat._types import Mapping, Sequence
from molokini.compat.submitting import environment

_SHELL_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
OPEN_MODE = "MOLOKINI_OPEN_MODE"
"""Which files of output are added to: ``append``, ``append-output``, ``append-error`` or ``truncate``."""
REPORT = "MOLOKINI_LSF_REPORT"
"""The name of the cluster, where the node is to write a report of the job's end; else empty."""
REQUIREMENT = "LSB_EFFECTIVE_RSRCREQ"
HOST = "LSB_SUB_HOST"


def chosen(variables: Mapping[str, str], texts: Sequence[str]) -> dict[str, str]:
    """Those of *variables* that the values *texts* of ``-env`` let through, and those that they set.

    Raises ValueError.
    """
    words = [word for text in texts for word in _split(text)]
    if not words:
        return environment(variables)
    inherits = "none" not in words and any(word == "all" or word.startswith("~") for word in words)
    found = environment(variables) if inherits else {}
    for word in words:
        name, equals, value = word.partition("=")
        if word in ("all", "none"):
            continue
        if not name or (equals and name[0] not in _SHELL_NAME):
            raise ValueError(f"{word[:60]}: Bad environment: expected all, none, NAME, NAME=VALUE or ~NAME")
        if word.startswith("~"):
            found.pop(word[1:], None)
        elif equals:
            found[name] = value.strip("\"'") if value[:1] == value[-1:] and value[:1] in ("'", '"') else value
        elif name in variables:
            found[name] = variables[name]
    return environment(found)


def _split(text: str) -> list[str]:
    """The parts between commas, but for commas in quotes, and those of a value behind the last ``=``."""
    parts, part, quote = [], "", ""
    for letter in text:
        if letter == "," and not quote:
            parts.append(part)
            part = ""
            continue
        if letter in "'\"":
            quote = "" if quote == letter else quote or letter
        part += letter
    return [one.strip() for one in [*parts, part] if one.strip()]


def of_job(folder: str, requirement: str, project: str) -> dict[str, str]:
    """What every job of LSF finds, and what listings read there."""
    found = {
        "MOLOKINI_FLAVOUR": "lsf",
        HOST: os.uname().nodename,
        "LS_SUBCWD": folder,
        "LSB_EXIT_PRE_ABORT": "99",
    }
    if requirement:
        found[REQUIREMENT] = requirement
    if project:
        found["LSB_PROJECT_NAME"] = project
    return found
