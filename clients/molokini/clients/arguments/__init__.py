"""What the shell said, as values: one dataclass a command, whose fields are the command's options.

An option is declared where its field is; an option of several commands has a name of its own. Nothing is
imported here: a command loads the classes of its own file.
"""
