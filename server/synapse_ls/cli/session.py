"""``synapse session list|show|set|reset|clean|migrate``: show, change and archive sessions."""

import time
from argparse import Namespace

from synapse_ls.cli import situation_lines, tree_options
from synapse_ls.cli.command_table import command, exclusive, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Row, Styled, format_age, shorten_text
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.engine.context_usage import REPORTED, Usage
from synapse_ls.formats.session_file import SessionState
from synapse_ls.queries.context_question import Question, answer_question, follow_transcripts
from synapse_ls.queries.session_lookup import resolve_session, session_report
from synapse_ls.setup.session_conversion import (
    convert_sessions,
    plan_conversion,
    rollback_conversion,
)
from synapse_ls.storage.session_archive import archive_stale, list_sessions, parse_moment
from synapse_ls.storage.session_settings import SETTABLE_FIELDS, parse_setting_switch, set_fields
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import naming_conventions, outside_links, tree_folders


def load_session(root: str, session_id: str) -> SessionState:
    """Load the session that ``synapse session`` is about; raise UserError where it cannot be
    read.
    """
    session, problem = SessionStore(sessions_folder(root)).inspect(session_id)
    if session is None:
        raise UserError(
            f"The session {session_id} {problem or 'is gone'}.",
            "`synapse session list` shows those there are.",
        )
    return session


SESSION_HELP = 'the id, its unique beginning, or "current": the last one active within an hour'


# Cells that a list has for an id: those of a UUID. The beginning of one is as good as all of it.
_MAX_ID_WIDTH = 36


def _told_rows(session: SessionState) -> list[Row]:
    """Return what is switched for the session, and how much each of its windows holds."""
    rows: list[Row] = []
    if overrides := session.overrides:
        words = {True: "on", False: "off"}
        texts = (
            f"{key}={words[value] if isinstance(value, bool) else value}"
            for key, value in overrides.items()
        )
        rows.append(("overrides", [", ".join(texts)]))
    for name, window in session.windows():
        lines = format_count(sum(map(len, window.standing.values())), "line")
        headings = format_count(len(window.standing), "heading")
        rows.append(("injected", [f"{name}: {lines} under {headings}"]))
    return rows


def _time_text(text: object, now: float) -> str:
    at = parse_moment(text)
    return "-" if at is None else f"{text} ({format_age(at, now)})"


@command(option_group("Output", FORMAT_OPTION))
def run_list(options: Namespace, console: Console) -> None:
    """One line for each session of the tree, the one with the latest activity first. Files that are
    no session are named on standard error.

    Examples:

    # Which sessions are there?
    $ synapse session list

    # The id of the latest one, for a script
    $ synapse session list --format json | jq -r '.[0].id'
    """
    root = root_of(options)
    sessions = list_sessions(sessions_folder(root))
    if refusal := outside_links.find_refusal(root, tree_folders.SESSIONS):
        console.note(f"{tree_folders.SESSIONS} is not read: {refusal[0]}.")
    if options.format == "json":
        console.json([session_report(info, root) for info in sessions])
        return
    good = [info for info in sessions if not info.problem]
    now = time.time()
    rows: list[list[Part]] = [
        [
            Styled(shorten_text(info.session_id, _MAX_ID_WIDTH), "name"),
            format_age(info.last_activity, now),
            str(info.prompt_count),
            info.bracket or "-",
            f"@{info.agent}" if info.agent else "-",
            info.title or info.label,
        ]
        for info in good
    ]
    if good:
        console.table(
            rows, ("id", "last activity", "prompts", "bracket", "agent", "title"), right_aligned={2}
        )
    else:
        console.line("There are no sessions yet: the hook begins one with an agent's first prompt.")
    console.notes(f"{info.path} {info.problem}" for info in sessions if info.problem)


@command(option("session ID", SESSION_HELP), option_group("Output", FORMAT_OPTION))
def run_show(options: Namespace, console: Console) -> None:
    """Shows what was injected into the session, and what its next prompt would get. It has agent,
    workflow, task and squad as in `synapse status`, with the source of each, overrides, and how
    much each of its windows holds. With --format json it is the document of the session as it is
    kept, which has only what was said or set in the session.

    Examples:

    # The session that I work in
    $ synapse session show current

    # By the beginning of its id
    $ synapse session show 4f1c

    # The whole document
    $ synapse session show current --format json
    """
    root = root_of(options)
    session = load_session(root, resolve_session(root, options.session))
    if options.format == "json":
        console.json(session.to_document())
        return
    follow_transcripts(root, session)
    answer = answer_question(Question(root, session=session.id, standing=True))
    context = session.context
    now = time.time()
    origin = context.figures.get("origin")  # who has measured it
    source = f" ({origin})" if isinstance(origin, str) and origin else ""
    percent = Usage(float(context.percent_left), REPORTED).percent_text
    left = f": {percent}% of the context window left when last measured"
    compactions = format_count(context.compactions, "compaction")
    since = f"{session.prompts_since_compaction} since the last compaction, {compactions}"
    console.rows(
        [
            ("session", [Styled(session.id, "title")]),
            ("title", [session.title or session.label or "-"]),
            ("folder", [session.cwd or "-"]),
            ("started", [_time_text(session.started, now)]),
            ("active", [_time_text(session.last_activity, now)]),
            ("prompts", [f"{session.prompt_count}, {since}"]),
            ("bracket", [context.bracket, left, Styled(source, "dim")]),
            *situation_lines.situation_rows(answer),
            *_told_rows(session),
        ]
    )


def _parse_assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if (key := name.strip()).lower() in SETTABLE_FIELDS:
        key = key.lower()
    elif key.upper() == "DEVMODE" or key.upper().endswith("_STATE"):
        key = key.upper()
        if equals:
            parse_setting_switch(key, value.strip())
    else:
        listed = f"Set {', '.join(SETTABLE_FIELDS)}, DEVMODE or a {{DOMAIN}}_STATE."
        raise UserError(
            f'A session has no "{key}" to set.',
            naming_conventions.suggest_names(key, (*SETTABLE_FIELDS, "DEVMODE"), listed),
        )
    if not equals:
        raise UserError(f"{key} has no value.", f"Write {key}=VALUE, or {key}= to clear it.")
    return key, value.strip().removeprefix("@") if key == "agent" else value.strip()


def _reset_session(session: SessionState) -> None:
    """Reset what the windows were sent, and everything that counts prompts; nothing else."""
    session.window_records = {}
    session.prompt_count = 0
    context = session.context
    context.prompts, context.compactions, context.figures = None, 0, {}
    context.tokens_used, context.percent_left = 0, 100


@command(
    option("session ID", SESSION_HELP),
    option(
        "assignments NAME=VALUE",
        f"{', '.join(SETTABLE_FIELDS)}, DEVMODE or {{DOMAIN}}_STATE; an empty value, or none, "
        "clears it",
        nargs="+",
    ),
)
def run_set(options: Namespace, console: Console) -> None:
    """The next prompt of the session is answered with what you set. {DOMAIN}_STATE switches a
    domain for this session only, DEVMODE shows the state behind the block to the agent; both take
    on and off. A domain that is marked _NON_NEGOTIABLE cannot be switched off.

    Examples:

    # Work as @dev on a story
    $ synapse session set current agent=dev task=implement-auth story=STORY-42

    # Move a workflow on
    $ synapse session set current workflow=story_development phase=qa_review

    # Leave a domain out for today, and end the task
    $ synapse session set current TESTING_STATE=off task=
    """
    root = root_of(options)
    session_id = resolve_session(root, options.session)
    wanted = dict(_parse_assignment(text) for text in options.assignments)
    console.notes(set_fields(root, session_id, wanted, now=time.time()))
    for key, value in wanted.items():
        console.line(Styled(key, "name"), f" = {value}" if value else " cleared")


@command(option("session ID", SESSION_HELP))
def run_reset(options: Namespace, console: Console) -> None:
    """Forgets what is in context in the session's windows and sets its counters to zero, so that
    the next prompt gets the full block as in a new session. Agent, workflow, task, squad and
    overrides stay.

    Examples:

    # The agent seems to have forgotten its rules
    $ synapse session reset current
    """
    root = root_of(options)
    session_id = resolve_session(root, options.session)
    store = SessionStore(sessions_folder(root))
    console.notes(store.update(session_id, _reset_session, cwd=root, now=time.time()).notes)
    console.line(f"Reset {session_id}: its next prompt gets the full block.")


@command(
    option(
        "--hours N",
        "without activity for so long (default: session.stale_hours of config.toml, 168)",
        type=float,
    ),
    switch("--dry-run", "only say what would be archived"),
)
def run_clean(options: Namespace, console: Console) -> None:
    """Moves sessions without activity for a week into sessions/archive/. One that goes on later is
    taken back by itself. This command deletes nothing. Once archived sessions, digests and earlier
    continuations together have more than session.kept_megabytes of config.toml (25), the hook's
    daily tidying deletes the oldest; what came with the repository stays.

    Examples:

    # What would go?
    $ synapse session clean --dry-run

    # Keep only the last day
    $ synapse session clean --hours 24
    """
    root, tree = tree_options.load_options_tree(options)
    folder = sessions_folder(root)
    now = time.time()
    configured = tree.snapshot.config.session.stale_hours
    hours: float = configured if options.hours is None else options.hours
    if not hours >= 0:
        raise UserError(
            f"{hours:g} hours is no length of time.", "Give a number of hours from 0 up."
        )
    if options.dry_run:
        stale = [
            info.session_id
            for info in list_sessions(folder)
            if not info.problem and info.last_activity < now - hours * 3600
        ]
        console.lines([session_id] for session_id in stale)
        console.line(f"{format_count(len(stale), 'session')} would be archived.")
        return
    done = archive_stale(folder, now=now, hours=hours)
    console.lines([old.rpartition("/")[2].removesuffix(".json")] for old, _ in done.moved)
    console.notes(f"{path} stays: {reason}" for path, reason in done.skipped)
    console.line(f"{format_count(len(done.moved), 'session')} archived.")


@command(
    exclusive(
        switch("--dry-run", "only say what would be converted"),
        switch("--rollback", "undo the last migration, to the byte"),
    )
)
def run_migrate(options: Namespace, console: Console) -> None:
    """Converts the sessions of CARL (.carl/sessions/), of AIOS and AIOX (session-state.json) and
    those of older schemas. The files of other tools are only read; what is replaced here is backed
    up first.

    Examples:

    # What would be converted?
    $ synapse session migrate --dry-run

    # Take it back
    $ synapse session migrate --rollback
    """
    root = root_of(options)
    if options.rollback:
        steps = rollback_conversion(root)
        console.table([[Styled(step.action, "name"), step.path] for step in steps])
        console.line("Rolled back.")
        return
    plan = plan_conversion(root) if options.dry_run else convert_sessions(root, now=time.time())
    console.table(
        [[Styled(", ".join(step.sources), "name"), f"-> {step.target}"] for step in plan.steps]
    )
    console.notes(f"{source} stays as it is: {reason}" for source, reason in plan.skipped)
    verb = "would be converted" if options.dry_run else "converted"
    backup = f"; the backup is {plan.backup}" if plan.backup else ""
    console.line(f"{format_count(len(plan.steps), 'session')} {verb}{backup}.")
