"""When the next iteration is due although nothing happens: rules that time alone makes decide otherwise.

Imports ``starting`` and the rooms that it imports.
"""
