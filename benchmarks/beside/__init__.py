"""Command lines beside a real Slurm: what ours say, what Debian's Slurm says, and what differs."""
