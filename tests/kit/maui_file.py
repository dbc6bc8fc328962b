"""Texts of configurations: one in which all six components count, and what is refused in a wrong one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from molokini.client.client import Client
from molokini.maui import check_text
from molokini.maui.findings import Finding
from molokini.server.security.roles import Role
from tests.kit.serving import Served, served

EVERYTHING = """
RMPOLLINTERVAL 1:00:00
QUEUETIMEWEIGHT 1
XFACTORWEIGHT 10
XFMINWCLIMIT 10:00
TARGETQUEUETIMEWEIGHT 1
CREDWEIGHT 1
USERWEIGHT 1
QOSWEIGHT 1
PROCWEIGHT 2
BYPASSWEIGHT 1
FSPOLICY DEDICATEDPS
FSINTERVAL 12:00:00
FSDEPTH 14
FSDECAY 0.8
FSWEIGHT 10
FSUSERWEIGHT 2
BACKFILLPOLICY FIRSTFIT
RESERVATIONDEPTH 2
USERCFG[DEFAULT] FSTARGET=10 MAXPROC=24,64 MAXIJOB=10
USERCFG[ann] PRIORITY=100 QDEF=low QLIST=high,low
USERCFG[nobody] PRIORITY=7
GROUPCFG[physics] QLIST=high
CLASSCFG[default] PRIORITY=10
QOSCFG[high] PRIORITY=500 QTTARGET=2:00:00
QOSCFG[low] PRIORITY=-50
QOSCFG[secret] PRIORITY=1000
CLIENTCFG[peer] CSKEY=hush-hush
"""


def maui_file(folder: Path, *more: str, name: str = "maui.cfg") -> Path:
    """Such a file, with lines more."""
    path = folder / name
    path.write_text(EVERYTHING + "".join(f"{line}\n" for line in more), encoding="utf-8")
    return path


def refused(text: str, name: str = "maui.cfg", nodes: frozenset[str] | None = None) -> Finding:
    """The only thing that is refused in *text*."""
    report = check_text(text, name, nodes)
    assert report.config is None
    (one,) = report.refused
    return one


@asynccontextmanager
async def under_maui(
    folder: Path, *lines: str, text: str = "", **overrides: Any
) -> AsyncIterator[tuple[Served, Client]]:
    """A server under Maui with these *lines* (or this *text* alone), and its administrator."""
    path = maui_file(folder, *lines)
    if text:
        path.write_text(text)
    async with (
        served(folder, "maui", policy__maui_config=str(path), **overrides) as one,
        one.client("root", Role.ADMINISTRATOR) as root,
    ):
        yield one, root
