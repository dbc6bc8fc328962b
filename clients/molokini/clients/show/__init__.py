"""Tables and grids for terminals: what commands print, a file a subject."""
