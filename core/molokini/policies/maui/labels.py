"""What limits are called in messages (reference, section 6): MaxProcPerUser and its kind."""

from molokini.policies.maui.slots import KINDS

_KINDS = ("Job", "Proc", "Node", "PE", "ProcSecond", "Wallclock", "Mem")
_TYPES = ("User", "Group", "Account", "Class", "QOS")


def limit_label(number: int) -> str:
    """The name of a limit as ``throttling.over_limit`` numbers it."""
    column, kind = divmod(number, KINDS)
    whose = f"Per{_TYPES[column]}" if column < len(_TYPES) else "OfPair"
    return f"Max{_KINDS[kind]}{whose}"
