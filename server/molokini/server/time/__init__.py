"""The scheduling clock and what moves it on; how long a turn waits for callers that are about to speak."""
