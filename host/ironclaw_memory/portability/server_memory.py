"""The knowledge graph of MCP's server-memory, a JSON object a line, as documents.

An entity becomes a document with its observations and the relations that start from
it: one fact a line, complete in itself, which is how this memory recalls best.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.nesting import too_deep
from ironclaw_memory.portability.foresight import MAX_DOCUMENT_BYTES
from ironclaw_memory.portability.plans import Text
from ironclaw_memory.portability.report import TOO_LARGE, Problem


MAX_FILE_BYTES: Final = 64 << 20
NOT_UNDERSTOOD: Final = "not-understood"
_NOT_IN_NAME: Final = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 180  # bytes; file systems take 255


@dataclass(kw_only=True)
class _Entity:
    kind: str = ""
    observations: dict[str, None] = field(default_factory=dict)  # each once, in order
    relations: dict[str, None] = field(default_factory=dict)


def texts_of(file: Path, *, into: str) -> tuple[list[Text], list[Problem]]:
    """Return the entities in *file* as documents below *into*, and the lines that are none.

    Raises `InvalidArguments` if the file is too large or not UTF-8.
    """
    entities: dict[str, _Entity] = {}
    problems: list[Problem] = []
    for number, line in enumerate(_lines(file), start=1):
        if line.strip() and not _take(entities, line):
            problems.append(Problem(path=f"line {number}", code=NOT_UNDERSTOOD))
    names = _file_names(entities)
    base = into.strip("/")
    texts = []
    for name, entity in entities.items():
        path = f"{base}/{names[name]}.md" if base else f"{names[name]}.md"
        content = _document(name, entity)
        if len(content.encode()) > MAX_DOCUMENT_BYTES:
            problems.append(Problem(path=path, code=TOO_LARGE))
        else:
            texts.append(Text(path=path, content=content))
    return texts, problems


def _lines(file: Path) -> list[str]:
    if file.stat().st_size > MAX_FILE_BYTES:
        raise InvalidArguments(
            f"The file is larger than {MAX_FILE_BYTES >> 20} MiB.",
            field="file",
            hint="Split it by lines.",
        )
    try:
        return file.read_bytes().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InvalidArguments("The file is not UTF-8.", field="file", code="not-utf-8") from None


def _take(entities: dict[str, _Entity], line: str) -> bool:
    """Take one line in; false if it is neither an entity nor a relation."""
    match _parsed(line):
        case {"type": "entity", "name": str(name), "entityType": str(kind), **rest}:
            observations = _texts(rest.get("observations", []))
            if observations is None or _texts([name, kind]) is None:
                return False
            entity = entities.setdefault(name, _Entity())
            entity.kind = entity.kind or kind
            entity.observations |= dict.fromkeys(observations)
        case {"type": "relation", "from": str(start), "to": str(end), "relationType": str(kind)}:
            if _texts([start, end, kind]) is None:
                return False
            fact = f"{_one_line(start)} {_one_line(kind)} {_one_line(end)}."
            entities.setdefault(start, _Entity()).relations[fact] = None
        case _:
            return False
    return True


def _parsed(line: str) -> Any:
    try:
        return None if too_deep(line.encode()) else json.loads(line)
    except ValueError:
        return None


def _texts(values: object) -> list[str] | None:
    """Return *values* if they are a list of texts that are Unicode and not blank."""
    if not isinstance(values, list):
        return None
    texts = [value for value in values if isinstance(value, str)]
    sound = len(texts) == len(values) and all(text.strip() and _is_unicode(text) for text in texts)
    return texts if sound else None


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _document(name: str, entity: _Entity) -> str:
    lines = [f"# {_one_line(name)}", ""]
    if entity.kind:
        lines.append(f"- {_one_line(name)} is a {_one_line(entity.kind)}.")
    lines += [f"- {_one_line(text)}" for text in (*entity.observations, *entity.relations)]
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _file_names(entities: Iterable[str]) -> dict[str, str]:
    """Return a file name for each entity; those that would collide get a piece of their hash."""
    plain = {name: _file_name(name) for name in entities}
    taken: dict[str, int] = {}
    for file in plain.values():
        taken[file.casefold()] = taken.get(file.casefold(), 0) + 1
    return {
        name: file if taken[file.casefold()] == 1 else f"{file}-{_digest(name)}"
        for name, file in plain.items()
    }


def _file_name(name: str) -> str:
    short = _NOT_IN_NAME.sub("-", unicodedata.normalize("NFC", name).strip())
    fitting = short.encode()[:_LONGEST_NAME].decode(errors="ignore").strip("-.")
    return fitting or _digest(name)


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]
