"""The scheduling clock and who moves it on; how long a turn waits for callers that are about to speak."""
