"""What memory does to jobs that share it: miss-rate curves, contention in time and space, packing.

After Suh, Rudolph and Devadas (JSSPP 2001). Memory is counted in blocks, time in references.
"""
