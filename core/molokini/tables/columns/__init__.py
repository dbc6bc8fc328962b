"""The columns of the tables, by subject: one struct each, declared where it says what it is about."""
