"""The collector of a site's records: one file, which can be copied to a login node alone."""
