"""Where facts are kept: a port and two adapters."""
