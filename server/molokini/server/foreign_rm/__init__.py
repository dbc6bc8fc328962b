"""Another resource manager in the place of agents: its nodes and jobs are told to us, our starts to it."""
