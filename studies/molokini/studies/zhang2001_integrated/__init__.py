"""Zhang, Franke, Moreira and Sivasubramaniam, JSSPP 2001: gang scheduling, backfilling, migration."""
