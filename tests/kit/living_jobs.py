"""Steps of a living world that are about jobs."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from molokini.model.errors import MolokiniError
from molokini.model.facts import NO_INDEX
from molokini.model.job_specs import JobSpec
from molokini.model.resources import Resource
from molokini.server.turn.changing import Alter, Cancel, Hold, Release, Requeue
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from tests.kit import living_choices as choices
from tests.kit.living_choices import one_of, where
from tests.kit.living_story import NEEDS_NO_NODES, LivingStory, read
from tests.kit.workloads import Job
from tests.kit.worlds import GIB, USERS

widths = st.integers(1, 14)
estimates = st.integers(1, 12)
runs = st.one_of(st.integers(0, 12), st.just(14))
users = st.sampled_from(USERS)
moments = st.sampled_from([0, 0, 0, 1, 1, 2, 4])
"""Seconds that pass after a step."""
begins = st.sampled_from([0, 0, 0, 0, 1, 3, 6])


class JobSteps(LivingStory):
    """What users and operators do to jobs."""

    # Submitting.

    def _submit(self, job: Job, count: int, begin_s: int, **spec: Any) -> None:
        """*count* elements, or a single job for 0; in the queue elements stand behind one another."""
        plain, numbers = self.plain, list(range(1, count + 1)) if count else [NO_INDEX]
        at = plain.now + begin_s if begin_s else 0
        if at:
            spec["begin_at_s"] = float(at)
        if count:
            spec["array"] = {"first": 1, "last": count, "running_limit": 0}
        given = {"run_s": float(job.run), "estimate_s": float(job.estimated), **spec}
        number = self._run(self.story.submit(user=str(job.user), **given))
        request = self.story.job(number).request
        for index in numbers:
            made = replace(job, width=request.processors, number=100 * number + max(0, index))
            plain.submit(made, None if request.counted else request, (number, index))
        if at:
            plain.put_off(number, at)

    @rule(width=widths, run_s=runs, estimate_s=estimates, user=users, begin_s=begins, then_s=moments)
    def submit(
        self, width: int, run_s: int, estimate_s: int, user: int, begin_s: int = 0, then_s: int = 0
    ) -> None:
        """A job that asks for processors; wider than the machine it is narrowed to all of it."""
        with self._step("submit", then_s):
            width = min(width, self.plain.world.processors)
            job = Job(self.plain.now, run_s, width, estimate_s, 0, user)
            self._submit(job, 0, begin_s, processors=width)

    @rule(
        count=st.integers(2, 4),
        width=st.integers(1, 4),
        run_s=runs,
        estimate_s=estimates,
        user=users,
        begin_s=begins,
        then_s=moments,
    )
    def submit_array(
        self, count: int, width: int, run_s: int, estimate_s: int, user: int, begin_s: int, then_s: int
    ) -> None:
        """An array."""
        with self._step("submit array", then_s):
            job = Job(self.plain.now, run_s, width, estimate_s, 0, user)
            self._submit(job, count, begin_s, processors=width)

    @precondition(lambda story: story.begun and story.policy not in NEEDS_NO_NODES)
    @rule(
        count=st.integers(1, 4),
        each=st.integers(1, 4),
        memory=st.sampled_from([0, 0, 1, 2, 3]),
        run_s=runs,
        estimate_s=estimates,
        user=users,
        then_s=moments,
    )
    def submit_for_nodes(
        self, count: int, each: int, memory: int, run_s: int, estimate_s: int, user: int, then_s: int
    ) -> None:
        """A job that asks for nodes, each with so many processors of so many GiB."""
        with self._step("submit for nodes", then_s):
            spec: dict[str, Any] = {"nodes": count, "processors_per_node": each}
            if memory:
                spec["memory_kb"] = int(GIB * memory)
            job = Job(self.plain.now, run_s, count * each, estimate_s, 0, user)
            try:
                self._submit(job, 0, 0, **spec)
            except MolokiniError:
                assert not self._fits_when_empty(count, each, memory), "a job is refused that would fit"

    def _fits_when_empty(self, count: int, each: int, memory: int) -> bool:
        """Whether so many nodes are large enough; else the job is refused."""
        enough = [
            node.capacity[Resource.PROCESSORS] >= each
            and node.capacity[Resource.MEMORY_KB] >= GIB * memory * each
            for node in self.plain.world.nodes
        ]
        return sum(enough) >= count

    # To jobs.

    @where(choices.waiting)
    @rule(job=one_of(choices.waiting), then_s=moments)
    def hold(self, job: str, then_s: int) -> None:
        with self._step("hold", then_s):
            number, index = read(job)
            self._do(Hold(number, "ann", "user", "", index))
            self.plain.hold(self.plain.called((number, index)))

    @where(choices.kept)
    @rule(job=one_of(choices.kept), then_s=moments)
    def release(self, job: str, then_s: int) -> None:
        with self._step("release", then_s):
            number, index = read(job)
            self._do(Release(number, "ann", ["user"], index))
            self.plain.release(self.plain.called((number, index)))

    @where(choices.free_arrays)
    @rule(array=one_of(choices.free_arrays), then_s=moments)
    def hold_array(self, array: int, then_s: int) -> None:
        with self._step("hold array", then_s):
            self._do(Hold(array, "ann", "user", "", NO_INDEX))
            self.plain.hold_all(array)

    @where(choices.held_arrays)
    @rule(array=one_of(choices.held_arrays), then_s=moments)
    def release_array(self, array: int, then_s: int) -> None:
        with self._step("release array", then_s):
            self._do(Release(array, "ann", ["user"]))
            self.plain.release_all(array)

    @where(choices.cancellable)
    @rule(job=one_of(choices.cancellable), then_s=moments)
    def cancel(self, job: str, then_s: int = 0) -> None:
        with self._step("cancel", then_s):
            number, index = read(job)
            self._do(Cancel(number, index, "ann"))
            self.plain.cancel(self.plain.called((number, index)))

    @where(choices.cancellable_arrays)
    @rule(array=one_of(choices.cancellable_arrays), then_s=moments)
    def cancel_array(self, array: int, then_s: int) -> None:
        with self._step("cancel array", then_s):
            self._do(Cancel(array, NO_INDEX, "ann"))
            self.plain.cancel_all(array)

    @where(choices.alterable)
    @rule(job=one_of(choices.alterable), left_s=estimates, then_s=moments)
    def alter(self, job: str, left_s: int, then_s: int) -> None:
        """It has *left_s* seconds left by its new estimate."""
        with self._step("alter", then_s):
            name = read(job)
            one = self.plain.called(name)
            estimate = one.done(self.plain.now) + left_s
            changes: JobSpec = {"estimate_s": float(estimate)}
            self._do(Alter(name[0], "root", changes, self.story.limits, operator=True))
            self.plain.alter(one, estimate)

    @where(choices.counted)
    @rule(job=one_of(choices.counted), width=widths, then_s=moments)
    def widen(self, job: str, width: int, then_s: int) -> None:
        """It asks for *width* processors; wider than the machine it is narrowed to all of it."""
        with self._step("widen", then_s):
            width, name = min(width, self.plain.world.processors), read(job)
            changes: JobSpec = {"resources": {"processors": width}}
            self._do(Alter(name[0], "root", changes, self.story.limits, operator=True))
            self.plain.widen(self.plain.called(name), width)

    @where(choices.put_off_able)
    @rule(number=one_of(choices.put_off_able), by_s=st.integers(-1, 6), then_s=moments)
    def put_off(self, number: int, by_s: int, then_s: int) -> None:
        """A job or an array may not begin for *by_s* seconds from now."""
        with self._step("put off", then_s):
            at = max(0, self.plain.now + by_s)
            self._do(Alter(number, "root", {"begin_at_s": float(at)}, self.story.limits, operator=True))
            self.plain.put_off(number, at)

    @where(choices.suspendable)
    @rule(job=one_of(choices.suspendable), then_s=moments)
    def suspend(self, job: str, then_s: int) -> None:
        with self._step("suspend", then_s):
            self._do(SuspendJob(*read(job), "root"))
            self.plain.suspend(self.plain.called(read(job)))

    @where(choices.suspended)
    @rule(job=one_of(choices.suspended), then_s=moments)
    def resume(self, job: str, then_s: int) -> None:
        """Only room counts; without it the server refuses."""
        with self._step("resume", then_s):
            refused = self._refused(ResumeJob(*read(job), "root"))
            assert refused != self.plain.resume(self.plain.called(read(job)))

    @where(choices.running)
    @rule(job=one_of(choices.running), then_s=moments)
    def requeue(self, job: str, then_s: int) -> None:
        with self._step("requeue", then_s):
            self._do(Requeue(*read(job), "root"))
            self.plain.requeue(self.plain.called(read(job)))
