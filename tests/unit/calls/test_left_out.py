"""What lies in a scope and is no document is named, and so is one of two that share a name."""

from pathlib import Path

from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired

from ironclaw_memory.model import Scope
from ironclaw_memory.owner import Owner
from ironclaw_memory.scopes import Odd, directory_of


SCOPE = Scope(tenant="acme", user="alice")
NFC, NFD = "caf\u00e9.md", "cafe\u0301.md"
SIGN, LETTER = "\u212b.md", "\u00c5.md"  # one sign, whose form C comes before it in order


def test_of_two_files_that_share_a_name_the_one_that_is_not_served_is_named(
    tmp_path: Path,
) -> None:
    """A provider reads the one in form C; the other is no document, and must not be lost silently."""
    place = tmp_path.joinpath(*directory_of(SCOPE))
    place.mkdir(parents=True)
    for size, name in enumerate((NFC, NFD, SIGN, LETTER, "a.md")):
        (place / name).write_text("x" * size)
    owner = Owner(wired(tmp_path, ScriptedGuest(), package=native_package()))

    assert {path: stamp.size for path, stamp in owner.documents(SCOPE).items()} == {
        "a.md": 4,
        NFC: 0,
        LETTER: 3,
    }
    assert owner.left_out(SCOPE) == (Odd(NFD, "twin"), Odd(SIGN, "twin"))


def test_a_decomposed_name_alone_is_served_under_its_form_c(tmp_path: Path) -> None:
    """As macOS stores them."""
    place = tmp_path.joinpath(*directory_of(SCOPE))
    place.mkdir(parents=True)
    (place / NFD).write_text("x")
    owner = Owner(wired(tmp_path, ScriptedGuest(), package=native_package()))

    assert list(owner.documents(SCOPE)) == [NFC]
    assert owner.left_out(SCOPE) == ()
