"""Benchmarks: one module a question a user would ask; each takes data paths and prints figures."""
