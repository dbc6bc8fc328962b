"""Models of workloads from the literature, a module each; ``workloads.generated`` knows them by name."""
