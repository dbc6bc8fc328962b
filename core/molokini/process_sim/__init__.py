"""Inside the nodes: the process-level engine, on a clock of whole nanoseconds, beside the job-level one."""
