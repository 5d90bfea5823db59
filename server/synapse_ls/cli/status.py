"""``synapse status``: show the state that the next prompt would meet."""

import time
from argparse import Namespace

from synapse_ls.activation.loader_runner import activation_report, read_loader_metrics
from synapse_ls.cli import activate, situation_lines
from synapse_ls.cli.command_table import command, option_group, switch
from synapse_ls.cli.console import Console, Part, Row, Styled, format_age
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.cli.tree_options import query_answer, situation_options
from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations.hook_registrations import hook_troubles
from synapse_ls.queries import answer_lines, context_question, guard_report, report_model
from synapse_ls.queries.session_lookup import CURRENT_SESSION_HOURS, own_session
from synapse_ls.queries.status_report import (
    DeliveryReport,
    delivery_notes,
    delivery_report,
    find_position,
    status_notes,
    status_report,
)
from synapse_ls.storage import atomic_files, session_archive
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.phrases import format_count


def _print_status(options: Namespace, console: Console) -> None:
    answer = query_answer(options, standing=True)
    hooks = guard_report.registered_hooks(answer.plan.root)
    delivery = delivery_report(answer.plan.root)
    troubles = hook_troubles(answer.plan.root)
    if options.format == "json":
        report = report_model.to_json(status_report(answer, hooks, delivery))
        if options.metrics:
            report["activation"] = activation_report(_activated_session(answer))
        indent = None if options.watch else 2
        console.json({**report, "notes": [*report["notes"], *troubles]}, indent)
        return
    rows: list[Row] = [
        ("tree", [Styled(answer.plan.root, "title"), f" · profile {answer.plan.profile.name}"]),
        *situation_lines.window_rows(answer),
        *situation_lines.situation_rows(answer),
        *_navigation_rows(answer),
        ("session", _session_parts(answer)),
        ("tree has", [answer_lines.tree_counts(answer)]),
        ("hook", _hook_parts(hooks, delivery)),
        ("guard", [guard_report.describe_effect(answer.plan.settings["guard"], hooks.clients)]),
    ]
    if policy := answer.plan.settings["policy"]:
        rows.append(("policy", [policy]))
    console.rows(rows)
    if options.metrics:
        _print_metrics(_activated_session(answer), console)
    console.notes((*status_notes(answer), *troubles, *delivery_notes(delivery)))


def _navigation_rows(answer: context_question.Answer) -> list[Row]:
    """Return where the work is and what is next, where a workflow is under way."""
    if (position := find_position(answer)) is None:
        return []
    place = f" ({position.path}:{position.line})" if position.line else ""
    rows: list[Row] = [("step", [position.location, Styled(place, "dim")])]
    if position.following_text:
        rows.append(("next", [position.following_text]))
    rows.extend(("", [Styled(note, "warn")]) for note in position.notes)
    return rows


def _activated_session(answer: context_question.Answer) -> SessionState | None:
    """Return the session whose activation is shown: the one asked about, else that of this
    terminal.
    """
    if answer.session is not None:
        return answer.session
    session_id, _ = own_session(answer.plan.root)
    return SessionStore(sessions_folder(answer.plan.root)).load(session_id) if session_id else None


def _print_metrics(session: SessionState | None, console: Console) -> None:
    """Print the loaders of the activation that the session knows of."""
    report = activation_report(session)
    console.line("")
    if report is None:
        console.line(
            Styled("no activation is recorded", "dim"), ": `synapse activate AGENT` records one"
        )
        return
    took = report["milliseconds"]
    duration = f" in {took:.0f} ms" if isinstance(took, int | float) else ""
    console.line(
        Styled(f"@{report['agent']}", "name"),
        f" was activated: {report['quality']}{duration}",
        Styled(f" · {report['session']}", "dim"),
    )
    activate.show_loaders(read_loader_metrics(session), console)


def _session_parts(answer: context_question.Answer) -> list[Part]:
    if (session := answer.session) is None:
        parts: list[Part] = [Styled("a new one", "dim")]
        try:
            current = session_archive.newest_session(
                sessions_folder(answer.plan.root), CURRENT_SESSION_HOURS, now=time.time()
            )
        except atomic_files.StorageError as error:
            return [*parts, " · ", Styled(error.sentence, "warn")]
        if current is not None:
            name = f"“{current.title}”" if current.title else current.session_id
            parts.append(f" (the current one is {name}: --session current)")
        return parts
    at = session_archive.parse_moment(session.last_activity)
    when = f", active {format_age(at, time.time())}" if at is not None else ""
    title = session.title
    return [
        session.id,
        f" “{title}”" if title else "",
        f" · {format_count(session.prompt_count, 'prompt')}{when}",
    ]


def _hook_parts(hooks: guard_report.RegisteredHooks, delivery: DeliveryReport) -> list[Part]:
    if hooks.files:
        at = session_archive.parse_moment(delivery.last or "")
        last_call = "never" if at is None else f"{format_age(at, time.time())} to {delivery.client}"
        return [f"registered in {', '.join(hooks.files)}; last delivered: {last_call}"]
    called = f"; called is {' and '.join(hooks.others)}" if hooks.others else ""
    return [Styled("not registered", "warn"), f"{called}: `synapse install`"]


@command(
    situation_options(),
    option_group(
        "Output",
        switch(
            "--metrics",
            "show as well how the agent was activated, each loader and its time: of the "
            "session, else of that of this terminal",
        ),
        switch("--watch", "show it again whenever the tree or a session changes, until Ctrl-C"),
        FORMAT_OPTION,
    ),
)
def run(options: Namespace, console: Console) -> None:
    """Where the tree is, how much of the context window is left, who is at work on what, and what
    the next block would cost, with nothing in the prompt. Each value says where it is known from.

    With --watch it stays up to date: on a terminal in place, elsewhere one page after the other,
    and with --format json one document a line.

    Examples:

    # A new session, as it would begin
    $ synapse status

    # With the agent's rules
    $ synapse status --agent dev

    # The session that is running
    $ synapse status --session current

    # Beside an agent at work
    $ synapse status --session current --watch

    # The bracket, for a status line
    $ synapse status --session current --format json | jq -r .bracket
    """
    if options.watch:
        from synapse_ls.cli.watch_loop import watch_page

        text = options.format == "text"
        watch_page(
            root_of(options), lambda page: _print_status(options, page), console, is_spaced=text
        )
    else:
        _print_status(options, console)
