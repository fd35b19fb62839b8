"""Ranked search over the documents of one scope: an inverted index in one SQLite file.

Depends on the standard library alone. `IndexWriter` keeps the index in step with the documents,
`IndexReader` answers from it, `IndexUnusable` says that it has to be rebuilt first.
"""

from memory_native.search.explain import ExplainedHit, ExplainedTerm, Explanation
from memory_native.search.model import (
    DocumentHit,
    IndexUnusable,
    PassageHit,
    Stamp,
    UnusableReason,
)
from memory_native.search.reader import IndexReader
from memory_native.search.schema import is_unfinished
from memory_native.search.warm import WarmIndex
from memory_native.search.writer import IndexWriter


__all__ = [
    "DocumentHit",
    "ExplainedHit",
    "ExplainedTerm",
    "Explanation",
    "IndexReader",
    "IndexUnusable",
    "IndexWriter",
    "PassageHit",
    "Stamp",
    "UnusableReason",
    "WarmIndex",
    "is_unfinished",
]
