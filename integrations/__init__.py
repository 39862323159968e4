"""Bridges to libraries that have no adapter package of their own; each is imported only in its own module.

- `integrations.openai_model.OpenAIModel`: any OpenAI-compatible server, local or remote.
- `integrations.langchain_model.LangChainModel`: the LangChain chat model that an agent already has.
- `integrations.llamaindex_model.LlamaIndexModel`: the LlamaIndex LLM that an index already has.
- `integrations.chroma.CableCollection`: CABLE for a plain Chroma collection.
- `integrations.simplemem.CableSimpleMem`: CABLE for SimpleMem.
"""
