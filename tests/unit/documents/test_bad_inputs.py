"""Bad input is refused with the right kind and code, and changes nothing."""

import pathlib
from collections.abc import Mapping

import pytest
from tests.unit.documents.bad_inputs import BAD_INPUTS, BadInput
from tests.unit.documents.fakes import World

from memory_native import tree
from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure


def _call(documents: Documents, tool: str, fields: Mapping[str, object]) -> object:
    match tool:
        case "read":
            return documents.read(str(fields["path"]))
        case "write":
            return documents.write(WriteRequest(**fields))  # type: ignore[arg-type]
        case "tree":
            return tree.listing(documents.root, documents.names, str(fields["path"]), 3)
        case _:
            raise AssertionError(tool)


def _lay_out(disk: pathlib.Path, given: Mapping[str, bytes]) -> None:
    for name, content in given.items():
        path = disk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _on_disk(disk: pathlib.Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(disk)): path.read_bytes() if path.is_file() else None
        for path in sorted(disk.rglob("*"))
        if ".store" not in path.parts
    }


@pytest.mark.parametrize("row", BAD_INPUTS, ids=lambda row: row.name)
def test_bad_input_is_refused_and_changes_nothing(
    row: BadInput, world: World, disk: pathlib.Path
) -> None:
    """Each row fails with its kind and code, and every document is as before."""
    _lay_out(disk, row.given)
    before = _on_disk(disk)

    with pytest.raises(MemoryFailure) as refusal:
        _call(world.documents(), row.tool, row.fields)

    assert (row.kind, row.code) == (refusal.value.kind.value, refusal.value.code)
    assert before == _on_disk(disk)
    assert "document-written" not in world.host.kinds()


def test_rows_have_names_of_their_own() -> None:
    """A name identifies one row."""
    names = [row.name for row in BAD_INPUTS]

    assert len(set(names)) == len(names)
