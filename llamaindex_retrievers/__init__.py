"""TallyMem for LlamaIndex."""
