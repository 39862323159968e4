"""CABLE for A-MEM."""
