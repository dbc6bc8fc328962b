"""Gine, Solsona, Hernandez and Luque 2001: coscheduling where memory is short."""
