"""Lin, Lu, Deogun and Goddard: Real-Time Divisible Load Scheduling for Cluster Computing, 2006."""
