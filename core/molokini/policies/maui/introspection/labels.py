"""Names in messages and reports, such as MaxProcPerUser for a limit (reference, section 6)."""

from molokini.policies.maui.configuration.slots import KINDS

_KINDS = ("Job", "Proc", "Node", "PE", "ProcSecond", "Wallclock", "Mem")
_TYPES = ("User", "Group", "Account", "Class", "QOS")


def limit_label(number: int) -> str:
    """The name of a limit as ``throttling.over_limit`` numbers it."""
    column, kind = divmod(number, KINDS)
    whose = f"Per{_TYPES[column]}" if column < len(_TYPES) else "OfPair"
    return f"Max{_KINDS[kind]}{whose}"


def ceiling_label(number: int) -> str:
    """The name of a ceiling as ``throttling.over_ceiling`` numbers it."""
    if number < len(_CEILINGS):
        return _CEILINGS[number]
    which, kind = divmod(number - len(_CEILINGS), len(_TYPES))
    return f"{_OWN_CEILINGS[which]} of its {_TYPES[kind] if _TYPES[kind] == 'QOS' else _TYPES[kind].lower()}"


_CEILINGS = (
    "",
    "SYSTEMMAXPROCPERJOB",
    "SYSTEMMAXPROCSECONDPERJOB",
    "SYSTEMMAXJOBWALLTIME",
    "OMAXJPROC of its QOS",
    "OMAXJNODE of its QOS",
)
_OWN_CEILINGS = ("MAXPROCPERJOB", "MAXNODEPERJOB", "MAX.WCLIMIT", "MIN.PROC")
