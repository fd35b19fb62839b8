"""Bodies compared word by word say what comparing byte by byte says."""

from hypothesis import given
from hypothesis import strategies as st

from memory_native.documents import comparing


BLOCK = comparing._BLOCK
BODIES = st.binary(max_size=40)


def _alike(one: bytes, other: bytes) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


@given(one=BODIES, other=BODIES, around=BODIES)
def test_beginnings_ends_and_equality_are_those_of_the_bytes(
    one: bytes, other: bytes, around: bytes
) -> None:
    """Whatever two bodies share, and however long they are."""
    for left, right in ((one, other), (around + one, around + other), (one + around, around)):
        assert comparing.beginning(left, right) == _alike(left, right)
        assert comparing.ending(left, right) == _alike(left[::-1], right[::-1])
        assert comparing.same(left, right) == (left == right)


@given(
    at=st.sampled_from([0, 7, 8, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 12]),
    more=st.integers(0, 9),
)
def test_a_difference_is_found_in_any_block(at: int, more: int) -> None:
    """At the edges of blocks and words too, and where one body goes on longer."""
    body = bytes(range(251)) * 530
    other = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :] + b"x" * more

    assert comparing.beginning(body, other) == at
    assert comparing.ending(body[::-1], other[::-1]) == at
    assert not comparing.same(body, other[: len(body)])
    assert comparing.beginning(body, body + b"x" * more) == len(body)
    assert comparing.ending(body, b"x" * more + body) == len(body)


def test_an_absent_body_is_the_same_as_an_absent_one_alone() -> None:
    """Absence is not emptiness."""
    assert comparing.same(None, None)
    assert not comparing.same(None, b"")
    assert not comparing.same(b"", None)
