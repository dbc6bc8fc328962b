"""Names that are no parameters: what was meant, where that can be told."""

from difflib import get_close_matches

from molokini.maui.parameters import OBJECT_TYPES, PARAMETERS

_NEAR = 0.72
"""So alike must a name be to be worth a guess: below this other parameters are nearer than the one meant."""


def unknown_parameter(name: str) -> str:
    """What to say of *name*, which no parameter has."""
    shown, folded = name[:80], name.upper()
    if folded == "INCLUDE":
        return f"no parameter named {shown!r}; did you mean '#INCLUDE', at the beginning of the line?"
    owners = [one.name for one in OBJECT_TYPES.values() if folded in one.attributes]
    if owners:
        listed = owners[0] if len(owners) == 1 else f"{', '.join(owners[:-1])} and {owners[-1]}"
        single = OBJECT_TYPES[owners[0]].single
        written = f"{owners[0]}{'' if single else '[NAME]'} {folded}=..."
        return f"{shown!r} is an attribute of {listed}, not a parameter: write {written}"
    return f"no parameter named {shown!r}; {_hint(folded, [*PARAMETERS, *OBJECT_TYPES])}"


def unknown_attribute(type_: str, name: str) -> str:
    """What to say of *name*, which no attribute of the object parameter *type_* has."""
    hint = _hint(name.upper(), list(OBJECT_TYPES[type_].attributes), type_)
    return f"no attribute of {type_} named {name[:80]!r}; {hint}"


def _hint(name: str, known: list[str], of: str = "") -> str:
    near = get_close_matches(name[:80], known, n=1, cutoff=_NEAR)
    listing = f"molokini config parameters {of}".rstrip()
    return f"did you mean {near[0]!r}?" if near else f"'{listing}' lists them"
