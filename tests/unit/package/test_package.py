"""The package section and the surface of a component, read from untrusted bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.errors import ComponentUnreadable, InvalidManifest, IronclawMemoryError
from ironclaw_memory.nesting import MAX_NESTING, too_deep
from ironclaw_memory.package import SECTION_NAME, Carried, embed, extract, surface


EMPTY = b"\0asm\x0d\0\x01\0"
CORE_MODULE = b"\0asm\x01\0\0\0"
CARRIED = Carried(manifest='id = "x"', files={"prompts/a.md": "text — é"})


def section(payload: bytes) -> bytes:
    """Return a component whose package section holds *payload*."""
    name = SECTION_NAME.encode()
    body = bytes([len(name)]) + name + payload
    assert len(body) < 128
    return EMPTY + b"\0" + bytes([len(body)]) + body


def test_what_is_embedded_is_extracted() -> None:
    """The texts come back exactly."""
    assert extract(embed(EMPTY, CARRIED)) == CARRIED


def test_embedding_replaces_the_earlier_package() -> None:
    """A component never has two."""
    twice = embed(embed(EMPTY, CARRIED), Carried(manifest="second", files={}))
    assert extract(twice).manifest == "second"
    assert twice.count(SECTION_NAME.encode()) == 1


@pytest.mark.parametrize(
    "data", [b"", b"text", CORE_MODULE, EMPTY + b"\0\x7f", EMPTY + b"\0\xff\xff\xff\xff\xff"]
)
def test_what_is_no_component_is_refused(data: bytes) -> None:
    """Empty, text, a core module, a section past the end, an endless number."""
    with pytest.raises(ComponentUnreadable):
        extract(data)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b'{"format":1,"manifest":1,"files":{}}',
        b'{"format":9,"manifest":"","files":{}}',
        b'{"format":1,"manifest":"","files":{"a":1}}',
        b"[" * 70,
    ],
)
def test_a_malformed_package_is_one_clear_error(payload: bytes) -> None:
    """Whatever its bytes are."""
    with pytest.raises(InvalidManifest):
        extract(section(payload))


def test_a_component_without_a_package_says_how_to_get_one() -> None:
    """The hint names the command."""
    with pytest.raises(InvalidManifest) as caught:
        extract(EMPTY)
    assert "component build" in caught.value.hint


def test_two_packages_are_refused() -> None:
    """Else a reader and a checker could look at different ones."""
    one = section(b"{}")
    with pytest.raises(InvalidManifest, match="2 "):
        extract(one + one[len(EMPTY) :])


def test_the_surface_lists_imports_and_exports() -> None:
    """A hand-made component: one instance import, one resource type, one instance export."""
    imports = b"\x02" + b"\0\x04wasi\x05\0" + b"\0\x03res\x03\x01"
    exports = b"\x01" + b"\0\x05tools\x05\0\0"
    data = (
        EMPTY
        + b"\x0a"
        + bytes([len(imports)])
        + imports
        + b"\x0b"
        + bytes([len(exports)])
        + exports
    )
    found = surface(data)
    assert found.imports == ("res", "wasi")
    assert found.exports == ("tools",)


@given(st.binary(max_size=200))
def test_garbage_raises_our_own_errors_only(data: bytes) -> None:
    """Whatever follows the preamble."""
    for reader in (extract, surface):
        try:
            reader(EMPTY + data)
        except IronclawMemoryError:
            continue


@pytest.mark.parametrize("payload", [b'"' + b'\\"' * 400_000, b'"' * 400_001, b'"a\\' * 200_000])
def test_counting_brackets_takes_no_longer_for_hostile_quotes(payload: bytes) -> None:
    """An open string of escapes once took the square of its length, which is hours."""
    assert not too_deep(payload)


def test_brackets_inside_strings_do_not_count() -> None:
    """A closing bracket in a text would hide an opening one."""
    assert too_deep(b'["]"' + b"[" * MAX_NESTING)
    assert not too_deep(b'["' + b"[" * 1_000 + b'"]')
