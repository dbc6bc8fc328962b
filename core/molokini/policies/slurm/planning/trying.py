"""Start a job now, on nodes that were chosen, and count it."""

from molokini.availability.hosts import mask_nodes, unmask
from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import start
from molokini.model.resources import Resource
from molokini.policies.slurm.counting.counting import count_job
from molokini.policies.slurm.counting.licenses import change_licenses
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.limits.associations import over_after
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.cores import cpus_of_cores, start_on_cores
from molokini.policies.slurm.nodes.demand import is_single, mark_alone, wants_alone
from molokini.policies.slurm.planning.claims import HIDE, SHOW, change_claimed, has_claims
from molokini.tables.tables import View

STARTED, NO_ROOM = 0, -1


@kernel
def try_now(view: View, row: int, part: int, now: float) -> int:
    """Start a job on nodes of ``node_plans.usable``: STARTED, NO_ROOM, or the limit that it is over."""
    if view.jobs.width[row] > view.machine.idle:
        return NO_ROOM
    if view.nodes.count == 0 or not is_single(view, row):
        return _without_choice(view, row, part, now)
    if view.hosts.count > 0:
        mask_nodes(view, row)
    count = choose_now(view, row, part)
    if view.hosts.count > 0:
        unmask(view)
    if count < 0:
        return NO_ROOM
    cpus = note_tested(view, row, part, count)
    over = over_after(view, row, part, cpus, count)
    if over > 0:
        return over
    if not start_on_cores(view, row, part, count):
        return NO_ROOM
    note_start(view, row, part, now)
    if wants_alone(view, row, part):
        mark_alone(view, row, 1)
    return STARTED


@kernel
def choose_now(view: View, row: int, part: int) -> int:
    """The choice among usable nodes as they are now, without what suspended jobs keep from the job."""
    claims = has_claims(view)
    if claims:
        change_claimed(view, row, part, HIDE)
    count = choose(
        view, view.nodes.free, view.site.node_plans.alone_now, view.site.node_plans.usable, row, part
    )
    if claims:
        change_claimed(view, row, part, SHOW)
    return count


@kernel
def _without_choice(view: View, row: int, part: int, now: float) -> int:
    """Processors are counted, or the job is of several components, which the common placement places."""
    over = over_after(view, row, part, int(view.jobs.width[row]), 0)
    if over > 0:
        return over
    if not (_start_beside_claims(view, row, part) if has_claims(view) else start(view, row)):
        return NO_ROOM
    note_start(view, row, part, now)
    return STARTED


@kernel
def _start_beside_claims(view: View, row: int, part: int) -> bool:
    """Start a job where the common placement finds room beside what suspended jobs keep from it."""
    seldom()
    change_claimed(view, row, part, HIDE)
    for node in range(view.nodes.count):
        view.nodes.scratch[node, Resource.PROCESSORS] = max(0.0, view.nodes.free[node, Resource.PROCESSORS])
    change_claimed(view, row, part, SHOW)
    for node in range(view.nodes.count):
        left = view.nodes.scratch[node, Resource.PROCESSORS]
        view.nodes.scratch[node, Resource.PROCESSORS] = view.nodes.free[node, Resource.PROCESSORS] - left
        view.nodes.free[node, Resource.PROCESSORS] = left
    started = start(view, row)
    for node in range(view.nodes.count):
        view.nodes.free[node, Resource.PROCESSORS] += view.nodes.scratch[node, Resource.PROCESSORS]
    view.cycle.room_epoch += 1
    view.cycle.start_epoch += 1
    return started


@kernel
def note_tested(view: View, row: int, part: int, count: int) -> int:
    """Remember how many CPUs the placement of *count* nodes has: of whole nodes, or of whole cores."""
    cpus = float(view.jobs.width[row])
    if wants_alone(view, row, part):
        cpus = 0.0
        for k in range(count):
            cpus += view.nodes.total[view.placing.node[k], 0]
    elif mine(view).in_cores:
        cpus = cpus_of_cores(view, count)
    mine(view).tested[row] = int(cpus)
    return int(cpus)


@kernel
def note_start(view: View, row: int, part: int, now: float) -> None:
    """Count a job that this pass starts in *part*."""
    mine(view).place[row] = part + 1
    mine(view).begin_s[row] = mine(view).expected_s[row] = 0.0
    mine(view).listed[row] = 0
    mine(view).reason[row] = 0
    mine(view).started += 1
    mine(view).changed = 1
    count_job(view, row, part, now)
    change_licenses(view, row, 1.0)
