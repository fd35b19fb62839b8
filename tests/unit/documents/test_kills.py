"""A process killed at any instant leaves the old or the new document, and loses nothing."""

import pathlib

from tests.unit.documents import writing_process
from tests.unit.documents.kills import survive
from tests.unit.documents.subject import NativeSubject


def test_no_kill_loses_or_tears_anything(tmp_path: pathlib.Path) -> None:
    """Every acknowledged text is there or in the history, in order, after each of many kills."""
    survive(writing_process, tmp_path, lambda: NativeSubject(str(tmp_path)))
