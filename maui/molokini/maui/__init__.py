"""Maui's configuration: the grammar of ``maui.cfg``, our own TOML, and one typed model of both."""

from molokini.maui.changing import Running, changed
from molokini.maui.findings import Finding, Report, Status
from molokini.maui.model import MauiConfig
from molokini.maui.reading import check, check_text, read_config
from molokini.maui.toml import write_toml
from molokini.maui.writing import write_config

__all__ = [
    "Finding",
    "MauiConfig",
    "Report",
    "Running",
    "Status",
    "changed",
    "check",
    "check_text",
    "read_config",
    "write_config",
    "write_toml",
]
