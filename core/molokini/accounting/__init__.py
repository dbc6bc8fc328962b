"""Accounting records of PBS, LSF and Slurm, and lines of SWF: written and read, text by text."""
