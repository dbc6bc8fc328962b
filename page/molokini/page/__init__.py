"""The page: what a browser shows of a cluster or of a replay, and its two wrappings.

The files of ``static`` are the page. A server sends them as they are (``assets``); ``single`` puts the same
files and the data of a replay into one document that opens without a server.
"""
