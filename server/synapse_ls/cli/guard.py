"""``synapse guard``: what the boundaries of the tree say to a command, before an agent runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format, add_situation, ask
from synapse_ls.cli.parser import one_of
from synapse_ls.engine.render import named
from synapse_ls.guard.use import ENFORCE, MODES, Use
from synapse_ls.service.guard import unread, verdict
from synapse_ls.service.reports import verdict_report

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.guard.judge import Verdict

_STYLES = {"allow": "good", "ask": "warn", "deny": "bad"}
_FILES = ("read", "write", "delete")


def _arguments(parser: Parser) -> None:
    parser.add_argument("command", metavar="COMMAND", nargs="?", default="", help="a command line")
    group = parser.add_argument_group("What else an agent may be about to do")
    for verb in _FILES:
        group.add_argument(
            f"--{verb}", metavar="PATH", action="append", default=[], help=f"{verb} a file"
        )
    group.add_argument("--tool", metavar="NAME", default="", help="call a tool of the client")
    group.add_argument(
        "--folder", metavar="PATH", default="", help="where, below the project (default: its root)"
    )
    parser.add_argument(
        "--mode",
        metavar="MODE",
        type=one_of(MODES),
        help=f"{', '.join(MODES)} (default: what config.toml says)",
    )
    add_situation(parser)
    add_format(parser.add_argument_group("Output"))


def _run(options: Namespace, console: Console) -> int:
    files = [(verb, path) for verb in _FILES for path in getattr(options, verb)]
    if not (options.command.strip() or files or options.tool):
        raise CliError("There is nothing to judge.", 'Name a command: synapse guard "git push".')
    answer = ask(options, "")
    situation = answer.assembly.situation
    use = Use(
        command=options.command, files=files, tool=options.tool, folder=options.folder.strip("/")
    )
    mode = options.mode or answer.plan.settings["guard"]
    found = verdict(answer.plan, situation, use, project=answer.plan.root, mode=mode)
    blind = unread(answer.plan, situation.agent)
    if options.format == "json":
        console.json(verdict_report(found, situation.agent, mode, blind))
    else:
        _tell(found, situation.agent, mode, console)
        for note in situation.notes:
            console.note(note)
        if blind:
            keys = named(key for key, *_ in blind)
            forbids = "forbids" if len(blind) == 1 else "forbid"
            console.note(
                f"{keys} of @{situation.agent} {forbids} what no command line shows; the guard cannot "
                "see to that. A rule {D}_DENY_n names commands, files or tools."
            )
    return int(found.decision != "allow")


def _tell(found: Verdict, agent: str, mode: str, console: Console) -> None:
    who = f"@{agent}" if agent else "no active agent"
    reason = f": {found.why}" if found.why else ""
    console.line(Styled(found.decision, _STYLES[found.decision]), f" for {who}{reason}.")
    if found.what:
        console.line("  ", Styled("what:", "dim"), f" {found.what}")
    clause = found.clause
    if found.decision == "allow" and clause is not None:
        console.line("  ", Styled("by:", "dim"), f" {clause.place}")
    if found.decision != "allow" and mode != ENFORCE:
        effect = "the agent is told, and may" if mode == "warn" else "nobody is told"
        console.note(
            f"The guard is set to {mode}: {effect}. `[guard] mode` in config.toml sets it."
        )


GUARD = Command(
    description="""\
Judges what an agent is about to do as the hook does before a tool is used: by the authority
boundaries of the active agent, by what belongs to other agents, and by the DENY and ALLOW rules of
the domains that take part. A command line is read as a shell reads it: chains, substitutions and
programs that run others are gone through. What cannot be told is "ask". The exit code is 0 for
"allow" and 1 for the others.

It is a guard rail, not a sandbox: what a script or a program does inside is not seen.""",
    examples=(
        ("May @dev push?", 'synapse guard "git push" --agent dev'),
        ("Hidden in another command", "synapse guard \"cd api && sh -c 'git -C . push -f'\" --agent dev"),
        ("A file", "synapse guard --write .synapse/manifest --agent dev --mode enforce"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
