"""The policy ``slurm`` with plain settings beside ``easy`` and ``maui``, on logs."""
