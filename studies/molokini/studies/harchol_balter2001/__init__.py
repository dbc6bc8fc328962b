"""Harchol-Balter, Bansal, Schroeder and Agrawal: SRPT Scheduling for Web Servers (JSSPP 2001)."""
