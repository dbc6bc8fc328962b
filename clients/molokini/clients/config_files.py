"""``molokini config check``: whose configuration a file is, by what stands in it."""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from molokini.clients.arguments.configs import CheckConfigArguments
from molokini.clients.output import check_outputs
from molokini.model.errors import BadFile, BadInput

_SLURM = re.compile(
    r"^\s*(ClusterName|SlurmctldHost|ControlMachine|NodeName|PartitionName|Slurm[A-Za-z]+|Sched[A-Za-z]+|"
    r"Priority[A-Za-z]+|SelectType[A-Za-z]*|AccountingStorage[A-Za-z]+)\s*=|^\s*include\s+[^\s=]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a slurm.conf, which no maui.cfg has: that parts words by blanks."""
_LOOKED_AT_BYTES = 1 << 20
_PACKS = (".tar.gz", ".tgz", ".tar")
"""How names of packs end: what is in them says nothing before they are opened."""


def is_slurm_conf(file: str) -> bool:
    """Whether *file* holds a slurm.conf, or one of its parts."""
    if file.lower().endswith(".toml"):
        return False
    try:
        with Path(file).open("rb") as opened:
            text = opened.read(_LOOKED_AT_BYTES).decode("utf-8", "replace")
    except OSError:
        return False
    return _SLURM.search(text) is not None or Path(file).name == "slurm.conf"


def check(arguments: CheckConfigArguments) -> None:
    """Write and print what becomes of each parameter. Raises BadFile where anything is refused."""
    packed = arguments.file.lower().endswith(_PACKS) and Path(arguments.file).exists()
    slurm = packed or is_slurm_conf(arguments.file)
    for option, given, whose in (
        ("--slurm-accounts", bool(arguments.slurm_accounts), "a slurm.conf"),
        ("--nodes", arguments.nodes is not None, "a maui.cfg"),
    ):
        if given and slurm is (option == "--nodes"):
            raise BadInput(f"{option} is of {whose}, and {arguments.file} is none; leave it out")
    if packed:
        _check_pack(arguments)
        return
    name = "molokini.clients.slurm.config" if slurm else "molokini.clients.maui.config"
    import_module(name).check(arguments)


def _check_pack(arguments: CheckConfigArguments) -> None:
    """Check the slurm.conf in a pack, with the accounts of the pack where no others are given."""
    # What opens packs takes a while to import.
    from molokini.experiments.packs import in_pack, pack_of, shown

    path = arguments.file
    check_outputs({"--json": arguments.json}, [path])
    with in_pack(path):
        pack = pack_of(path)
        configuration = pack.file("configuration")
        if configuration is None:
            raise BadFile(path, "holds no slurm.conf")
        inside = replace(
            arguments, file=configuration, slurm_accounts=arguments.slurm_accounts or pack.beside
        )
        import_module("molokini.clients.slurm.config").check(inside, lambda name: shown(name, path))
