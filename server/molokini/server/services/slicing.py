"""Which jobs are sliced, as ordered and as achieved."""

from molokini.model.facts import NO_INDEX
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.server import Core
from molokini.server.state.jobs import Element
from molokini.server.translate import slicing_to_wire


def sliced_jobs(core: Core) -> wire.ListSlicesResponse:
    """Those that are, and those that were of which agents have told."""
    sliced, achieved = core.state.sliced, core.hub.achieved
    made = wire.ListSlicesResponse()
    for place in sorted({*sliced, *achieved.places()}):
        number, index = place
        attempt, figures = achieved.of(place)
        job = core.state.jobs.get(number)
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


def fill_pace(core: Core, made: jobs_pb2.Job, element: Element) -> None:
    """Add to *made* how the attempt of *element* goes: by its own account, and in slices."""
    place = (element.job.id, element.index)
    for agent, rate in core.hub.rates.of_attempt(place, element.attempt).items():
        made.rates[agent].CopyFrom(rate)
    if place in core.state.sliced:
        made.slicing.CopyFrom(slicing_to_wire(core.state.sliced[place]))
    for agent, figures in core.hub.achieved.of_attempt(place, element.attempt).items():
        made.achieved[agent].CopyFrom(figures)
