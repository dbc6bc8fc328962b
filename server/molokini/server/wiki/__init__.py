"""The Wiki protocol of resource managers: an outside scheduler such as Maui drives the cluster by it.

The scheduler connects for each command, sends a message, reads one, and closes. An outside scheduler is one
more source of decisions: what it orders is checked, journalled and carried out as what an operator orders.
"""
