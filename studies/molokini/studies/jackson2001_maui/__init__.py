"""Jackson, Snell and Clement, JSSPP 2001: what backfill does, on logs of real machines."""
