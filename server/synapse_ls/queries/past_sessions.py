"""Find and reads past sessions to audit them: those that the tree knows, or transcripts that
somebody names.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence

from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations import client_registry
from synapse_ls.integrations.transcript_formats import HEAD_BYTES, find_reader
from synapse_ls.integrations.transcript_turns import read_lines
from synapse_ls.queries.rule_audit import AuditedSession, AuditReport, audit_sessions
from synapse_ls.queries.session_replay import replay_session
from synapse_ls.storage import injection_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.editor_cache import RuleHistory, write_histories
from synapse_ls.storage.session_archive import list_sessions
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.regular_files import open_stream
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

DEFAULT_DAYS = 7.0
MAX_IDS = 5  # ids at the beginning of a transcript that may be its session's
_SESSION_ID = re.compile(r'"(?:session_?id|id)" *: *"([^"\\]+)"', re.IGNORECASE)
_DAY = 86400.0  # seconds


def audit_tree(
    root: str,
    paths: Sequence[str] | None = None,
    *,
    since: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AuditReport:
    """Audit past sessions, the transcripts ``paths`` or those of the sessions that the tree knows,
    and keeps what became of each rule for editors.

    since: seconds since the epoch, after which such a session was used; a week ago unless given.
    progress: is called with how many of how many transcripts were read. A file that is no
    transcript counts for nothing. Raises OSError for one that cannot be read.
    """
    if paths is None:
        until = time.time() - DEFAULT_DAYS * _DAY if since is None else since
        # The transcripts of the past sessions of the tree that were used since then and that
        # there still are, the latest first.
        store = SessionStore(sessions_folder(root))
        transcript_paths: dict[str, None] = {}
        for info in list_sessions(store.folder):
            transcript_session = store.load(info.session_id) if info.session_id else None
            if transcript_session is None or info.last_activity < until:
                continue
            for _, window in transcript_session.windows():
                transcript_path = window.transcript[0]
                if transcript_path and os.path.isfile(transcript_path):
                    transcript_paths[transcript_path] = None
        paths = list(transcript_paths)
    tree = Tree(load_tree(root, LoadScope.ALL).index.snapshot())
    plan = load_plan(root).with_all_files().plan
    sessions = []
    for number, path in enumerate(paths):
        if progress:
            progress(number, len(paths))
        if session := read_session(root, path):
            sessions.append(session)
    report = audit_sessions(tree, plan, sessions)
    write_histories(root, _rule_histories(report))
    return report


def _rule_histories(report: AuditReport) -> Iterator[tuple[str, str, RuleHistory]]:
    """Yield the history of each rule, under the key of its check and of what agents are told."""
    for rule in report.rules:
        times = [breach.time for breach in rule.breaches if breach.time]
        history = RuleHistory(rule.applied, rule.broken, max(times, default=""))
        yield from ((rule.file, key, history) for key in {rule.key, rule.told or rule.key})


def read_session(root: str, path: str) -> AuditedSession | None:
    """Read the past session whose transcript ``path`` is; None for a file that is no transcript."""
    with open_stream(path) as stream:
        reader = find_reader(stream.read(HEAD_BYTES))
    host = client_registry.load_client(reader.client) if reader else None
    if reader is None or host is None:
        return None
    ids = session_ids(path)
    with open_stream(path) as stream:
        turns = reader.read_turns(read_lines(stream))
        steps = list(replay_session(root, turns, host, recorded_session(root, ids)))
    log = [reply for reply in injection_log.read_replies(root) if reply.get("session") in ids]
    return AuditedSession(path, steps, sorted(log, key=lambda record: float(record["time"])))


def recorded_session(root: str, ids: Sequence[str]) -> SessionState | None:
    """Return what the tree at ``root`` still has of the past session that goes by one of
    ``ids``.
    """
    store = SessionStore(sessions_folder(root))
    return next((session for id in ids if (session := store.load(id))), None)


def session_ids(path: str) -> tuple[str, ...]:
    """Return the ids that the past session whose transcript ``path`` is may have, the likeliest
    first.
    """
    with open_stream(path) as stream:
        head = stream.read(HEAD_BYTES).decode("utf-8", "replace")
    stem = os.path.splitext(os.path.basename(path))[0]
    return tuple(dict.fromkeys([*_SESSION_ID.findall(head)[:MAX_IDS], stem]))
