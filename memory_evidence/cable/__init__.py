"""CABLE: antecedent links that reach what similarity search misses, inside the host's entry budget."""
