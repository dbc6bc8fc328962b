"""Zhang and Sivasubramaniam 2001: best-effort and real-time pipelined applications on shared clusters."""
