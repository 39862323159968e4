"""Importers: one module per source format, each returning steps for `Trajectory`; none imports a framework."""
