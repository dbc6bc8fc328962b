"""Lin, Sundararaj, Dinda 2008: performance-targeted feedback control."""
