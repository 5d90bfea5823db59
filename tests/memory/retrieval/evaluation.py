"""How well memories are found: sets of notes and questions, and plain BM25 as the bar.

A set is a folder beside this module: ``notes.txt`` (``@ path [tags]``, the title, the text),
``work.txt`` (the work at hand: a summary, then ``goal:``, ``fact:`` and ``task:``) and ``questions.txt``
(``question | path, path``, the best one first; ``-`` where no note answers it, ``!`` where nothing is
asked). Every second question is held out: what is changed is tried on the others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import Usage, estimate_tokens
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.engine.word_matching import fold_text
from tests.trees import plan_of

SETS = Path(__file__).parent
MOST = 10  # notes that are told of a question
_PARTS = {"goal": "### Goals", "fact": "### Key Facts & Decisions", "task": "### Tasks"}

Search = Callable[[str], list[str]]  # question -> paths of the notes that are told, best first


class Note(NamedTuple):
    """A note of a set."""

    path: str
    tags: str
    title: str
    text: str

    @property
    def tokens(self) -> int:
        """What it costs to tell it."""
        return estimate_tokens(f"{self.tags}\n{self.title}\n\n{self.text}")


class Asked(NamedTuple):
    """A question. answers: paths, the best first. kind: "" where a note answers it, else "-" or "!"."""

    text: str
    answers: tuple[str, ...]
    kind: str


def set_names() -> list[str]:
    """The names of the sets."""
    return sorted(path.parent.name for path in SETS.glob("*/questions.txt"))


@cache
def notes_of(name: str) -> tuple[Note, ...]:
    """The notes of a set."""
    found = []
    for part in (SETS / name / "notes.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        head, title, text = part.split("\n", 2)
        match = re.fullmatch(r"@ (\S+) \[(.*)\]", head)
        assert match, head
        found.append(Note(match[1], match[2], title, text))
    return tuple(found)


def questions_of(name: str) -> list[Asked]:
    """The questions of a set."""
    found = []
    for line in (SETS / name / "questions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, _, answers = line.rpartition(" | ")
            kind = answers if answers in ("-", "!") else ""
            found.append(Asked(text, () if kind else tuple(answers.split(", ")), kind))
    return found


def half(questions: list[Asked], *, held_out: bool) -> list[Asked]:
    """Every second question."""
    return questions[1 if held_out else 0 :: 2]


def files_of(name: str) -> dict[str, str]:
    """A Brainiac tree of a set."""
    files = {"system/core_identity.md": "I help the people of this set.\n"}
    summary, *items = (SETS / name / "work.txt").read_text(encoding="utf-8").strip().split("\n")
    parts: dict[str, list[str]] = {heading: [] for heading in _PARTS.values()}
    for item in items:
        part, _, text = item.partition(": ")
        parts[_PARTS[part]].append(f"- {text}" if part == "fact" else f"- [ ] {text}")
    data = "\n\n".join("\n".join((heading, *lines)) for heading, lines in parts.items())
    files["memory/short_term.md"] = f"## Summary\n\n{summary}\n\n## Structured Data\n\n{data}\n"
    for number, note in enumerate(notes_of(name)):
        files[f"memory/long_term/{note.path}"] = (
            f"---\nuuid: note-{number}\ntags: [{note.tags}]\n---\n# {note.title}\n\n{note.text}\n"
        )
    return files


def ours(name: str) -> Search:
    """What a text of the profile tells of the notes, the prompt in a window that knows nothing."""
    plan = plan_of(files_of(name), "brainiac")

    def search(question: str) -> list[str]:
        situation = resolve_situation(plan, Request(question), Usage(100, "default"))
        told = [
            (entry.weight, entry.domain)
            for section in assemble_block(plan, situation).sent_sections
            if section.id == "LTM"
            for entry in section.entries
        ]
        return [path for _, path in sorted(told, reverse=True)]

    return search


def plain_bm25(name: str) -> Search:
    """BM25 as it stands in textbooks, over all that is written of a note."""
    words = {
        note.path: Counter(_words(" ".join((note.path, note.tags, note.title, note.text))))
        for note in notes_of(name)
    }
    average = sum(found.total() for found in words.values()) / len(words)
    spread = Counter(word for found in words.values() for word in found)

    def search(question: str) -> list[str]:
        scores: dict[str, float] = {}
        for path, found in words.items():
            long = 1.2 * (0.25 + 0.75 * found.total() / average)
            for word in _words(question):
                if word in found:
                    n = spread[word]
                    rare = math.log(1 + (len(words) - n + 0.5) / (n + 0.5))
                    value = rare * found[word] * 2.2 / (found[word] + long)
                    scores[path] = scores.get(path, 0) + value
        return sorted(scores, key=lambda path: (-scores[path], path))[:MOST]

    return search


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold_text(text).replace("_", " "))


class Figures(NamedTuple):
    """What a search is worth on some questions. first, told, mrr, recall: shares of the questions that
    have an answer. tokens: told of a question on average. quiet: share of what asks nothing at which
    nothing is told that was not there anyway. unanswered: notes told of a question without an answer.
    """

    questions: int
    first: int
    told: int
    mrr: float
    recall: float
    tokens: float
    quiet: float
    unanswered: float


def measure(name: str, search: Search, questions: Iterable[Asked]) -> Figures:
    """Asks the questions."""
    tokens: Mapping[str, int] = {note.path: note.tokens for note in notes_of(name)}
    standing = set(search(""))
    asked = [(one, search(one.text)) for one in questions]
    answered = [(one, found) for one, found in asked if one.answers]
    empty = [found for one, found in asked if one.kind == "!"]
    without = [found for one, found in asked if one.kind == "-"]
    ranks = [
        next((rank for rank, path in enumerate(found, 1) if path in one.answers), 0)
        for one, found in answered
    ]
    return Figures(
        len(answered),
        sum(rank == 1 for rank in ranks),
        sum(rank > 0 for rank in ranks),
        sum(1 / rank for rank in ranks if rank) / len(ranks),
        sum(len(set(one.answers) & set(found[:MOST])) / len(one.answers) for one, found in answered)
        / len(answered),
        sum(tokens[path] for _, found in asked for path in found) / len(asked),
        sum(set(found) <= standing for found in empty) / max(len(empty), 1),
        sum(len(found) for found in without) / max(len(without), 1),
    )
