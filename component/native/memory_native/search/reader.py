"""Reading the index: from a query to passages, documents and explanations."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate, islice
from types import TracebackType
from typing import Self

from memory_native.search.asking import Asked
from memory_native.search.explain import MOST_HITS, Explanation, explain
from memory_native.search.fusion import Limits, normalised
from memory_native.search.model import DocumentHit, IndexUnusable, PassageHit, Stamp
from memory_native.search.ranking import DOCUMENT_REACH, Scored
from memory_native.search.retrieval import FLOOR, Keep, Retrieval
from memory_native.search.schema import (
    HeldFile,
    closed_on_failure,
    connect_to_read,
    noticing_damage,
)
from memory_native.search.soundness import is_sound


CONTENT_BYTES = 8_192
_JUDGED = 5  # passages among which the best evidence is looked for
_MOST_UTF8 = 4  # bytes of a character
CONTENT_SHARE = 0.5  # least score, of the document's best, of a passage in its content


class IndexReader:
    """The index in a directory as it is now; the caller holds the scope's shared lock.

    Raises `IndexUnusable` when it is opened on an index that cannot be trusted, and later when a
    row turns out to be damaged or the file was changed meanwhile.
    """

    def __init__(self, directory: str) -> None:
        self._file = HeldFile(directory)
        self.generation = self._file.generation
        with closed_on_failure(self._file), noticing_damage():
            self._connection = connect_to_read(directory)
            with closed_on_failure(self._connection):
                self._retrieval = Retrieval(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._file.close()

    def is_unwritten(self) -> bool:
        """Tell whether nobody has written the file that is open, whatever its time says."""
        return self._file.is_unwritten()

    def stamp(self, path: str) -> Stamp | None:
        """Return which bytes of one document are indexed."""
        with self._trusted():
            row = self._connection.execute(
                "SELECT size, mtime_ns, sha256 FROM document WHERE path = ?", (path,)
            ).fetchone()
            return Stamp(*row) if row else None

    def stamps(self) -> dict[str, Stamp]:
        """Return which bytes of each document are indexed."""
        with self._trusted():
            rows = self._connection.execute("SELECT path, size, mtime_ns, sha256 FROM document")
            return {path: Stamp(size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in rows}

    def is_sound(self) -> bool:
        """Tell whether the file holds together, from its first row to its last."""
        return is_sound(self._connection)

    def passages(
        self,
        query: str,
        *,
        limit: int,
        shelf: str | None = None,
        keep: Keep | None = None,
        floor: bool = False,
    ) -> list[PassageHit]:
        """Return the best *limit* passages, best first; equal scores by path, then line.

        Only documents on *shelf* are searched, all for None; *keep* picks among them by path,
        before the limit is applied: for the few, because what it drops was ranked first. With *floor*, nothing is
        returned when even the best shares too little with the query (`retrieval.FLOOR`): for text
        that is put before a reader who did not ask for it. A query without a content word finds
        nothing.
        """
        with self._trusted():
            asked = self._retrieval.ask(query, shelf)
            found, context = self._retrieval.taken(
                asked, lambda walked: list(islice(walked, limit)), enough=limit, keep=keep
            )
            least = FLOOR * asked.expected_idf if floor else 0.0
            if not any(context.evidence(passage) >= least for passage in found[:_JUDGED]):
                return []
            self._retrieval.catalogue.load([passage[1] for passage in found])
            return [self._passage(asked, passage) for passage in found]

    def documents(
        self,
        query: str,
        *,
        limit: int,
        min_score: float = 0.0,
        keep: Keep | None = None,
        content_bytes: int = CONTENT_BYTES,
    ) -> list[DocumentHit]:
        """Return the best *limit* documents; a document is worth as much as its best passage.

        The content is that document's best passages, in the order of the document, within
        *content_bytes* of UTF-8. Scores are divided by the best one, then *min_score* applies.
        """
        limits = Limits.clamped(limit)
        with self._trusted():
            asked = self._retrieval.ask(query)
            found, _ = self._retrieval.taken(
                asked,
                lambda walked: _by_document(walked, limits.limit),
                enough=limits.limit,
                keep=keep,
                reach=DOCUMENT_REACH,
            )
            sections = [passage[1] for group in found for passage in group]
            self._retrieval.catalogue.load(sections)
            hits = [self._document(group, content_bytes) for group in found]
            return normalised(hits, limits, min_score=min_score)

    def explain(
        self, query: str, path: str | None = None, *, limit: int = MOST_HITS
    ) -> Explanation:
        """Return why the best *limit* passages are found, or what keeps those of *path* from it."""
        with self._trusted():
            return explain(self._retrieval, query, path, limit)

    def _passage(self, asked: Asked, found: Scored) -> PassageHit:
        score, section, place = found
        path, line = self._retrieval.catalogue.spot(section, place)
        text = self._retrieval.catalogue.text(section, place)
        return PassageHit(path, line, text, score, self._retrieval.matched(asked, found))

    def _document(self, found: list[Scored], most: int) -> DocumentHit:
        """Return the best of *found* that fit into *most* bytes, in the order of the document."""
        spots = [(section, place) for _, section, place in found]
        document = self._retrieval.catalogue.document(spots[0][0])
        texts = self._retrieval.catalogue.quoted(spots)
        lines = document.lines(spots[: _fitting(texts, most)])
        content = "\n".join([text for _, text in sorted(zip(lines, texts, strict=False))])
        return DocumentHit(document.path, content, found[0][0])

    @contextmanager
    def _trusted(self) -> Iterator[None]:
        """Let nothing out that was read from a damaged file or from one that changed meanwhile.

        Who had only begun to write, against the lock that the caller holds, has changed nothing yet.
        """
        with noticing_damage():
            yield
        if not self._file.is_unwritten():
            raise IndexUnusable("dirty")


def _fitting(texts: list[str], most: int) -> int:
    """Return how many of *texts*, on lines of their own, fit into *most* bytes; the first does."""
    if _MOST_UTF8 * sum(map(len, texts)) + len(texts) <= most:
        return len(texts)
    sizes = accumulate(len(text.encode()) + 1 for text in texts)
    return max(1, sum(size <= most for size in sizes))


def _by_document(ranked: Iterable[Scored], most: int) -> list[list[Scored]]:
    """Return the passages worth quoting of the first *most* documents, best first.

    The walk ends where no passage can be: scores fall, and the last document's has to be reached.
    """
    documents: dict[int, list[Scored]] = {}
    missing = most
    least = 0.0  # score below which a passage is quoted for none of them
    for passage in ranked:
        score, section, _ = passage
        document = section.document
        if score < least and not missing:
            break
        group = documents.get(document)
        if group is not None:
            if score >= CONTENT_SHARE * group[0][0]:
                group.append(passage)
        elif missing:
            missing -= 1
            documents[document] = [passage]
            least = CONTENT_SHARE * score
    return list(documents.values())
