"""The program on any node but the first: it begins its tasks, and the launcher on the first node leads them.

Each task has a connection of its own with that launcher; what is left here is to see that all end.
"""

import os
import signal

from exchange.launching import Child, Failed, ending, start
from exchange.meeting import NoMeeting, greet
from exchange.nodes import found
from exchange.options import Options


def join(options: Options) -> None:
    """Run the tasks of this node to their end. Raises Failed, Ended."""
    place = options.place
    with ending() as children:
        try:
            host, port, token = found(place.file, options.deadline_s)
            for task in place.own(options.tasks):
                control = greet((host, port), task, token, options.deadline_s)
                start(
                    task, options, token, Child(task, 0, control, control.getsockname()[0]), control, children
                )
        except NoMeeting as error:
            raise Failed(str(error)) from None
        except OSError as error:
            raise Failed(f"the first node cannot be reached: {error.strerror}") from None
        waiting = {child.pid: child for child in children}
        while waiting:
            pid, status = os.wait()
            child = waiting.pop(pid, None)
            if child is None:
                continue
            child.pid = 0
            if status:
                code = os.waitstatus_to_exitcode(status)
                how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
                raise Failed(f"task {child.task} on node {place.name} ended with {how}")
