"""The configuration by subject: one file a subject, each a section (or the objects) of ``MauiConfig``."""
