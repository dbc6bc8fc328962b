"""Commands on files of Slurm: its configuration checked, and a site's records collected."""
