"""Fields that the real commands have and no host or job has here: an empty column, never a failed call.

The names are those of the manual pages (LSF 10.1, Slurm 22.05).
"""

import os
from collections.abc import Iterator

import pytest

from molokini.testing import Cluster, cluster
from tests.compat.test_bad_input import said

JOBS = """jobid jobindex stat user user_group queue job_name job_description proj_name application
service_class job_group job_priority rsvid esub kill_reason suspend_reason resume_reason
kill_issue_host suspend_issue_host resume_issue_host dependency pend_reason delay_reason
charged_saap command pre_exec_command post_exec_command resize_notification_command pids
exit_code exit_reason from_host first_host exec_host nexec_host ask_hosts alloc_slot
nalloc_slot host_file exec_home submit_time start_time estimated_start_time estart_time
specified_start_time sstart_time specified_terminate_time sterminate_time time_left
finish_time estimated_run_time ertime ru_utime ru_stime cpu_used run_time idle_factor
exception_status slots mem max_mem avg_mem memlimit swap swaplimit gpu_num gpu_mode gpu_alloc
j_exclusive min_req_proc max_req_proc effective_resreq combined_resreq network_req filelimit
corelimit stacklimit processlimit runtimelimit plimit plimit_remain eplimit eplimit_remain
input_file output_file error_file output_dir sub_cwd exec_cwd licproject forward_cluster
forward_time dstjobid srcjobid source_cluster pend_time pendstate ependtime ipendtime
%complete warning_action action_warning_time hrusage energy gpfsio nthreads cpu_peak
cpu_efficiency mem_efficiency average_cpu_efficiency cpu_peak_efficiency
cpu_peak_reached_duration block"""
HOSTS = """host_name status cpuf jl_u max njobs run ssusp ususp rsv dispatch_window comments mem max_mem
ngpus ngpus_alloc ngpus_excl_alloc ngpus_shared_alloc ngpus_shared_jexcl_alloc
ngpus_excl_avail ngpus_shared_avail nexec mig_alloc attribute available_mem total_mem
reserved_resources r15s r1m r15m ut pg io ls it tmp swp"""
QUEUES = """queue_name description priority status max jl_u jl_p jl_h njobs pend run susp rsv ususp ssusp
nice max_corelimit max_cpulimit default_cpulimit max_datalimit default_datalimit max_filelimit
max_memlimit default_memlimit max_processlimit default_processlimit max_runlimit
default_runlimit max_stacklimit max_swaplimit max_tasklimit min_tasklimit default_tasklimit
max_threadlimit default_threadlimit res_req hosts all_user_shares users run_windows
fairshare_queues interactive preemption admins exclusive job_size_based"""
MACHINES = """HOST_NAME type model cpuf ncpus maxmem maxswp server RESOURCES nprocs ncores nthreads
RUN_WINDOWS ndisks maxtmp rexpri"""
SHARES = """Account Cluster EffectvUsage FairShare GrpTRESMins GrpTRESRaw ID LevelFS NormShares NormUsage
Partition RawShares RawUsage TRESRunMins User"""
PRIORITIES = "aAbBcfFijJnNoPpqQrSstTuyY"
FIELDS = [
    *(("lsf", ["bjobs", "-o", one]) for one in JOBS.split()),
    *(("lsf", ["bhosts", "-o", one]) for one in HOSTS.split()),
    *(("lsf", ["bqueues", "-o", one]) for one in QUEUES.split()),
    *(("lsf", ["lshosts", "-o", one]) for one in MACHINES.split()),
    *(("slurm", ["sshare", "-a", "-o", one]) for one in SHARES.split()),
    *(("slurm", ["sprio", "-o", f"%{one}"]) for one in PRIORITIES),
]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with one job, which waits."""
    with cluster(nodes=1, processors=1, policy="fcfs") as made, pytest.MonkeyPatch.context() as patch:
        for name, value in made.variables(os.environ["PATH"]).items():
            patch.setenv(name, value)
        patch.chdir(tmp_path_factory.mktemp("here"))
        made.call("JobService", "Submit", spec={"argv": ["true"], "held": True})
        yield made


def test_every_field_is_a_column(held: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = []
    for system, words in FIELDS:
        out, err, code = said(capsys, system, words[0], words[1:])
        if code or err or not out:
            wrong.append((words, err, code))
    assert not wrong
