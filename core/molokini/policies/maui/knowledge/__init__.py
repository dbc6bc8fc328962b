"""What an iteration knows before it decides anything: its memory, credentials as scopes, counts of its steps.

Imports ``configuration``.
"""
