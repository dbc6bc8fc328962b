"""What a job asks for: from tasks, nodes, memory and GPUs to processors and what goes with them."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Sequence, Values
from molokini.compat.slurm import sizes
from molokini.compat.slurm.failing import BAD_OPTION
from molokini.compat.tool import Failed

_MOST = 2**31 - 1
_EXPRESSION = "|[]*()"
"""Signs of a constraint that says more than that every node has all features."""


def features_of(text: str) -> tuple[list[str], str]:
    """The features that every node has, or the expression where *text* says more than that."""
    # A last & or | with nothing behind it is forgiven.
    text = "".join(text.split()).removesuffix("&").removesuffix("|")
    if any(sign in text for sign in _EXPRESSION) or text[:1] in ("&", ","):
        return [], text
    return [one for one in text.replace(",", "&").split("&") if one], ""


class ResourceNumbers:
    """The numbers that the options in *given* say; Failed in *command*'s words for one that is none."""

    def __init__(self, command: str, given: Values) -> None:
        self._command, self._given = command, given
        self._check_exclusive()
        self.tasks = self._number("ntasks")
        self.cpus = self._number("cpus_per_task")
        self.per_node = self._number("ntasks_per_node")
        self.nodes = self._nodes()
        self.features, self.constraint = features_of(given.one("constraint"))
        if "((" in self.constraint:  # Slurm has one level of parentheses
            raise Failed(f"{command}: error: Batch job submission failed: Invalid feature specification")
        self.generic: dict[str, int] = {}
        """On each node."""
        self._gpus()
        self.licenses = self._licenses()
        if self.tasks and self.nodes and self.nodes > self.tasks and not given.flag("ntasks_per_node"):
            # As sbatch does: no node without a task.
            self.nodes = self.tasks

    def _check_exclusive(self) -> None:
        """Failed for options of which only one may be given."""
        if sum(self._given.flag(one) for one in ("mem", "mem_per_cpu", "mem_per_gpu")) > 1:
            why = "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."
            raise Failed(f"{self._command}: fatal: {why}")

    def _number(self, field: str, least: int = 1) -> int:
        """The value of the option, or 0 where it is not given."""
        text = self._given.one(field)
        if not self._given.flag(field):
            return 0
        digits = text[:-1] if text[-1:] in ("k", "K") and field in ("ntasks", "nodes") else text
        if not digits.isdigit() or not digits.isascii() or not least <= int(digits) <= _MOST:
            raise self._bad(field, text)
        return int(digits) * (1024 if digits != text else 1)

    def _bad(self, field: str, text: str) -> Failed:
        name = field.replace("_", "-")
        if field == "ntasks":
            return Failed(f'{self._command}: error: Invalid numeric value "{text}" for --ntasks.')
        if field == "nodes":
            return Failed(f'{self._command}: error: "{text}" is not a valid node count', BAD_OPTION)
        return Failed(f'{self._command}: error: Invalid numeric value "{text}" for --{name}.')

    def _nodes(self) -> int:
        if not self._given.flag("nodes"):
            return 0
        text = self._given.one("nodes")
        least, dash, most = text.partition("-")
        numbers = [least, most] if dash else [least]
        if not all(one.isdigit() and one.isascii() and 0 < int(one) <= _MOST for one in numbers):
            raise self._bad("nodes", text)
        if dash and int(most) < int(least):
            why = f"Maximum node count {most} is less than minimum node count {least}"
            raise Failed(f"{self._command}: error: {why}", BAD_OPTION)
        return int(least)

    # GPUs and other generic resources.

    def _gpus(self) -> None:
        for word in self._given.one("gres").split(","):
            if word.strip() and word.strip().lower() != "none":
                name, kind, count = self._generic(word.strip().removeprefix("gres/").removeprefix("gres:"))
                self._add(name, kind, count)
        if self._given.flag("gpus_per_node"):
            self._add("gpu", *self._counted("gpus_per_node"))
        if self._given.flag("gpus_per_task"):
            kind, count = self._counted("gpus_per_task")
            self._add("gpu", kind, count * self._tasks_of_node())
        if self._given.flag("gpus"):
            kind, count = self._counted("gpus")
            if not self._given.flag("gpus_per_node") and not self._given.flag("gpus_per_task"):
                self._add("gpu", kind, -(-count // (self.nodes or 1)))
        gpus = self.generic.get("gpu", 0)
        if gpus and (per := self._number("ntasks_per_gpu")) and not self.tasks:
            self.tasks = per * gpus * (self.nodes or 1)
        if gpus and (per := self._number("cpus_per_gpu")) and not self.cpus:
            self.cpus = max(1, -(-per * gpus // self._tasks_of_node()))

    def _tasks_of_node(self) -> int:
        if self.per_node:
            return self.per_node
        return -(-max(1, self.tasks) // (self.nodes or 1))

    def _add(self, name: str, kind: str, count: int) -> None:
        if count:
            self.generic[name] = self.generic.get(name, 0) + count
        if kind and kind not in self.features:
            self.features.append(kind)

    def _counted(self, field: str) -> tuple[str, int]:
        """``TYPE:2``, ``2`` or ``TYPE``: the type and the number."""
        text = self._given.one(field)
        kind, colon, digits = text.rpartition(":")
        if not digits.isdigit():
            kind, digits = (text, "1") if not colon and text and not text[0].isdigit() else ("", "x")
        if not digits.isdigit() or int(digits) > _MOST:
            raise self._bad(field, text)
        return kind, int(digits)

    def _generic(self, word: str) -> tuple[str, str, int]:
        """``gpu:a100:2``: name, type and number on each node."""
        parts = word.replace("=", ":").split(":")
        count = parts.pop() if len(parts) > 1 and parts[-1][:1].isdigit() else "1"
        units = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
        unit = units.get(count[-1:].upper(), 1)
        digits = count[:-1] if unit > 1 else count
        if not parts[0] or len(parts) > 2 or not digits.isdigit() or int(digits) * unit > _MOST:
            raise Failed(f"{self._command}: error: Invalid generic resource (gres) specification")
        return parts[0], parts[1] if len(parts) > 1 else "", int(digits) * unit

    def _licenses(self) -> dict[str, int]:
        """``a:2,b``: how many licences of each name, of the whole job."""
        found: dict[str, int] = {}
        for word in filter(None, self._given.one("licenses").split(",")):
            name, _, digits = word.strip().replace("=", ":").partition(":")
            if not name or "|" in name or not (digits or "1").isdigit() or not 0 < int(digits or 1) <= _MOST:
                raise Failed(
                    f"{self._command}: error: Batch job submission failed: Invalid license specification"
                )
            found[name] = found.get(name, 0) + int(digits or 1)
        return found

    # All together.

    def resources(self, run: Invocation, partitions: Sequence[str]) -> dict[str, Any]:
        """The Resources of the job's specification."""
        cpus, tasks = max(1, self.cpus), max(1, self.tasks)
        nodes, processors_per_node = self.nodes, 0
        if self.per_node:
            nodes = nodes or -(-tasks // self.per_node)
            processors_per_node = self.per_node * cpus
        elif nodes:
            processors_per_node = -(-tasks // nodes) * cpus
        elif self.generic or (tasks == 1 and cpus > 1):
            # What is asked of each node, and a task's own processors, are on one.
            nodes, processors_per_node = 1, tasks * cpus
        if counted := self._counted_nodes():
            nodes = nodes or min(counted, tasks)
            processors_per_node = processors_per_node or -(-tasks // nodes) * cpus
        if self._given.flag("exclusive"):
            least = processors_per_node
            nodes, processors_per_node = self._whole(run, partitions, nodes, tasks * cpus, least)
        made: dict[str, Any] = {"features": self.features, "generic": self.generic}
        if self.licenses:
            made["licenses"] = self.licenses
        if self.constraint:
            made["constraint"] = self.constraint
        if nodes:
            made |= {"nodes": nodes, "processors_per_node": processors_per_node}
        else:
            made["processors"] = tasks * cpus
        total = nodes * processors_per_node if nodes else tasks * cpus
        if total > _MOST:
            raise Failed(f"{self._command}: error: {total:,} processors: at most {_MOST:,} can be asked for")
        if kb := self._memory_kb(processors_per_node or tasks * cpus):
            made["memory_kb"] = kb
        return made

    def _counted_nodes(self) -> int:
        """So many nodes the constraint counts: of ``a*2&b*4`` 6."""
        if "*" not in self.constraint:
            return 0
        import re  # which few submissions need

        return sum(int(one) for one in re.findall(r"\*(\d{1,9})", self.constraint))

    def _memory_kb(self, processors: int) -> int:
        """Memory of each processor, where *processors* are on a node."""
        given = self._given
        if given.flag("mem_per_cpu"):
            return self._size("mem_per_cpu")
        if given.flag("mem_per_gpu"):
            return -(-self._size("mem_per_gpu") * max(1, self.generic.get("gpu", 0)) // processors)
        return -(-self._size("mem") // processors) if given.flag("mem") else 0

    def _size(self, field: str) -> int:
        try:
            found = sizes.kilobytes(self._given.one(field))
        except ValueError:
            found = -1
        if not 0 <= found <= 2**50:
            text = f"{self._command}: error: Invalid --{field.replace('_', '-')} specification"
            raise Failed(text, BAD_OPTION)
        return found

    def _whole(
        self, run: Invocation, partitions: Sequence[str], nodes: int, processors: int, least: int
    ) -> tuple[int, int]:
        """Nodes with all their processors: as many as the largest node of the partitions has."""
        from molokini.compat.slurm import cluster

        queues = cluster.partitions(run)
        named = cluster.among(run, partitions, queues) or queues[:1]
        every = [node for queue in named for node in cluster.nodes_of(run, queue)]
        largest = max((int(one.get("processors", 0)) for one in every), default=0)
        if not largest:
            return nodes or 1, max(least, processors)
        if not nodes:
            nodes = -(-processors // largest)
        return nodes, max(largest, least)
