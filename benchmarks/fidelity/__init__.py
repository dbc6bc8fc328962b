"""Our replay beside a real Slurm that ran the same jobs."""
