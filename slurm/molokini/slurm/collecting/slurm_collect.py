#!/usr/bin/env python3
"""Collect what a simulation of a Slurm site needs into one file, site.tar.gz; only reads, changes nothing.

It can be copied to a login node alone and needs Python 3.6 or later, nothing else::

    python3 slurm_collect.py --days 90 -o site.tar.gz

It calls scontrol, sacct, sacctmgr and sshare. Names of users, groups and accounts are replaced by others,
the same name by the same one everywhere; names of nodes, partitions, QOSes, reservations, licences and
features stay, as do numbers of jobs.
Of command lines only the numbers of nodes, --array, --exclusive and --time-min are kept; names of jobs,
folders and comments are not asked for. Values of parameters that no simulation reads (addresses, paths) are
replaced by a dash.
"""

# Long because it is copied alone: it may import nothing of its neighbours. Written for Python 3.6, which
# login nodes still have.

import argparse
import calendar
import hashlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tarfile
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

SCHEMA = "molokini.site/1"
_ENOUGH = (
    "JobID,JobIDRaw,Cluster,User,Group,Account,Partition,QOS,Submit,Eligible,Start,End,ElapsedRaw,Suspended,"
    "Timelimit,State,ExitCode,Reason,Priority,ReqCPUS,ReqMem,ReqNodes,ReqTRES,AllocCPUS,AllocNodes,AllocTRES,"
    "NodeList,Constraints,Licenses,Reservation,Restarts,Flags,SubmitLine"
).split(",")
_SPARE = ("SubmitLine", "Flags", "Restarts", "Reservation", "Licenses", "Constraints")
"""Columns that older releases do not have: left out where sacct refuses them."""
_ASSOC = (
    "Cluster,Account,User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,MaxJobs,"
    "MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins,ParentName"
)
_QOS = (
    "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags,UsageThres,UsageFactor,GrpTRES,GrpTRESMins,"
    "GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,"
    "MaxSubmitPU,MaxTRESPA,MaxJobsPA,MaxSubmitPA,MinTRES"
)
_RESERVATION = "Name,NodeNames,TimeStart,TimeEnd,Flags,TRES"
_KEPT = re.compile(
    r"^(cluster|scheduler|priority|select|preempt|partition|node(name|set)|down|accountingstorage(enforce|tres)$|def|"
    r"max|min|killwait|overtimelimit|resvoverrun|enforcepart|fairshare|gres|licenses|jobrequeue|completewait|"
    r"epilogmsg|prologflags|message|topology|slurmversion|slurm_version)",
    re.IGNORECASE,
)
_HIDDEN = frozenset(("nodeaddr", "nodehostname", "bcastaddr", "port", "reason", "allocnodes"))
_LIMIT = re.compile(r"(?:^|\s)(?:-t\s?|--time[= ])([0-9:-]{1,20})(?=\s|$)")
_LEAST_LIMIT = re.compile(r"(?:^|\s)--time-min[= ]([0-9:-]{1,20})(?=\s|$)")
_PARTITIONS = re.compile(r"(?:^|\s)(?:-p\s?|--partition[= ])([A-Za-z0-9_.-]+(?:,[A-Za-z0-9_.-]+)+)(?=\s|$)")
_NODES = re.compile(r"(?:^|\s)(?:-N|--nodes)[= ]?([0-9]+(?:-[0-9]+)?)(?=\s|$)")
_ARRAY = re.compile(r"(?:^|\s)(?:-a|--array)[= ]?([0-9,:-]+(?:%[0-9]+)?)(?=\s|$)")
_PAIR = re.compile(r'([A-Za-z][A-Za-z0-9_.]*)(\s*[-+]?=\s*)("[^"]*"|\S*)')
_NODE_KEYS = (
    ("NodeName", "NodeName"),
    ("CPUTot", "CPUs"),
    ("Boards", "Boards"),
    ("Sockets", "Sockets"),
    ("CoresPerSocket", "CoresPerSocket"),
    ("ThreadsPerCore", "ThreadsPerCore"),
    ("RealMemory", "RealMemory"),
    ("CoreSpecCount", "CoreSpecCount"),
    ("MemSpecLimit", "MemSpecLimit"),
    ("AvailableFeatures", "Features"),
    ("Gres", "Gres"),
    ("Weight", "Weight"),
)
"""What scontrol calls an attribute of a node, and what slurm.conf does."""
_PLACES = ("/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/usr/local/etc/slurm.conf")


_LEAST_LEFT = 0.05
_MOST_DAYS = 10000


class Failed(Exception):
    """Something without which there is no pack; the text is one line."""


class Names:
    """Other names in the place of those of people."""

    def __init__(self, keep: bool) -> None:
        self._keep = keep
        self._salt = os.urandom(16)
        self._known = {}  # type: Dict[Tuple[str, str], str]

    def of(self, kind: str, name: str) -> str:
        """The other name of *name*, the same each time; ``root`` and no name stay."""
        if self._keep or not name or name in ("root", "ALL", "all"):
            return name
        key = (kind, name.lower() if kind == "a" else name)
        if key not in self._known:
            self._known[key] = hashlib.sha256(self._salt + ("%s %s" % key).encode("utf-8")).hexdigest()
        return "%s%s" % (kind, self._known[key][:8])

    def several(self, kind: str, names: str) -> str:
        """The same of a list with commas."""
        return ",".join(self.of(kind, name) for name in names.split(","))


def run(words: List[str], must: bool = True) -> Optional[str]:
    """What a command prints, or None where it fails and need not be."""
    environment = dict(os.environ, SLURM_TIME_FORMAT="%s", LC_ALL="C.UTF-8")
    try:
        done = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        out, err = done.communicate()
    except OSError as error:
        if must:
            raise Failed("%s: %s; run this where Slurm's commands are" % (words[0], error.strerror))
        return None
    if done.returncode:
        if must:
            raise Failed("%s failed: %s" % (words[0], " ".join(err.decode("utf-8", "replace").split())[:300]))
        return None
    return out.decode("utf-8", "replace")


def tell(text: str) -> None:
    """Say on a terminal what is being asked: the database may take minutes to answer."""
    if sys.stderr.isatty():
        sys.stderr.write("%s\n" % text)


def conf_path(told: Optional[str]) -> Optional[str]:
    """Where slurm.conf is: as told, in the environment, by the controller, or where it usually is."""
    if told:
        return told
    if os.environ.get("SLURM_CONF"):
        return os.environ["SLURM_CONF"]
    match = re.search(r"^SLURM_CONF\s*=\s*(\S+)", run(["scontrol", "show", "config"], must=False) or "", re.M)
    places = ([match.group(1)] if match else []) + list(_PLACES)
    return next((place for place in places if os.access(place, os.R_OK)), None)


def conf_lines(path: str, cluster: str, depth: int = 0) -> Iterator[str]:
    """The lines of a slurm.conf, continued ones joined, comments and includes resolved."""
    if depth > 10:
        raise Failed("%s: includes itself" % path)
    with io.open(path, encoding="utf-8", errors="replace") as opened:
        text = opened.read()
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        line = re.sub(r"(?<!\\)#.*", "", line).strip()
        match = re.match(r"include\s+(\S+)", line, re.IGNORECASE)
        if match:
            inner = os.path.join(os.path.dirname(path), match.group(1).replace("%c", cluster))
            try:
                for one in conf_lines(inner, cluster, depth + 1):
                    yield one
            except (IOError, OSError):
                yield "# Include %s: cannot be read" % match.group(1)
        elif line:
            yield line


def configuration(told: Optional[str], cluster: str, names: Names) -> List[str]:
    """slurm.conf without what no simulation reads; from the controller where the file cannot be read."""
    path = conf_path(told)
    if path is not None:
        try:
            lines = list(conf_lines(path, cluster))
        except (IOError, OSError) as error:
            raise Failed("%s: %s" % (path, error.strerror))
    else:
        lines = (run(["scontrol", "show", "config"]) or "").splitlines()
        lines = [line for line in lines if re.match(r"[A-Za-z_]+\s+= ", line)]
        lines += [node_line(line) for line in (run(["scontrol", "-o", "show", "node"]) or "").split("\n")]
        lines += (run(["scontrol", "-o", "show", "partition"]) or "").splitlines()
    return [clean(line, names) for line in lines]


def node_line(line: str) -> str:
    """A line of a slurm.conf for a node as scontrol shows it: what the node is, and nothing that is so now.

    Its state is not of the time of the log, and its Reason, its Comment and its Owner tell of people.
    """
    found = {}  # type: Dict[str, str]
    for key, _, value in _PAIR.findall(line):
        # What operators write stands at the end, and may look like anything.
        found.setdefault(key, value)
    if "NodeName" not in found:
        return ""
    kept = [(ours, found.get(theirs, "(null)")) for theirs, ours in _NODE_KEYS]
    return " ".join("%s=%s" % (key, value) for key, value in kept if value not in ("(null)", "N/A"))


def clean(line: str, names: Names) -> str:
    """A line of a slurm.conf with other names, and a dash for what no simulation reads."""
    first = re.match(r"\s*([A-Za-z][A-Za-z0-9_.]*)", line)
    if line.startswith("#") or first is None:
        return line if line.startswith("#") else ""
    if not _KEPT.match(first.group(1)):
        return "%s=-" % first.group(1)

    def other(match: Any) -> str:
        key, equals, value = match.groups()
        low = key.lower()
        if low in _HIDDEN:
            return "%s=-" % key
        if low in ("allowaccounts", "denyaccounts"):
            return str(key + equals) + names.several("a", value)
        if low == "allowgroups":
            return str(key + equals) + names.several("g", value)
        return str(match.group(0))

    return _PAIR.sub(other, line)


def table(text: str, kinds: Dict[str, str], names: Names) -> List[str]:
    """A table with bars whose columns of people's names are replaced."""
    lines = text.splitlines()
    if not lines:
        return []
    head = lines[0].rstrip("|").split("|")
    places = [(at, kinds[name]) for at, name in enumerate(head) if name in kinds]
    made = ["|".join(head)]
    for line in lines[1:]:
        cells = line.split("|")[: len(head)] + [""] * (len(head) - len(line.split("|")))
        for at, kind in places:
            blanks = len(cells[at]) - len(cells[at].lstrip())
            cells[at] = " " * blanks + names.of(kind, cells[at].strip())
        made.append("|".join(cells))
    return made


def command_line(text: str) -> str:
    """Of a command line the numbers of nodes, several partitions, the elements of an array, whether the nodes
    are for this job alone, and a least time limit with the limit beside it."""
    match, array = _NODES.search(text), _ARRAY.search(text)
    parts = ["-N %s" % match.group(1)] if match else []
    parts += ["--array=%s" % array.group(1)] if array else []
    several = _PARTITIONS.search(text)
    parts += ["-p %s" % several.group(1)] if several else []
    limit, least = _LIMIT.search(text), _LEAST_LIMIT.search(text)
    if limit and least:
        parts += ["-t %s" % limit.group(1), "--time-min=%s" % least.group(1)]
    return " ".join(parts + (["--exclusive"] if re.search(r"(?:^|\s)--exclusive(?=\s|$)", text) else []))


def jobs(start: float, end: float, cluster: str, names: Names) -> List[str]:
    """The table of sacct; command lines are cut to what a simulation needs."""
    # A release refuses a table for one column that it does not have, and says with -e which it has.
    known = set((run(["sacct", "-e"], must=False) or "").split())
    columns = [name for name in _ENOUGH if name in known or "JobID" not in known]
    while True:
        words = [
            "sacct",
            "-aDPX",
            "--delimiter=\x1f",
            "-S",
            stamp(start),
            "-E",
            stamp(end),
            "-o",
            ",".join(columns),
        ]
        tell("asking sacct for the jobs since %s" % stamp(start))
        text = run(words + (["-M", cluster] if cluster else []), must=columns[-1] not in _SPARE)
        if text is not None:
            break
        columns.pop()
    lines = text.splitlines()
    if len(lines) < 2:
        raise Failed(
            "sacct: no record of a job from %s to %s%s: "
            "raise --days, or run this as a user who may see the jobs of all"
            % (stamp(start), stamp(end), " of cluster %s" % cluster if cluster else "")
        )
    head = lines[0].split("\x1f")
    kinds = {"User": "u", "Group": "g", "Account": "a"}
    made = ["|".join(head)]
    for line in lines[1:]:
        cells = line.split("\x1f")
        if len(cells) != len(head):
            continue
        for at, name in enumerate(head):
            if name in kinds:
                cells[at] = names.of(kinds[name], cells[at])
            elif name == "SubmitLine":
                cells[at] = command_line(cells[at])
            elif name == "State" and cells[at].startswith("CANCELLED"):
                cells[at] = "CANCELLED"
            cells[at] = cells[at].replace("|", "/")
        made.append("|".join(cells))
    return made


def stamp(at: float) -> str:
    """An instant as Slurm's options take it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(at))


def collect(
    days: int, told: Optional[str], keep: bool, now: float
) -> Tuple[Dict[str, List[str]], Dict[str, Any]]:
    """The texts of the pack by their names, and what is said of them."""
    names = Names(keep)
    # "slurm 24.05.3"; packages of distributions say "slurm-wlm 22.05.8".
    release = (run(["scontrol", "--version"]) or "").strip().rpartition(" ")[2]
    shown = run(["scontrol", "show", "config"], must=False) or ""
    match = re.search(r"^ClusterName\s*=\s*(\S+)", shown, re.M)
    cluster = match.group(1) if match else ""
    start, end = now - days * 86400, now
    lines = configuration(told, cluster, names)
    number = re.match(r"\d\d\.\d\d", release)
    if number and not any(line.lower().startswith("slurmversion") for line in lines):
        lines.insert(0, "SlurmVersion=%s" % number.group(0))
    texts = {"slurm.conf": [line for line in lines if line], "sacct.txt": jobs(start, end, cluster, names)}
    only = ["where", "cluster=%s" % cluster] if cluster else []
    people = {"Account": "a", "User": "u", "ParentName": "a", "Par Name": "a"}
    optional = [
        ("assoc.txt", ["sacctmgr", "-P", "show", "assoc", "format=%s" % _ASSOC] + only, people),
        ("qos.txt", ["sacctmgr", "-P", "show", "qos", "format=%s" % _QOS], {}),
        ("sshare.txt", ["sshare", "-alP"], people),
        (
            "events.txt",
            [
                "sacctmgr",
                "-P",
                "show",
                "event",
                "Start=%s" % stamp(start),
                "format=NodeName,TimeStart,TimeEnd,State",
            ],
            {},
        ),
        (
            "reservations.txt",
            ["sacctmgr", "-P", "show", "reservation", "Start=%s" % stamp(start), "format=%s" % _RESERVATION],
            {},
        ),
    ]
    missing = []
    tell("asking for associations, QOSes, shares, events and reservations")
    for name, words, kinds in optional:
        text = run(words, must=False)
        if text and text.strip():
            texts[name] = table(text, kinds, names)
        else:
            missing.append(" ".join(words[:4]))
    present = reservations_now(run(["scontrol", "show", "reservation", "-o"], must=False) or "", names)
    if present:
        texts["reservations.txt"] = texts.get("reservations.txt", []) + present
    if "sshare.txt" in texts:
        texts["sshare.txt"] = usage_before(texts["sshare.txt"], texts["sacct.txt"], texts["slurm.conf"])
    about = {
        "schema": SCHEMA,
        "policy": "slurm",
        "cluster": cluster,
        "release": release,
        "made_s": int(now),
        "from_s": int(start),
        "to_s": int(end),
        "time_zone": time.strftime("%Z", time.localtime(now)),
        "utc_offset_s": calendar.timegm(time.localtime(now)) - int(now),
        "anonymous": not keep,
        "missing": missing,
        "log": "sacct.txt",
        "configuration": "slurm.conf",
        "beside": [name for name in ("assoc.txt", "qos.txt", "sshare.txt") if name in texts],
        "events": "events.txt" if "events.txt" in texts else None,
        "reservations": "reservations.txt" if "reservations.txt" in texts else None,
    }
    return texts, about


def reservations_now(text: str, names: Names) -> List[str]:
    """The reservations that there are, with who may use them: a line each, of what a replay reads."""
    made = []
    for line in text.splitlines():
        found = {key: value for key, _, value in _PAIR.findall(line)}
        if "ReservationName" not in found:
            continue
        for key, kind in (("Users", "u"), ("Accounts", "a")):
            told = found.get(key, "(null)")
            whose = [] if told == "(null)" else [one for one in told.split(",") if not one.startswith("-")]
            found[key] = ",".join(names.of(kind, one) for one in whose) or "(null)"
        kept = ("ReservationName", "StartTime", "EndTime", "Nodes", "Flags", "Users", "Accounts", "Licenses")
        made.append(" ".join("%s=%s" % (key, found.get(key, "(null)")) for key in kept))
    return made


def usage_before(shares: List[str], records: List[str], conf: List[str]) -> List[str]:
    """sshare's table with the usage from which a replay begins in place of that of now.

    A replay adds the usage of the jobs of the log by itself: what they have left is taken off, and the rest
    is what has faded since their first start. A rest that is no more than what whole seconds of records leave
    open is none. Where less than a twentieth of that is left, usage stays as it is now: it says as much about
    the beginning as anything does.
    """
    head, rows = shares[0].split("|"), [line.split("|") for line in shares[1:]]
    columns = {name: at for at, name in enumerate(records[0].split("|"))}
    if not {"Account", "User", "RawUsage"} <= set(head) or not {"Start", "End", "AllocTRES"} <= set(columns):
        return shares
    jobs = [job for job in (ran(line.split("|"), columns) for line in records[1:]) if job is not None]
    if not jobs:
        return shares
    first, last = min(job[2] for job in jobs), max(job[3] for job in jobs)
    rate = fading(conf)
    left = math.exp(-rate * (last - first))
    if left < _LEAST_LEFT:
        return shares
    added = {}  # type: Dict[Tuple[str, str], float]
    unsure = {}  # type: Dict[Tuple[str, str], float]
    for account, user, start, end, billed in jobs:
        seconds = float(end - start)
        if rate > 0:
            seconds = (math.exp(-rate * (last - end)) - math.exp(-rate * (last - start))) / rate
        added[account, user] = added.get((account, user), 0.0) + billed * seconds
        unsure[account, user] = unsure.get((account, user), 0.0) + billed * math.exp(-rate * (last - end))
    account_at, user_at, usage_at = (head.index(name) for name in ("Account", "User", "RawUsage"))
    made = [shares[0]]
    for row in rows:
        key = row[account_at].strip(), row[user_at].strip()
        if key[1] and row[usage_at].strip().isdigit():
            rest = float(row[usage_at]) - added.get(key, 0.0)
            row[usage_at] = str(int(rest / left)) if rest > unsure.get(key, 0.0) else "0"
        made.append("|".join(row))
    return made


def ran(cells: List[str], columns: Dict[str, int]) -> Optional[Tuple[str, str, int, int, float]]:
    """Account, user, start, end and billed resources of a job that ran; None: it did not."""
    start, end = (cells[columns[name]] for name in ("Start", "End"))
    billed = re.search(r"(?:^|,)billing=([0-9.]+)", cells[columns["AllocTRES"]])
    if not (start.isdigit() and end.isdigit() and billed):
        return None
    return cells[columns["Account"]], cells[columns["User"]], int(start), int(end), float(billed.group(1))


def fading(conf: List[str]) -> float:
    """How fast usage fades, a second, by PriorityDecayHalfLife; 0: never."""
    told = re.findall(r"^PriorityDecayHalfLife\s*=\s*(\S+)", "\n".join(conf), re.M | re.I)
    match = re.match(r"^(?:([0-9]+)-)?([0-9]+)(?::([0-9]+))?(?::([0-9]+))?$", told[-1] if told else "7-0")
    if match is None:
        return 0.0
    days, parts = match.group(1), [int(part) for part in match.groups()[1:] if part is not None]
    # d-h[:m[:s]]; without days h:m:s, m:s or minutes alone.
    units = [3600, 60, 1] if days is not None or len(parts) == 3 else [60, 1]
    seconds = int(days or 0) * 86400 + sum(part * units[k] for k, part in enumerate(parts))
    return 0.693 / seconds if seconds else 0.0


def write(path: str, texts: Dict[str, List[str]], about: Dict[str, Any]) -> None:
    """The pack, whole or not at all."""
    whole = {name: ("\n".join(lines) + "\n").encode("utf-8") for name, lines in texts.items()}
    about["files"] = {
        name: {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()} for name, text in whole.items()
    }
    members = [("manifest.json", json.dumps(about, indent=2, sort_keys=True).encode("utf-8"))]
    temporary = path + ".part"
    try:
        with tarfile.open(temporary, "w:gz") as tar:
            for name, text in members + sorted(whole.items()):
                info = tarfile.TarInfo("site/" + name)
                info.size, info.mtime, info.mode = len(text), about["made_s"], 0o644
                tar.addfile(info, io.BytesIO(text))
        os.rename(temporary, path)
    except (IOError, OSError) as error:
        raise Failed("%s: %s" % (path, error.strerror))
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def make(
    days: int, output: str, conf: Optional[str] = None, keep: bool = False, now: Optional[float] = None
) -> Tuple[Dict[str, Any], Dict[str, int]]:
    """Collect *days* days into the file *output*; what is said of it. Raises Failed."""
    texts, about = collect(days, conf, keep, time.time() if now is None else now)
    write(output, texts, about)
    return about, {name: max(0, len(lines) - 1) for name, lines in texts.items()}


def said(output: str, about: Dict[str, Any], rows: Dict[str, int]) -> List[str]:
    """What is printed at the end, a line each."""
    lines = ["%s: %d records of jobs of cluster %s" % (output, rows["sacct.txt"], about["cluster"] or "?")]
    lines += ["%s: not there; left out" % one for one in about["missing"]]
    if about["anonymous"]:
        lines.append(
            "names of users, groups and accounts are replaced; those of nodes, partitions, QOSes, "
            "reservations, licences and features stay"
        )
    return lines


def check(days: int, output: str) -> None:
    """Complain before anything is asked: that may take minutes."""
    if not 1 <= days <= _MOST_DAYS:
        raise Failed("--days: %d is not allowed; it must be a whole number from 1 to %d" % (days, _MOST_DAYS))
    folder = os.path.dirname(output) or "."
    if os.path.isdir(output):
        raise Failed("%s: is a directory" % output)
    if not os.path.isdir(folder):
        raise Failed("%s: there is no folder '%s' to write it to" % (output, folder))
    if not os.access(folder, os.W_OK):
        raise Failed("%s: the folder '%s' cannot be written to" % (output, folder))


def main(words: Optional[List[str]] = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=90, help="days of jobs, up to now (default 90)")
    parser.add_argument("-o", "--output", default="site.tar.gz", help="file to write")
    parser.add_argument("--conf", help="slurm.conf, where it is not found by itself")
    parser.add_argument("--keep-names", action="store_true", help="keep names of users, groups and accounts")
    given = parser.parse_args(words)
    try:
        check(given.days, given.output)
        about, rows = make(given.days, given.output, given.conf, given.keep_names)
    except Failed as error:
        sys.stderr.write("%s\n" % error)
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing is written\n")
        return 130
    print("\n".join(said(given.output, about, rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
