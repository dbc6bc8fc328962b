"""Accounting as it happens: files of PBS, LSF or Slurm that grow as jobs begin and end, a file a day."""
