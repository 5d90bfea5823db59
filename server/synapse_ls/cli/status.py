"""``synapse status``: what the next prompt would be answered with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.header import Row, aligned, situation_rows, window_rows
from synapse_ls.cli.options import add_format, add_window, ask, root_of
from synapse_ls.cli.sessions import ago
from synapse_ls.engine.account import account
from synapse_ls.manage.clients.settings import hook_troubles, registered
from synapse_ls.service.activation_metrics import activation_report, session_loaders
from synapse_ls.service.inventory import CURRENT_HOURS, sessions_folder, status_report
from synapse_ls.service.named_session import own_session
from synapse_ls.service.navigating import whereabouts
from synapse_ls.service.reports import notes_of
from synapse_ls.sessions.archive import moment, newest
from synapse_ls.sessions.files import SessionError
from synapse_ls.sessions.store import SessionStore
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.service.answer import Answer


def _arguments(parser: Parser) -> None:
    add_window(parser.add_argument_group("Situation"))
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--metrics",
        action="store_true",
        help="show as well how the agent was brought up, each loader and its time: of the session, "
        "else of that of this terminal",
    )
    output.add_argument(
        "--watch",
        action="store_true",
        help="show it again whenever the tree or a session changes, until Ctrl-C",
    )
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    if options.watch:
        from synapse_ls.cli.status_watch import watch

        text = options.format == "text"
        watch(root_of(options), lambda page: _show(options, page), console, apart=text)
    else:
        _show(options, console)
    return 0


def _show(options: Namespace, console: Console) -> None:
    answer = ask(options)
    accounts = account(answer.plan, answer.assembly)
    hooks = registered(answer.plan.root)
    troubles = hook_troubles(answer.plan.root)
    if options.format == "json":
        report = status_report(answer, accounts, hooks)
        if options.metrics:
            report["activation"] = activation_report(_brought_up(answer))
        indent = None if options.watch else 2
        console.json({**report, "notes": [*report["notes"], *troubles]}, indent)
        return
    rules = sum(len(domain.rules) for domain in accounts)
    inside = sum(domain.rendered for domain in accounts)
    rows: list[Row] = [
        ("tree", [Styled(answer.plan.root, "title"), f" · profile {answer.plan.profile.name}"]),
        *window_rows(answer),
        *situation_rows(answer),
        *_navigation(answer),
        ("session", _session(answer)),
        (
            "tree has",
            [
                f"{counted(len(accounts), 'domain')}, {counted(rules, 'rule')}; "
                f"{sum(domain.rendered > 0 for domain in accounts)} and {inside} of them in the block"
            ],
        ),
        ("hook", _hook(hooks)),
    ]
    for line in aligned(rows):
        console.line(*line)
    if options.metrics:
        _metrics(_brought_up(answer), console)
    for note in (*notes_of(answer), *troubles):
        console.note(note)


def _navigation(answer: Answer) -> list[Row]:
    """Where the work is and what is next, where a workflow is under way."""
    found = whereabouts(answer)
    if found is None:
        return []
    place = f" ({found.path}:{found.line})" if found.line else ""
    rows: list[Row] = [("step", [found.where, Styled(place, "dim")])]
    if found.then:
        rows.append(("next", [found.then]))
    rows.extend(("", [Styled(note, "warn")]) for note in found.notes)
    return rows


def _brought_up(answer: Answer) -> dict[str, Any] | None:
    """The session whose activation is shown: the one asked about, else that of this terminal."""
    if answer.session is not None:
        return answer.session
    session_id, _ = own_session(answer.plan.root)
    return SessionStore(sessions_folder(answer.plan.root)).load(session_id) if session_id else None


def _metrics(session: dict[str, Any] | None, console: Console) -> None:
    """The loaders of the activation that the session knows of."""
    from synapse_ls.cli.activate import show_loaders

    report = activation_report(session)
    console.line("")
    if report is None:
        console.line(
            Styled("no activation is recorded", "dim"), ": `synapse activate AGENT` records one"
        )
        return
    took = report["milliseconds"]
    told = f" in {took:.0f} ms" if isinstance(took, int | float) else ""
    console.line(
        Styled(f"@{report['agent']}", "name"),
        f" was brought up: {report['quality']}{told}",
        Styled(f" · {report['session']}", "dim"),
    )
    show_loaders(session_loaders(session), console)


def _session(answer: Answer) -> list[Part]:
    session = answer.session
    if session is None:
        parts: list[Part] = [Styled("a new one", "dim")]
        try:
            current = newest(sessions_folder(answer.plan.root), CURRENT_HOURS, now=time.time())
        except SessionError as error:
            return [*parts, " · ", Styled(error.sentence, "warn")]
        if current is not None:
            name = f"“{current.title}”" if current.title else current.session_id
            parts.append(f" (the current one is {name}: --session current)")
        return parts
    at = moment(session.get("last_activity"))
    when = f", active {ago(at, time.time())}" if at is not None else ""
    title = session.get("title")
    return [
        str(session.get("uuid")),
        f" “{title}”" if title else "",
        f" · {counted(session.get('prompt_count') or 0, 'prompt')}{when}",
    ]


def _hook(hooks: tuple[str, ...]) -> list[Part]:
    if hooks:
        return [f"registered in {', '.join(hooks)}"]
    return [
        Styled("not registered", "warn"),
        ": `synapse install`",
    ]


STATUS = Command(
    description="""\
Where the tree is, how much of the context window is left, who is at work on what, and what the next
block would cost, with nothing in the prompt. Each value says where it is known from.

With --watch it stays up to date: on a terminal in place, elsewhere one page after the other, and with
--format json one document a line.""",
    examples=(
        ("A new session, as it would begin", "synapse status"),
        ("The session that is running", "synapse status --session current"),
        ("Beside an agent at work", "synapse status --session current --watch"),
        ("The bracket, for a status line", "synapse status --session current --format json | jq -r .bracket"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
