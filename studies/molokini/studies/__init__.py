"""Studies: what a paper claims, run again and judged. One folder a paper; what they share stands here.

``catalogue`` finds them, ``running`` runs one, ``page`` writes down what came of it.
"""
