"""CABLE for mem0."""
