"""What a site has chosen: the words of Maui's settings, the settings, and the one vector that kernels read.

Imports nothing of the policy.
"""
