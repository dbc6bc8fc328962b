"""Zhou and Brent, JSSPP 2001: gang scheduling with classes of jobs."""
