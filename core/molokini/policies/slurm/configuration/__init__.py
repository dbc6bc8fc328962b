"""What a site says to the policy: words, parameters, settings, and the vector that kernels read."""
