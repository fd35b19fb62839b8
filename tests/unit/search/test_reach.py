"""How far around a match is looked changes what is scored, never a score."""

from collections.abc import Iterator

from tests.unit.search.scope import IndexedScope

from memory_native.search import IndexReader
from memory_native.search.ranking import DOCUMENT_REACH, REACH, Scored


def _scores(reader: IndexReader, query: str, reach: int) -> dict[tuple[int, int], float]:
    retrieval = reader._retrieval

    def every(walked: Iterator[Scored]) -> list[Scored]:
        return list(walked)

    found, _ = retrieval.taken(retrieval.ask(query), every, enough=1, reach=reach)
    return {(section.first, place): score for score, section, place in found}


def test_a_passage_scores_the_same_whoever_else_is_scored(scope: IndexedScope) -> None:
    """Questions carry to what is asked, also from beyond what is reached."""
    filling = "".join(f"- line {n} about the garden\n" for n in range(70))
    question = "- did the tea that was sent from there by the slow train arrive with the box?\n"
    scope.put("a.md", f"{question}- nothing yet\n- or so\n- nor since\n- tea tea tea\n{filling}")
    scope.put("b.md", "".join(f"- tea tea {n}\n- was cold\n- was it?\n" for n in range(80)))

    with IndexReader(scope.directory) as reader:
        near = _scores(reader, "tea", DOCUMENT_REACH)
        far = _scores(reader, "tea", REACH)
    assert len(far) > len(near) > 0
    assert near == {place: far[place] for place in near}
