"""``synapse activate``: activate an agent, and show the state of the project."""

import time
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from synapse_ls.activation import agent_activation
from synapse_ls.activation.framework_settings import PREFERENCES
from synapse_ls.activation.greeting import ENGLISH_EXECUTORS, EXECUTORS, OCCASIONS
from synapse_ls.activation.loader_runner import FALLBACK, FULL, loader_metrics, loader_rows
from synapse_ls.cli.command_table import ChoiceType, command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Row, Styled
from synapse_ls.cli.shared_options import FORMAT_OPTION, root_of
from synapse_ls.engine.situation import NONE
from synapse_ls.hooks.hook_timeout import process_age
from synapse_ls.queries.activation_report import activated_agent_report, agent_report
from synapse_ls.queries.session_lookup import CURRENT_NAME, own_session, resolve_session
from synapse_ls.storage.session_settings import set_fields
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

# Seconds of an activation's time that are left for the greeting, its output and the end of the
# process.
END_SECONDS = 0.025

_STYLES = {"loaded": "good", "late": "warn", "failed": "bad"}


def _resolve_session(root: str, name: str) -> tuple[str, str]:
    """Return the id of the session that is changed, "" for none, and why there is none."""
    return (resolve_session(root, name, allow_new=True), "") if name else own_session(root)


def _list_agents(root: str, options: Namespace, console: Console) -> int:
    defined, other_names = agent_activation.list_agents(root)
    if options.format == "json":
        rules_only = ({"id": id, "file": None} for id in other_names)
        console.json({"agents": [*map(agent_report, defined), *rules_only]})
        return 0
    if not defined and not other_names:
        console.note("no agent is known: there is no definition, and no domain has _AGENT_TRIGGER")
    width = max(map(len, [*(agent.id for agent in defined), *other_names]), default=0)
    for agent in defined:
        icon = f"{agent.icon} " if agent.icon else ""
        title = f" — {agent.title}" if agent.title else ""
        name = "" if agent.name == agent.id else agent.name
        parts: list[Part] = [Styled(f"@{agent.id:<{width}}", "name"), f"  {icon}{name}{title}"]
        if agent.commands:
            parts.append(Styled(f" · {format_count(len(agent.commands), 'command')}", "dim"))
        elif not name:
            parts.append(Styled("no commands", "dim"))
        console.line(*parts)
    about = Styled("  rules only, no definition", "dim")
    console.lines((Styled(f"@{id:<{width}}", "name"), about) for id in other_names)
    return 0


def _time_text(activation: agent_activation.Activation) -> str:
    """Return how long the loaders took and, where something is missing, how long they had."""
    took = f"{activation.milliseconds:.0f} ms"
    if activation.quality == FULL:
        return took
    return f"{took}; start and end of the command leave its loaders {activation.allowed:.0f} ms"


def _row(name: str, value: str, about: str) -> Row:
    return name, [value, Styled(f" · {about}", "dim")]


def _print_explanation(
    activation: agent_activation.Activation, is_recorded: bool, console: Console
) -> None:
    facts = activation.facts
    record_note = f"recorded in {activation.session}" if is_recorded else "not recorded"
    rows: list[Row] = [
        _row("agent", f"@{facts.agent.id}", facts.agent.path or "no definition"),
        ("quality", [f"{activation.quality} in {_time_text(activation)} · {record_note}"]),
        _row("occasion", facts.occasion, activation.occasion_reason),
        _row("executor", facts.executor, activation.greeting.kind),
        _row("permission", facts.permission.mode, facts.permission.path or "the default"),
    ]
    if facts.story:
        rows.append(_row("story", facts.story.id, facts.story.why))
    if at := facts.workflow_position:
        rows.append(_row("workflow", at.location, f"{at.path}:{at.line}" if at.line else at.source))
    if handoff := facts.handoff:
        state = "taken over already" if handoff.consumed else "not taken over yet"
        rows.append(_row("hand-off", f"@{handoff.from_agent}", f"{handoff.path}, {state}"))
    for part in activation.greeting.parts:
        lines = format_count(part.text.count("\n") + 1, "line")
        shown_part: Part = lines if part.text else Styled(f"left out: {part.why}", "dim")
        rows.append((f"§ {part.name}", [shown_part]))
    console.rows(rows)
    console.line("")
    show_loaders(loader_metrics(activation.outcomes), console)


def show_loaders(loaders: Mapping[str, Mapping[str, Any]], console: Console) -> None:
    """Print, for ``synapse activate``, a line for each loader: what became of it, how long it took,
    what is missing.
    """
    rows = loader_rows(loaders)
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        state = str(row["state"])
        took = row["milliseconds"] if isinstance(row["milliseconds"], int | float) else 0.0
        console.line(
            f"{row['name']:<{width}}  ",
            Styled(f"{state:<7}", _STYLES.get(state, "dim")),
            f" {took:7.1f} ms",
            Styled(f"  {row['tier']:<11}", "dim"),
            f"  {row['why']}" if row["why"] else "",
        )


@command(
    option(
        "agent AGENT",
        f'an agent: its id, an alias or its name; "{NONE}" ends the work of the one that is '
        "active; without one, the agents are listed",
        nargs="?",
        default="",
    ),
    option_group(
        "Situation",
        option(
            "--session ID",
            f'the session of the agent: an id, its beginning, a new id, or "{CURRENT_NAME}" '
            "(default: this terminal's, else the only one of the last hour)",
        ),
        option(
            "--executor TYPE",
            f"who carries the task out: {', '.join(EXECUTORS)}, Agent, Human (default: as the task "
            "says)",
            choices=ChoiceType(EXECUTORS, aliases=ENGLISH_EXECUTORS),
        ),
        option("--occasion TYPE", "how to greet: as in a session that is {}", choices=OCCASIONS),
        option("--greeting LEVEL", "{} (default: as configured)", choices=PREFERENCES),
        description="What is not given is found out.",
    ),
    option_group(
        "Output",
        switch("--dry-run", "greet, and change no session"),
        switch(
            "--explain",
            "say as well what was found out, how long it took, and why each section is there",
        ),
        FORMAT_OPTION,
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Greets as the agent: who it is, what git says of the project, which story and step of a
    workflow are at work. The greeting also has the agent's permission mode and its memories. What
    takes too long or fails is named, and the agent gets the rest. The agent becomes the active one
    of the session, so its rules apply from the next prompt.

    Without AGENT it lists the agents of the tree.

    Examples:

    # Who is there?
    $ synapse activate

    # Work as @dev in the session of this terminal
    $ synapse activate dev

    # Look first, change nothing
    $ synapse activate qa --dry-run --explain

    # For a program
    $ synapse activate dev --session current --format json | jq -r .greeting
    """
    root = root_of(options)
    if not options.agent:
        return _list_agents(root, options, console)
    now = time.time()
    session, why = _resolve_session(root, options.session)
    if options.agent == NONE:
        if not session:
            raise UserError(f"No agent can be ended: {why}.", "Name a session with --session ID.")
        agent_notes = () if options.dry_run else set_fields(root, session, {"agent": ""}, now=now)
        if options.format == "json":
            console.json({"agent": None, "session": session, "recorded": not options.dry_run})
        else:
            console.line(f"No agent is active in {session}.")
        console.notes(agent_notes)
        return 0
    wishes = (options.executor or "", options.occasion or "", options.greeting or "")
    wish = agent_activation.ActivationRequest(session, *wishes, elapsed=process_age() + END_SECONDS)
    activation = agent_activation.activate_agent(root, options.agent, wish, now=now)
    notes = list(activation.notes)
    if is_recorded := bool(session) and not options.dry_run:
        notes += agent_activation.record_activation(root, activation, now=now)
    elif not options.dry_run:
        notes.append(f"no session was changed: {why}; name one with --session ID")
    if options.format == "json":
        console.json(activated_agent_report(activation, recorded=is_recorded, notes=notes))
        return 0
    if activation.greeting.text:
        console.lines([line] for line in activation.greeting.text.split("\n"))
    if options.explain:
        if activation.greeting.text:
            console.line("")
        _print_explanation(activation, is_recorded, console)
    if not activation.greeting.text and not options.explain:
        console.note(activation.greeting.kind)
    if activation.quality != FULL and not options.explain:
        late = [f"{name} did not come in time" for name in activation.facts.late]
        missing = "; ".join((*activation.facts.missing, *late))
        quality = "a fallback" if activation.quality == FALLBACK else activation.quality
        console.note(f"the activation is {quality}: {missing}")
    console.notes(notes)
    return 0
