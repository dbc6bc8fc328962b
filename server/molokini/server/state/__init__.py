"""What the server knows: jobs, nodes, queues and the tables, changed by journalled facts alone."""
