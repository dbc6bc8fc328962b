"""Real jobs: the executor of an agent whose one node is its machine, and the folder of their attempts."""
