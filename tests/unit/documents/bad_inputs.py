"""Every bad input of reference.md sections 1 and 2, as a table.

A row names a tool, its canonical request, the documents that are there before, and
the failure that must come. After it every document is as before. The rows are run
here natively; the sandboxed component can be run against the same ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


INPUT = "input"
OPERATION = "operation"

NOTES = {"notes.md": b"one\ntwo\n"}
LONG = "a" * 256


@dataclass(frozen=True, kw_only=True)
class BadInput:
    """One request that must fail with *kind* and *code*."""

    name: str
    tool: str
    fields: Mapping[str, object]
    kind: str
    code: str
    given: Mapping[str, bytes] = field(default_factory=dict)


def _paths(tool: str, argument: str, **fixed: object) -> list[BadInput]:
    """Return the paths that no tool accepts."""
    rows = [
        ("blank", "  ", "path-invalid"),
        ("absolute", "/etc/passwd", "path-absolute"),
        ("home", "~/notes.md", "path-absolute"),
        ("drive", "C:/notes.md", "path-absolute"),
        ("drive-backslash", "C:\\notes.md", "path-absolute"),
        ("traversal", "../notes.md", "path-traversal"),
        ("traversal-inside", "notes/../../x.md", "path-traversal"),
        ("traversal-at-the-end", "notes/..", "path-traversal"),
        ("traversal-by-backslash", "notes\\..\\x.md", "path-traversal"),
        ("backslash", "notes\\x.md", "path-invalid"),
        ("dot-segment", "./notes.md", "path-invalid"),
        ("dot-segment-inside", "a/./b.md", "path-invalid"),
        ("empty-segment", "a//b.md", "path-invalid"),
        ("nul", "a\0b.md", "path-invalid"),
        ("newline", "a\nb.md", "path-invalid"),
        ("escape-character", "a\x1b[31m.md", "path-invalid"),
        ("c1-control", "a\x85b.md", "path-invalid"),
        ("right-to-left-override", "invoice\u202efdp.md", "path-invalid"),
        ("line-separator", "a\u2028b.md", "path-invalid"),
        ("long-segment", f"{LONG}/x.md", "path-invalid"),
        ("long-path", "/".join(["a" * 200] * 6), "path-invalid"),
        ("store", ".store/format", "path-reserved"),
        ("store-other-case", ".STORE/format", "path-reserved"),
        ("store-long-s", ".\u017ftore/format", "path-reserved"),
        ("store-of-the-profile", "context/.store/format", "path-reserved"),
        ("meta", "notes.md.meta", "path-reserved"),
        ("meta-directory", "a.meta/b.md", "path-reserved"),
        ("chunks", "a.chunks/0", "path-reserved"),
        ("versions", "notes.md.versions/1", "path-reserved"),
    ]
    return [
        BadInput(
            name=f"{tool}-{name}",
            tool=tool,
            fields={argument: path, **fixed},
            kind=INPUT,
            code=code,
        )
        for name, path, code in rows
    ]


@dataclass(frozen=True, kw_only=True)
class _Write:
    """The beginning of a row about `write`."""

    name: str
    code: str
    kind: str = INPUT
    given: Mapping[str, bytes] = field(default_factory=dict)

    def of(self, **fields: object) -> BadInput:
        """Return the row for a request."""
        return BadInput(
            name=f"write-{self.name}",
            tool="write",
            fields=fields,
            kind=self.kind,
            code=self.code,
            given=self.given,
        )


def _write(
    name: str, code: str, kind: str = INPUT, *, given: Mapping[str, bytes] | None = None
) -> _Write:
    return _Write(name=name, code=code, kind=kind, given=given or {})


WRITES = [
    _write("empty-target", "path-invalid").of(target="", content="x"),
    _write("dots-inside-a-name", "path-traversal").of(target="a..b.md", content="x"),
    _write("trailing-slash", "path-invalid").of(target="notes/", content="x"),
    *(
        _write(f"in-the-place-of-{number}", "path-kept").of(target=target, content="x")
        for number, target in enumerate(
            [
                *("MEMORY.md/x", "memory.MD/x/y.md", "HEARTBEAT.md/x", "BOOTSTRAP.md/x.md"),
                *("daily", "Context", "daily/2026-11-30.md/x", "context/profile.json/x"),
            ]
        )
    ),
    *(
        _write(f"in-other-letters-{number}", "path-kept", given=given).of(
            target=target, content="x"
        )
        for number, (target, given) in enumerate(
            [
                *(("memory.md", {}), ("memory.MD", {"MEMORY.md": b"x"})),
                *(("memory.md", {"memory.md": b"x"}), ("Heartbeat.md", {})),
                *(("BOOT\u017fTRAP.md", {}), ("context/Profile.json", {})),
            ]
        )
    ),
    _write("threads", "threads-reserved", OPERATION).of(target="threads/t1/x.md", content="x"),
    _write("threads-other-case", "threads-reserved", OPERATION).of(
        target="Threads/t1/x.md", content="x"
    ),
    _write("threads-itself", "threads-reserved", OPERATION).of(target="THREADS", content="x"),
    _write("threads-before-grammar", "threads-reserved", OPERATION).of(
        target="threads/a.meta", content="x"
    ),
    _write("append-blank", "content-blank").of(target="notes.md", content=" \n\t"),
    _write("append-nothing", "content-blank").of(target="notes.md"),
    _write("replace-blank", "content-blank").of(target="notes.md", content=" ", append=False),
    _write("replace-half-a-surrogate", "content-invalid").of(
        target="notes.md", content="\ud800", append=False
    ),
    _write("daily-log-unknown-zone", "timezone-invalid").of(
        target="daily_log", content="x", timezone="Mars/Olympus"
    ),
    _write("daily-log-empty-zone", "timezone-invalid").of(
        target="daily_log", content="x", timezone=""
    ),
    _write("daily-log-zone-as-path", "timezone-invalid").of(
        target="daily_log", content="x", timezone="../../etc/passwd"
    ),
    _write("daily-log-zone-other-case", "timezone-invalid").of(
        target="daily_log", content="x", timezone="europe/berlin"
    ),
    _write("patch-empty-search", "old-string-empty", given=NOTES).of(
        target="notes.md", old_string="", new_string="x"
    ),
    _write("patch-no-substitute", "new-string-empty", given=NOTES).of(
        target="notes.md", old_string="one"
    ),
    _write("patch-empty-substitute", "new-string-empty", given=NOTES).of(
        target="notes.md", old_string="one", new_string=""
    ),
    _write("patch-no-match", "no-match", given=NOTES).of(
        target="notes.md", old_string="three", new_string="x"
    ),
    _write("patch-other-case", "no-match", given=NOTES).of(
        target="notes.md", old_string="ONE", new_string="x"
    ),
    _write("patch-no-match-crlf", "no-match", given={"notes.md": b"one\r\ntwo\r\n"}).of(
        target="notes.md", old_string="one\nthree", new_string="x"
    ),
    _write("patch-absent", "patch-target-missing", OPERATION).of(
        target="notes.md", old_string="one", new_string="x"
    ),
    _write("patch-not-text", "not-text", OPERATION, given={"notes.md": b"\xff\xfe"}).of(
        target="notes.md", old_string="one", new_string="x"
    ),
    _write("append-not-text", "not-text", OPERATION, given={"notes.md": b"\xff\xfe"}).of(
        target="notes.md", content="x"
    ),
    _write("below-a-document", "path-occupied", OPERATION, given=NOTES).of(
        target="notes.md/x.md", content="x"
    ),
    _write("on-a-directory", "path-occupied", OPERATION, given={"notes/x.md": b"x"}).of(
        target="notes", content="x"
    ),
    _write("case-twin", "path-twin", given=NOTES).of(target="Notes.md", content="x"),
    _write("case-twin-directory", "path-twin", given={"notes/x.md": b"x"}).of(
        target="Notes/y.md", content="x"
    ),
    _write("case-twin-sharp-s", "path-twin", given={"stra\u00dfe.md": b"x"}).of(
        target="STRASSE.md", content="x"
    ),
    _write("too-large", "document-too-large").of(
        target="notes.md", content="a" * ((1 << 20) + 1), append=False
    ),
    _write("too-large-after-append", "document-too-large", given={"notes.md": b"a" * (1 << 20)}).of(
        target="notes.md", content="x"
    ),
    _write("too-large-after-patch", "document-too-large", given=NOTES).of(
        target="notes.md", old_string="one", new_string="a" * (1 << 20)
    ),
    _write("metadata-no-json", "metadata-invalid").of(target="notes.md", content="x", metadata="{"),
    _write("metadata-no-object", "metadata-invalid").of(
        target="notes.md", content="x", metadata="[]"
    ),
    _write("metadata-not-a-number", "metadata-invalid").of(
        target="notes.md", content="x", metadata='{"a": NaN}'
    ),
    _write("metadata-too-deep", "metadata-invalid").of(
        target="notes.md", content="x", metadata='{"a": ' + "[" * 5000 + "]" * 5000 + "}"
    ),
    _write("metadata-too-large", "metadata-invalid").of(
        target="notes.md", content="x", metadata='{"a": "' + "x" * (64 << 10) + '"}'
    ),
    _write("schema-mismatch", "schema-mismatch", OPERATION).of(
        target="notes.json", content="[]", append=False, metadata='{"schema": {"type": "object"}}'
    ),
    _write("schema-no-json", "schema-mismatch", OPERATION).of(
        target="notes.json", content="text", append=False, metadata='{"schema": {}}'
    ),
    _write("schema-content-too-deep", "schema-mismatch", OPERATION).of(
        target="notes.json",
        content="[" * 5000 + "]" * 5000,
        append=False,
        metadata='{"schema": {}}',
    ),
    _write("schema-invalid", "schema-invalid", OPERATION).of(
        target="notes.json", content="{}", append=False, metadata='{"schema": {"type": "banana"}}'
    ),
    _write("schema-no-schema", "schema-invalid", OPERATION).of(
        target="notes.json", content="{}", append=False, metadata='{"schema": "object"}'
    ),
    _write("schema-remote-reference", "schema-invalid", OPERATION).of(
        target="notes.json",
        content="{}",
        append=False,
        metadata='{"schema": {"$ref": "https://example.org/schema.json"}}',
    ),
    _write("schema-file-reference", "schema-invalid", OPERATION).of(
        target="notes.json",
        content="{}",
        append=False,
        metadata='{"schema": {"$ref": "file:///etc/passwd"}}',
    ),
    _write("schema-foreign-base", "schema-invalid", OPERATION).of(
        target="notes.json",
        content="{}",
        append=False,
        metadata='{"schema": {"$id": "https://example.org/", "$ref": "#/x"}}',
    ),
    _write("schema-dangling-reference", "schema-invalid", OPERATION).of(
        target="notes.json",
        content="{}",
        append=False,
        metadata='{"schema": {"$ref": "#/$defs/nothing"}}',
    ),
    _write("schema-endless-reference", "schema-invalid", OPERATION).of(
        target="notes.json", content="{}", append=False, metadata='{"schema": {"$ref": "#"}}'
    ),
    _write("schema-too-deep", "metadata-invalid").of(
        target="notes.json",
        content="{}",
        append=False,
        metadata='{"schema": ' + '{"not": ' * 70 + "{}" + "}" * 70 + "}",
    ),
]

READS = [
    BadInput(
        name="read-absent",
        tool="read",
        fields={"path": "notes.md"},
        kind=INPUT,
        code="document-missing",
    ),
    BadInput(
        name="read-below-a-document",
        tool="read",
        fields={"path": "notes.md/x.md"},
        kind=INPUT,
        code="document-missing",
        given=NOTES,
    ),
    BadInput(
        name="read-other-case",
        tool="read",
        fields={"path": "Notes.md"},
        kind=INPUT,
        code="document-missing",
        given=NOTES,
    ),
    BadInput(
        name="read-directory",
        tool="read",
        fields={"path": "notes"},
        kind=INPUT,
        code="is-a-directory",
        given={"notes/x.md": b"x"},
    ),
    BadInput(
        name="read-not-text",
        tool="read",
        fields={"path": "notes.md"},
        kind=OPERATION,
        code="not-text",
        given={"notes.md": b"\xff\xfeone"},
    ),
    BadInput(
        name="read-too-large",
        tool="read",
        fields={"path": "notes.md"},
        kind=OPERATION,
        code="body-too-large",
        given={"notes.md": b"a" * ((4 << 20) + 1)},
    ),
]

BAD_INPUTS = [
    *_paths("read", "path"),
    *_paths("write", "target", content="x"),
    *_paths("tree", "path", depth=3),
    *READS,
    *WRITES,
]
