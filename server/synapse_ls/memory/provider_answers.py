"""This module keeps the answers of memory providers, packages that know something for an agent, in
the cache.

A package offers one under the entry point group ``synapse_ls.memory``; a tree uses it by naming it
in ``[memory] providers``. It is never run on the way of a prompt: its last good answer is kept in
the user's cache folder and counts, while it is asked anew by a process that nobody waits for.

What it answers is for one agent and is given to no other one.
"""

from __future__ import annotations

from synapse_ls.engine.text_identity import hash_text
from synapse_ls.memory.hint_selection import Candidate
from synapse_ls.memory.memory_search import IndexRow, RecordWords
from synapse_ls.memory.record import restore_record
from synapse_ls.storage import plan_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final, Protocol

    from synapse_ls.memory.record import Record

    Answer = Record | tuple[Record, float]

    class Provider(Protocol):
        """A Provider is what an entry point gives: an object, or a class that makes one without
        arguments.
        """

        def recall(self, question: RecallQuestion) -> Iterable[Answer]:
            """Returns the memories that matter, each alone or with its relevance from 0 to 1.

            Anything that is raised counts as no answer; the one before stays in use.
            """
            ...


ENTRY_POINT_GROUP: Final = "synapse_ls.memory"
CACHE_KIND: Final = "recalls"
CACHE_FORMAT: Final = 1
MOST_MEMORIES: Final = 50  # memories of one answer that are kept
MOST_ANSWERS: Final = 64  # answers of a tree that are kept


class RecallQuestion:
    """A RecallQuestion is what a provider of memories is asked for an answer. root: the tree's
    folder. agent: "" for none. prompt: as it was said.

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
        limit: int = MOST_MEMORIES,
    ) -> None:
        self.root = root
        self.agent = agent
        self.prompt = prompt
        self.files = files
        self.limit = limit


class CachedAnswers:
    """CachedAnswers are the answers of providers that are known just now.

    candidates: of the last good answers. notes: what is odd about them. due: names to ask anew.
    """

    __slots__ = ("candidates", "due", "notes")

    def __init__(self, candidates: list[Candidate], notes: list[str], due: tuple[str, ...]) -> None:
        self.candidates = candidates
        self.notes = notes
        self.due = due


def cached_answers(root: str, names: Sequence[str], agent: str, prompt: str) -> CachedAnswers:
    """Returns the last good answers of the providers ``names`` for an agent, from the cache alone."""
    memo = plan_cache.read_memo(root, CACHE_KIND)
    answers = memo.get("answers", {}) if memo.get("format") == CACHE_FORMAT else {}
    asked = hash_text(prompt)
    found = CachedAnswers([], [], ())
    due: list[str] = []
    for name in names:
        kept = answers.get(_answer_key(name, agent))
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
            record = restore_record(fields)
            # To another prompt only what matches it in words is an answer.
            own = relevance if same else None
            found.candidates.append(Candidate(IndexRow(record, RecordWords(*words)), name, own))
    found.due = tuple(due)
    return found


def save_answers(
    root: str, name: str, agent: str, prompt: str, answers: Iterable[Answer] | None, problem: str
) -> None:
    """Saves the answers of a provider; None: it has not answered, because of ``problem``."""
    memo = plan_cache.read_memo(root, CACHE_KIND)
    kept: dict[str, Any] = memo.get("answers", {}) if memo.get("format") == CACHE_FORMAT else {}
    before = kept.pop(_answer_key(name, agent), {"rows": (), "asked": ""})
    rows = before["rows"]
    if answers is not None:
        rows = tuple(
            _answer_row(answer, name)
            for answer, _ in zip(answers, range(MOST_MEMORIES), strict=False)
        )
    kept[_answer_key(name, agent)] = {
        "rows": rows,
        "asked": before["asked"] if answers is None else hash_text(prompt),
        "problem": problem,
    }
    plan_cache.write_memo(
        root,
        CACHE_KIND,
        {"format": CACHE_FORMAT, "answers": dict(list(kept.items())[-MOST_ANSWERS:])},
    )


def _answer_row(
    answer: Answer, name: str
) -> tuple[tuple[Any, ...], tuple[str, str, str], float | None]:
    record, relevance = answer if isinstance(answer, tuple) else (answer, None)
    # Where a provider keeps it is no file of the tree.
    record = record.with_fields(
        path="", line=0, id=record.id or hash_text(record.title + record.text)
    )
    record = record.with_fields(source=record.source or name)
    return record.values(), RecordWords.from_record(record).as_tuple, relevance


def _answer_key(name: str, agent: str) -> str:
    return f"{name}\n{agent}"
