"""Yoo and Jette 2001: message-driven coscheduling on clusters of SMPs."""
