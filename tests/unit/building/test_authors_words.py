"""What a provider's author is shown of a build that failed."""

from ironclaw_memory.build import authors_words


FAILED = """Traceback (most recent call last):
  File "<string>", line 1, in <module>
AssertionError: Traceback (most recent call last):
  File "/0/my_notes/app.py", line 16, in <module>
    from my_notes.provider import Provider
  File "/0/my_notes/provider.py", line 99
    syntax error(
                ^
SyntaxError: '(' was never closed


Caused by:
    SyntaxError: '(' was never closed (provider.py, line 99)

Stack backtrace:
   0: <anyhow::Error>::msg
   1: machinery
"""


def test_the_guests_traceback_is_shown_alone() -> None:
    """Neither the tool's own traceback nor the stack of its machinery."""
    words = authors_words(FAILED)

    assert words.startswith('Traceback (most recent call last):\n  File "/0/my_notes/app.py"')
    assert words.endswith("SyntaxError: '(' was never closed")


def test_other_words_are_shown_as_they_are() -> None:
    """For instance those of pip, of which the end says most."""
    assert authors_words("ERROR: no such package\n") == "ERROR: no such package"
    assert len(authors_words("x" * 10_000)) == 4000
