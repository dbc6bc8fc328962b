"""The error of a value that is not what it must be, where there is more to say than what it must be."""


class Unfit(ValueError):
    """The text is a cause for a person, in a few words."""
