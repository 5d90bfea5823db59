"""The injection log in the user's cache folder: a line for each reply of the hook.

A line has the time, the session, the state of the window, why it was a full block, which domains
took part and why, and names and hashes of injected and cut rules; never a prompt, a path or a
reply's text. Blocks are in a file of their own, which `[log] blocks = false` disables, but never
one that quotes a prompt. Verdicts of the guard are in a third file.
"""

from __future__ import annotations

import os

from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.engine.domain_selection import MAX_PATH_LENGTH
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.window_state import RECALLED_CODES, Delivery
from synapse_ls.storage import atomic_files, plan_cache
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.digest import hash_text
from synapse_ls.text.fast_json import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any, Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.block_sections import Entry
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.guard.action_verdict import Verdict as Finding
    from synapse_ls.integrations.hook_event import Event

    Record = dict[str, Any]

LOG_LIMIT = 1_000_000  # bytes, after which the log starts anew beside its predecessor
BLOCKS_LIMIT = 2_000_000  # the same for the blocks
LOG_VERSION = 2

# What became of the text of a block.
NO_TEXT: Final = ""  # there was nothing to tell
TEXT_KEPT: Final = "kept"
TEXT_OFF: Final = "off"  # the configuration wants none kept
# It repeats words of a prompt, or a path that only a prompt has named.
TEXT_QUOTES: Final = "quotes"

# What became of a reply.
ARRIVED: Final = "arrived"
MISSING: Final = "missing"
CANCELLED: Final = "cancelled"  # with its prompt, or rewound: it does not stand any more

WITHDRAWN: Final = "WITHDRAWN"  # the section that takes back
PATH_CODES: Final = ("paths", RECALLED_CODES["paths"])  # codes of reasons that name a file


def log_reply(
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
    """Add the reply to ``event``, which is ``text``, to the injection log; a log that cannot be
    written is no failure.

    why: the reason for a full block, "" for a difference. files: those that tools have touched.
    """
    record = reply_record(plan, client, event, assembly, text, now, why=why, files=files)
    if record["block"] == TEXT_KEPT:
        _append_record(plan.root, "blocks", {"hash": record["hash"], "text": text}, BLOCKS_LIMIT)
    _append_record(plan.root, "injections", record, LOG_LIMIT)
    if plan.settings["audit"]:
        from synapse_ls.storage import audit_log

        audit_log.record_reply(plan, record, text)


def log_outcome(
    root: str, client: str, event: Event, delivery: Delivery, outcome: str, now: float
) -> None:
    """Add to the injection log what became of a reply: that its text has reached the model, that it
    has not, or that it was cancelled with its prompt.
    """
    record = {
        **_origin(client, event, now),
        "hash": delivery.hash,
        "since": delivery.since,
        "arrived": outcome == ARRIVED,
        "cancelled": outcome == CANCELLED,
    }
    _append_record(root, "injections", record, LOG_LIMIT)


def log_verdict(
    root: str, client: str, event: Event, found: Finding, agent: str, mode: str, now: float
) -> None:
    """Add the guard's verdict on a tool that was about to be used to a log beside that of
    injections: the rule, never the command.
    """
    clause = found.clause
    record = {
        **_origin(client, event, now),
        "agent": agent,
        "mode": mode,
        "decision": found.decision,
        "rule": clause.key if clause is not None else "",
        "pattern": clause.pattern.text if clause is not None else "",
        "delegate": (clause.delegate or clause.owner) if clause is not None else "",
    }
    _append_record(root, "verdicts", record, LOG_LIMIT)


def _origin(client: str, event: Event, now: float) -> Record:
    return {
        "v": LOG_VERSION,
        "time": now,
        "session": event.session_id,
        "client": client,
        "window": event.subagent,
    }


def reply_record(
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
    """Return the line of the injection log about the reply to ``event``, with the arguments of
    `log_reply`.
    """
    situation = assembly.situation
    usage = situation.usage
    asks = any(section.layer == "L7" for section in assembly.wanted_sections)
    # One text for each domain and section: quick to write. Why a domain takes part is a code of the
    # engine's phrases, and its values. The path that woke it goes unsaid, because it may stand in a
    # prompt; keywords are the manifest's own.
    domains = []
    for layer, rows in sorted(assembly.selection.by_layer.items()):
        for domain, verdict in rows:
            if asks or verdict.code != "on-command":
                is_plain = verdict.code == "always" or verdict.code in PATH_CODES
                code = domain.role if verdict.code == "always" else verdict.code
                values = () if is_plain else verdict.detail
                domains.append("\t".join((layer, domain.label, code, *values)))
    return {
        **_origin(client, event, now),
        "event": event.name,
        "kind": event.kind,
        "turn": situation.turn,
        "agent": situation.agent,
        "workflow": situation.workflow,
        "phase": situation.phase,
        "bracket": situation.bracket.name,
        "remaining": usage.remaining,
        "source": usage.source,
        "used": usage.used,
        "tokens": assembly.tokens if text == assembly.text else estimate_tokens(text),
        "budget": assembly.budget,
        "why": why,
        "domains": domains,
        "matched": {
            plan.domain(position).label: list(words)
            for position, words in situation.matches.recall.items()
        },
        "sections": [
            [section.id, _entry_names(section.entries)] for section in assembly.sent_sections
        ],
        # Domains of which the reply says something, and headings of which it takes something back.
        "told": list(dict.fromkeys(e.domain for e in _told_entries(assembly) if e.domain)),
        "withdrawn": [
            entry.key.partition("\n")[0]
            for section in assembly.sent_sections
            if section.id == WITHDRAWN
            for entry in section.entries
        ],
        "cuts": len(assembly.cut_entries) + len(assembly.limited_entries),
        "cut": _entry_names(assembly.cut_entries),
        "limited": _entry_names(assembly.limited_entries),
        "block": _text_state(plan, assembly, text, files) if text else NO_TEXT,
        "hash": hash_text(text),
    }


def _told_entries(assembly: Assembly) -> Iterator[Entry]:
    for section in assembly.sent_sections:
        for entry in section.entries if section.id != WITHDRAWN else ():
            yield from entry.members or (entry,)


def _entry_names(entries: Iterable[Entry]) -> str:
    """Return hash and name of each entry, a line each. What no file says goes without a name,
    because it may repeat a prompt.
    """
    return "\n".join([f"{e.hash} {e.name if e.file else ''}" for e in entries])


def _text_state(plan: Plan, assembly: Assembly, text: str, files: Collection[str]) -> str:
    """Return whether a block's text can be kept: answers, and name that nothing goes by, repeat a
    prompt.
    """
    if not plan.settings["log_blocks"]:
        return TEXT_OFF
    # The paths that woke a domain, now or some prompts ago, though no tool has touched them.
    verdicts = [v for rows in assembly.selection.by_layer.values() for _, v in rows]
    paths = {path for v in verdicts if v.code in PATH_CODES for path in v.detail}
    if paths:
        paths -= {neutralise_text(path)[:MAX_PATH_LENGTH] for path in files}
    situation = assembly.situation
    facts = situation.task_facts
    quotes = (
        situation.answers
        or situation.remarks
        or (situation.story and not (facts and facts.story_path))
        or (situation.devmode and situation.prompt.commands)
        or any(path in text for path in paths)
    )
    return TEXT_QUOTES if quotes else TEXT_KEPT


def read_replies(root: str) -> Iterator[Record]:
    """Yield the replies to agents in the tree ``root`` that the injection log has, the latest
    first.

    Each has ``arrived`` beside that: whether its text reached the model and stands there, None
    where nobody knows; and ``cancelled``: whether it was taken back with its prompt.
    """
    outcomes: dict[tuple[str, ...], Record] = {}
    for record in read_records(root, "injections"):
        reply = tuple(str(record.get(k)) for k in ("client", "session", "window", "hash"))
        if "arrived" in record:
            outcomes.setdefault((*reply, str(record.get("since", ""))), record)
        elif "sections" in record:
            outcome = outcomes.pop((*reply, format_timestamp(record["time"])), {})
            cancelled = outcome.get("cancelled") is True
            arrived = None if cancelled or not outcome else outcome["arrived"] is True
            yield {**record, "arrived": arrived, "cancelled": cancelled}


def answered_sessions(root: str) -> set[str]:
    """Return the ids of the sessions that this user's hook has answered. The file of any other one
    came with the repository, and may name whatever file as its transcript.
    """
    return {reply["session"] for reply in read_replies(root)} - {""}


def known_sessions(root: str) -> set[str]:
    """Return the ids of the sessions of this user: of `answered_sessions` and of all that hooks
    have begun.
    """
    return answered_sessions(root) | plan_cache.remembered_sessions(root)


def read_records(root: str, kind: str) -> Iterator[Record]:
    """Yield the records of a log ("injections" or, the guard's, "verdicts"), the latest first."""
    for line in _read_lines(root, kind):
        record = _parse_record(line)
        if record is not None and record.get("v") == LOG_VERSION:
            yield record


def read_blocks(root: str, start: str) -> dict[str, str]:
    """Return the texts of blocks that the injection log keeps, by hash, of those whose hash begins
    with ``start``.
    """
    head = f'{{"hash":"{start}'.encode()
    blocks: dict[str, str] = {}
    for line in _read_lines(root, "blocks"):
        if line.startswith(head):
            record = _parse_record(line)
            if record is not None and isinstance(record.get("text"), str):
                blocks.setdefault(record["hash"], record["text"])
    return blocks


def parse_entries(written: str) -> list[tuple[str, str]]:
    """Return (hash, name) of the entries of a section in the injection log; the name is "" for what
    no file says.
    """
    parts = (line.partition(" ") for line in written.split("\n") if line)
    return [(identity, name) for identity, _, name in parts]


def log_path(root: str, kind: str = "injections") -> str:
    """Return the path of the injection log, or with ``kind`` "blocks" that of the texts, "verdicts"
    that of the guard's verdicts.
    """
    return os.path.join(plan_cache.cache_folder(), plan_cache.cache_file_name(root, "", kind))


def _append_record(root: str, kind: str, record: Record, limit: int) -> None:
    line = f"{dumps(record, indent=None)}\n".encode("utf-8", "replace")
    try:
        if folder := plan_cache.prepare_cache_folder():
            atomic_files.append_line(
                os.path.join(folder, plan_cache.cache_file_name(root, "", kind)), line, limit
            )
    except OSError:
        return


def _read_lines(root: str, kind: str) -> Iterator[bytes]:
    path = log_path(root, kind)
    for name in (path, f"{path}.1"):
        try:
            with open(name, "rb") as file:
                lines = file.read().split(b"\n")
        except OSError:
            continue
        yield from reversed(lines)


def _parse_record(line: bytes) -> Record | None:
    """Return the record on a line; None for what a full disk has left of one."""
    try:
        record = loads(line.decode("utf-8", "replace"))
    except JsonError:
        return None
    return record if isinstance(record, dict) else None
