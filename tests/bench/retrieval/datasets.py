"""The data sets, as stores (retrieval.md section 2).

Public sets are read where they lie beside the checkout and never copied into it; the set in
`tests/corpora/memory` is our own.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.retrieval.protocol import Document, Place, Question, Store, Unavailable, merged


REPOSITORY = Path(__file__).parents[3]
PUBLIC = REPOSITORY.parent / "shared" / "data" / "retrieval"
OWN = REPOSITORY / "tests" / "corpora" / "memory"

_TURN_ID = re.compile(r"D(\d+):0*(\d+)")
_HAN_DAY = re.compile(r"(\d{1,2})月(\d{1,2})[日号]")
_UNANSWERABLE = 5
_FIRST_TURN_LINE = 3


def locomo() -> list[Store]:
    """Return the LoCoMo conversations, one store each, with the audit's corrections."""
    corrections = {
        entry["question_id"]: entry["correct_evidence"]
        for entry in _read("locomo_audit_1_5.json")
        if entry["correct_evidence"]
    }
    return [
        _conversation(number, record, corrections)
        for number, record in enumerate(_read("locomo_1_5.json"))
    ]


def spoken(lines: int) -> list[Document]:
    """Return the first sessions of LoCoMo, as many as hold *lines* lines, in one scope."""
    found: list[Document] = []
    left = lines
    for document in merged("spoken", locomo()).documents:
        if left <= 0:
            break
        found.append(document)
        left -= document.text.count("\n")
    return found


def cmrc() -> Store:
    """Return the Chinese reading set: a paragraph is a document, every question a query.

    A question that the set left blank is none.
    """
    documents, questions = [], []
    for article in _read("cmrc2018_trial.json")["data"]:
        for paragraph in article["paragraphs"]:
            path = f"notes/{paragraph['id']}.md"
            body = paragraph["context"].replace("\n", " ")
            documents.append(Document(path, f"# {article['title']}\n\n{body}\n"))
            gold = frozenset({Place(path, _FIRST_TURN_LINE)})
            asked = (qa["question"] for qa in paragraph["qas"])
            questions += [Question(text, gold, "zh") for text in asked if text.strip()]
    return Store("cmrc2018", tuple(documents), tuple(questions))


def own() -> Store:
    """Return our own set: memory files of an agent, with paraphrased and Chinese questions."""
    if not OWN.is_dir():
        raise Unavailable("tests/corpora/memory is absent")
    files = sorted((OWN / "files").rglob("*.md"))
    documents = tuple(
        Document(file.relative_to(OWN / "files").as_posix(), file.read_text("utf-8"))
        for file in files
    )
    lines = {
        (document.path, line.strip()): number
        for document in documents
        for number, line in enumerate(document.text.split("\n"), 1)
    }
    return Store("own", documents, tuple(_own_questions(lines)))


def _own_questions(lines: dict[tuple[str, str], int]) -> Iterator[Question]:
    for raw in (OWN / "questions.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(raw)
        place = Place(entry["path"], lines[entry["path"], entry["gold"].strip()])
        yield Question(entry["question"], frozenset({place}), entry["kind"])


def _conversation(number: int, record: Any, corrections: dict[str, list[str]]) -> Store:
    """Return one conversation: a document a session, a line a turn, images by their caption."""
    name, talk = record["sample_id"], record["conversation"]
    places: dict[str, Place] = {}
    documents = []
    for session in range(1, len(talk)):
        turns = talk.get(f"session_{session}")
        if not turns:
            continue
        path = f"threads/{name}/s{session}.md"
        lines = [f"# Session {session} - {talk[f'session_{session}_date_time']}", ""]
        for line, turn in enumerate(turns, _FIRST_TURN_LINE):
            places[turn["dia_id"]] = Place(path, line)
            lines.append(_turn_line(turn))
        documents.append(Document(path, "\n".join(lines) + "\n"))
    questions = []
    for index, qa in enumerate(record["qa"]):
        if qa["category"] == _UNANSWERABLE:
            continue
        evidence = corrections.get(f"locomo_{number}_qa{index}", qa["evidence"])
        ids = [f"D{a}:{b}" for a, b in _TURN_ID.findall(" ".join(evidence))]
        gold = frozenset(places[turn] for turn in ids if turn in places)
        if gold:
            questions.append(Question(qa["question"], gold, f"category {qa['category']}"))
    return Store(name, tuple(documents), tuple(questions))


def _turn_line(turn: Any) -> str:
    said = " ".join(turn["text"].split())
    caption = turn.get("blip_caption")
    return f"**{turn['speaker']}**: {said}" + (f" [shares {caption}]" if caption else "")


def memory_bank() -> list[Store]:
    """Return the Chinese companion chats, one store a person.

    Only questions that name a day have evidence that a program can tell: the chat of that day.
    """
    questions: dict[str, list[str]] = {}
    for line in _text("probing_questions_cn.jsonl").splitlines():
        questions.update(json.loads(line))
    return [
        _companion(number, name, person["history"], questions.get(name, []))
        for number, (name, person) in enumerate(_read("memory_bank_cn.json").items())
    ]


def _companion(number: int, name: str, history: Any, asked: list[str]) -> Store:
    documents = []
    for day, exchanges in history.items():
        lines = [f"# {day}", ""]
        for exchange in exchanges:
            lines += [f"**{name}**: {exchange['query']}", f"**AI**: {exchange['response']}"]
        flat = "\n".join(" ".join(line.split()) for line in lines)
        documents.append(Document(f"threads/person-{number}/{day}.md", flat + "\n"))
    paths = {document.path for document in documents}
    questions = []
    for text in asked:
        day_named = _HAN_DAY.search(text)
        if not day_named:
            continue
        path = f"threads/person-{number}/2023-{int(day_named[1]):02}-{int(day_named[2]):02}.md"
        if path in paths:
            questions.append(Question(text, frozenset({Place(path, _FIRST_TURN_LINE)}), "day"))
    return Store(f"person-{number}", tuple(documents), tuple(questions))


def _text(name: str) -> str:
    file = PUBLIC / name
    if not file.exists():
        raise Unavailable(f"{name} is not beside the checkout (shared/data/retrieval)")
    return file.read_text("utf-8")


def _read(name: str) -> Any:
    return json.loads(_text(name))
