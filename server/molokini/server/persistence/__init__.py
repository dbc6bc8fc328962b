"""What a server keeps beyond its journal and takes up again: snapshots, finished jobs, recovery."""
