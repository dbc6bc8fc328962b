"""The methods that the gateway serves: each under gRPC's own path, with what decodes its requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from molokini.server.security.strings import check_strings
from molokini.server.web.reading import from_document, parsed


@dataclass(frozen=True)
class Method:
    """One method of one servicer."""

    path: str
    descriptor: MethodDescriptor
    call: Callable[[Any, Any], Any]
    checked: bool
    """Whether the texts of requests are checked before the servicer sees them."""

    kind: type[Message]
    """Of its requests."""

    def request(self, body: bytes) -> Message:
        """The request that *body* says, the empty one without; BadInput for one that is none."""
        message = from_document(self.kind, parsed(body) if body.strip() else {})
        if self.checked:
            check_strings(message)
        return message


def methods_of(servicers: Mapping[Any, object]) -> dict[str, Method]:
    """All methods of *servicers* (by the descriptor of each service), by their paths."""
    found = {}
    for service, servicer in servicers.items():
        for one in service.methods:
            call = getattr(servicer, one.name)
            # A long answer may come without its messages.
            said = getattr(servicer, f"{one.name}_lines", call)
            path = f"/{service.full_name}/{one.name}"
            checked = not getattr(call, "checks_strings", False)
            found[path] = Method(path, one, said, checked, GetMessageClass(one.input_type))
    return found
