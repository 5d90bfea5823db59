"""``synapse recover`` and ``synapse handoff``: show the state of an interrupted session."""

import os
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Row, Styled
from synapse_ls.cli.session import SESSION_HELP
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.formats.continuation_file import render_continuation
from synapse_ls.hooks.digest_worker import (
    make_digest,
    preview_continuation,
    transcript_path,
    write_continuation,
)
from synapse_ls.hooks.session_continuation import (
    count_for_handoff,
    read_standing,
    run_session,
    spawn_refusal,
)
from synapse_ls.hooks.session_recovery import CONTINUE, HANDOFF, SPAWN
from synapse_ls.queries.recovery_report import (
    continuation_report,
    recovery_report,
    session_start_report,
)
from synapse_ls.queries.session_lookup import load_answered_sessions, resolve_session
from synapse_ls.storage.injection_log import answered_sessions
from synapse_ls.storage.session_archive import list_sessions
from synapse_ls.storage.session_store import sessions_folder
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

_STYLES = {CONTINUE: "good", HANDOFF: "warn", SPAWN: "bad"}
_ACTION_TEXTS = {
    CONTINUE: "go on in this session",
    HANDOFF: "hand over: write down what is open, then go on in a new session",
    SPAWN: "begin a new session",
}


SESSION_OPTION = option("--session ID", f"{SESSION_HELP} (default: the latest one)")


def session_to_recover(root: str, name: str) -> str:
    """Return the session that is to be recovered: the one that is named, else the one with the
    latest activity.
    """
    if name:
        return resolve_session(root, name)
    sessions = [i.session_id for i in list_sessions(sessions_folder(root)) if not i.problem]
    if sessions:  # those of the repository come last
        return next(filter(answered_sessions(root).__contains__, sessions), sessions[0])
    raise UserError(
        "There are no sessions to go on with.", "The hook begins one with an agent's first prompt."
    )


def _print_report(report: dict[str, Any], digested: list[str], console: Console) -> None:
    decision, action = report["decision"], report["decision"]["action"]
    compactions = format_count(report["counters"]["compactions"], "compaction")
    streak = format_count(report["counters"]["critical_streak"], "prompt")
    rows: list[Row] = [
        ("session", [Styled(report["session"], "title"), f" · {report['client'] or 'no client'}"]),
        ("bracket", [f"{report['bracket']}: {report['remaining']:g}% of the context window left"]),
        ("so far", [f"{compactions}, {streak} in a row with hardly any window left"]),
        ("decision", [Styled(action, _STYLES[action]), f": {_ACTION_TEXTS[action]}"]),
    ]
    rows += [("because", [reason["why"]]) for reason in decision["reasons"]]
    rows.append(("digest", [report["digest"] or "none yet"]))
    if report["due"]:
        rows.append(("due", [Styled(f"a digest ({report['due']})", "warn")]))
    continuation = report["continuation"]
    left = f"{continuation} ({report['created']})" if continuation else "no continuation file yet"
    rows.append(("left", [left]))
    console.rows(rows)
    if digested:
        console.line()
        console.line(f"Made now: the digest of {', '.join(digested)}.")
    if action != CONTINUE:
        level2 = report["level2"]
        console.line()
        if not report["continuation"]:
            console.line("First write the continuation: synapse handoff")
        console.line(f"{level2['title']}: {level2['say']}")
        if level2["command"]:
            console.line("  ", Styled(level2["command"], "name"))


@command(
    SESSION_OPTION,
    option_group(
        "What else is known",
        *(
            option(
                f"--score-{at} POINTS", f"the agent's score {at} the last compaction", type=float
            )
            for at in ("before", "after")
        ),
        switch("--agent-done", "the agent has done its part of the work"),
    ),
    switch("--spawn", 'begin the new session here, where `[recovery] spawn = "run"` allows it'),
    option_group("Output", FORMAT_OPTION),
)
def run_recover(options: Namespace, console: Console) -> int:
    """Shows the state of a session whose history was compacted or whose window is nearly full, and
    what was kept of it. It says whether to go on in it or to begin a new one, why, and how a new
    one is begun in its client. A digest that could not be made in time, because its client was
    closed or killed, is made now.

    Examples:

    # Should I go on here?
    $ synapse recover

    # With the scores of an agent
    $ synapse recover --score-before 92 --score-after 70

    # For a script
    $ synapse recover --format json | jq -r .decision.action
    """
    root = root_of(options)
    session = session_to_recover(root, options.session)
    decisions = [
        info.session_id
        for info, state in load_answered_sessions(root)
        if state.recovery.due
        and make_digest(root, info.session_id, now=time.time(), lock_seconds=10.0)
    ]
    # The session's counters with what the person adds.
    values = {
        "score_before": options.score_before,
        "score_after": options.score_after,
        "agent_done": options.agent_done or None,
    }
    stated = {name: value for name, value in values.items() if value is not None}
    report = recovery_report(
        root,
        session,
        count_for_handoff(read_standing(root, session))._replace(**stated) if stated else None,
    )
    if options.spawn:
        where = read_standing(root, session)
        if why := spawn_refusal(root, str(where.plan.settings.get("spawn", "")), os.environ):
            raise UserError(
                f"No session is begun from here: {why}",
                f"Run it yourself: {report['level2']['command'] or report['level2']['say']}",
            )
        if not report["continuation"]:
            write_continuation(root, session, now=time.time())
        return run_session(root, report["client"])
    if options.format == "json":
        console.json({**report, "made": decisions})
    else:
        _print_report(report, decisions, console)
    return 0


@command(
    SESSION_OPTION,
    option(
        "--transcript FILE",
        "the transcript of the session (default: where its client says that it is)",
    ),
    option_group("Output", switch("--dry-run", "only show it, and write nothing"), FORMAT_OPTION),
)
def run_handoff(options: Namespace, console: Console) -> None:
    """Writes .synapse/continuation/latest.md (in a tree of Chati.dev
    .chati/continuation/latest.md). It says where the session is, what was decided, what is open,
    which errors were solved and how, and which memories and files matter. It is made of the
    session, the workflow, the task, and the transcript of the conversation; what was said since the
    last digest becomes a digest, too. The file before is kept beside it. A session that begins
    later gets it.

    Examples:

    # Before closing the terminal
    $ synapse handoff

    # Only look
    $ synapse handoff --dry-run

    # Of a session that is over
    $ synapse handoff --session 4f1c --format json
    """
    root = root_of(options)
    session = session_to_recover(root, options.session)
    transcript = str(Path(options.transcript).resolve()) if options.transcript else ""
    if transcript and not Path(transcript).is_file():
        raise UserError(f"There is no file {options.transcript}.", "Name a transcript.")
    now = time.time()
    if options.dry_run:
        continuation = preview_continuation(root, session, now=now, transcript=transcript)
        path = ""
    else:
        continuation, path = write_continuation(root, session, now=now, transcript=transcript)
    place = transcript or transcript_path(root, read_standing(root, session).session)
    if place and not Path(place).is_file():
        console.note(
            "The transcript of the session cannot be read: only what it noted is handed over."
        )
    if options.format == "json":
        console.json(
            {
                **continuation_report(continuation),
                "path": path or None,
                "level2": session_start_report(root, continuation.client),
            }
        )
        return
    console.lines([line] for line in render_continuation(continuation).splitlines())
    if path:
        level2 = session_start_report(root, continuation.client)
        console.note(f"Written to {path}. {level2['title']}: {level2['say']}")
        if level2["command"]:
            console.note_line("  ", Styled(str(level2["command"]), "name"))
