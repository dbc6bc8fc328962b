"""The steps of gang scheduling on a matrix of plain sets: slow, and free of bits and counts.

Independent of all of the product: it imports nothing of it, neither the matrix nor its steps.
"""

from dataclasses import dataclass, field


@dataclass
class Standing:
    """Where one job stands; jobs are kept in the order of their starts."""

    width: int
    home: int
    rows: set[int]
    columns: set[int]
    stall_s: float = 0.0


@dataclass
class PlainMatrix:
    """Jobs in rows and columns, and how many tasks may still migrate."""

    rows: int
    columns: int
    jobs: list[Standing]
    allowance: int = 0
    cost_s: float = 0.0
    spent: list[float] = field(default_factory=list)
    """Processor-seconds of each migration, by equations 4 and 5."""
    moved: bool = False
    """Whether tasks that change columns count alone, and jobs keep the others."""
    away: set[int] = field(default_factory=set)
    """Columns that no job gets; one that has some of them keeps them, and copies in them."""

    def used(self, r: int) -> set[int]:
        """Columns that are occupied in row *r*."""
        return {column for job in self.jobs if r in job.rows for column in job.columns}

    def free(self, r: int) -> list[int]:
        """The others, in their order, but for those that no job gets."""
        return sorted(set(range(self.columns)) - self.used(r) - self.away)

    def clean(self) -> None:
        """Copies go."""
        for job in self.jobs:
            job.rows = {job.home}

    def compact(self, migrating: bool = False) -> None:
        """Jobs of emptier rows go to fuller ones; *migrating*: also where others stand on their columns."""
        order = sorted(range(self.rows), key=lambda r: (-len(self.free(r)), r))
        for a, source in enumerate(order):
            for target in reversed(order[a + 1 :]):
                if not self.free(target):
                    continue
                for job in self.jobs:
                    if job.home != source or (migrating and len(self.free(target)) < job.width):
                        continue
                    if not job.columns & self.used(target):
                        job.home, job.rows = target, {target}
                    elif migrating:
                        self._migrate(job, target)

    def fill(self, migrating: bool = False) -> None:
        """A copy a round; *migrating*: jobs that stand in one row alone give way."""
        changed = True
        while changed:
            changed = False
            for job in self.jobs:
                changed = any(self._copied(job, r, migrating) for r in range(self.rows)) or changed

    def _copied(self, job: Standing, r: int, migrating: bool) -> bool:
        if r in job.rows or (migrating and len(self.free(r)) < job.width):
            return False
        there = self._in_the_way(job, r)
        if there:
            tasks = self._counted(job, there, r, sum(one.width for one in there))
            alone = all(one.rows == {r} for one in there)
            if not (migrating and tasks <= self.allowance and alone and self._have_room(job, there, r)):
                return False
            self._let_others_go(job, there, r)
        else:
            job.rows.add(r)
        return True

    def _migrate(self, job: Standing, target: int) -> None:
        there = self._in_the_way(job, target)
        tasks = sum(one.width for one in there)
        if tasks < job.width:
            counted = self._counted(job, there, target, tasks)
            if counted <= self.allowance and self._have_room(job, there, target):
                job.rows = set()
                self._let_others_go(job, there, target)
                job.home = target
        elif (counted := self._counted(job, there, target, job.width)) <= self.allowance:
            self.allowance -= counted
            kept = job.columns - self.used(target) if self.moved else set()
            job.columns = kept | self._lowest(target, job.width - len(kept), kept)
            job.home, job.rows = target, {target}
            self._lose([job], self.cost_s)
            self._lose(there, self.cost_s / 2)
            self.spent.append(self.cost_s * job.width + self.cost_s / 2 * tasks)

    def _let_others_go(self, job: Standing, there: list[Standing], r: int) -> None:
        tasks = sum(one.width for one in there)
        self.allowance -= self._counted(job, there, r, tasks)
        for one in there:
            one.rows = {r} if self.moved else set()
            one.columns = one.columns - job.columns if self.moved else one.columns
        job.rows.add(r)
        for one in there:
            kept = one.columns if self.moved else set()
            one.columns = kept | self._lowest(r, one.width - len(kept), kept)
            one.rows = {r}
        self._lose([job], self.cost_s / 2)
        self._lose(there, self.cost_s)
        self.spent.append(self.cost_s / 2 * job.width + self.cost_s * tasks)

    def _have_room(self, job: Standing, there: list[Standing], r: int) -> bool:
        """Whether *there* find other columns in row *r* once *job* has its own."""
        freed = {column for one in there for column in one.columns} - self.away
        left = (set(self.free(r)) | freed) - job.columns
        return len(left) >= sum(one.width for one in there)

    def _counted(self, job: Standing, there: list[Standing], r: int, tasks: int) -> int:
        """How many tasks count as migrated: those on columns that both want, whoever goes, or *tasks*."""
        return sum(len(one.columns & job.columns) for one in there) if self.moved else tasks

    def _lowest(self, r: int, count: int, but: set[int]) -> set[int]:
        return set([column for column in self.free(r) if column not in but][:count])

    def _in_the_way(self, job: Standing, r: int) -> list[Standing]:
        return [one for one in self.jobs if r in one.rows and one.columns & job.columns]

    def _lose(self, jobs: list[Standing], cost_s: float) -> None:
        for job in jobs:
            job.stall_s += cost_s
