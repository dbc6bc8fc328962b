"""What a job cannot be, on every way in: the line that a user reads, to the letter, and the code.

The lines are written by hand. Most are about a field that there is not, that is out of its range, or that is
of the wrong type; ``tests/server/test_declared_fields.py`` has such a case for each field of the declaration.
"""

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from molokini.client import BlockingClient, MolokiniError
from molokini.clients.command import main
from molokini.compat.failures import Refused
from molokini.compat.tool import ended
from molokini.proto.v1.job_service_pb2 import SubmitRequest
from molokini.proto.v1.jobs_pb2 import JobSpec, Resources
from molokini.testing import Cluster, cluster

SECONDS = "it must be seconds, H:MM:SS or D-HH:MM:SS"
WHOLE = "it must be a whole number from -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807"
ESTIMATE = "it must be more than 0 and at most 3155760000"
NO_QUEUE = "no queue named 'shrt'; known: default"
NO_NUMBER = "must be a whole number from 1 to 2,147,483,647"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(nodes=1, processors=4, policy="fcfs") as made, pytest.MonkeyPatch.context() as patch:
        for name, value in made.variables(os.environ["PATH"]).items():
            patch.setenv(name, value)
        patch.chdir(tmp_path_factory.mktemp("here"))
        made.call("JobService", "Submit", spec={"estimate_s": 60.0, "held": True})
        yield made


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (
            "submit --estimat 60 true",
            2,
            "No such option: --estimat (Possible options: --emulate, --estimate, --least-estimate) "
            "(see 'molokini submit --help')",
        ),
        ("submit --estimate -1 -- true", 2, f"--estimate: '-1' is not allowed; {SECONDS}"),
        ("submit --processors 0 --estimate 60 -- true", 2, f"--processors: 0 is not allowed; it {NO_NUMBER}"),
        (
            "submit --processors x --estimate 60 -- true",
            2,
            "--processors: 'x' is not allowed; it must be a whole number (see 'molokini submit --help')",
        ),
        (
            "submit --memory 1Q --estimate 60 -- true",
            2,
            "--memory: '1Q' is not allowed; it must be a number with its unit: 512K, 512M, 4G, 1.5T",
        ),
        ("submit --queue shrt --estimate 60 -- true", 1, NO_QUEUE),
        (
            "submit --priority 1024 --estimate 60 -- true",
            2,
            "--priority: 1024 is not allowed; it must be a whole number from -1,024 to 1,023",
        ),
        (
            "submit --array 5-1 --estimate 60 -- true",
            2,
            "array: '5-1' is not allowed; it must be a range whose last index is not below its first",
        ),
        ("alter 1 --estimate nan", 2, f"--estimate: 'nan' is not allowed; {SECONDS}"),
    ],
)
def test_the_command(
    one: Cluster,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    code: int,
    line: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["molokini", *words.split()])
    with pytest.raises(SystemExit) as left:
        main()
    assert (left.value.code, *capsys.readouterr()) == (code, "", f"molokini: {line}\n")


SBATCH, QSUB, BSUB = ["--wrap", "true"], ["--", "true"], ["true"]
ILLEGAL = "qsub: Illegal attribute or resource value Resource_List"


@pytest.mark.parametrize(
    ("system", "words", "code", "line"),
    [
        (
            "slurm",
            ["sbatch", "--tiem", "1", *SBATCH],
            255,
            "sbatch: unrecognized option '--tiem'\nTry \"sbatch --help\" for more information",
        ),
        (
            "slurm",
            ["sbatch", "-n", "0", *SBATCH],
            1,
            'sbatch: error: Invalid numeric value "0" for --ntasks.',
        ),
        ("slurm", ["sbatch", "--mem", "x", *SBATCH], 255, "sbatch: error: Invalid --mem specification"),
        ("slurm", ["sbatch", "-t", "abc", *SBATCH], 255, "sbatch: error: Invalid --time specification"),
        (
            "slurm",
            ["sbatch", "-p", "shrt", *SBATCH],
            1,
            "sbatch: error: invalid partition specified: shrt\n"
            "sbatch: error: Batch job submission failed: Invalid partition name specified",
        ),
        (
            "slurm",
            ["scontrol", "update", "JobId=1", "Colour=red"],
            1,
            "Update of this parameter is not supported: Colour=red\nRequest aborted",
        ),
        ("pbs", ["qsub", "-Z", *QSUB], 2, "qsub: invalid option -- 'Z' (see qsub --help)"),
        ("pbs", ["qsub", "-l", "ncpus=0", *QSUB], 166, f"{ILLEGAL}.ncpus: ncpus '0': {NO_NUMBER}"),
        (
            "pbs",
            ["qsub", "-l", "mem=x", *QSUB],
            166,
            f"{ILLEGAL}.mem: mem 'x': must be a size above 0, such as 477mb or 4gb",
        ),
        (
            "pbs",
            ["qsub", "-l", "walltime=abc", *QSUB],
            166,
            f"{ILLEGAL}.walltime: 'abc': must be seconds or [[HH:]MM:]SS, above 0",
        ),
        ("pbs", ["qsub", "-q", "shrt", *QSUB], 170, "qsub: Unknown queue"),
        (
            "pbs",
            ["qsub", "-l", "colour=red", *QSUB],
            187,
            "qsub: Unknown resource Resource_List.colour: there is no such resource here",
        ),
        ("lsf", ["bsub", "-Z", *BSUB], 255, "bsub: illegal option -- Z\nTry 'bsub -h'. Job not submitted."),
        ("lsf", ["bsub", "-n", "0", *BSUB], 255, f"0: Bad number of slots: {NO_NUMBER}. Job not submitted."),
        (
            "lsf",
            ["bsub", "-M", "x", *BSUB],
            255,
            "x: Bad memory size: must be a number above 0, with KB, MB, GB, TB or no unit. "
            "Job not submitted.",
        ),
        ("lsf", ["bsub", "-q", "shrt", *BSUB], 255, "shrt: No such queue. Job not submitted."),
        (
            "lsf",
            ["bsub", "-sp", "x", *BSUB],
            255,
            "x: Bad priority: must be a whole number from 1 to 100. Job not submitted.",
        ),
        ("lsf", ["bswitch", "shrt", "1"], 255, "shrt: No such queue"),
    ],
)
def test_batch_commands(
    one: Cluster,
    capsys: pytest.CaptureFixture[str],
    system: str,
    words: Sequence[str],
    code: int,
    line: str,
) -> None:
    assert ended(system, words[0], words[1:]) == code
    assert capsys.readouterr() == ("", f"{line}\n")


@pytest.mark.parametrize(
    ("spec", "reason", "field", "line"),
    [
        (
            {"nmae": "x"},
            "unknown_field",
            "spec.nmae",
            "spec.nmae: JobSpec has no such field; did you mean 'name'?",
        ),
        ({"estimate_s": -1}, "bad_value", "estimate_s", f"estimate_s: -1.0 is not allowed; {ESTIMATE}"),
        (
            {"estimate_s": "soon"},
            "bad_value",
            "spec.estimate_s",
            "spec.estimate_s: 'soon' is not allowed; it must be a number",
        ),
        (
            {"resources": {"processors": "two"}},
            "bad_value",
            "spec.resources.processors",
            f"spec.resources.processors: 'two' is not allowed; {WHOLE}",
        ),
        (
            {"array": {"first": 5, "last": 1}},
            "bad_value",
            "array",
            "array: '5-1' is not allowed; it must be from 0 to 2^31 - 1, the first not after the last",
        ),
        (
            {"requeue": "perhaps"},
            "bad_value",
            "spec.requeue",
            "spec.requeue: 'perhaps' is not allowed; it must be true or false",
        ),
        ({"queue": "shrt"}, "unknown_name", "queue", NO_QUEUE),
    ],
)
def test_the_gateway(one: Cluster, spec: dict[str, Any], reason: str, field: str, line: str) -> None:
    with pytest.raises(Refused) as caught:
        one.call("JobService", "Submit", spec={"estimate_s": 1.0, **spec})
    assert (str(caught.value), caught.value.reason, caught.value.field) == (line, reason, field)


@pytest.mark.parametrize(
    ("spec", "reason", "field", "line"),
    [
        (None, "undecodable", None, "not a message of the kind molokini.v1.SubmitRequest"),
        (
            JobSpec(estimate_s=float("nan")),
            "bad_value",
            "estimate_s",
            f"estimate_s: nan is not allowed; {ESTIMATE}",
        ),
        (
            JobSpec(estimate_s=1.0, resources=Resources(processors=-1)),
            "bad_value",
            "processors",
            "processors: -1 is not allowed; it must be a whole number from 0 to 2,147,483,647",
        ),
        (
            JobSpec(estimate_s=1.0, user_priority=10**7),
            "bad_value",
            "user_priority",
            "user_priority: 10000000 is not allowed; it must be from -1024 to 1023",
        ),
        (JobSpec(estimate_s=1.0, queue="shrt"), "unknown_name", "queue", NO_QUEUE),
    ],
)
def test_grpc(one: Cluster, spec: JobSpec | None, reason: str, field: str | None, line: str) -> None:
    body = b"\xff\xff" if spec is None else SubmitRequest(spec=spec).SerializeToString()
    variables = one.variables("")
    token = Path(variables["MOLOKINI_TOKEN_FILE"]).read_text().strip()

    async def called() -> grpc.aio.AioRpcError:
        async with grpc.aio.insecure_channel(variables["MOLOKINI_SERVER"]) as channel:
            call: Any = channel.unary_unary("/molokini.v1.JobService/Submit")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(body, metadata=[("authorization", f"Bearer {token}")])
            return caught.value

    error = asyncio.run(called())
    told: dict[str, Any] = dict(error.trailing_metadata() or ())
    assert (error.details(), told["molokini-reason"], told.get("molokini-field")) == (line, reason, field)


@pytest.mark.parametrize(
    ("fields", "kind", "line"),
    [
        ({"nmae": "x"}, "UnknownName", "no field of a job named 'nmae'; did you mean 'name'?"),
        ({"estimate_s": -1.0}, "Refused", f"estimate_s: -1.0 is not allowed; {ESTIMATE}"),
        ({"estimate_s": "soon"}, "BadValue", "estimate_s: 'soon' is not allowed; it must be a number"),
        (
            {"processors": "two"},
            "BadValue",
            "processors: 'two' is not allowed; it must be a whole number of 64 bits",
        ),
        (
            {"array": "5-1"},
            "BadValue",
            "array: '5-1' is not allowed; it must be a range whose last index is not below its first",
        ),
        (
            {"after": {"afterwards": 1}},
            "UnknownName",
            "no kind of dependency named 'afterwards'; did you mean 'afterany'?",
        ),
        ({"argv": 3}, "BadValue", "argv: 3 is not allowed; it must be a collection of what the field holds"),
        ({"queue": "shrt"}, "NotFound", NO_QUEUE),
    ],
)
def test_the_python_client(one: Cluster, fields: dict[str, Any], kind: str, line: str) -> None:
    with BlockingClient.connect() as client, pytest.raises(MolokiniError) as caught:
        client.submit(**{"argv": ["true"], "estimate_s": 60.0, **fields})
    assert (type(caught.value).__name__, str(caught.value)) == (kind, line)


def test_nothing_was_submitted(one: Cluster) -> None:
    assert len(one.jobs()) == 1
