"""Commands in Maui's words, and those for its files: the one room of the commands that knows its format."""
