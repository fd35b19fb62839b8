"""Search that is out of date, repeats itself, makes things up or knows no end."""

from dataclasses import replace

from memory_native.documents import WriteReply, WriteRequest
from memory_native.replies import Hit, Hits
from memory_native.requests import SearchRequest
from mutants.base import Mutant


_LARGEST_REPLY = 900_000


class StaleSearch(Mutant):
    """A replacing write does not reach the index."""

    rule = "search.replaced-text-is-gone"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.append or not self.body(request.target):
            return super().write(request)
        with open(f"{self.root}/{request.target}", "w", encoding="utf-8") as file:
            file.write(request.content)
        return WriteReply(
            status=super().write(replace(request, target="elsewhere.md")).status,
            path=request.target,
            append=False,
            content_length=len(request.content.encode()),
        )


class PatchSkipsTheIndex(Mutant):
    """A patch does not reach the index."""

    rule = "search.patched-text-is-gone"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.old_string is None:
            return super().write(request)
        before = self.body(request.target)
        reply = super().write(request)
        after = self.body(request.target)
        self.put(request.target, before)
        with open(f"{self.root}/{request.target}", "w", encoding="utf-8") as file:
            file.write(after)
        return reply


class DocumentTwice(Mutant):
    """A document is a hit as often as it matches."""

    rule = "search.one-hit-per-document"

    def search(self, request: SearchRequest) -> Hits:
        return Hits(hits=tuple(hit for hit in super().search(request).hits for _ in range(2)))


class LimitIsIgnored(Mutant):
    """Every hit comes, however few were asked for."""

    rule = "search.limit-is-kept"

    def search(self, request: SearchRequest) -> Hits:
        return super().search(replace(request, limit=20))


class WorstFirst(Mutant):
    """The best hit comes last."""

    rule = "search.scores-fall-from-one"

    def search(self, request: SearchRequest) -> Hits:
        return Hits(hits=tuple(reversed(super().search(request).hits)))


class ScoresHaveNoBound(Mutant):
    """Scores are whatever the ranking summed up."""

    rule = "search.scores-fall-from-one"

    def search(self, request: SearchRequest) -> Hits:
        hits = super().search(request).hits
        return Hits(hits=tuple(replace(hit, score=hit.score * 7.5) for hit in hits))


class MakesThingsUp(Mutant):
    """A hit carries a sentence that stands nowhere."""

    rule = "search.invents-nothing"

    def search(self, request: SearchRequest) -> Hits:
        return _with(super().search(request), "\nThis is relevant to your question.")


class UnboundedHit(Mutant):
    """A hit carries its whole document."""

    rule = "resources.hits-are-bounded"

    def search(self, request: SearchRequest) -> Hits:
        hits = super().search(request).hits
        whole = (replace(hit, content=self.body(hit.path)[:_LARGEST_REPLY]) for hit in hits[:1])
        return Hits(hits=(*whole, *hits[1:]))


class EveryWordMustMatch(Mutant):
    """A document that lacks one word of the query is not found."""

    rule = "search.finds-a-write-at-once"

    def search(self, request: SearchRequest) -> Hits:
        words = request.query.casefold().split()
        hits = super().search(request).hits
        return Hits(hits=tuple(hit for hit in hits if _has_all(hit, words)))


class EverythingMatches(Mutant):
    """A query that finds nothing is answered with something anyway."""

    rule = "search.finds-nothing-else"

    def search(self, request: SearchRequest) -> Hits:
        found = super().search(request)
        if found.hits:
            return found
        return Hits(hits=(Hit(path="notes/a.md", content="x", score=1.0, is_hybrid_match=False),))


class OperatorsAreErrors(Mutant):
    """Quotation marks and brackets are read as a query language."""

    rule = "search.operators-are-plain-text"

    def search(self, request: SearchRequest) -> Hits:
        return Hits(hits=()) if set('"(*:;%') & set(request.query) else super().search(request)


class ClaimsVectors(Mutant):
    """Hits claim that a second search channel agreed."""

    rule = "absence.vectors-are-never-claimed"

    def search(self, request: SearchRequest) -> Hits:
        hits = super().search(request).hits
        return Hits(hits=tuple(replace(hit, is_hybrid_match=True) for hit in hits))


class MetadataIsDropped(Mutant):
    """Metadata given with a write is thrown away."""

    rule = "metadata.skip-indexing-hides-at-once"

    def write(self, request: WriteRequest) -> WriteReply:
        return super().write(replace(request, metadata=None))


def _with(found: Hits, addition: str) -> Hits:
    return Hits(hits=tuple(replace(hit, content=hit.content + addition) for hit in found.hits))


def _has_all(hit: Hit, words: list[str]) -> bool:
    return all(word in hit.content.casefold() for word in words)
