"""Limits of partitions, associations and QOSes, and the reasons that jobs show: reference, section 5."""
