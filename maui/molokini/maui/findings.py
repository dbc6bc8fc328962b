"""What is found in a ``maui.cfg``, and the configuration where nothing is refused."""

from dataclasses import dataclass

from molokini.maui.model import MauiConfig
from molokini.model.errors import BadFile
from molokini.model.findings import Finding, Status, as_data, counted

__all__ = ["Finding", "Report", "Status", "as_data", "counted"]


@dataclass(frozen=True)
class Report:
    """All findings in the order of the files, and the configuration where nothing was refused."""

    file: str
    findings: tuple[Finding, ...]
    config: MauiConfig | None

    @property
    def refused(self) -> tuple[Finding, ...]:
        """The findings because of which there is no configuration."""
        return tuple(one for one in self.findings if one.status is Status.REFUSED)

    def checked(self) -> MauiConfig:
        """The configuration. Raises BadFile with the first of what is wrong, and how much more is."""
        if self.config is None:
            first, *more = self.refused
            others = f" (and {len(more):,} more; 'molokini config check' lists them)" if more else ""
            raise BadFile(first.file, first.text + others, first.line)
        return self.config
