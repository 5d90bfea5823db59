"""Providers of memories: whoever else knows something worth telling an agent.

A package offers one under the entry point group ``synapse_ls.memory``; a tree uses it by naming it
in ``[memory] providers``. It is never run on the way of a prompt: its last good answer is kept in
the user's cache folder and counts, while it is asked anew by a process that nobody waits for.

What it answers is for one agent and is told to no other one.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.memory.index import Row
from synapse_ls.memory.recall import Candidate
from synapse_ls.memory.record import restored
from synapse_ls.memory.search import Words
from synapse_ls.service import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final, Protocol

    from synapse_ls.memory.record import Record

    Answer = Record | tuple[Record, float]

    class Provider(Protocol):
        """What an entry point gives: an object, or a class that makes one without arguments."""

        def recall(self, question: Question) -> Iterable[Answer]:
            """The memories that matter, each alone or with its relevance from 0 to 1.

            Anything that is raised counts as no answer; the one before stays in use.
            """
            ...


GROUP: Final = "synapse_ls.memory"
KIND: Final = "recalls"
FORMAT: Final = 1
MOST: Final = 50  # memories of one answer that are kept
REMEMBERED: Final = 64  # answers of a tree that are kept


class Question:
    """What a provider is asked. root: the tree's folder. agent: "" for none. prompt: as it was said.

    files: paths at work, from the root. limit: memories that are of any use.
    """

    __slots__ = ("agent", "files", "limit", "prompt", "root")

    def __init__(
        self,
        root: str,
        *,
        agent: str = "",
        prompt: str = "",
        files: tuple[str, ...] = (),
        limit: int = MOST,
    ) -> None:
        self.root = root
        self.agent = agent
        self.prompt = prompt
        self.files = files
        self.limit = limit


class Known:
    """What is known of providers just now.

    candidates: of the last good answers. notes: what is odd about them. due: names to ask anew.
    """

    __slots__ = ("candidates", "due", "notes")

    def __init__(self, candidates: list[Candidate], notes: list[str], due: tuple[str, ...]) -> None:
        self.candidates = candidates
        self.notes = notes
        self.due = due


def known(root: str, names: Sequence[str], agent: str, prompt: str) -> Known:
    """The last good answers of the providers ``names`` for an agent, from the cache alone."""
    memo = cache.read_memo(root, KIND)
    answers = memo.get("answers", {}) if memo.get("format") == FORMAT else {}
    asked = text_hash(prompt)
    found = Known([], [], ())
    due: list[str] = []
    for name in names:
        kept = answers.get(_key(name, agent))
        if kept is None:
            found.notes.append(
                f"memory provider {name} has not answered for this agent yet: it is being asked"
            )
            due.append(name)
            continue
        same = kept["asked"] == asked
        if kept["problem"]:
            found.notes.append(
                f"memory provider {name} failed ({kept['problem']}): "
                + ("its last good answer counts" if kept["rows"] else "it gives nothing")
            )
        elif not same:
            found.notes.append(
                f"memory provider {name}: its last good answer counts until it has another"
            )
        if not same or kept["problem"]:
            due.append(name)
        for fields, words, relevance in kept["rows"]:
            record = restored(fields)
            # To another prompt only what matches it in words is an answer.
            own = relevance if same else None
            found.candidates.append(Candidate(Row(record, Words(*words)), name, own))
    found.due = tuple(due)
    return found


def keep(
    root: str, name: str, agent: str, prompt: str, answers: Iterable[Answer] | None, problem: str
) -> None:
    """Keep what a provider has answered; None: it has not, because of ``problem``."""
    memo = cache.read_memo(root, KIND)
    kept: dict[str, Any] = memo.get("answers", {}) if memo.get("format") == FORMAT else {}
    before = kept.pop(_key(name, agent), {"rows": (), "asked": ""})
    rows = before["rows"]
    if answers is not None:
        rows = tuple(_row(answer, name) for answer, _ in zip(answers, range(MOST), strict=False))
    kept[_key(name, agent)] = {
        "rows": rows,
        "asked": before["asked"] if answers is None else text_hash(prompt),
        "problem": problem,
    }
    cache.write_memo(
        root, KIND, {"format": FORMAT, "answers": dict(list(kept.items())[-REMEMBERED:])}
    )


def _row(answer: Answer, name: str) -> tuple[tuple[Any, ...], tuple[str, str, str], float | None]:
    record, relevance = answer if isinstance(answer, tuple) else (answer, None)
    # Where a provider keeps it is no file of the tree.
    record = record.replaced(path="", line=0, id=record.id or text_hash(record.title + record.text))
    record = record.replaced(source=record.source or name)
    return record.values(), Words.of(record).packed, relevance


def _key(name: str, agent: str) -> str:
    return f"{name}\n{agent}"
