"""Scopes share nothing: each axis alone keeps two memories apart, and the own one is served."""

from typing import Final

from ironclaw_memory.conformance.bench import Bench, Reply, Seat, lane
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, Rule, rule


AXES: Final = ("tenant", "user", "agent", "project")
_BIRD: Final = "kestrel"


def _axis(axis: str) -> Rule:
    def check(bench: Bench) -> None:
        mine = bench.seat(agent="scout", project="atlas")
        _fill(mine)
        _sees(mine)
        _sees_nothing(bench.beside(mine, axis))
        _sees(mine)

    check.__doc__ = f"Another {axis} sees nothing of a memory whose owner sees all of it."
    return rule(f"isolation.{axis}", Group.ISOLATION)(check)


AXIS_RULES: Final = tuple(_axis(axis) for axis in AXES)


def _fill(seat: Seat) -> None:
    """Leave the secret everywhere that this provider can keep it."""
    if seat.declares("tool.write"):
        seat.append("notes/a.md", f"the {_BIRD} nests on the tower")
        seat.append("memory", f"likes the {_BIRD}")
    else:
        seat.put("notes/a.md", f"the {_BIRD} nests on the tower\n")
    if seat.declares("hook.record_interaction"):
        seat.record("t1", "r1", ("user", f"did you see the {_BIRD}?"))


def _sees(seat: Seat) -> None:
    """Prove the positive case: what was stored can be reached by its owner."""
    reached = _reach(seat)
    missing = [way for way, found in reached.items() if not found]
    same("ways in which the owner does not reach the memory", came=missing, expected=[])


def _sees_nothing(seat: Seat) -> None:
    leaking = [way for way, found in _reach(seat).items() if found]
    same("ways in which a stranger reaches the memory", came=leaking, expected=[])
    same("documents in the stranger's directory", came=seat.files(), expected={})


def _reach(seat: Seat) -> dict[str, bool]:
    """Return, for each declared way to a memory, whether it leads to the secret."""
    ways: dict[str, bool] = {}
    if seat.declares("tool.read"):
        ways["read"] = _BIRD in str(seat.try_read("notes/a.md").reply)
    if seat.declares("tool.search") and seat.declares("flag.full_text_search"):
        ways["search"] = any(_BIRD in hit["content"] for hit in seat.search(_BIRD))
    if seat.declares("tool.tree"):
        ways["tree"] = "a.md" in seat.tree(depth=10)
    if seat.declares("hook.read_long_term") and seat.declares("tool.write"):
        ways["long-term lane"] = _in_lane(seat.long_term(_BIRD))
    if seat.declares("hook.read_short_term") and seat.declares("hook.record_interaction"):
        ways["short-term lane"] = _in_lane(seat.short_term(_BIRD, "t1"))
    return ways


def _in_lane(snippets: list[Reply]) -> bool:
    return any(_BIRD in snippet["text"] for snippet in snippets)


@rule("isolation.same-path-is-two-documents", Group.ISOLATION, "tool.write", "tool.read")
def same_path_is_two_documents(bench: Bench) -> None:
    """One path in two scopes is two documents, each with its own bytes."""
    mine, other = bench.seat(), bench.seat()
    mine.store("notes/a.md", "mine\n")
    other.store("notes/a.md", "the other's\n")
    same("my document", came=mine.read("notes/a.md"), expected="mine\n")
    same("the other document", came=other.read("notes/a.md"), expected="the other's\n")


def _absent(axis: str) -> Rule:
    def check(bench: Bench) -> None:
        whole = bench.seat(agent="scout" if axis == "project" else None)
        part = bench.beside(whole, axis)
        whole.store("notes/a.md", "of the whole\n")
        part.store("notes/b.md", "of the part\n")
        failed("the part reads the whole's", part.try_read("notes/a.md"), "input")
        failed("the whole reads the part's", whole.try_read("notes/b.md"), "input")
        same("the whole's own", came=whole.read("notes/a.md"), expected="of the whole\n")
        same("the part's own", came=part.read("notes/b.md"), expected="of the part\n")

    check.__doc__ = f"No {axis} is a scope of its own and not every {axis}."
    return rule(f"isolation.absent-{axis}-is-a-scope", Group.ISOLATION, "tool.write", "tool.read")(
        check
    )


ABSENT_RULES: Final = (_absent("agent"), _absent("project"))


@rule(
    "isolation.threads-share-long-term-memory", Group.ISOLATION, "tool.write", "hook.read_long_term"
)
def threads_share_long_term_memory(bench: Bench) -> None:
    """What one thread saved, another thread of the same scope recalls."""
    seat = bench.seat()
    seat.append("memory", "prefers tea without sugar")
    texts = [snippet["text"] for snippet in seat.long_term("what about the weather")]
    holds("the saved line", fact=any("tea without sugar" in text for text in texts), came=texts)


def _snippet_axis(axis: str) -> Rule:
    def check(bench: Bench) -> None:
        for seat in (bench.seat(), bench.seat(agent="scout", project="atlas")):
            for snippet in _snippets(seat):
                came, expected = snippet[f"{axis}_id"], getattr(seat.scope, axis)
                same(f"{axis}_id of a snippet", came=came, expected=expected)

    check.__doc__ = f"Every snippet names the bound {axis}, and no other."
    needs = ("tool.write", "hook.read_long_term")
    return rule(f"isolation.snippets-name-the-{axis}", Group.ISOLATION, *needs)(check)


SNIPPET_RULES: Final = tuple(_snippet_axis(axis) for axis in AXES)


def _snippets(seat: Seat) -> list[Reply]:
    seat.append("memory", f"likes the {_BIRD}")
    seat.append("notes/a.md", f"the {_BIRD} nests on the tower")
    snippets = seat.long_term(_BIRD)
    if seat.declares("hook.read_short_term") and seat.declares("hook.record_interaction"):
        seat.record("t1", "r1", ("user", f"the {_BIRD} again"))
        snippets += seat.short_term(_BIRD, "t1")
    holds("at least one snippet", fact=bool(snippets), came=snippets)
    return snippets


@rule("isolation.profile-is-the-users", Group.ISOLATION, "tool.profile_set", "hook.profile_read")
def profile_is_the_users(bench: Bench) -> None:
    """The profile follows the user into every agent and project, and no other user has it."""
    seat = bench.seat(agent="scout", project="atlas")
    seat.profile_set(location="Lisbon")
    same("another user's profile", came=bench.beside(seat, "user").profile(), expected=None)
    same("another tenant's profile", came=bench.beside(seat, "tenant").profile(), expected=None)
    for axis in ("agent", "project"):
        text = bench.beside(seat, axis).profile() or ""
        holds(f"the profile under another {axis}", fact="Lisbon" in text, came=text)


@rule("isolation.calls-carry-no-state", Group.ISOLATION, "tool.read", "hook.read_long_term")
def calls_carry_no_state(bench: Bench) -> None:
    """An answer depends on the documents and the request, not on the calls before it."""
    seat, other = bench.seat(), bench.seat()
    seat.put("MEMORY.md", "keeps bees\n")
    other.put("MEMORY.md", "sails boats\n")
    for _ in range(3):
        mine = [snippet["text"] for snippet in seat.long_term("bees")]
        theirs = [snippet["text"] for snippet in other.long_term("boats")]
        holds("my line alone", fact="bees" in str(mine) and "boats" not in str(mine), came=mine)
        holds(
            "their line alone",
            fact="boats" in str(theirs) and "bees" not in str(theirs),
            came=theirs,
        )
    seat.put("MEMORY.md", "keeps cats\n")
    texts = [
        str(one["text"])
        for one in seat.reply("read_long_term", request=lane("cats", 4))["snippets"]
    ]
    holds(
        "the text as it is now", fact="cats" in str(texts) and "bees" not in str(texts), came=texts
    )
