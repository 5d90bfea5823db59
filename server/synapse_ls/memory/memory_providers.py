"""Cache the answers of memory providers: installed packages that know something for an agent.

A package registers one under the entry point group ``synapse_ls.memory``, and a tree names it in
``[memory] providers``. It runs in a process of its own, never on the path of a prompt, which uses
the last good answer. An answer is for one agent only.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, field
from importlib.metadata import EntryPoint, entry_points
from threading import Thread
from typing import Any, Protocol

from synapse_ls.memory import memory_index, memory_record
from synapse_ls.memory.memory_index import Candidate, RecordWords
from synapse_ls.storage import atomic_files, plan_cache
from synapse_ls.text.digest import hash_text
from synapse_ls.text.fast_json import JsonError, dumps, loads

ENTRY_POINT_GROUP = "synapse_ls.memory"
CACHE_KIND = "recalls"
CACHE_FORMAT = 1
MOST_MEMORIES = 50  # memories of one answer that are kept
MOST_ANSWERS = 64  # answers of a tree that are kept


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """What a provider of memories is asked.

    root: the tree's folder. agent: "" for none. prompt: as it was said. files: paths at work, from
    the root. limit: memories that are of any use.
    """

    root: str
    agent: str = ""
    prompt: str = ""
    files: tuple[str, ...] = ()
    limit: int = MOST_MEMORIES


Answer = memory_record.Record | tuple[memory_record.Record, float]


class Provider(Protocol):
    """What an entry point gives: an object, or a class that makes one without arguments."""

    def recall(self, question: RecallQuestion) -> Iterable[Answer]:
        """Return the memories that matter, each alone or with its relevance from 0 to 1.

        Anything that is raised counts as no answer; the one before stays in use.
        """
        ...


@dataclass(slots=True)
class CachedAnswers:
    """The answers of providers that are known just now.

    candidates: of the last good answers. notes: what is odd about them. due: names to ask anew.
    """

    candidates: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    due: tuple[str, ...] = ()


def cached_answers(root: str, names: Sequence[str], agent: str, prompt: str) -> CachedAnswers:
    """Return the last good answers of the providers ``names`` for an agent, from the cache
    alone.
    """
    memo = plan_cache.read_memo(root, CACHE_KIND)
    answers = memo.get("answers", {}) if memo.get("format") == CACHE_FORMAT else {}
    text = hash_text(prompt)
    cached = CachedAnswers()
    due: list[str] = []
    for name in names:
        if (answer := answers.get(_answer_key(name, agent))) is None:
            cached.notes.append(
                f"memory provider {name} has not answered for this agent yet: it is being asked"
            )
            due.append(name)
            continue
        same = answer["asked"] == text
        if answer["problem"]:
            cached.notes.append(
                f"memory provider {name} failed ({answer['problem']}): "
                + ("its last good answer counts" if answer["rows"] else "it gives nothing")
            )
        elif not same:
            cached.notes.append(
                f"memory provider {name}: its last good answer counts until it has another"
            )
        if not same or answer["problem"]:
            due.append(name)
        for fields, words, relevance in answer["rows"]:
            record = memory_record.Record(*fields)
            # To another prompt only what matches it in words is an answer.
            own = relevance if same else None
            cached.candidates.append(Candidate(record, None, RecordWords(*words), name, own))
    cached.due = tuple(due)
    return cached


def _answer_key(name: str, agent: str) -> str:
    return f"{name}\n{agent}"


PROVIDER_TIMEOUT = 10.0  # seconds that one provider has for its answer
_LONGEST_PROBLEM = 120  # code points of what a provider says is wrong

_WORKER_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from synapse_ls.memory.memory_providers import "
    "main; main()"
)


def start_worker(root: str, question: RecallQuestion, names: tuple[str, ...]) -> None:
    """Start the worker: a process that asks the providers ``names`` and brings the index of the
    store up to date.

    The prompt goes through a pipe: what people say is in no list of processes.
    """
    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    question_fields = {**asdict(question), "root": root, "names": names}
    try:
        started = subprocess.Popen(
            [sys.executable, "-I", "-c", _WORKER_CODE, packages],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert started.stdin is not None
        with started.stdin as pipe:
            pipe.write(dumps(question_fields, None).encode("utf-8", "surrogatepass"))
    except OSError:
        return  # what is not refreshed now is with the next prompt


def main() -> None:
    """Run the worker: ask the providers, unless another process is at it."""
    try:
        question_fields = loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except JsonError:
        return
    names = question_fields.pop("names")
    question = RecallQuestion(**{**question_fields, "files": tuple(question_fields["files"])})
    root = question.root
    try:
        if not (folder := plan_cache.prepare_cache_folder()):
            return
        lock = os.path.join(folder, plan_cache.cache_file_name(root, "", "asking"))
        with atomic_files.FileLock(lock, 0.0, within=atomic_files.ANYWHERE, keep=False):
            memory_index.refresh_index(root)
            for name in names:
                ask_provider(question, name)
    except (OSError, atomic_files.StorageError):
        return
    finally:
        sys.stdout.flush()
        os._exit(0)  # a provider that hangs hangs alone


def ask_provider(question: RecallQuestion, name: str, patience: float = PROVIDER_TIMEOUT) -> str:
    """Ask one provider and save its answer; return why there is none, "" where there is one."""
    box: list[Any] = []
    problem = ""

    def run() -> None:
        try:
            box.append(tuple(_load_provider(name).recall(question)))
        except Exception as error:
            box.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    answers: Any = None
    if not box:
        problem = f"no answer within {patience:g} s"
    elif isinstance(box[0], Exception):
        problem = f"{type(box[0]).__name__}: {box[0]}".strip(": ")[:_LONGEST_PROBLEM]
    else:
        answers = box[0]
    # Save the answers of a provider.
    root, agent, prompt = question.root, question.agent, question.prompt
    memo = plan_cache.read_memo(root, CACHE_KIND)
    cached: dict[str, Any] = memo.get("answers", {}) if memo.get("format") == CACHE_FORMAT else {}
    before = cached.pop(_answer_key(name, agent), {"rows": (), "asked": ""})
    rows = before["rows"]
    if answers is not None:
        rows = []
        for answer in answers[:MOST_MEMORIES]:
            record, relevance = answer if isinstance(answer, tuple) else (answer, None)
            # Where a provider keeps it is no file of the tree.
            id, source = record.id or hash_text(record.title + record.text), record.source or name
            record = record.with_fields(path="", line=0, id=id, source=source)
            rows.append((record.values(), astuple(RecordWords.from_record(record)), relevance))
    cached[_answer_key(name, agent)] = {
        "rows": rows,
        "asked": before["asked"] if answers is None else hash_text(prompt),
        "problem": problem,
    }
    plan_cache.write_memo(
        root,
        CACHE_KIND,
        {"format": CACHE_FORMAT, "answers": dict(list(cached.items())[-MOST_ANSWERS:])},
    )
    return problem


def _load_provider(name: str) -> Provider:
    if (entry_point := installed_providers().get(name)) is None:
        raise LookupError(f"no installed package offers a memory provider {name}")
    provider: Any = entry_point.load()
    source: Provider = provider() if isinstance(provider, type) else provider
    return source


def installed_providers() -> dict[str, EntryPoint]:
    """Return the providers that installed packages offer, by name."""
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
