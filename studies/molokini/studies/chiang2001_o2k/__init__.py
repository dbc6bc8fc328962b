"""Chiang and Vernon, JSSPP 2001: the workload of the NCSA Origin 2000, as the model o2k makes it."""
