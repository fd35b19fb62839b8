"""What this backend can do, as an input that is enforced (reference.md section 4)."""

from dataclasses import dataclass
from typing import Final, Literal

from memory_native.failures import MemoryFailure


Flag = Literal[
    "file_documents",
    "metadata",
    "versioning",
    "prompt_write_safety",
    "full_text_search",
    "vector_search",
    "embeddings",
    "graph_memory",
    "delete",
    "transactions",
]


@dataclass(frozen=True, kw_only=True)
class BackendCapabilities:
    """The ten flags; what is not declared is off, and what is off is refused."""

    file_documents: bool = False
    metadata: bool = False
    versioning: bool = False
    prompt_write_safety: bool = False
    full_text_search: bool = False
    vector_search: bool = False
    embeddings: bool = False
    graph_memory: bool = False
    delete: bool = False
    transactions: bool = False

    def declares(self, flag: Flag) -> bool:
        """Tell whether the backend has the capability."""
        declared: bool = getattr(self, flag)
        return declared

    def require(self, *flags: Flag) -> None:
        """Raise ``unsupported`` unless every flag is declared; called before any side effect."""
        if not all(map(self.declares, flags)):
            raise MemoryFailure("unsupported")


NATIVE: Final = BackendCapabilities(
    file_documents=True,
    metadata=True,
    versioning=True,
    prompt_write_safety=True,
    full_text_search=True,
    delete=True,
    # One document changes atomically; several never do together, so no transactions.
)
