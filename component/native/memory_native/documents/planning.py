"""From a request to an edit: every check of a write that needs no document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from memory_native import paths
from memory_native.documents import editing
from memory_native.documents.editing import Edit
from memory_native.documents.requests import WriteRequest, WriteStatus
from memory_native.failures import MemoryFailure
from memory_native.metadata import Metadata


BOOTSTRAP: Final = "bootstrap"
_CLEAR_ALLOWANCE: Final = "empty_prompt_file_clear"  # reference.md section 5


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A write that has passed every check that needs no document."""

    path: str
    overlay: Metadata
    status: WriteStatus
    edit: Callable[[bytes | None], Edit]
    appends: bool = False
    allowance: str | None = None


def plan(request: WriteRequest, *, path: str, overlay: Metadata) -> Plan:
    """Return what to do with the document at *path*.

    Raises ``old-string-empty``, ``new-string-empty`` or ``content-blank``.
    """
    if request.target == BOOTSTRAP:
        return Plan(
            path=path,
            overlay=overlay,
            status=WriteStatus.CLEARED,
            edit=lambda _: Edit(text=""),
            allowance=_CLEAR_ALLOWANCE,
        )
    if request.old_string is not None:
        edit = _patching(request, request.old_string)
        return Plan(path=path, overlay=overlay, status=WriteStatus.PATCHED, edit=edit)
    editing.require_content(request.content)
    appends = request.append or request.target == paths.DAILY_LOG  # only ever added to
    return Plan(
        path=path,
        overlay=overlay,
        status=WriteStatus.WRITTEN,
        edit=_writing(request.content, appends=appends),
        appends=appends,
    )


def _patching(request: WriteRequest, search: str) -> Callable[[bytes | None], Edit]:
    substitute = editing.require_patch(search, request.new_string)

    def edit(old: bytes | None) -> Edit:
        if old is None:
            raise MemoryFailure("patch-target-missing", field="target")
        text = editing.decode(old)
        return editing.patch(
            text, search=search, substitute=substitute, everywhere=request.replace_all
        )

    return edit


def _writing(content: str, *, appends: bool) -> Callable[[bytes | None], Edit]:
    if appends:
        return lambda old: editing.append(editing.decode(old or b""), content)
    return lambda _: editing.replace(content)
