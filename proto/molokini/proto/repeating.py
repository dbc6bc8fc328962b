"""Writes the module by which the batch commands, which load no protobuf, know what may be repeated.

``make proto`` calls it: ``python -m molokini.proto.repeating > clients/molokini/compat/repeating.py``.
"""

from molokini.proto.rules import SERVICES, rule_of
from molokini.proto.v1.options_pb2 import Rule

_HEAD = '''"""Which calls may be made again after a lost answer; ``make proto`` writes this file.

A call that is not listed may be. The others have the field of the request that decides, if there is one, and
whether the call may be repeated where that field is set. Streams are not here.
"""

RULES: dict[str, tuple[str, bool]] = {'''


def written() -> str:
    """The text of the module."""
    lines = [_HEAD]
    for name, service in SERVICES.items():
        for method in service.methods:
            rule = rule_of(method)
            if rule.repeat != Rule.ALWAYS and not (method.client_streaming or method.server_streaming):
                lines.append(f'    "{name}/{method.name}": ("{rule.field}", {rule.repeat == Rule.IF}),')
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    print(written(), end="")
