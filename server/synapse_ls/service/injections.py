"""What agents were told, in the user's cache folder: a line for each reply of the hook.

A line has the moment, the session, what was known of the window, why it was the full block, which
domains took part and why, and the names and hashes of the rules that were sent and cut. It never
has a prompt, nor a path, nor any text that was told: the exact blocks are in a file of their own
beside it, which `[log] blocks = false` leaves out. A block that quotes a prompt is never kept.
"""

from __future__ import annotations

import os

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.selection import LATER, LONGEST
from synapse_ls.engine.tokens import estimate
from synapse_ls.service import cache, log
from synapse_ls.text.json import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any, Final

    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.section import Entry
    from synapse_ls.engine.selection import Verdict
    from synapse_ls.guard.judge import Verdict as Finding
    from synapse_ls.hosts.event import Event

    Record = dict[str, Any]

LIMIT = 1_000_000  # bytes, after which the log starts anew beside its predecessor
BLOCKS_LIMIT = 2_000_000  # the same for the blocks
VERSION = 1

# What became of the text of a block.
NONE: Final = ""  # there was nothing to tell
KEPT: Final = "kept"
OFF: Final = "off"  # the configuration wants none kept
QUOTES: Final = "quotes"  # it repeats words of a prompt, or a path that only a prompt has named

PATHS: Final = ("paths", LATER["paths"])  # codes of reasons that name a file

# What lines of former versions lack.
_ABSENT: Record = {
    **dict.fromkeys(("agent", "workflow", "phase", "why", "cut", "limited", "block"), ""),
    "turn": None,
    "kind": "prompt",
    "domains": [],
    "matched": {},
}


def note(
    plan: Plan,
    client: str,
    event: Event,
    assembly: Assembly,
    text: str,
    now: float,
    *,
    why: str = "",
    files: Collection[str] = (),
) -> None:
    """Add the reply to ``event``, which is ``text``; a log that cannot be written is no failure.

    why: the reason for a full block, "" for a difference. files: those that tools have touched.
    """
    record = record_of(plan, client, event, assembly, text, now, why=why, files=files)
    if record["block"] == KEPT:
        _add(plan.root, "blocks", {"hash": record["hash"], "text": text}, BLOCKS_LIMIT)
    _add(plan.root, "injections", record, LIMIT)


def confirm(root: str, client: str, event: Event, told: str, arrived: bool, now: float) -> None:
    """Add whether the transcript shows the reply whose text has the hash ``told``."""
    record = {
        "v": VERSION,
        "time": now,
        "session": event.session_id,
        "client": client,
        "window": event.window,
        "hash": told,
        "arrived": arrived,
    }
    _add(root, "injections", record, LIMIT)


def note_verdict(
    root: str, client: str, event: Event, found: Finding, agent: str, mode: str, now: float
) -> None:
    """Add what the guard said of a tool that was about to be used: the rule, never the command."""
    clause = found.clause
    record = {
        "v": VERSION,
        "time": now,
        "session": event.session_id,
        "client": client,
        "window": event.window,
        "agent": agent,
        "mode": mode,
        "decision": found.decision,
        "rule": clause.key if clause is not None else "",
        "pattern": clause.pattern.text if clause is not None else "",
        "delegate": (clause.delegate or clause.owner) if clause is not None else "",
    }
    _add(root, "verdicts", record, LIMIT)


def verdicts(root: str) -> Iterator[Record]:
    """What `note_verdict` has written, the latest first."""
    for line in _lines(root, "verdicts"):
        record = _record(line)
        if record is not None and record.get("v") == VERSION:
            yield record


def record_of(
    plan: Plan,
    client: str,
    event: Event,
    assembly: Assembly,
    text: str,
    now: float,
    *,
    why: str = "",
    files: Collection[str] = (),
) -> Record:
    """The line about the reply to ``event``, with the arguments of `note`."""
    situation = assembly.situation
    usage = situation.usage
    asks = any(section.layer == "L7" for section in assembly.wanted)
    taken = [
        (layer, domain, verdict)
        for layer, rows in sorted(assembly.selection.by_layer.items())
        for domain, verdict in rows
        if asks or verdict.code != "on-command"
    ]
    return {
        "v": VERSION,
        "time": now,
        "session": event.session_id,
        "client": client,
        "event": event.name,
        "kind": event.kind,
        "window": event.window,
        "turn": situation.turn,
        "agent": situation.agent,
        "workflow": situation.workflow,
        "phase": situation.phase,
        "bracket": situation.bracket.name,
        "remaining": usage.remaining,
        "source": usage.source,
        "used": usage.used,
        "tokens": assembly.tokens if text == assembly.text else estimate(text),
        "budget": assembly.budget,
        "why": why,
        # One text for each domain and section: quick to write. The path that woke a domain goes
        # unsaid, because it may stand in a prompt; keywords are the manifest's own.
        "domains": ["\t".join((layer, d.label, *_reason(d, v))) for layer, d, v in taken],
        "matched": {
            plan.domain(position).label: list(words)
            for position, words in situation.matches.recall.items()
        },
        "sections": [[section.id, _names(section.entries)] for section in assembly.sent],
        "cuts": len(assembly.cut) + len(assembly.limited),
        "cut": _names(assembly.cut),
        "limited": _names(assembly.limited),
        "block": _fate(plan, assembly, text, files) if text else NONE,
        "hash": text_hash(text),
    }


def _reason(domain: Domain, verdict: Verdict) -> tuple[str, ...]:
    """A code of `engine/phrases.py` and its values."""
    if verdict.code == "always":
        return (domain.role,)
    return (verdict.code,) if verdict.code in PATHS else (verdict.code, *verdict.detail)


def _names(entries: Iterable[Entry]) -> str:
    """What no file says goes without a name, because it may repeat a prompt."""
    return "\n".join([f"{e.hash} {e.name if e.file else ''}" for e in entries])


def _fate(plan: Plan, assembly: Assembly, text: str, files: Collection[str]) -> str:
    """Whether a block's text can be kept: answers, and names that nothing goes by, repeat a prompt."""
    if not plan.settings["log_blocks"]:
        return OFF
    situation = assembly.situation
    facts = situation.task_facts
    quotes = (
        situation.answers
        or (situation.story and not (facts and facts.story_path))
        or (situation.devmode and situation.prompt.commands)
        or any(path in text for path in _named(assembly, files))
    )
    return QUOTES if quotes else KEPT


def _named(assembly: Assembly, files: Collection[str]) -> Iterator[str]:
    """The paths that woke a domain, now or some prompts ago, though no tool has touched them."""
    for taken in assembly.selection.by_layer.values():
        for _, verdict in taken:
            if verdict.code in PATHS:
                touched = {neutralise(path)[:LONGEST] for path in files}
                yield from (path for path in verdict.detail if path not in touched)


def read(root: str) -> Iterator[Record]:
    """The replies to agents in the tree ``root``, the latest first, as `note` has written them.

    Each has ``arrived`` beside that: whether its text reached the model, None where nobody knows.
    """
    seen: dict[tuple[str, ...], bool] = {}
    for line in _lines(root, "injections"):
        record = _record(line)
        if record is None or record.get("v") != VERSION:
            continue
        told = tuple(str(record.get(k)) for k in ("client", "session", "window", "hash"))
        if "arrived" in record:
            seen.setdefault(told, record["arrived"] is True)
        elif "sections" in record:
            yield {**_ABSENT, **record, "arrived": seen.pop(told, None)}


def blocks(root: str, start: str) -> dict[str, str]:
    """The texts that are kept, by hash, of the blocks whose hash begins with ``start``."""
    head = f'{{"hash":"{start}'.encode()
    found: dict[str, str] = {}
    for line in _lines(root, "blocks"):
        if line.startswith(head):
            record = _record(line)
            if record is not None and isinstance(record.get("text"), str):
                found.setdefault(record["hash"], record["text"])
    return found


def entries_of(written: str) -> list[tuple[str, str]]:
    """(hash, name) of the entries of a section; the name is "" for what no file says."""
    found = (line.partition(" ") for line in written.split("\n") if line)
    return [(identity, name) for identity, _, name in found]


def path_of(root: str, kind: str = "injections") -> str:
    """The file of the log, or with ``kind`` "blocks" that of the texts."""
    return os.path.join(cache.folder(), cache.file_name(root, "", kind))


def _add(root: str, kind: str, record: Record, limit: int) -> None:
    line = f"{dumps(record, indent=None)}\n".encode("utf-8", "replace")
    try:
        folder = cache.prepared()
        if folder:
            log.append(os.path.join(folder, cache.file_name(root, "", kind)), line, limit)
    except OSError:
        return


def _lines(root: str, kind: str) -> Iterator[bytes]:
    path = path_of(root, kind)
    for name in (path, f"{path}.1"):
        try:
            with open(name, "rb") as file:
                lines = file.read().split(b"\n")
        except OSError:
            continue
        yield from reversed(lines)


def _record(line: bytes) -> Record | None:
    """A line; None for what a full disk has left of one."""
    try:
        record = loads(line.decode("utf-8", "replace"))
    except JsonError:
        return None
    return record if isinstance(record, dict) else None
