"""``synapse guard``: show the verdict of the authority boundaries on an agent's command."""

from argparse import Namespace

from synapse_ls.cli.command_table import command, option, option_group, repeated_option
from synapse_ls.cli.console import Console, Styled
from synapse_ls.cli.shared_options import FORMAT_OPTION
from synapse_ls.cli.tree_options import query_answer, situation_options
from synapse_ls.guard.agent_action import ENFORCE, MODES, AgentAction
from synapse_ls.hooks.boundary_verdict import judge_use, unreadable_clauses
from synapse_ls.queries.guard_report import unread_about, verdict_report
from synapse_ls.storage.trusted_trees import change_note
from synapse_ls.text.user_error import UserError

_STYLES = {"allow": "good", "ask": "warn", "deny": "bad"}
_VERBS = ("read", "write", "delete")


@command(
    option("command COMMAND", "a command line", nargs="?", default=""),
    option_group(
        "What else an agent may be about to do",
        *(repeated_option(f"--{verb} PATH", f"{verb} a file") for verb in _VERBS),
        option("--tool NAME", "call a tool of the client"),
        option("--folder PATH", "where, below the project (default: its root)"),
    ),
    option("--mode MODE", "{} (default: what config.toml says)", choices=MODES),
    situation_options(),
    option_group("Output", FORMAT_OPTION),
)
def run(options: Namespace, console: Console) -> int:
    """Judges what an agent is about to do, as the hook does before a tool is used. It goes by the
    authority boundaries of the active agent, by what belongs to other agents, and by the DENY and
    ALLOW rules of active domains. A command line is read as a shell reads it: chains, substitutions
    and programs that run others are gone through. What cannot be decided is "ask". The exit code is
    0 for "allow" and 1 for the others.

    It is a guard rail, not a sandbox: what a script or a program does inside is not seen.

    Examples:

    # May @dev push?
    $ synapse guard "git push" --agent dev

    # Hidden in another command
    $ synapse guard "cd api && sh -c 'git -C . push -f'" --agent dev

    # A file
    $ synapse guard --write .synapse/manifest --agent dev --mode enforce
    """
    files = [(verb, path) for verb in _VERBS for path in getattr(options, verb)]
    if not (options.command.strip() or files or options.tool):
        raise UserError("There is nothing to judge.", 'Name a command: synapse guard "git push".')
    answer = query_answer(options, "")
    situation = answer.assembly.situation
    use = AgentAction(
        command=options.command, files=files, tool=options.tool, folder=options.folder.strip("/")
    )
    mode = options.mode or answer.plan.settings["guard"]
    verdict = judge_use(answer.plan, situation, use, project_root=answer.plan.root, mode=mode)
    blind = unreadable_clauses(answer.plan, situation.agent)
    if options.format == "json":
        console.json(
            verdict_report(verdict, situation.agent, mode, answer.plan.settings["policy"], blind)
        )
    else:
        agent = situation.agent
        who = f"@{agent}" if agent else "no active agent"
        reason = f": {verdict.reason}" if verdict.reason else ""
        console.line(Styled(verdict.decision, _STYLES[verdict.decision]), f" for {who}{reason}.")
        if verdict.subject:
            console.line("  ", Styled("what:", "dim"), f" {verdict.subject}")
        clause = verdict.clause
        if verdict.decision == "allow" and clause is not None:
            console.line("  ", Styled("by:", "dim"), f" {clause.citation}")
        if verdict.decision != "allow" and mode != ENFORCE:
            effect = (
                "the agent is warned, and may go on" if mode == "warn" else "nothing is reported"
            )
            console.note(
                f"The guard is set to {mode}: {effect}. `[guard] mode` in config.toml sets it."
            )
        if policy := answer.plan.settings["policy"]:
            console.note(f"The policy {policy} holds over this tree: `synapse policy` shows it.")
        console.notes(filter(None, (*situation.notes, change_note(answer.plan.root))))
        if verdict.decision == "allow":
            console.notes(
                f"{key} ({file}:{line + 1}) says “{text}”, which the guard cannot judge. A "
                "rule {D}_DENY_n names commands, files or tools."
                for key, file, line, text in unread_about(answer.plan, use, blind)
            )
    return int(verdict.decision != "allow")
