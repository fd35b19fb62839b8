"""Paths that are mended, hidden or confused instead of refused."""

import json
import os
import posixpath
from dataclasses import replace

from memory_native import tree
from memory_native.documents import Document, WriteReply, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.replies import Listing
from memory_native.requests import TreeRequest
from mutants.base import Mutant


class MendsPaths(Mutant):
    """A climbing path is tidied up and taken."""

    rule = "paths.write-refuses-illegal-targets"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.target.startswith(("/", "..")) or not request.target.strip():
            return super().write(request)
        return super().write(replace(request, target=posixpath.normpath(request.target)))


class LooksAtTheLastSegment(Mutant):
    """Reserved suffixes are refused at the end of a path alone."""

    rule = "paths.sidecar-suffixes-are-reserved"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if problem.code != "path-reserved" or not request.target.endswith(".md"):
                raise
            _save(self.root, request.target, request.content)
            return self.replaced("a.md", request.content)


class TwinsAreTwo(Mutant):
    """Names that differ in case alone are two documents."""

    rule = "paths.twins-by-case-are-refused"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if problem.code != "path-twin":
                raise
            _save(self.root, request.target, request.content)
            return self.replaced("other.md", request.content)


class NamesAsTheyCome(Mutant):
    """A decomposed name is another document than its composed form."""

    rule = "paths.names-are-kept-in-form-c"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.target.isascii():
            return super().write(request)
        _save(self.root, request.target, request.content)
        return replace(self.replaced("a.md", request.content), path=request.target)


class StoreIsReadable(Mutant):
    """What is below ``.store`` can be read like a document."""

    rule = "paths.the-store-is-not-read"

    def read(self, path: str) -> Document:
        if not path.startswith(".store/"):
            return super().read(path)
        with open(f"{self.root}/{path}", encoding="utf-8") as file:
            text = file.read()
        return Document(path=path, content=text, word_count=len(text.split()))


class FlatTree(Mutant):
    """A listing is a flat list of paths."""

    rule = "tree.is-nested"

    def tree(self, request: TreeRequest) -> Listing:
        return Listing(json=json.dumps(sorted(_flat(json.loads(super().tree(request).json)))))


class TreeShowsTheStore(Mutant):
    """A listing shows the provider's own directory."""

    rule = "tree.hides-the-store"

    def tree(self, request: TreeRequest) -> Listing:
        return Listing(json=json.dumps([".store/", *json.loads(super().tree(request).json)]))


class TreeIsCutSilently(Mutant):
    """A listing that was cut does not say so."""

    rule = "tree.says-where-it-was-cut"

    def tree(self, request: TreeRequest) -> Listing:
        return Listing(json=super().tree(request).json.replace(f',"{tree.CUT}"', ""))


class TreeListsOnePage(Mutant):
    """A listing ends after a thousand entries."""

    rule = "tree.lists-more-than-one-page"

    def tree(self, request: TreeRequest) -> Listing:
        return Listing(json=json.dumps(json.loads(super().tree(request).json)[:1000]))


def _save(root: str, path: str, content: str) -> None:
    target = f"{root}/{path}"
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(content)


def _flat(nodes: list[object]) -> list[str]:
    names: list[str] = []
    for node in nodes:
        if isinstance(node, dict):
            for name, below in node.items():
                names += [f"{name}{path}" for path in _flat(below)]
        else:
            names.append(str(node))
    return names
