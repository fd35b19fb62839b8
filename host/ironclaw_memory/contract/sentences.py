"""One fixed sentence and hint per failure code: a provider names the code, the host speaks.

No word of a provider reaches a person or a model as an error. An unknown code gets a
general sentence for its kind (reference.md section 0, "Error text to the model"). A sentence
with a capital is whole; any other is said of the argument at fault.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from ironclaw_memory.contract.for_models import hint_naming
from ironclaw_memory.errors import (
    InvalidArguments,
    IronclawMemoryError,
    OperationFailed,
    ProviderUnavailable,
)
from ironclaw_memory.model import Failure


_PROTECTED: Final = "re-enters the model's prompt, and the text was refused"

SENTENCES: Final[Mapping[str, tuple[str, str]]] = {
    "path-invalid": (
        "is not a legal path",
        "Use segments joined by `/`, none of them empty, without backslashes or control characters.",
    ),
    "path-absolute": ("is an absolute path", "Use a path relative to the memory, such as notes/topic.md."),
    "path-traversal": ("leaves the memory", "Use a path without `.` and `..` segments."),
    "path-reserved": (
        "uses a reserved name",
        "Names ending in .meta, .chunks or .versions, and .store, belong to the provider.",
    ),
    "path-kept": (
        "would take the place of a document or directory of the memory itself",
        "MEMORY.md and its like are documents; context, daily and threads are directories.",
    ),
    "path-twin": (
        "differs from an existing path only in letter case",
        "Use the existing spelling; `ironclaw-memory tree` shows it.",
    ),
    "document-missing": ("names no document", "`ironclaw-memory tree` lists the documents that exist."),
    "content-blank": ("is blank", "Give some text; forgetting means rewriting the document without it."),
    "content-invalid": ("is not Unicode text", "Remove what is not a character, such as half a surrogate."),
    "document-too-large": (
        "would make the document larger than 1 MiB",
        "Split it into several documents.",
    ),
    "old-string-empty": ("is empty", "Give the exact text to replace."),
    "new-string-empty": (
        "is missing or empty",
        "A patch cannot delete; rewrite the document with append set to false.",
    ),
    "no-match": (
        "does not occur in the document",
        "Read the document and copy the text to replace exactly.",
    ),
    "timezone-invalid": ("is not an IANA time zone", "Use a name such as Europe/Berlin."),
    "locale-invalid": ("is not a language tag", "Use letters, digits and `-`: de-DE instead of de_DE."),
    "location-invalid": ("is blank or too long", "Use at most 200 characters."),
    "profile-empty": ("names no field", "Give at least one of timezone, locale and location."),
    "metadata-invalid": ("is not a JSON object of metadata", 'Give an object, for instance {"skip_indexing": true}.'),
    "query-blank": ("has nothing to look for", "Give at least one word."),
    "version-missing": ("names no version", "`ironclaw-memory history PATH` lists them."),
    "is-a-directory": ("is a directory", "`ironclaw-memory tree PATH` lists what is in it."),
    "version-mismatch": ("does not have the hash of its row", "The archive is damaged; take another copy."),
    "version-invalid": (
        "is nothing that a version can have",
        "The archive is damaged or no export of ours; take another copy.",
    ),
    "threads-reserved": (
        "is in threads/, where only the recorder writes",
        "Write to another path, such as notes/topic.md.",
    ),
    "patch-target-missing": ("names no document to patch", "Write it first, or check the path."),
    "path-occupied": (
        "would stand where a directory is, or below a document",
        "Choose another path.",
    ),
    "name-taken": (
        "is taken, by a document or by the history of a deleted one",
        "Choose another name.",
    ),
    "not-text": ("is not UTF-8 text", "Convert it with an editor."),
    "not-a-document": (
        "is not a regular file",
        "`ironclaw-memory doctor` names it; replace it by a file.",
    ),
    "document-unreadable": (
        "cannot be read",
        "Permit yourself to read the file and the directories that it is in.",
    ),
    "body-too-large": (
        "is larger than 4 MiB, which is too large to be read, changed or kept as a version",
        "Erase it, or split it in an editor.",
    ),
    "conflict": ("kept changing while it was written", "Read it again and repeat."),
    "schema-mismatch": (
        "would not satisfy the schema in its metadata",
        "Correct the content, or change the schema.",
    ),
    "schema-invalid": ("The schema in the document's metadata cannot be used", "Correct the metadata of the document."),
    "profile-corrupt": (
        "The stored profile is not a JSON object of texts, and was left alone",
        "Mend context/profile.json in an editor.",
    ),
    "version-erased": ("The body of that version was erased", "It cannot be brought back."),
    "version-damaged": ("The body of that version is damaged", "Run `ironclaw-memory doctor`."),
    "version-taken": ("Another version has that number", "Import into an empty scope."),
    "history-full": (
        "has as many versions as are kept of one",
        "`ironclaw-memory sweep` drops those that are past their time; then repeat.",
    ),
    "transcript-too-large": (
        "The transcript of this run is larger than 1 MiB",
        "Record less of it under this run id; nothing was stored.",
    ),
    "quota-exceeded": (
        "The scope is full",
        "Erase or merge documents; reading and erasing still work.",
    ),
    "storage-failed": (
        "The documents could not be stored; they are as before",
        "Check that the disk has room and the directory can be written.",
    ),
    "unsupported": ("The provider's store does not support this", "`ironclaw-memory component info` shows what it does."),
    "prompt_write_policy_unavailable": (f"{_PROTECTED}: no policy is set", "Set a prompt-write policy."),
    "prompt_write_policy_misconfigured": (f"{_PROTECTED}: the policy does not hold", "Correct the policy."),
    "prompt_write_bypass_not_allowed": (
        f"{_PROTECTED}: it would blank the document",
        "Write what should stand there instead; only bootstrap may be cleared.",
    ),
    "prompt_write_safety_event_unavailable": (
        f"{_PROTECTED}: the decision could not be recorded",
        "Check that the audit log can be written, then repeat.",
    ),
    "protected_path_registry_unavailable": (f"{_PROTECTED}: the registry is missing", "Reinstall the provider."),
    "high_risk_prompt_injection": (
        f"{_PROTECTED}: it reads as an instruction to a model",
        "Store the fact as a plain statement about the user.",
    ),
    "critical_prompt_injection": (
        f"{_PROTECTED}: it carries control text of a prompt",
        "Store the fact as a plain statement about the user.",
    ),
    "index-stale": ("The search index is being brought up to date", "Repeat the search."),
    "store-newer": ("A newer provider wrote this store", "Use that provider, or a newer release."),
    "format-damaged": (
        "The format number of this store is damaged, so that nothing is written to it",
        "`ironclaw-memory doctor --fix` writes it anew.",
    ),
    "store-damaged": (
        "A file stands where this store keeps versions or metadata, so that nothing is written to it",
        "`ironclaw-memory doctor --fix` moves it aside.",
    ),
}  # fmt: skip

_GENERAL: Final[Mapping[str, tuple[str, str]]] = {
    "input": ("does not hold", "`ironclaw-memory tools` shows what the tool takes."),
    "operation": (
        "The provider could not do that on the documents as they are",
        "Nothing was changed.",
    ),
    "unavailable": (
        "The provider cannot serve at the moment",
        "Repeat the call; nothing was changed.",
    ),
}
_MAX_FIELD: Final = 40
_MAX_PATH: Final = 80
_NAMED: Final = frozenset({"path", "to", "target", "number"})  # arguments shown in messages
_OF_A_NEW_NAME: Final = (
    *("path-twin", "path-kept", "path-occupied", "name-taken", "threads-reserved"),
    *(code for code, (words, _) in SENTENCES.items() if words.startswith(_PROTECTED)),
)
_OF_A_DOCUMENT: Final = (
    *("document-missing", "document-unreadable", "is-a-directory", "not-text", "not-a-document"),
    *("conflict", "schema-mismatch", "patch-target-missing", "history-full", "body-too-large"),
)
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_OF_A_NEW_NAME, ("to", "target", "path")),
    **dict.fromkeys(_OF_A_DOCUMENT, ("path", "target")),
}
"""Where a provider names no argument: those that the code can be about, the likeliest first."""
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def error_of(failure: Failure, request: Mapping[str, Any] = _NOTHING) -> IronclawMemoryError:
    """Return our error for a provider's *failure*, in our own words.

    A path or version number that *request* gave is named as the caller wrote it.
    """
    known = failure.code in SENTENCES
    words, hint = (
        SENTENCES[failure.code] if known else _GENERAL.get(failure.kind, _GENERAL["unavailable"])
    )
    code = failure.code if known else None
    field = _field_at_fault(failure, request)
    subject = "" if words[0].isupper() else f"{_subject(failure.kind, field, request)} "
    message = f"{subject}{words}."
    match failure.kind:
        case "input":
            return InvalidArguments(
                message, field=field, code=code, hint=_with_path(hint, request.get("path"))
            )
        case "operation":
            return OperationFailed(message, code=code, hint=hint)
        case _:
            return ProviderUnavailable(message, code=code, hint=hint)


def _field_at_fault(failure: Failure, request: Mapping[str, Any]) -> str:
    named = _field(failure.field_name)
    if named and (failure.kind == "input" or named in request):
        return named
    return next((name for name in _FIELDS.get(failure.code, ()) if name in request), "")


def _subject(kind: str, field: str, request: Mapping[str, Any]) -> str:
    if not field:
        return "The request" if kind == "input" else "The document"
    return f"{field}{_quoted(request.get(field) if field in _NAMED else None)}"


def _quoted(value: object) -> str:
    return f" {value!r:.{_MAX_PATH}}" if isinstance(value, str | int) and value != "" else ""


def _with_path(hint: str, path: object) -> str:
    """Return *hint* with the caller's path in its command, where a shell could be given it."""
    if not isinstance(path, str) or len(path) > _MAX_PATH:
        return hint
    return hint_naming(hint, "PATH", path)


def _field(name: str | None) -> str:
    """Return an argument's name if it looks like one; a provider chose the text."""
    if (
        name
        and len(name) <= _MAX_FIELD
        and name.replace("_", "").isascii()
        and name.replace("_", "").isalnum()
    ):
        return name
    return ""
