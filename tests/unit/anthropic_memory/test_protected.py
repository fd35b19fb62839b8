"""What a model may not move, whatever it is granted."""

import pytest

from ironclaw_memory.contract.protected import check_movable
from ironclaw_memory.errors import OperationFailed
from memory_native.safety.registry import PROTECTED_PATHS


@pytest.mark.parametrize("path", PROTECTED_PATHS.classes)
def test_a_document_of_the_prompt_is_not_moved(path: str) -> None:
    """The list is the one that writes are checked by."""
    with pytest.raises(OperationFailed) as refused:
        check_movable(path)
    assert refused.value.code == "prompt-document"


@pytest.mark.parametrize(
    "path", ["memory.MD", "TOOL\u017f.md", "CONTEXT/Profile.json", "/MEMORY.md"]
)
def test_another_spelling_is_the_same_document(path: str) -> None:
    """On a disk that folds names it is."""
    with pytest.raises(OperationFailed):
        check_movable(path)


@pytest.mark.parametrize("path", ["threads/monday/run.md", "Threads/x.md"])
def test_a_transcript_is_not_moved(path: str) -> None:
    """The recorder alone writes there."""
    with pytest.raises(OperationFailed) as refused:
        check_movable(path)
    assert refused.value.code == "threads-reserved"


@pytest.mark.parametrize("path", ["notes/MEMORY.md", "threads.md", "context/x.json", "a.md"])
def test_anything_else_is(path: str) -> None:
    """The whole path counts."""
    check_movable(path)
