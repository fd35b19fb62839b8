"""Documents: reading them, and changing them so that nothing is ever lost."""

from memory_native.documents.indexing import IndexSync
from memory_native.documents.ports import IndexPort, IndexWriting, SafetyPort
from memory_native.documents.replacing import Author, Change, Replacer, Transform
from memory_native.documents.requests import Document, WriteReply, WriteRequest, WriteStatus
from memory_native.documents.service import Documents


__all__ = [
    "Author",
    "Change",
    "Document",
    "Documents",
    "IndexPort",
    "IndexSync",
    "IndexWriting",
    "Replacer",
    "SafetyPort",
    "Transform",
    "WriteReply",
    "WriteRequest",
    "WriteStatus",
]
