"""What the command line of a submission (SubmitLine of sacct) says, and no other column does."""

import re

from molokini.model.credentials import queues_in

_NODES = re.compile(r"(?:^|\s)(?:-N|--nodes)[= ]?([0-9]{1,6})(?:-([0-9]{1,6}))?(?=\s|$)")
_EXCLUSIVE = re.compile(r"(?:^|\s)--exclusive(?=\s|$)")
_LIMIT = re.compile(r"(?:^|\s)(?:-t\s?|--time[= ])([0-9:-]{1,20})(?=\s|$)")
_LEAST_LIMIT = re.compile(r"(?:^|\s)--time-min[= ]([0-9:-]{1,20})(?=\s|$)")
_PARTITIONS = re.compile(r"(?:^|\s)(?:-p\s?|--partition[= ])([A-Za-z0-9_.,-]{1,400})(?=\s|$)")
_FEATURES = re.compile(r"""(?:^|\s)(?:-C\s?|--constraint[= ])(["']?)([^\s"']{1,1000})\1(?=\s|$)""")
_TIME = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,6}))?(?::([0-9]{1,6}))?")
_MINUTE_S, _HOUR_S, _DAY_S = 60.0, 3600.0, 86_400.0


def asked_nodes(line: str) -> tuple[int, bool]:
    """The most nodes that the command line asked for (0: it does not say), and whether for itself alone."""
    match = _NODES.search(line)
    most = int(match[2] or match[1]) if match is not None else 0
    return most, _EXCLUSIVE.search(line) is not None


def asked_features(line: str) -> str:
    """The features of nodes that the command line asked for, as an expression; empty: it does not say."""
    match = _FEATURES.search(line)
    return match[2] if match is not None else ""


def asked_queues(line: str, ran_in: str) -> str:
    """The partitions of the command line, as it names them; *ran_in*, which other columns have, where it
    names one alone, or others: a plugin of the site has chosen then.
    """
    match = _PARTITIONS.search(line)
    names = queues_in(match[1]) if match is not None else ()
    return ",".join(names) if len(names) > 1 and ran_in in names else ran_in


def asked_limits(line: str) -> tuple[float, float]:
    """The time limit of the command line, and the least that it asked for (``--time-min``), in whole minutes;
    0: it does not say.
    """
    return _limit_s(_LIMIT, line), _limit_s(_LEAST_LIMIT, line)


def _limit_s(option: re.Pattern[str], line: str) -> float:
    found = option.search(line)
    match = _TIME.fullmatch(found[1]) if found is not None else None
    if match is None:
        return 0.0
    days, *rest = (None if part is None else float(part) for part in match.groups())
    first, second, third = rest[0] or 0.0, rest[1] or 0.0, rest[2] or 0.0
    if days is not None:
        seconds = days * _DAY_S + first * _HOUR_S + second * _MINUTE_S + third
    elif rest[2] is None:
        seconds = first * _MINUTE_S + second
    else:
        seconds = first * _HOUR_S + second * _MINUTE_S + third
    return -(-seconds // _MINUTE_S) * _MINUTE_S
