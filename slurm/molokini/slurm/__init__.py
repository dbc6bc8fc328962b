"""Slurm's configuration: the grammars of ``slurm.conf`` and ``sacctmgr``, and one typed model of both."""

from molokini.slurm.conf_reading import Report, check, check_text, read_config
from molokini.slurm.model import SlurmConfig

__all__ = ["Report", "SlurmConfig", "check", "check_text", "read_config"]
