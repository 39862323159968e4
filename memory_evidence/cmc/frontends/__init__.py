"""Frontends: what reads records into facts."""
