"""The log of an agent: lines like those of the server, with instants in UTC, so that both go together."""

import logging
import time


class AgentFormatter(logging.Formatter):
    """``2026-11-27T15:01:34.601Z warning agents.grpc_link: text``."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(level)s %(short)s: %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """When, in UTC."""
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback where there is one."""
        record.level, record.short = record.levelname.lower(), record.name.removeprefix("molokini.")
        return super().format(record)


def log_warnings() -> None:
    """Write warnings, and what is worse, on standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(AgentFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
