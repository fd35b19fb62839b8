"""Tables of what was measured, as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.retrieval.metrics import Scored, interval


FIGURES = (
    "turn R@1", "turn R@5", "turn R@10", "turn R@20", "turn MRR",
    "session R@1", "session R@5", "session R@10", "session MRR", "budget any", "budget recall",
)  # fmt: skip
_SUMMARISED = ("turn R@1", "turn R@5", "turn R@10", "turn MRR", "session R@5", "budget any")
_COMPARED = ("turn R@10", "session R@5", "budget any")


@dataclass(frozen=True)
class Measured:
    """One data set and the systems that were put to it, ours first."""

    title: str
    systems: tuple[Scored, ...]


def summary(sets: Sequence[Measured]) -> str:
    """Return one table of all sets: ours and its peers under the figures that matter most."""
    lines = [
        "| set (questions) | system | " + " | ".join(_SUMMARISED) + " |",
        "|---|---|" + "---|" * len(_SUMMARISED),
    ]
    for measured in sets:
        title = f"{measured.title} ({len(measured.systems[0].rows):,})"
        for scored in measured.systems:
            cells = " | ".join(f"{scored.mean(figure):.3f}" for figure in _SUMMARISED)
            lines.append(f"| {title} | {scored.system} | {cells} |")
            title = ""
    return "\n".join(["### Summary", "", *lines, ""])


def table(title: str, systems: Sequence[Scored]) -> str:
    """Return one table: a row a system, and the paired intervals of the first against the rest."""
    questions = len(systems[0].rows)
    lines = [
        f"### {title} ({questions} questions)",
        "",
        "| system | " + " | ".join(FIGURES) + " |",
        "|---|" + "---|" * len(FIGURES),
    ]
    for scored in systems:
        cells = " | ".join(f"{scored.mean(figure):.3f}" for figure in FIGURES)
        lines.append(f"| {scored.system} | {cells} |")
    lines += ["", *(_difference(systems[0], other) for other in systems[1:]), ""]
    return "\n".join(lines)


def kinds(scored: Scored, kind_of: Sequence[str]) -> str:
    """Return a table of one system by kind of question."""
    lines = [
        "| kind | questions | turn R@1 | turn R@5 | turn R@10 | session R@5 |",
        "|---|---|---|---|---|---|",
    ]
    for kind in dict.fromkeys(kind_of):
        rows = [row for row, own in zip(scored.rows, kind_of, strict=True) if own == kind]
        means = (
            sum(row[figure] for row in rows) / len(rows)
            for figure in ("turn R@1", "turn R@5", "turn R@10", "session R@5")
        )
        lines.append(
            f"| {kind} | {len(rows)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |"
        )
    return "\n".join([*lines, ""])


def _difference(first: Scored, other: Scored) -> str:
    parts = []
    for figure in _COMPARED:
        low, high = interval(first, other, figure)
        parts.append(
            f"{figure} {first.mean(figure) - other.mean(figure):+.3f} [{low:+.3f}, {high:+.3f}]"
        )
    return f"- {first.system} against {other.system}, paired 95 %: " + "; ".join(parts)
