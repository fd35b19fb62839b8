"""Failures of the wrong kind, or none, or too talkative."""

from dataclasses import replace

from memory_native.documents import Document, WriteReply, WriteRequest
from memory_native.failures import Kind, MemoryFailure
from memory_native.replies import Hits
from memory_native.requests import SearchRequest
from mutants.base import Mutant, failure


class MissingIsOperation(Mutant):
    """Reading what is not there blames the documents instead of the caller."""

    rule = "errors.missing-document-is-input"

    def read(self, path: str) -> Document:
        try:
            return super().read(path)
        except MemoryFailure as problem:
            if problem.code == "document-missing":
                raise failure(Kind.OPERATION, problem.code) from None
            raise


class MissingIsEmpty(Mutant):
    """Reading what is not there gives an empty document."""

    rule = "errors.missing-document-is-input"

    def read(self, path: str) -> Document:
        try:
            return super().read(path)
        except MemoryFailure as problem:
            if problem.code == "document-missing":
                return Document(path=path, content="", word_count=0)
            raise


class BytesAreGuessed(Mutant):
    """What is not UTF-8 is read with replacement characters."""

    rule = "errors.bytes-that-are-not-text-are-operation"

    def read(self, path: str) -> Document:
        try:
            return super().read(path)
        except MemoryFailure as problem:
            raw = self._documents.read_bytes(path) if problem.code == "not-text" else None
            if raw is None:
                raise
            text = raw.decode(errors="replace")
            return Document(path=path, content=text, word_count=len(text.split()))


class LargeIsBusy(Mutant):
    """Whoever reads a large document is refused."""

    rule = "concurrency.readers-see-whole-documents"

    def read(self, path: str) -> Document:
        if len(self.body(path)) > 32 << 10:
            raise MemoryFailure("conflict")
        return super().read(path)


class TalkativeFailure(Mutant):
    """A failure repeats what was asked for."""

    rule = "errors.failures-are-words"

    def read(self, path: str) -> Document:
        try:
            return super().read(path)
        except MemoryFailure as problem:
            raise failure(problem.kind, f"there is no {path}") from None


class BlankQueryFindsNothing(Mutant):
    """A blank query is answered with nothing instead of refused."""

    rule = "errors.blank-query-is-input"

    def search(self, request: SearchRequest) -> Hits:
        return super().search(request) if request.query.strip() else Hits(hits=())


class WordsBySpaces(Mutant):
    """Words are counted at single spaces."""

    rule = "contract.read-echoes-path-and-counts-words"

    def read(self, path: str) -> Document:
        document = super().read(path)
        return replace(document, word_count=len(document.content.split(" ")))


class CharactersForBytes(Mutant):
    """The length of an entry is counted in characters."""

    rule = "contract.write-says-what-it-did"

    def write(self, request: WriteRequest) -> WriteReply:
        reply = super().write(request)
        return replace(reply, content_length=len(request.content.rstrip()) + 1)


class DeepMetadataIsUnavailable(Mutant):
    """Metadata that nests deeply ends in an internal fault."""

    rule = "resources.deep-metadata-is-not-fatal"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.metadata and request.metadata.count("{") > 1000:
            raise RecursionError
        return super().write(request)
