"""Which jobs are sliced, as ordered and as achieved."""

from molokini.model.facts import NO_INDEX
from molokini.model.slicing import Slicing
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.server import Server
from molokini.server.state.jobs import Element
from molokini.server.state.slices import slicing_of
from molokini.server.state.state import State
from molokini.server.translate import slicing_to_wire


def sliced_jobs(server: Server) -> wire.ListSlicesResponse:
    """Those that are, and those that were of which agents have told."""
    achieved = server.hub.achieved
    sliced = _slicings(server.state)
    made = wire.ListSlicesResponse()
    for place in sorted({*sliced, *achieved.places()}):
        number, index = place
        attempt, figures = achieved.of(place)
        job = server.state.jobs.get(number)
        element = job.element_of(index) if job is not None else None
        if place in sliced and element is not None and attempt != element.attempt:
            # What is known is of an attempt before.
            attempt, figures = element.attempt, {}
        line = made.jobs.add(job=jobs_pb2.JobRef(id=number), attempt=attempt)
        if index != NO_INDEX:
            line.job.array_index = index
        if place in sliced:
            line.slicing.CopyFrom(slicing_to_wire(sliced[place]))
        for agent, one in figures.items():
            line.achieved[agent].CopyFrom(one)
    return made


def _slicings(state: State) -> dict[tuple[int, int], Slicing]:
    """Of all jobs that are sliced, by job and index: by command, or by their rows."""
    found = dict(state.sliced)
    if state.tables.matrix.held:
        for element in state.by_row.values():
            if (slicing := slicing_of(state, element)) is not None:
                found[element.job.id, element.index] = slicing
    return found


def fill_pace(server: Server, made: jobs_pb2.Job, element: Element) -> None:
    """Add to *made* how the attempt of *element* goes: by its own account, and in slices."""
    place = (element.job.id, element.index)
    slicing = slicing_of(server.state, element)
    for agent, rate in server.hub.rates.of_attempt(place, element.attempt).items():
        made.rates[agent].CopyFrom(rate)
    if slicing is not None:
        made.slicing.CopyFrom(slicing_to_wire(slicing))
    for agent, figures in server.hub.achieved.of_attempt(place, element.attempt).items():
        made.achieved[agent].CopyFrom(figures)
