"""Laws of a memory, as a state machine against a plain dictionary.

`MemoryLaws` makes any sequence of writes, patches, restorations, deletions, renames and
edits by hand, and compares every document, every listing, every search and every kept
version with what a dictionary says. No edit by hand costs a version. Subclass it with `open` to test a memory.
"""

import pathlib
import shutil
import tempfile
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.unit.documents.subject import RefusedError, Subject


PATHS = st.sampled_from(["MEMORY.md", "notes.md", "a/one.md", "a/b/two.md", "caf\u00e9.md"])
WORDS = st.sampled_from(["tea", "milk", "sugar", "harbour", "lantern", "violet"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
LINES = st.lists(TEXTS, min_size=1, max_size=4).map("\n".join)
LONG = st.builds(lambda line, times: "\n".join([line] * times), TEXTS, st.integers(30, 60))
EDITS = LINES | LONG | st.just("open end")


@dataclass
class Past:
    """The versions of one document: bodies by number, and the last number."""

    kept: dict[int, str] = field(default_factory=dict)
    last: int = 0

    def add(self, body: str) -> None:
        """Keep a body that was replaced."""
        self.last += 1
        self.kept[self.last] = body


class MemoryLaws(RuleBasedStateMachine):
    """Compares a memory with a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.mkdtemp()
        self.memory: Subject = self.open(self.directory)
        self.texts: dict[str, str] = {}
        self.past: defaultdict[str, Past] = defaultdict(Past)
        self.lost: set[str] = set()

    def open(self, directory: str) -> Subject:
        """Return the memory to test over an empty directory."""
        raise NotImplementedError

    def teardown(self) -> None:
        """Look once at everything, then remove the directory."""
        try:
            self._is_sound()
        finally:
            shutil.rmtree(self.directory)

    # -- what the dictionary says ---------------------------------------------

    def _becomes(self, path: str, text: str | None) -> None:
        old = self.texts.get(path)
        if old and old != text:
            self.past[path].add(old)
        if text is None:
            del self.texts[path]
        else:
            self.texts[path] = text

    def _refused(self, code: str, call: object, *arguments: object) -> None:
        with pytest.raises(RefusedError, match=code):
            call(*arguments)  # type: ignore[operator]

    # -- what may happen --------------------------------------------------------

    @rule(path=PATHS, content=LINES)
    def append(self, path: str, content: str) -> None:
        """An entry is added to the end."""
        self.memory.write({"target": path, "content": content})
        old = self.texts.get(path, "")
        glue = "" if not old or old.endswith("\n") else "\n"
        self._becomes(path, f"{old}{glue}{content}\n")

    @rule(path=PATHS, content=LINES | LONG)
    def replace(self, path: str, content: str) -> None:
        """The document is exactly the content."""
        self.memory.write({"target": path, "content": content, "append": False})
        self._becomes(path, content)

    @rule(path=PATHS, old=WORDS, new=WORDS, everywhere=st.booleans())
    def patch(self, path: str, old: str, new: str, *, everywhere: bool) -> None:
        """The first or every occurrence is replaced, or nothing is changed."""
        fields = {
            "target": path,
            "old_string": old,
            "new_string": new,
            "replace_all": everywhere,
        }
        text = self.texts.get(path)
        if text is None:
            self._refused("patch-target-missing", self.memory.write, fields)
        elif old not in text:
            self._refused("no-match", self.memory.write, fields)
        else:
            self.memory.write(fields)
            self._becomes(path, text.replace(old, new, -1 if everywhere else 1))

    @rule(path=PATHS, text=EDITS)
    def edit(self, path: str, text: str) -> None:
        """A person rewrites the file."""
        self.memory.edit(path, text)
        self.texts[path] = text

    @precondition(lambda self: self.texts)
    @rule(choice=st.data())
    def remove_by_hand(self, choice: st.DataObject) -> None:
        """A person removes the file."""
        path = choice.draw(st.sampled_from(sorted(self.texts)))
        self.memory.edit(path, None)
        del self.texts[path]
        self.lost.add(path)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        """A document is taken away and its last body kept."""
        if path in self.texts:
            self.memory.delete(path)
            self._becomes(path, None)
        else:
            self._refused("document-missing", self.memory.delete, path)

    @precondition(lambda self: any(past.kept for past in self.past.values()))
    @rule(choice=st.data())
    def restore(self, choice: st.DataObject) -> None:
        """A version becomes the document again."""
        path, number = self._draw_version(choice)
        self.memory.restore(path, number)
        self._becomes(path, self.past[path].kept[number])

    @precondition(lambda self: any(past.kept for past in self.past.values()))
    @rule(choice=st.data())
    def erase_version(self, choice: st.DataObject) -> None:
        """A body goes, all others stay."""
        path, number = self._draw_version(choice)
        self.memory.erase(path, number)
        del self.past[path].kept[number]

    @rule(path=PATHS)
    def erase(self, path: str) -> None:
        """Everything of a document goes; the index may know one that a person removed."""
        if path in self.texts or self.past[path].last:
            self.memory.erase(path, None)
        elif path in self.lost:
            with suppress(RefusedError):
                self.memory.erase(path, None)
        else:
            self._refused("document-missing", self.memory.erase, path, None)
        self.lost.discard(path)
        self.texts.pop(path, None)
        self.past.pop(path, None)

    @rule(path=PATHS, to=PATHS)
    def rename(self, path: str, to: str) -> None:
        """Everything of a document gets another name, unless that is taken."""
        if path not in self.texts:
            self._refused("document-missing", self.memory.rename, path, to)
        elif to in self.texts or self.past[to].last:
            self._refused("name-taken", self.memory.rename, path, to)
        else:
            self.memory.rename(path, to)
            self.texts[to] = self.texts.pop(path)
            self.past[to] = self.past.pop(path, Past())

    def _draw_version(self, choice: st.DataObject) -> tuple[str, int]:
        known = [(path, number) for path, past in self.past.items() for number in past.kept]
        return choice.draw(st.sampled_from(sorted(known)))

    # -- what must hold -----------------------------------------------------------

    @invariant()
    def every_document_is_as_it_should_be(self) -> None:
        """Reading gives the dictionary's text, byte for byte."""
        for path, text in self.texts.items():
            assert self.memory.read(path) == text
            on_disk = pathlib.Path(self.directory, path).read_bytes()
            assert on_disk == text.encode()

    @invariant()
    def the_listing_is_the_dictionary(self) -> None:
        """No document is missing and none appears from nowhere."""
        assert sorted(_flat(self.memory.tree())) == sorted(self.texts)

    def _is_sound(self) -> None:
        for path in set(self.texts) | {path for path, past in self.past.items() if past.last}:
            self._history_is_whole(path)
        for word in ("tea", "lantern", "open"):
            self._search_agrees(word)
        assert self.memory.findings(repair=False) == []

    def _search_agrees(self, word: str) -> None:
        """Found is what has the word now; a line that two documents share may be shown once."""
        holders = {path for path, text in self.texts.items() if word in text}
        found = self.memory.found(word)
        if not holders:
            return  # a search may offer similar words instead
        assert found <= holders
        shown = {line for path in found for line in self.texts[path].splitlines()}
        for path in holders - found:
            assert {line for line in self.texts[path].splitlines() if word in line} <= shown

    def _history_is_whole(self, path: str) -> None:
        past = self.past[path]
        assert self.memory.history(path) == sorted(past.kept)
        for number, body in past.kept.items():
            assert self.memory.version(path, number) == body


def _flat(nodes: object, above: str = "") -> list[str]:
    assert isinstance(nodes, list)
    found: list[str] = []
    for node in nodes:
        if isinstance(node, dict):
            for name, below in node.items():
                found += _flat(below, above + name)
        else:
            found.append(above + node)
    return found
