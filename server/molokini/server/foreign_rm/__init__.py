"""Another resource manager in the place of agents: it reports its nodes and jobs, and gets our starts."""
